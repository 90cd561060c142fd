"""A run's own objections: what makes it a regression, floors, and what leaves it open."""

import pytest

from gate.core.brainbench.decision import Baselines, decide
from gate.core.brainbench.held import objections
from gate.core.brainbench.result import Result, baseline_of
from gate.core.records.objections import MAX_OBJECTIONS, Objection
from tests.core.brainbench.results import cell_object, result
from tests.core.brainbench.test_decision import GOOD, push_result


def held(found: Result, there: Baselines, allowed: str | None = None) -> tuple[Objection, ...]:
    return objections(decide(found, there, allowed=allowed))


BOTH = Baselines(asked=True, base=GOOD, committed=GOOD)


def test_a_run_that_passes_has_none() -> None:
    assert held(push_result(), BOTH) == ()
    assert held(push_result(failed=2), BOTH, allowed="smaller index") == ()


def test_everything_that_got_worse_is_one() -> None:
    found = held(push_result(failed=2), BOTH)
    assert [(each.rule, each.reason) for each in found] == [
        ("codex/push gold_failed", "regression"),
        ("codex/push push_recall", "regression"),
    ]
    assert found[0].message == "codex/push gold_failed: 1 more pieces of gold missed"


def test_a_floor_that_the_committed_figures_miss_is_a_missed_threshold_and_what_is_justified_is_none() -> (
    None
):
    run = push_result(failed=8)
    committed = baseline_of(run, "smaller index")
    (found,) = held(run, Baselines(asked=True, base=GOOD, committed=committed))
    assert (found.rule, found.reason) == ("codex/push push_recall", "threshold_missed")


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        (Baselines(asked=True), "no_baseline"),
        (Baselines(asked=True, base=GOOD), "incomparable"),
        (Baselines(asked=True, committed=baseline_of(push_result(failed=4))), "incomparable"),
    ],
)
def test_what_cannot_be_told_is_open(there: Baselines, reason: str) -> None:
    assert [each.reason for each in held(push_result(), there)] == [reason]


def test_fixtures_that_could_not_be_set_up_leave_it_open_beside_what_got_worse() -> None:
    failures = [{"fixture_id": "f", "error": "no slug"}]
    assert [each.reason for each in held(push_result(seed_failures=failures), BOTH)] == ["not_measured"]
    reasons = [each.reason for each in held(push_result(failed=2, seed_failures=failures), BOTH)]
    assert reasons == ["regression", "regression", "not_measured"]


def test_more_than_fit_are_counted() -> None:
    cells = [cell_object(suite=f"s{number}", gold_total=10, gold_failed=9) for number in range(50)]
    before = [cell_object(suite=f"s{number}", gold_total=10, gold_failed=0) for number in range(50)]
    then = baseline_of(result(cells=before, turn_rows=[]))
    found = held(result(cells=cells, turn_rows=[]), Baselines(asked=True, base=then, committed=then))
    assert len(found) == MAX_OBJECTIONS
    assert found[-1].message.endswith("(and 18 more)")
