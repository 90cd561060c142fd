import pytest

from gate.core.mode_comparison import Options, compare_rows
from gate.core.mode_report import ModeReport
from gate.render.methodology import methodology
from tests.tables import table


def line(*sizes: int, draws: int = 1000, changed: int = 8) -> str:
    """The line over one metric a size: that many questions measured, the first `changed` of them lost."""
    most = max(sizes)
    before = {f"m{index}": [1.0] * size + [None] * (most - size) for index, size in enumerate(sizes)}
    after = {name: [0.0] * changed + values[changed:] for name, values in before.items()}
    rows = (("a", table(most, **before)), ("b", table(most, **after)))
    return methodology(compare_rows(*rows, Options(draws=draws, seed=7)))


def test_without_a_comparison_it_begins_with_the_label_of_the_contract() -> None:
    assert methodology(ModeReport(draws=1000, seed=7)).startswith("Aggregate-only: ")


@pytest.mark.parametrize(
    "part",
    [
        "percentile-bootstrap",
        "exact-sign-flip and monte-carlo-sign-flip",
        "1000 draws",
        "seed 7",
        "10 to 20 question clusters",
        "up to 16 clusters every sign flip is enumerated",
        "2 comparisons of this report",
        "Holm p is at most 0.05",
        "excludes 0",
        "own cluster",
        "judge's own noise",
        "few questions",
    ],
)
def test_it_names_how_every_number_was_made_and_what_threatens_it(part: str) -> None:
    assert part in line(10, 20)


def test_one_comparison_and_one_size_are_told_in_the_singular() -> None:
    assert "over 10 question clusters" in line(10)
    assert "1 comparison of this report" in line(10)


def test_the_smallest_p_anything_here_could_have_had_is_named() -> None:
    assert "The smallest p attainable here is 0.0078." in line(
        10
    )  # 2 of 2^8 sign flips of the 8 that changed
    assert "The smallest p attainable here is 0.001." in line(20, changed=20)  # 1 of 1,001


def test_comparisons_that_could_not_have_become_significant_are_counted() -> None:
    assert "2 of 2 could not have become significant either way" in line(10, 10, changed=5)
    assert "could not have become significant" not in line(10, 10, changed=6)


def test_it_is_one_line_that_can_stand_in_italics() -> None:
    text = line(10, 20)

    assert "\n" not in text
    assert "*" not in text
    assert "_" not in text
