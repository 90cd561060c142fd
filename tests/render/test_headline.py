import pytest
from msgspec.structs import replace

from gate.core.plan import WHOLE as NOT_NARROWED
from gate.core.plan import PlannedSuite, PolicySource, Rule
from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL, verdict_of
from gate.core.records.suite_inputs import ReplayInputs
from gate.core.report import Acceptance, Outcome, Report
from gate.render.advice import ADVICE
from gate.render.dialect import MARKDOWN
from gate.render.headline import Headline, headline
from tests.factories import (
    METRIC,
    Counts,
    comparison,
    counted_comparison,
    outcome,
    plan,
    report,
    side,
    suite_report,
    typed,
)
from tests.render.scenarios import PER_TYPE, SCENARIOS, WHOLE
from tests.sweep_factories import FILE

ADVISORY = plan(mode="advisory")
FLOOR = Rule(metric=METRIC, rule="threshold", at_least=0.9)
CEILING = Rule(metric=METRIC, rule="threshold", at_most=0.95)


def because(reason: str, **overrides: object) -> Report:
    """A report that one rule decided, for this reason."""
    verdict = verdict_of(reason)
    said = Outcome(
        rule=WHOLE.id,
        metric=METRIC,
        suite=None,
        verdict=verdict,
        reason=reason,
        message="something was found",
    )
    return report(**{"verdict": verdict, "reason": reason, "outcomes": (said,), **overrides})


def test_every_reason_code_has_its_words() -> None:
    assert set(ADVICE) == {*FAILING, *INCONCLUSIVE, *INFORMATIONAL}


@pytest.mark.parametrize("reason", [*FAILING, *INCONCLUSIVE])
def test_every_reason_says_what_to_do(reason: str) -> None:
    told = headline(because(reason))
    assert told.level == ("caution" if reason in FAILING else "warning")
    assert told.title.endswith(".")
    assert told.action


@pytest.mark.parametrize("reason", [*FAILING, *INCONCLUSIVE])
def test_a_run_without_outcomes_still_says_why(reason: str) -> None:
    told = headline(because(reason, outcomes=()))
    assert ADVICE[reason].happened in told.title.lower()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            because("acknowledged", verdict="fail", exit_code=0),
            Headline(
                "important",
                "Failed, and accepted: an owner accepted this failure.",
                "Nothing to do; it stays on record.",
            ),
        ),
        (
            because("not_applicable", outcomes=()),
            Headline("note", "Not applicable: nothing was changed that this gate watches.", "Nothing to do."),
        ),
        (
            because("budget_exhausted"),
            Headline(
                "warning",
                "Only a part was measured. Cannot tell: something was found.",
                "Raise `budget-usd`, or ask fewer questions. Not evidence against this change, but the policy"
                " (`on-inconclusive`) blocks what cannot be told.",
            ),
        ),
        (
            because("no_baseline", plan=ADVISORY),
            Headline(
                "tip",
                "Would not have been able to tell: something was found.",
                "Let the gate run once on the base branch, or name a run or a receipt under `baseline` in the"
                " config. Advisory mode: nothing is blocked.",
            ),
        ),
        (
            report(complete=False),
            Headline(
                "warning",
                f"Incomplete receipt, not to be relied on. Passed: no drop detected in {METRIC}.",
                "Nothing to do.",
            ),
        ),
        (
            report(plan=ADVISORY),
            Headline("note", f"Passed: no drop detected in {METRIC}.", "Nothing to do."),
        ),
        (
            report(verdict="fail", reason="from_the_future", outcomes=()),
            Headline("caution", "Failed: from_the_future.", ""),
        ),
        (
            report(outcomes=()),
            Headline("note", "Passed: no rule was applied.", "Nothing to do."),
        ),
        (
            report(verdict="inconclusive", outcomes=()),
            Headline(
                "warning",
                "Cannot tell: no rule says why.",
                "Not evidence against this change, but the policy (`on-inconclusive`) blocks what cannot be told.",
            ),
        ),
        (
            report(
                verdict="fail",
                reason="from_the_future",
                outcomes=(outcome(verdict="fail", reason="from_the_future", message="a new kind of failure"),),
            ),
            Headline("caution", "Failed: a new kind of failure.", "The receipt says what was found."),
        ),
    ],
)  # fmt: skip
def test_verdicts_without_numbers(made: Report, expected: Headline) -> None:
    assert headline(made) == expected


def test_an_accepted_failure_still_says_what_failed_who_accepted_it_why_and_until_when() -> None:
    word = Acceptance(by="alice", reason="known, filed", until="2026-12-31", head="4f2c1aa")
    made = replace(SCENARIOS["regression_in_one_type"](), reason="acknowledged", exit_code=0, acceptance=word)
    told = headline(made)
    assert told.level == "important"
    assert told.title.startswith(
        "Failed, and accepted: regression of recall_all@5 in temporal-reasoning: 16 of 127"
    )
    assert told.action == (
        "Accepted by alice until 2026-12-31: known, filed. Nothing to do; it stays on record. 1 more rule failed."
    )


def test_introducing_the_gate_keeps_what_was_measured() -> None:
    made = report(
        plan=plan(rules=(WHOLE, FLOOR), policy=PolicySource(origin="introducing")),
        suites=(suite_report(baseline=None, comparisons=(), by_type=(), flips=()),),
        outcomes=(
            outcome(rule=FLOOR.id, value=440 / 470, limit=0.9),
            outcome(reason="introducing", message="it is being introduced"),
        ),
    )
    assert headline(made) == Headline(
        "tip",
        f"Introducing the gate: {METRIC} holds its limit (93.6 % ≥ 90 %); there is nothing to compare with yet.",
        "Nothing to do: once this is merged, later changes are compared with what was measured here.",
    )


def test_an_outcome_about_no_metric_speaks_for_itself() -> None:
    said = outcome(rule="the run finished", metric="", suite=None, verdict="inconclusive", reason="cancelled",
                   message="the run was cancelled before it could decide")  # fmt: skip
    made = report(verdict="inconclusive", reason="cancelled", outcomes=(said,), suites=(), complete=False)
    assert headline(made).title == (
        "Only a part was measured. Cannot tell: the run was cancelled before it could decide."
    )


def test_a_run_that_was_not_begun_measured_nothing() -> None:
    said = outcome(rule="the budget", metric="", suite=None, verdict="inconclusive", reason="budget_exhausted",
                   message="it may cost 2 USD")  # fmt: skip
    made = report(
        verdict="inconclusive", reason="budget_exhausted", outcomes=(said,), suites=(), complete=False
    )
    assert headline(made).title == "Nothing was measured. Cannot tell: it may cost 2 USD."


def test_where_no_suite_has_a_single_row_nothing_was_measured() -> None:
    said = outcome(rule="every question is there exactly once", metric="", suite="main", verdict="inconclusive",
                   reason="cancelled", message="no job has left any rows")  # fmt: skip
    empty = suite_report(candidate=side(questions=0))
    made = report(verdict="inconclusive", reason="cancelled", outcomes=(said,), suites=(empty,))
    assert headline(made).title.startswith("Nothing was measured. Cannot tell: ")


def test_other_failed_and_undecided_rules_are_counted() -> None:
    made = report(
        verdict="fail",
        reason="regression",
        outcomes=(
            outcome(verdict="fail", reason="regression"),
            outcome(rule="a", verdict="fail", reason="threshold_missed"),
            outcome(rule="b", verdict="fail", reason="suite_failed"),
            outcome(rule="c", verdict="inconclusive", reason="not_measured"),
        ),
    )
    assert "2 more rules failed. 1 rule could not be decided." in headline(made).action
    unsure = report(
        verdict="inconclusive",
        reason="not_measured",
        outcomes=(
            outcome(verdict="inconclusive", reason="not_measured"),
            outcome(rule="c", verdict="inconclusive", reason="no_baseline"),
        ),
    )
    assert "1 more rule could not be decided." in headline(unsure).action


def test_a_regression_of_the_whole_metric_names_no_type() -> None:
    made = report(
        verdict="fail",
        reason="regression",
        suites=(
            suite_report(comparisons=(counted_comparison(Counts(470, 438, 0, 22)),), flips=(), flips_total=0),
        ),
        outcomes=(outcome(verdict="fail", reason="regression"),),
    )
    told = headline(made)
    assert (
        told.title == "Regression of recall_all@5: 22 of 470 questions broke, none was fixed (−4.7 points)."
    )
    assert told.action == "Look at where it was lost, type by type."


def test_several_broken_types_are_named_and_the_worst_is_described() -> None:
    changes = {"temporal-reasoning": (1, 30), "multi-session": (0, 20), "knowledge-update": (0, 15)}
    broken = (*changes, "single-session-user")
    made = report(
        verdict="fail",
        reason="regression",
        plan=plan(rules=(PER_TYPE,)),
        suites=(suite_report(by_type=typed(changes, gated=True, family=6)),),
        outcomes=(outcome(rule=PER_TYPE.id, verdict="fail", reason="regression", types=broken),),
    )
    assert headline(made).title == (
        "Regression of recall_all@5 in temporal-reasoning, multi-session and 2 more:"
        " temporal-reasoning is the worst: 30 of 127 questions broke, 1 was fixed (−22.8 points)."
    )


def test_a_regression_without_its_comparison_says_no_more_than_it_knows() -> None:
    made = report(
        verdict="fail",
        reason="regression",
        suites=(),
        outcomes=(outcome(verdict="fail", reason="regression", types=("a",)),),
    )
    assert headline(made, MARKDOWN).title == "Regression of <code>recall_all@5</code> in <code>a</code>."


def test_a_graded_metric_gets_worse_instead_of_breaking() -> None:
    slower = comparison(
        metric="latency_ms",
        better="lower",
        unit="ms",
        baseline_mean=800.0,
        candidate_mean=900.0,
        delta=100.0,
        wins=300,
        losses=170,
        ties=0,
        significant=True,
    )
    made = report(
        verdict="fail",
        reason="regression",
        suites=(suite_report(comparisons=(slower,)),),
        outcomes=(outcome(metric="latency_ms", verdict="fail", reason="regression"),),
    )
    assert headline(made).title == (
        "Regression of latency_ms: 300 of 470 questions worse, 170 better (+100.0 ms)."
    )


@pytest.mark.parametrize(
    ("rules", "limits", "said"),
    [
        ((FLOOR,), (0.9,), f"Passed: {METRIC} holds its limit (93.6 % ≥ 90 %)."),
        ((FLOOR,), (0.9, 0.8), "Passed: both limits hold."),
        ((CEILING,), (0.95,), f"Passed: {METRIC} holds its limit (93.6 % ≤ 95 %)."),
        ((), (0.9,), "Passed: every rule held."),
    ],
)  # fmt: skip
def test_a_pass_of_limits_alone_says_so(
    rules: tuple[Rule, ...], limits: tuple[float, ...], said: str
) -> None:
    rule = rules[0].id if rules else "unknown"
    made = report(
        plan=plan(rules=rules),
        outcomes=tuple(outcome(rule=rule, value=440 / 470, limit=limit) for limit in limits),
    )
    assert headline(made).title == said


def test_a_limit_missed_before_is_not_blamed_on_this_change() -> None:
    made = report(
        verdict="inconclusive",
        reason="preexisting",
        plan=plan(rules=(Rule(metric=METRIC, rule="threshold", at_most=0.9),)),
        outcomes=(
            outcome(
                rule=f"{METRIC} threshold at-most 0.9",
                verdict="inconclusive",
                reason="preexisting",
                value=440 / 470,
                limit=0.9,
            ),
        ),
    )
    told = headline(made)
    assert told.title == (
        f"Cannot tell: {METRIC} misses its limit, and missed it before this change (93.6 % > 90 %)."
    )
    assert told.action.startswith("Not this change's doing")


def test_every_question_tied_without_rankings_claims_nothing_about_rankings() -> None:
    tied = suite_report(comparisons=(counted_comparison(Counts(470, 438, 0, 0)),), rankings_changed=None)
    assert headline(report(reason="identical", suites=(tied,))).title == (
        f"Passed: no drop detected in {METRIC}; every compared question scored the same."
    )


def test_untrusted_names_are_neutral_in_markdown_and_plain_in_a_terminal() -> None:
    made = report(outcomes=(outcome(metric="@evil|<b>"),), suites=())
    assert headline(made).title == "Passed: no drop detected in @evil|<b>."
    assert "@evil" not in headline(made, MARKDOWN).title.replace("<!-- -->", "").replace("<code>@evil", "")


def test_the_scenarios_say_what_to_do_in_one_or_two_sentences() -> None:
    for made in SCENARIOS.values():
        told = headline(made())
        assert told.action
        assert len(told.title) < 200


def test_a_gate_that_judges_itself_never_says_plainly_passed() -> None:
    brought = plan(policy=PolicySource(origin="introducing"))
    told = headline(report(plan=brought))
    assert told.level == "tip"
    assert told.title.startswith("Introducing the gate: ")
    unwatched = report(plan=brought, reason="not_applicable", outcomes=())
    assert headline(unwatched).title.startswith("Not applicable: ")


def test_what_was_asked_to_be_left_out_is_told_with_the_way_to_a_verdict() -> None:
    left = outcome(
        rule=NOT_NARROWED, verdict="inconclusive", reason="not_measured", message="replay is left out"
    )
    told = headline(report(verdict="inconclusive", reason="not_measured", exit_code=2, outcomes=(left,)))

    assert told.title == "Cannot tell: replay is left out."
    assert told.action.startswith("For a verdict run it without `suites`, `modes` and `limit`")


def two_suites(reason: str, **said: object) -> Report:
    """What one rule says of the second of two suites, the same in another mode."""
    verdict = verdict_of(reason)
    suites = tuple(
        suite_report(name=name, comparisons=(counted_comparison(Counts(470, 438, 0, 16)),))
        for name in ("m", "m-conservative")
    )
    told = outcome(suite="m-conservative", verdict=verdict, reason=reason, **said)
    return report(
        verdict=verdict, reason=reason, plan=plan(rules=(FLOOR, WHOLE)), suites=suites, outcomes=(told,)
    )


def test_of_several_suites_the_one_that_decides_is_named() -> None:
    missed = two_suites("threshold_missed", rule=FLOOR.id, value=0.5, limit=0.9)
    assert headline(missed).title == f"Failed: {METRIC} of m-conservative misses its limit (50.0 % < 90 %)."
    assert f"<code>{METRIC}</code> of <code>m-conservative</code>" in headline(missed, MARKDOWN).title
    assert headline(two_suites("regression")).title.startswith(f"Regression of {METRIC} of m-conservative: ")


def test_a_message_that_names_its_suite_is_not_told_it_again() -> None:
    unnamed = two_suites("errors_over_limit", metric="", message="12 of 20 questions ended in an error")
    assert headline(unnamed).title == "Failed: m-conservative: 12 of 20 questions ended in an error."
    named = two_suites("errors_over_limit", metric="", message="12 questions of m-conservative failed")
    assert headline(named).title == "Failed: 12 questions of m-conservative failed."
    other = two_suites("errors_over_limit", metric="", message="12 questions failed, unlike m-conservative-2")
    assert headline(other).title.startswith("Failed: m-conservative: ")


def test_in_a_sweep_a_suite_that_keeps_its_name_is_named_with_its_mode() -> None:
    missed = two_suites("threshold_missed", rule=FLOOR.id, value=0.5, limit=0.9)
    modes = {"m": "balanced", "m-conservative": "conservative", "b": "n/a"}
    planned = tuple(
        PlannedSuite(suite="replay", name=name, inputs=ReplayInputs(against=FILE, mode=mode))
        for name, mode in modes.items()
    )
    released = replace(missed, plan=replace(missed.plan, purpose="sweep", suites=planned))
    assert " of m-conservative misses" in headline(released).title
    for name, said in (("m", " of m in balanced misses"), ("b", " of b misses"), ("c", " of c misses")):
        outcomes = tuple(replace(each, suite=name) for each in missed.outcomes)
        assert said in headline(replace(released, outcomes=outcomes)).title


def test_a_suite_that_stands_alone_is_not_named() -> None:
    alone = two_suites("threshold_missed", rule=FLOOR.id, value=0.5, limit=0.9)
    assert headline(replace(alone, suites=alone.suites[1:])).title.startswith(f"Failed: {METRIC} misses its")


@pytest.mark.parametrize("reason", [*FAILING, *INCONCLUSIVE])
@pytest.mark.parametrize("outcomes", [True, False])
def test_a_sweep_judges_no_change_and_knows_no_base_branch(reason: str, *, outcomes: bool) -> None:
    swept = plan(purpose="sweep", on_inconclusive={})
    made = because(reason, plan=swept) if outcomes else because(reason, plan=swept, outcomes=())
    told = headline(made)
    assert told.action
    assert "this change" not in told.action + told.title
    assert "base branch" not in told.action + told.title


def test_a_sweep_that_cannot_tell_says_nothing_of_a_change() -> None:
    made = two_suites("preexisting", rule=FLOOR.id, value=0.5, limit=0.9)
    told = headline(replace(made, plan=replace(made.plan, purpose="sweep")))
    assert told.title.startswith(
        f"Cannot tell: {METRIC} of m-conservative misses its limit, and missed it when the baseline was measured"
    )
    assert told.action.startswith("The baseline missed it, too: repair it, or change the limit.")
    assert "Not evidence against the release" in told.action
