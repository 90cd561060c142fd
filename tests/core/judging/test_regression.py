from typing import Any

import pytest

from gate.core.judging.regression import compare_receipts, delta_document, signed
from gate.core.records.takes_receipt import DIMENSIONS, TakesReceipt, takes_receipt
from tests.takes_factories import golden, inconclusive_document, receipt, receipt_document

OURS_IS_STRICTER = {"current_inconclusive", "prior_inconclusive", "both_inconclusive"}


def full(side: dict[str, Any]) -> TakesReceipt:
    """A whole receipt with the means and digests that a golden case gives."""
    digests = {name: side[name] for name in ("prompt_sha8", "models_sha8", "rubric_sha8")}
    corpus = {**receipt_document()["corpus"], **side["corpus"]}
    if not side["scores"]:
        return takes_receipt(inconclusive_document(**digests, corpus=corpus))
    scores = {
        name: {"mean": each["mean"], "min": 7, "max": 8, "scores": [7, 8], "per_model": {}}
        for name, each in side["scores"].items()
    }
    return receipt(**digests, corpus=corpus, scores=scores, overall_score=side["overall_score"])


def with_means(mean: float, **overrides: Any) -> TakesReceipt:
    scores = {
        name: {"mean": mean, "min": mean, "max": mean, "scores": [mean], "per_model": {}}
        for name in DIMENSIONS
    }
    return receipt(scores=scores, **{"overall_score": mean, **overrides})


def test_the_contract_s_cases_come_out_as_the_contract_has_them() -> None:
    for case in golden("regress"):
        found = compare_receipts(full(case["current"]), full(case["prior"]), 0.5)
        if case["name"] in OURS_IS_STRICTER:
            assert found.outcome == "inconclusive"
            continue
        document = delta_document(found)
        assert document.pop("outcome") == ("regressed" if case["result"]["regressed"] else "ok")
        assert document == case["result"], case["name"]


def test_a_drop_of_the_overall_score_alone_is_a_regression() -> None:
    found = compare_receipts(with_means(8, overall_score=7.0), with_means(8), 0.5)

    assert (found.outcome, found.summary) == ("regressed", "REGRESSION: overall -1")


@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True)])
def test_inconclusive_on_either_side_is_neither_a_drop_nor_none(sides: tuple[bool, bool]) -> None:
    current, prior = (takes_receipt(inconclusive_document()) if unsure else with_means(8) for unsure in sides)

    found = compare_receipts(current, prior, 0.5)

    assert (found.outcome, found.overall, dict(found.deltas)) == ("inconclusive", None, {})
    assert delta_document(found)["regressed"] is False


def test_a_verdict_that_is_inconclusive_although_there_are_scores_decides_nothing_either() -> None:
    found = compare_receipts(with_means(3, verdict="inconclusive"), with_means(8), 0.5)

    assert found.outcome == "inconclusive"
    assert found.overall == -5
    assert found.summary == "INCONCLUSIVE: this run is INCONCLUSIVE"


def test_inputs_that_differ_are_told_and_block_only_where_they_must_be_the_same() -> None:
    current = with_means(8, rubric_sha8="11111111", protocol_version=2)

    warned = compare_receipts(current, with_means(8), 0.5)
    blocked = compare_receipts(current, with_means(8), 0.5, same=("protocol",))

    assert [each.text for each in warned.differences] == [
        "rubric_sha8 differs (dddddddd → 11111111)",
        "protocol_version differs (1 → 2)",
    ]
    assert warned.outcome == "ok"
    assert blocked.summary == "INCONCLUSIVE: protocol_version differs (1 → 2)"


def test_a_delta_carries_its_sign() -> None:
    assert [signed(value) for value in (0.0, -0.0, 0.3, -1.0)] == ["+0", "+0", "+0.3", "-1"]


@pytest.mark.parametrize(
    ("now", "then", "meaning"),
    [
        (
            {"evidence": "none"},
            {"evidence": "excerpt"},
            "the judges read excerpts of the pages, too, then, and the takes alone now (--evidence)",
        ),
        ({"evidence": "excerpt"}, {"evidence": "excerpt"}, "the pages that the judges saw excerpts of"),
        ({"evidence": "none"}, {}, "takes and rubric are the same, but the judges were asked in other words"),
        ({"rubric_sha8": "eeeeeeee"}, {}, "the judges did not read the same text; where takes or rubric"),
    ],
)
def test_another_prompt_is_blamed_on_what_made_it_another(
    now: dict[str, str], then: dict[str, str], meaning: str
) -> None:
    found = compare_receipts(receipt(prompt_sha8="11111111", **now), receipt(**then), 0.5)

    (prompt,) = (each for each in found.differences if each.input == "prompt")
    assert prompt.meaning.startswith(meaning)
