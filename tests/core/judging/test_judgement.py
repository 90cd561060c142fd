import pytest
from msgspec import UNSET

from gate.core.judging.conclusion import Rules
from gate.core.judging.judgement import RULE, measured_alpha, not_asked, objections
from gate.core.judging.reliability import Floor
from gate.core.records.takes_receipt import DIMENSIONS, TakesReceipt, takes_receipt
from tests.core.judging.factories import rubric
from tests.takes_factories import inconclusive_document, receipt, receipt_document


def rules(**floor: float) -> Rules:
    return Rules(rubric=rubric(), cycles=1, floor=Floor(**floor))


def failing(**dimensions: tuple[float, float, str]) -> TakesReceipt:
    """A failed run; of each named dimension the mean, the least score and the contract's word."""
    scores = receipt_document()["scores"]
    for name, (mean, least, why) in dimensions.items():
        scores[name] = scores[name] | {"mean": mean, "min": least, "failReason": why}
    return receipt(verdict="fail", scores=scores, reason="panel_fail")


def said(found: TakesReceipt, held_to: Rules | None = None) -> tuple[str, str]:
    (objection,) = objections(found, held_to or rules())
    assert objection.rule == RULE
    return objection.reason, objection.message


def test_a_pass_has_no_objection() -> None:
    assert objections(receipt(), rules()) == ()


def test_a_failure_names_every_dimension_the_lowest_mean_first() -> None:
    found = failing(accuracy=(6.9, 6, "mean_below_7"), signal_density=(5.1, 3, "mean_below_7"))

    assert said(found) == (
        "panel_fail",
        "the panel fails signal_density (mean 5.1 of 10, 7 is needed) and accuracy (mean 6.9 of 10, 7 is needed)",
    )


def test_a_single_low_score_is_told_as_one() -> None:
    found = failing(attribution=(7.3, 4, "min_below_5"))

    assert said(found)[1] == "the panel fails attribution (one score of 4, 5 is needed)"


def test_too_few_judges_say_how_many_are_needed() -> None:
    found = takes_receipt(inconclusive_document(reason="panel_inconclusive", successes_per_cycle=[2, 1]))
    nobody = takes_receipt(inconclusive_document(reason="panel_inconclusive", successes_per_cycle=[]))

    assert said(found) == ("panel_inconclusive", "only 1 of 2 judges gave all scores, 2 are needed")
    assert said(nobody)[1].startswith("only 0 of 2")


@pytest.mark.parametrize(
    ("floor", "message"),
    [
        ({"alpha_at_least": 0.8}, "Krippendorff's alpha 0.25 is below 0.8"),
        ({"range_at_most": 2}, "the range of attribution is 3.00, above 2"),
        ({}, "as the receipt says"),
    ],
)
def test_judges_who_are_not_believed_say_by_how_much_they_differ(
    floor: dict[str, float], message: str
) -> None:
    agreement = {name: {"range": 1, "sd": 0.5, "alpha": 0.3, "units": 2} for name in DIMENSIONS}
    agreement["attribution"] |= {"range": 3}
    found = receipt(
        verdict="inconclusive",
        reason="judge_unreliable",
        agreement=agreement,
        agreement_alpha=0.25,
        verdictMessage="as the receipt says",
    )

    assert said(found, rules(**floor)) == (
        "judge_unreliable",
        f"the judges disagree too much to be believed: {message}",
    )


@pytest.mark.parametrize("reason", ["budget_exhausted", "deadline", "cancelled"])
def test_a_run_that_was_stopped_is_no_objection_of_the_panel(reason: str) -> None:
    assert objections(takes_receipt(inconclusive_document(reason=reason)), rules()) == ()


def test_agreement_without_the_figure_cannot_be_told() -> None:
    assert receipt().agreement is UNSET
    assert measured_alpha(receipt()) is None
    assert measured_alpha(receipt(agreement_alpha=True)) is None
    assert measured_alpha(receipt(agreement_alpha=1)) == 1


def test_a_panel_that_was_not_asked_is_not_measured() -> None:
    assert not_asked("no key").line() == {"rule": RULE, "reason": "not_measured", "message": "no key"}


def test_an_objection_always_fits_its_line() -> None:
    assert len(not_asked("x" * 2_000).message) == 500
