from gate.core.report import Report
from gate.render.comment import comment
from gate.render.dialect import PLAIN
from gate.render.reading import reading
from tests.factories import comparison, report, suite_report


def drawn_below_the_floor(*more: str) -> Report:
    """Nine questions broke: 2/2**9 is the smallest p they can attain, and the resampling drew less."""
    broken = comparison(
        wins=0,
        losses=9,
        ties=91,
        n=100,
        clusters=100,
        nontied_clusters=9,
        p_value=0.0036,
        smallest_attainable_p=0.00390625,
        holm_p_value=0.00390625 * (1 + len(more)),
        gated=True,
    )
    others = tuple(comparison(metric=name, gated=True) for name in more)
    return report(suites=(suite_report(comparisons=(broken, *others)),))


def holm_sentence(made: Report) -> str:
    return next(line for line in reading(made, PLAIN) if line.startswith("Holm p"))


def test_a_p_that_was_drawn_below_what_is_attainable_is_said_to_have_been_raised() -> None:
    said = holm_sentence(drawn_below_the_floor())

    assert "the 0.0039 that 9 changed questions cannot go below (the resampling drew less by chance)" in said
    assert "the same as p" not in said
    assert "p never below the smallest attainable" in comment(drawn_below_the_floor())


def test_raised_and_adjusted_are_both_said() -> None:
    said = holm_sentence(drawn_below_the_floor("ndcg@10"))

    assert "cannot go below (the resampling drew less by chance), made stricter because 2 gated" in said
