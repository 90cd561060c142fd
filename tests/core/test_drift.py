import pytest

from gate.core.drift import (
    Changes,
    Choice,
    References,
    Standing,
    as_watched,
    choose,
    digest,
    drifted,
    drifted_since,
    finding,
    references,
)
from gate.core.plan import WHOLE, BaselineProblem, BaselineRows, Plan, PlannedBaseline
from tests import factories as make

OLD, NEW = "1" * 40, "0" * 40
DRIFT = make.plan(purpose="drift")


def source(*commits: str | None, problem: str = "") -> PlannedBaseline:
    rows = tuple(
        BaselineRows(suite=f"s{number}", rows=make.file_ref(), commit=commit)
        for number, commit in enumerate(commits)
    )
    problems = (BaselineProblem(reason="no_baseline", message=problem),) if problem else ()
    return PlannedBaseline(kind="accepted", source="x", rows=rows, problems=problems)


def looked(plan: Plan) -> References:
    """References where the old commit lies 12 commits back, the new one 3, and nothing else is known."""
    return references(plan, {OLD: 12, NEW: 3}.get)


def test_the_reference_is_the_commit_that_the_baseline_was_measured_at() -> None:
    assert looked(make.plan(baseline=source(NEW, NEW), anchor=source(OLD))) == References((NEW,))


def test_of_suites_with_references_of_their_own_the_one_farthest_back_comes_first() -> None:
    assert looked(make.plan(baseline=source(NEW, OLD, "f" * 40))).commits == (OLD, NEW, "f" * 40)


def test_a_suite_whose_reference_has_no_commit_is_named_beside_those_that_have_one() -> None:
    found = looked(make.plan(baseline=source(NEW, None)))
    assert found == References((NEW,), "s1: the reference does not say which commit it was measured at")
    assert drifted_since(found, ["src/"], Changes(files=())).watched is None


def test_without_a_baseline_the_anchor_is_the_reference() -> None:
    assert looked(make.plan(baseline=None, anchor=source(OLD))) == References((OLD,))
    assert looked(make.plan(baseline=source(), anchor=source(OLD))) == References((OLD,))


def test_a_reference_that_names_no_commit_and_one_that_is_missing_are_told_apart() -> None:
    assert looked(make.plan(baseline=source(None))).unknown == (
        "the reference does not say which commit it was measured at"
    )
    assert looked(make.plan(baseline=None)).unknown == "there is no reference"
    missing = looked(make.plan(baseline=source(problem="r.json: there is no such receipt")))
    assert missing.unknown == "there is no reference: r.json: there is no such receipt"


def test_of_the_changed_files_the_watched_ones_are_named() -> None:
    changes = Changes(commits=2, files=("docs/a.md", "src/search/a.ts"), local=("notes", "src/search/b.ts"))
    since = drifted_since(References((OLD,)), ["src/search/"], changes)

    assert (since.reference, since.commits, since.changed) == (OLD, 2, 2)
    assert (since.matched, since.local) == (("src/search/a.ts",), ("src/search/b.ts",))
    assert since.local_others == 1
    assert (since.watched, since.unknown) == (True, ())


def test_nothing_watched_has_changed_only_where_everything_was_looked_at() -> None:
    found = References((OLD,))
    assert drifted_since(found, ["src/"], Changes(files=("docs/a.md",))).watched is False
    cut = drifted_since(found, ["src/"], Changes(unknown=("this clone does not hold it",)))
    assert (cut.watched, cut.changed) == (None, None)


def test_a_watched_file_in_the_work_tree_is_a_change_whatever_else_cannot_be_told() -> None:
    changes = Changes(local=("src/a",), unknown=("this clone does not hold it",))
    assert drifted_since(References((OLD,)), ["src/"], changes).watched is True


def test_without_a_watch_list_or_a_reference_nothing_is_said_to_be_unchanged() -> None:
    blind = drifted_since(References((OLD,)), [], Changes(files=("src/a",)))
    assert (blind.watched, blind.changed, blind.unknown) == (
        None,
        1,
        ("the configuration has no watch list (`watch`)",),
    )
    lost = drifted_since(References(unknown="there is no reference"), ["src/"], Changes())
    assert (lost.watched, lost.unknown) == (None, ("there is no reference",))


def test_a_failing_rule_is_drift_and_a_whole_pass_is_none() -> None:
    assert finding(make.report(plan=DRIFT, verdict="fail", reason="regression")) == "drift"
    assert finding(make.report(plan=DRIFT)) == "clean"


def test_only_a_pass_that_was_measured_whole_is_clean() -> None:
    narrowed = make.outcome(rule=WHOLE, message="replay was not asked for")
    introducing = make.outcome(reason="introducing")
    assert finding(make.report(plan=DRIFT, outcomes=(narrowed,))) == "unmeasured"
    assert finding(make.report(plan=DRIFT, complete=False)) == "unmeasured"
    assert finding(make.report(plan=DRIFT, outcomes=(introducing,))) == "unmeasured"


def test_an_inconclusive_run_that_the_policy_lets_through_is_no_pass() -> None:
    let_through = make.report(plan=DRIFT, verdict="inconclusive", reason="no_baseline", exit_code=0)
    assert finding(let_through) == "unmeasured"


@pytest.mark.parametrize(
    "reason", ["suite_failed", "errors_over_limit", "invalid_receipt", "schema_mismatch"]
)
def test_a_system_that_is_down_and_a_broken_reference_are_no_drift(reason: str) -> None:
    failed = make.outcome(rule="hit significant", suite="main", verdict="fail", reason=reason)
    report = make.report(plan=DRIFT, verdict="fail", reason=reason, outcomes=(failed, make.outcome()))
    assert (as_watched(report), finding(report), drifted(report)) == ("inconclusive", "unmeasured", ())


def test_where_one_suite_was_down_only_what_was_measured_drifts() -> None:
    down = make.outcome(rule="hit significant", suite="main", verdict="fail", reason="suite_failed")
    worse = make.outcome(rule="ndcg significant", suite="other", verdict="fail", reason="regression")
    report = make.report(plan=DRIFT, verdict="fail", reason="suite_failed", outcomes=(down, worse))
    assert (as_watched(report), finding(report)) == ("fail", "drift")
    assert drifted(report) == ("other: ndcg significant",)


def test_a_push_that_touches_nothing_watched_finds_nothing() -> None:
    assert finding(make.report(plan=DRIFT, reason="not_applicable")) == "nothing"


def test_what_drifted_is_named_by_suite_rule_and_types_and_equal_sets_are_equal() -> None:
    broken = {"verdict": "fail", "reason": "regression"}
    one = make.outcome(rule="hit significant", suite="main", types=("b", "a"), **broken)
    two = make.outcome(rule="hit significant", suite=None, **broken)
    held = make.outcome(rule="ndcg significant")
    report = make.report(plan=DRIFT, verdict="fail", outcomes=(one, held, two, two))

    assert drifted(report) == ("hit significant", "main: hit significant (a, b)")
    assert digest(["a", "b"]) == digest(["b", "a", "a"]) != digest(["a"])
    assert digest([]) == ""


NAMES = digest(["main: hit significant"])
OPEN = Standing(is_open=True, measured=(10, 1), drifted=NAMES)
CLOSED = Standing(is_open=False, measured=(10, 1))


def test_drift_opens_an_issue_where_there_is_none_and_reopens_the_one_that_was_closed() -> None:
    assert choose("drift", (11, 1), NAMES, None) == Choice("open")
    assert choose("drift", (11, 1), NAMES, CLOSED) == Choice("reopen")


def test_the_same_drift_is_written_silently_and_another_set_is_said() -> None:
    assert choose("drift", (11, 1), NAMES, OPEN).deed == "edit"
    assert choose("drift", (11, 1), digest(["replay: jaccard"]), OPEN).deed == "announce"


def test_only_a_measured_pass_closes() -> None:
    assert choose("clean", (11, 1), "", OPEN).deed == "close"
    assert choose("unmeasured", (11, 1), "", OPEN).deed == "remark"
    assert choose("nothing", (11, 1), "", OPEN).deed == "leave"


def test_what_is_no_drift_never_opens_or_touches_a_closed_issue() -> None:
    for found in ("clean", "unmeasured", "nothing"):
        for standing in (None, CLOSED):
            assert choose(found, (11, 1), "", standing).deed == "leave"


def test_an_older_run_changes_nothing_that_a_newer_one_has_measured() -> None:
    for found in ("drift", "clean", "unmeasured"):
        assert choose(found, (9, 7), NAMES, OPEN).deed == "leave"
        assert choose(found, (9, 7), NAMES, CLOSED).deed == "leave"
    assert "run 10 has measured" in choose("clean", (9, 7), "", OPEN).reason


def test_a_later_attempt_of_one_run_counts_and_an_earlier_one_does_not() -> None:
    second = Standing(is_open=True, measured=(10, 2), drifted=NAMES)
    assert choose("clean", (10, 3), "", second).deed == "close"
    assert choose("clean", (10, 1), "", second).deed == "leave"


def test_an_attempt_that_failed_later_does_not_keep_an_earlier_measurement_out() -> None:
    tried = Standing(is_open=True, measured=(10, 1), tried=(12, 1), drifted=NAMES)
    assert choose("clean", (11, 1), "", tried).deed == "close"
    assert choose("drift", (11, 1), NAMES, tried).deed == "edit"
    assert choose("unmeasured", (11, 1), "", tried).deed == "leave"
    assert choose("unmeasured", (13, 1), "", tried).deed == "remark"


def test_of_two_jobs_of_one_run_under_one_id_the_one_that_found_drift_is_believed() -> None:
    kept = choose("clean", (10, 1), "", OPEN)
    assert (kept.deed, "same gate id" in kept.reason) == ("leave", True)
    assert choose("drift", (10, 1), NAMES, CLOSED).deed == "reopen"
