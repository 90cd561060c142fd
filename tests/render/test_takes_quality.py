from typing import Any

from gate.core.judging.regression import compare_receipts
from gate.core.judging.score_pairs import Paired, paired_scores
from gate.core.judging.trend import TrendRow
from gate.core.records.takes_receipt import DIMENSIONS, takes_receipt
from gate.render.takes_quality import receipt_text, regression_text, trend_text
from tests.core.judging.test_score_pairs import cycle, of
from tests.takes_factories import golden, inconclusive_document, receipt


def row(**overrides: Any) -> TrendRow:
    members = {
        "ts": "2026-05-09T22:00:00.000Z",
        "rubric_version": "v1.0",
        "verdict": "pass",
        "overall": 7.3,
        "cost": 1.85,
        "corpus_sha8": "abcd1234",
    }
    return TrendRow(**{**members, **overrides})


def test_the_trend_is_the_contract_s_table() -> None:
    unsure = row(
        ts="2026-05-08T18:30:00Z", verdict="inconclusive", overall=None, cost=0.02, corpus_sha8="ef567890"
    )

    assert trend_text([row(), unsure]) == golden("trend_text")
    assert trend_text([]) == golden("trend_text_empty").replace("gbrain eval", "gate")


def test_an_unknown_cost_is_not_shown_as_nothing() -> None:
    assert trend_text([row(cost=None)]).splitlines()[-1].split()[-2] == "–"


def test_a_receipt_is_shown_with_every_judge_and_what_went_wrong() -> None:
    agreement = {name: {"range": 1, "sd": 0.71, "alpha": None, "units": 1} for name in DIMENSIONS}
    agreement["accuracy"] = {"range": 1, "sd": 0.71, "alpha": 0.5, "units": 2}
    low = dict(receipt().scores)
    scores = {
        name: {"mean": 6.5, "min": 6, "max": 7, "scores": [6], "per_model": {"a:one": 6}}
        | ({"failReason": "mean_below_7"} if name == "accuracy" else {})
        for name in low
    }
    shown = receipt_text(
        receipt(
            verdict="fail",
            scores=scores,
            agreement=agreement,
            batches=2,
            corpus={"source": "fs", "n_takes": 2, "slug_prefix": "people/", "corpus_sha8": "aaaaaaaa"},
            errors=[{"modelId": "b:two", "error": "provider_error: 503"}],
            corrections=[
                {"cycle": 0, "modelId": "b:two", "first_error": "parse_failed", "corrected": None},
            ],
            improvements=["say\u202e less\nand more", "x" * 300],
            unpriced_models=["b:two"],
            cost_usd=None,
            replayed_calls=3,
        )
    )

    assert "2 takes (fs, pages people/…) in 2 batches, 1 cycle, rubric v1.0" in shown
    assert "cost: unknown — 3 replies were replayed from a cassette; no model was asked" in shown
    assert "b:two: provider_error: 503" in shown
    assert "b:two: asked once more (parse_failed): no reply" in shown
    assert "no price is known for b:two" in shown
    assert "- say⟨U+202E⟩ less and more" in shown
    assert f"{'x' * 50}" in shown
    assert f"{'x' * 300}" not in shown
    (accuracy,) = (line for line in shown.splitlines() if line.startswith("accuracy"))
    assert accuracy.split() == ["accuracy", "6.5", "6", "–", "1", "0.71", "0.50"]
    assert "cannot tell" in shown


def test_a_receipt_without_scores_or_agreement_shows_what_it_has() -> None:
    plain = receipt_text(receipt(cycles_run=3))

    assert plain.startswith("PASS\n2 takes (fs) in 1 batch, 3 cycles, rubric v1.0\ncost: $0.0134\n")
    assert "one batch: no uncertainty can be given" in plain
    assert "b:two: provider_error: 503" in receipt_text(takes_receipt(inconclusive_document()))


def test_a_regression_is_shown_with_intervals_where_there_are_batches() -> None:
    prior = of(cycle(0, 0, {"a": 8, "b": 9}), cycle(1, 0, {"a": 7, "b": 8}))
    current = of(cycle(0, 0, {"a": 7, "b": 9}), cycle(1, 0, {"a": 6, "b": 7}))
    found, paired = compare_receipts(current, prior, 0.5), paired_scores(current, prior)
    single = Paired({"accuracy": paired_scores(of(cycle(0, 0, {"a": 5})), prior).by_dimension["accuracy"]})

    shown = regression_text(found, paired, prior)

    (accuracy,) = (line for line in shown.splitlines() if line.startswith("accuracy"))
    assert accuracy.split()[:5] == ["accuracy", "+0", "-1.00", "to", "-0.50"]
    assert "against the run of 2026-11-30T12:00:00.000Z; a drop of more than 0.5 is a regression" in shown
    (lone,) = (
        line for line in regression_text(found, single, prior).splitlines() if line.startswith("accuracy")
    )
    assert lone.split()[2] == "–"


def test_a_regression_without_batches_says_what_it_cannot_say() -> None:
    current = receipt(rubric_sha8="11111111")
    found = compare_receipts(current, receipt(), 0.5)

    shown = regression_text(found, paired_scores(current, receipt()), receipt())

    assert shown.startswith("OK: overall +0 (no dim regressed past 0.5)\n")
    assert "no interval: one batch each gives no pairs" in shown
    assert "rubric_sha8 differs (dddddddd → 11111111): the rubric is another one" in shown
    assert "95 %" not in shown


def test_a_regression_says_how_many_batches_are_not_paired() -> None:
    found = compare_receipts(receipt(), receipt(), 0.5)

    one = regression_text(found, Paired({}, left_out=1), receipt())
    two = regression_text(found, Paired({}, left_out=2), receipt())

    assert "1 batch of this run holds other takes than then" in one
    assert "2 batches of this run hold other takes than then" in two


def test_a_receipt_that_tells_no_agreement_shows_that_of_its_scores() -> None:
    (accuracy,) = (line for line in receipt_text(receipt()).splitlines() if line.startswith("accuracy"))

    assert accuracy.split() == ["accuracy", "7.5", "7", "8", "1", "0.71", "–"]


def test_where_no_two_judges_scored_there_is_no_spread() -> None:
    nothing = {"range": None, "sd": None, "alpha": None, "units": 0}
    shown = receipt_text(receipt(agreement=dict.fromkeys(DIMENSIONS, nothing)))

    (accuracy,) = (line for line in shown.splitlines() if line.startswith("accuracy"))
    assert accuracy.split() == ["accuracy", "7.5", "7", "8", "–", "–", "cannot", "tell"]
