import pytest

from gate.render.progress import bar, duration, progress_line


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (0, 350, 0.0, "0 of 350 (0 %)"),
        (0, 350, 40.0, "0 of 350 (0 %)"),
        (70, 350, 0.0, "70 of 350 (20 %)"),
        (70, 350, 5.0, "70 of 350 (20 %), 14 a second, 20 s left"),
        (70, 350, 35.0, "70 of 350 (20 %), 2.0 a second, 2 min left"),
        (7, 350, 140.0, "7 of 350 (2 %), 3.0 a minute, 1 h 54 min left"),
        (350, 350, 10.0, "350 of 350 (100 %), 35 a second"),
        (0, 0, 1.0, "0 of 0 (0 %)"),
    ],
)
def test_a_line_says_how_far_how_fast_and_how_long_yet(
    done: int, total: int, seconds: float, line: str
) -> None:
    assert progress_line(done, total, seconds) == line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89, "89 s"), (100, "2 min"), (5_300, "88 min"), (7_500, "2 h 05 min")],
)
def test_a_duration_is_as_fine_as_a_waiting_reader_needs(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(("done", "drawn"), [(0, "░░░░"), (5, "██░░"), (9, "███░"), (10, "████")])
def test_a_bar_is_full_only_when_all_is_done(done: int, drawn: str) -> None:
    assert bar(done, 10, width=4) == drawn


def test_a_bar_of_nothing_is_empty() -> None:
    assert bar(0, 0, width=2) == "░░"
