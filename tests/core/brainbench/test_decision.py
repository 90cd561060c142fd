"""A run's word: no better than its baselines, its floors and its completeness allow."""

from typing import Any

import pytest

from gate.core.brainbench.decision import Baselines, Decision, decide
from gate.core.brainbench.result import Result, baseline_of, read_baseline, read_result
from tests.core.brainbench.results import BASELINE, RESULT, cell_object, real, result


def push_result(failed: int = 1, leaks: int = 0, **overrides: Any) -> Result:
    metrics = {
        "push_recall": (10 - failed) / 10,
        "push_precision": 1,
        "source_isolation_violations": leaks,
    }
    cell = cell_object(suite="push", gold_total=10, gold_failed=failed, metrics=metrics)
    return result(cells=[cell], turn_rows=[], **overrides)


GOOD = baseline_of(push_result())


def with_both(found: Result) -> Decision:
    return decide(found, Baselines(asked=True, base=GOOD, committed=GOOD))


def test_the_real_run_against_the_real_baseline_is_a_pass() -> None:
    committed = read_baseline(real(BASELINE))
    found = decide(read_result(real(RESULT)), Baselines(asked=True, base=committed, committed=committed))
    assert found == Decision(verdict="pass")


def test_worse_than_the_base_is_a_regression_unless_allowed() -> None:
    assert with_both(push_result()).verdict == "pass"
    assert with_both(push_result(failed=2)).verdict == "regression"
    allowed = decide(
        push_result(failed=2), Baselines(asked=True, base=GOOD, committed=GOOD), allowed="smaller index"
    )
    assert allowed.verdict == "pass"


@pytest.mark.parametrize(
    ("there", "verdict", "said"),
    [
        (Baselines(asked=True), "inconclusive", "there is no baseline"),
        (Baselines(asked=True, base=GOOD), "inconclusive", "the committed baseline was deleted"),
        (Baselines(asked=True, committed=GOOD, unread="no such base"), "inconclusive", "no such base"),
        (Baselines(asked=True, committed=GOOD), "pass", "the first baseline: nothing to compare with"),
        (Baselines(), "pass", "no baseline was named: nothing but leaks and floors was judged"),
    ],
)
def test_where_a_baseline_is_lacking_that_is_said(there: Baselines, verdict: str, said: str) -> None:
    found = decide(push_result(), there)
    assert (found.verdict, found.notes) == (verdict, (said,))


def test_a_leak_is_a_regression_without_any_baseline() -> None:
    found = decide(push_result(leaks=1), Baselines())
    assert (found.verdict, found.breaches[0].current) == ("regression", 1)


def test_a_committed_baseline_below_its_floors_is_a_regression() -> None:
    run = push_result(failed=8)
    found = decide(run, Baselines(asked=True, base=baseline_of(run), committed=baseline_of(run)))
    assert found.verdict == "regression"
    assert [each.detail for each in found.below] == ["at least 0.52, not 0.2"]


def test_without_any_baseline_the_run_itself_must_keep_the_floors() -> None:
    found = decide(push_result(failed=8), Baselines())
    assert (found.verdict, [each.detail for each in found.below]) == (
        "regression",
        ["at least 0.52, not 0.2"],
    )


def test_a_run_that_could_not_set_up_its_fixtures_is_inconclusive() -> None:
    failures = [{"fixture_id": f"f{number}", "error": "no slug"} for number in range(7)]
    found = with_both(push_result(seed_failures=failures))
    assert found.verdict == "inconclusive"
    assert found.notes == ("7 fixtures could not be set up: f0, f1, f2, f3, f4",)


def test_a_regression_stays_one_when_fixtures_failed_as_well() -> None:
    failures = [{"fixture_id": "f", "error": "no slug"}]
    assert with_both(push_result(failed=2, seed_failures=failures)).verdict == "regression"


def test_no_gold_at_all_is_no_pass() -> None:
    found = decide(result(cells=[], turn_rows=[]), Baselines())
    assert found.verdict == "inconclusive"
    assert found.notes[-1] == "nothing was measured: no cell has any gold"
