from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.judging.panel_report import earlier_panel, panel_report, total_cost
from gate.core.records.panel_figures import PanelReport
from gate.core.records.panel_terms import EarlierPanel
from gate.core.records.takes_receipt import DIMENSIONS, takes_receipt
from tests.factories import file_ref
from tests.takes_factories import inconclusive_document, receipt, receipt_document

FILE = file_ref("gate-out/takes/one.json")


def made(earlier: EarlierPanel | None = None, **overrides: Any) -> PanelReport:
    return panel_report(FILE, receipt(**overrides), earlier)


def earlier(**overrides: Any) -> EarlierPanel:
    members: dict[str, Any] = {
        "rubric_sha8": "dddddddd",
        "models_sha8": "cccccccc",
        "corpus_sha8": "aaaaaaaa",
        "verdict": "pass",
        "overall": 7.0,
        "means": dict.fromkeys(DIMENSIONS, 7.2),
    }
    return EarlierPanel(**members | overrides)


def test_every_dimension_and_judge_is_there_and_nothing_was_compared() -> None:
    found = made()

    assert found.receipt == FILE
    assert [one.name for one in found.dimensions] == list(DIMENSIONS)
    first = found.dimensions[0]
    assert (first.mean, first.least, first.greatest, first.failed) == (7.5, 7, 8, None)
    assert (first.before, first.delta, first.range, first.sd, first.alpha) == (None,) * 5
    assert [(one.model, one.scores["accuracy"], one.error) for one in found.judges] == [
        ("a:one", 7, None),
        ("b:two", 8, None),
    ]
    assert (found.overall, found.overall_before, found.overall_delta, found.unlike) == (7.5, None, None, ())
    assert (found.alpha, found.units, found.cost_usd, found.budget_usd) == (None, 0, 0.0134, None)
    run = found.run
    assert (run.source, run.takes, run.eligible, run.batches, run.cycles, run.calls) == (
        "fs",
        2,
        None,
        1,
        1,
        None,
    )


def test_differences_are_rounded_as_the_contract_rounds_them() -> None:
    found = made(earlier(overall=7.3))

    assert (found.overall_before, found.overall_delta) == (7.3, 0.2)
    assert {(one.before, one.delta) for one in found.dimensions} == {(7.2, 0.3)}
    assert found.unlike == ()


def test_another_rubric_is_compared_in_nothing() -> None:
    found = made(earlier(rubric_sha8="00000000"))

    assert found.unlike == ("rubric",)
    assert (found.overall_delta, found.dimensions[0].delta) == (None, None)


def test_other_models_and_other_takes_are_told() -> None:
    found = made(earlier(models_sha8="00000000", corpus_sha8="00000000"))

    assert found.unlike == ("models", "takes")
    assert found.overall_delta == 0.5


def test_an_inconclusive_baseline_has_nothing_to_compare_with() -> None:
    found = made(earlier(overall=None, means={}))

    assert (found.overall_delta, found.dimensions[0].before, found.dimensions[0].delta) == (None, None, None)


def test_an_inconclusive_panel_shows_the_kind_of_every_error_and_no_word_of_it() -> None:
    found = panel_report(FILE, takes_receipt(inconclusive_document(reason="panel_inconclusive")), earlier())

    assert (found.verdict, found.reason, found.overall, found.dimensions) == (
        "inconclusive",
        "panel_inconclusive",
        None,
        (),
    )
    assert [(one.model, dict(one.scores), one.error) for one in found.judges] == [
        ("a:one", {}, None),
        ("b:two", {}, "provider_error"),
    ]


def test_what_the_run_says_about_itself_is_carried() -> None:
    agreement = {name: {"range": 1, "sd": 0.5, "alpha": 0.3, "units": 4} for name in DIMENSIONS}
    correction = {"cycle": 0, "modelId": "a:one", "first_error": "parse_failed: x", "corrected": "valid"}
    found = made(
        agreement=agreement,
        agreement_alpha=0.4,
        batches=4,
        cycle_policy="median",
        corrections=[correction],
        unpriced_models=["a:one"],
        cost_usd=None,
        reason="panel_fail",
        budget_usd=5,
        eligible_takes=40,
        calls=9,
        replayed_calls=3,
        calls_charged_at_bound=2,
    )

    assert (found.alpha, found.units, found.reason) == (0.4, 4, "panel_fail")
    assert (found.dimensions[0].range, found.dimensions[0].sd, found.dimensions[0].alpha) == (1, 0.5, 0.3)
    assert (found.cost_usd, found.budget_usd, found.unpriced) == (None, 5, ("a:one",))
    run = found.run
    assert (run.batches, run.cycle_policy, run.eligible, run.calls) == (4, "median", 40, 9)
    assert (run.replayed, run.corrections, run.charged_at_bound) == (3, 1, 2)


def test_a_failed_dimension_keeps_the_contracts_word() -> None:
    scores = receipt_document()["scores"]
    scores["accuracy"]["failReason"] = "mean_below_7"

    assert made(verdict="fail", scores=scores).dimensions[0].failed == "mean_below_7"


@pytest.mark.parametrize("value", [True, "3", 1.5, None])
def test_what_is_no_count_is_not_known(value: object) -> None:
    assert made(calls=value).run.calls is None


@pytest.mark.parametrize("value", [True, "5", None])
def test_what_is_no_amount_is_not_known(value: object) -> None:
    assert made(budget_usd=value).budget_usd is None


def test_a_later_run_is_compared_with_what_this_one_came_to() -> None:
    assert earlier_panel(made()) == EarlierPanel(
        rubric_sha8="dddddddd",
        models_sha8="cccccccc",
        corpus_sha8="aaaaaaaa",
        verdict="pass",
        overall=7.5,
        means=dict.fromkeys(DIMENSIONS, 7.5),
    )


@given(st.lists(st.none() | st.floats(0, 100), max_size=4))
def test_the_total_cost_is_known_only_where_every_one_is(costs: list[float | None]) -> None:
    found = total_cost(tuple(made(cost_usd=cost) for cost in costs))

    if not costs or None in costs:
        assert found is None
    else:
        assert found == pytest.approx(sum(cost for cost in costs if cost is not None))
