from gate.core.plan import BaselineProblem, PlannedSuite, Watched
from gate.render.dialect import PLAIN
from gate.render.left_out import left_out, left_out_summary
from tests.factories import (
    SUITE,
    baseline_side,
    comparison,
    file_ref,
    mean,
    plan,
    planned_baseline,
    report,
    side,
    suite_report,
)

NOTHING = {"abstentions": 0, "rows": None}


def test_nothing_left_out_is_nothing() -> None:
    whole = suite_report(candidate=side(**NOTHING), baseline=baseline_side(**NOTHING))
    found = left_out(report(suites=(whole,)), PLAIN)
    assert (found.lines, left_out_summary(found)) == ((), "Left out: nothing")


def test_everything_that_was_left_out_is_counted_and_named() -> None:
    suite = suite_report(
        candidate=side(abstentions=0, errored=1, judge_errors=2, repeats=3, notes=("1 torn lines skipped",)),
        baseline=baseline_side(abstentions=30),
        baseline_only=2,
        candidate_only=1,
        content_changed=1,
        unpaired_ids=("a", "b", "c", "d"),
        comparisons=(comparison(not_measured=5, judge_errors=1),),
        notes=("x is not a number",),
    )
    problem = BaselineProblem(reason="no_baseline", message="no run", suite="docs")
    general = BaselineProblem(reason="no_baseline", message="no ledger")
    made = report(
        plan=plan(baseline=planned_baseline(notes=("2 torn lines",), problems=(problem, general))),
        suites=(suite,),
        notes=("2 torn lines",),
    )
    found = left_out(made, PLAIN)
    assert found.lines == (
        "2 questions only in the baseline",
        "1 question only in the candidate",
        "1 question edited since the baseline (their content hash differs)",
        "not paired: a, b, c, d",
        "candidate: 1 question ended in an error and have no value",
        "candidate: 2 answers without a judgement, counted as wrong",
        "candidate: 3 repeats averaged into their questions",
        "candidate: 1 torn lines skipped",
        "baseline: 30 abstention questions outside the denominator of recall",
        "recall_all@5: 5 questions without a value on one side or both",
        "recall_all@5: 1 question with a failed judgement",
        "x is not a number",
        "2 torn lines",
        "docs: no run",
        "no ledger",
    )
    assert left_out_summary(found) == "Left out and noted: 4 questions not paired, 15 entries"


def test_only_the_first_ids_are_named_and_the_rest_counted() -> None:
    many = suite_report(baseline_only=30, unpaired_ids=tuple(f"q{n}" for n in range(20)))
    lines = left_out(report(suites=(many,)), PLAIN, ids=3).lines
    assert "not paired: q0, q1, q2 and 27 more" in lines
    assert not any("not paired" in line for line in left_out(report(suites=(many,)), PLAIN, ids=0).lines)


def test_pooled_attempts_and_watched_files_are_noted() -> None:
    attempts = (PlannedSuite(suite="rows", name=SUITE, earlier=(file_ref("a"), file_ref("b"))),)
    watch = Watched(patterns=("src/**",), changed=14, matched=("src/a.py",))
    whole = suite_report(candidate=side(**NOTHING), baseline=baseline_side(**NOTHING))
    made = report(plan=plan(suites=attempts, watch=watch), suites=(whole,))
    assert left_out(made, PLAIN).lines == (
        "2 earlier attempts of this run pooled with the last one, as repeats",
        "1 of 14 changed files watched",
    )


def test_without_a_baseline_there_is_one_side_to_report() -> None:
    made = report(plan=plan(baseline=None), suites=(suite_report(baseline=None, notes=()),))
    assert left_out(made, PLAIN).lines == (
        "candidate: 30 abstention questions outside the denominator of recall",
    )


def test_missing_values_that_no_pair_tells_of_are_counted() -> None:
    alone = side(means=(mean(metric="hit", n=1, mean=1.0, missing=149),))
    found = suite_report(baseline=None, candidate=alone, comparisons=(), by_type=(), flips=(), flips_total=0)

    lines = left_out(report(suites=(found,)), PLAIN).lines

    assert "hit: 149 questions without a value" in lines


def test_a_run_that_was_stopped_before_it_measured_left_everything_out() -> None:
    made = report(suites=(), plan=plan(suites=(PlannedSuite(suite="rows", name=SUITE),)))

    assert "everything: no suite was measured" in left_out(made, PLAIN).lines
