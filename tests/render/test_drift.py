import re
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from gate.core.plan import Drifted, Plan, Rule
from gate.core.reasons import FAILING, INCONCLUSIVE, verdict_of
from gate.core.report import Report
from gate.render.comment import renditions
from gate.render.dialect import MARKDOWN, PLAIN
from gate.render.drift import (
    again,
    attempt,
    changed_set,
    changes,
    explained,
    failed_attempt,
    foreword,
    no_longer,
    title,
)
from gate.render.headline import headline
from gate.render.junit import junit
from gate.render.machine import machine
from gate.render.provenance import commands
from gate.render.summary import summary
from gate.render.terminal import terminal
from tests import factories as make

SINCE = Drifted(reference=make.BASE, commits=12, changed=31, patterns=("src/",))
LINK = "[this run](https://github.example/run/1)"
FAIL = {"verdict": "fail", "reason": "regression"}
BETTER = make.counted_comparison(make.Counts(470, 438, 30, 2))


def watch(since: Drifted | None = SINCE, **overrides: object) -> Plan:
    return make.plan(purpose="drift", since=since, **overrides)


def drifting(since: Drifted = SINCE, **overrides: object) -> Report:
    said = make.outcome(message="recall_all@5 got significantly worse", **FAIL)
    return make.report(plan=watch(since), **FAIL, outcomes=(said,), **overrides)


def said(since: Drifted, *, verdict: str = "fail") -> str:
    return explained(make.report(plan=watch(since), verdict=verdict), PLAIN)


def test_a_gate_that_is_no_watch_explains_nothing() -> None:
    assert explained(make.report(), PLAIN) == ""


def test_drift_is_explained_by_the_watched_files_that_changed() -> None:
    since = replace(SINCE, matched=("src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"))
    assert said(since) == (
        "4 watched files changed in the 12 commits since the reference a1b2c3d: src/a.ts, src/b.ts and 2 more."
    )


def test_drift_without_a_change_points_outside_the_repository() -> None:
    assert said(replace(SINCE, changed=0)) == (
        "No watched file has changed in the 12 commits since the reference a1b2c3d:"
        " the cause lies outside the repository (a model, a service, data)."
    )


def test_files_that_are_not_watched_may_be_the_cause_too() -> None:
    assert said(replace(SINCE, commits=1, changed=1)).endswith(
        "in the one commit since the reference a1b2c3d, and 1 other file did: the cause lies outside the repository"
        " (a model, a service, data), or in a file that the watch list does not name."
    )


def test_what_is_worse_than_the_anchor_may_have_got_worse_before_the_reference() -> None:
    suites = (
        make.PlannedSuite(suite="rows", name="s"),
        make.PlannedSuite(suite="rows", name="s against the anchor", anchored="s"),
    )
    plan = watch(replace(SINCE, changed=0), suites=suites)
    for suite, outside in (("s", True), ("s against the anchor", False)):
        broken = make.outcome(suite=suite, **FAIL)
        report = make.report(plan=plan, **FAIL, outcomes=(broken,))
        assert ("lies outside the repository" in explained(report, PLAIN)) is outside


def test_what_passed_needs_no_cause() -> None:
    assert said(SINCE, verdict="pass") == (
        "No watched file has changed in the 12 commits since the reference a1b2c3d, and 31 other files did."
    )


def test_a_reference_of_the_very_commit_and_one_of_unknown_distance() -> None:
    at_home = said(replace(SINCE, commits=0, changed=0), verdict="pass")
    assert at_home == ("No watched file has changed since the reference a1b2c3d, which is this very commit.")
    assert "changed since the reference a1b2c3d, and" in said(replace(SINCE, commits=None))


def test_what_is_not_committed_is_named_as_such_and_is_a_cause() -> None:
    told = said(replace(SINCE, changed=0, local=("src/a.ts",)))
    assert told.endswith("since the reference a1b2c3d. Not committed: 1 watched file: src/a.ts.")


def test_what_is_not_committed_and_not_watched_may_be_the_cause_too() -> None:
    told = said(replace(SINCE, changed=0, local_others=2))
    assert told.endswith(
        "data), or in a file that the watch list does not name. Not committed: 2 other files."
    )
    both = said(replace(SINCE, changed=0, local=("src/a.ts",), local_others=1))
    assert both.endswith("Not committed: 1 watched file: src/a.ts, and 1 other file.")
    assert said(replace(SINCE, patterns=(), local_others=1, unknown=("x",))).endswith(
        "Not committed: 1 file. Whether anything watched has changed since the reference cannot be told: x."
    )


def test_what_cannot_be_told_is_never_told_as_unchanged() -> None:
    told = said(Drifted(unknown=("there is no reference", "the clone is shallow")))
    assert told == (
        "Whether anything watched has changed since the reference cannot be told: there is no reference;"
        " the clone is shallow."
    )


def test_where_not_everything_can_be_told_no_cause_is_named() -> None:
    told = said(replace(SINCE, changed=0, unknown=("s1: the reference does not say",)))
    assert "lies outside" not in told
    assert told.endswith("cannot be told: s1: the reference does not say.")


def test_without_a_watch_list_the_changed_files_are_counted_all_the_same() -> None:
    told = said(replace(SINCE, reference=None, patterns=(), unknown=("the configuration has no watch list",)))
    assert told.startswith("31 files changed in the 12 commits since the reference. Whether anything watched")


def test_every_watched_file_is_listed_on_a_line_of_its_own() -> None:
    told = changes(replace(SINCE, matched=("src/a", "src/\x1bb"), local=("src/c",)))
    assert told.splitlines() == [
        "2 watched files changed in the 12 commits since the reference a1b2c3d. Not committed: 1 watched file.",
        "  src/a",
        "  src/␛b",
        "  src/c (not committed)",
    ]


@pytest.mark.parametrize(
    ("verdict", "reason", "lead"),
    [
        ("pass", None, "No drift: no drop detected"),
        ("fail", "regression", "Drift: regression of recall_all@5"),
        ("fail", "suite_failed", "Could not measure: there is no such receipt"),
        ("inconclusive", "no_baseline", "Could not measure: there is no such receipt"),
    ],
)
def test_a_watch_speaks_of_drift_wherever_it_reports(verdict: str, reason: str | None, lead: str) -> None:
    message = "there is no such receipt" if "Could not" in lead else "no drop detected in recall_all@5"
    outcome = make.outcome(verdict=verdict, reason=reason, message=message)
    report = make.report(plan=watch(), verdict=verdict, reason=reason, outcomes=(outcome,))

    assert headline(report).title.startswith(lead)
    for text in (renditions(report)[0](), summary(report)):
        assert f"**{lead.split(':', maxsplit=1)[0]}: " in text
    assert terminal(report).startswith(lead)
    first = ET.fromstring(junit(report)).findall(".//testcase")[-1]  # noqa: S314 - our own text
    told = [node.get("message") or node.text or "" for node in first]
    assert first.get("name") == "drift"
    assert verdict == "pass" or told[0].startswith(lead)
    assert machine(report).count('"purpose": "drift"') == 1


def test_where_nothing_was_measured_no_cause_is_claimed() -> None:
    failed = {"verdict": "fail", "reason": "suite_failed"}
    report = make.report(plan=watch(), **failed, outcomes=(make.outcome(**failed),))
    assert "lies outside the repository" in explained(drifting(), PLAIN)
    assert "lies outside the repository" not in explained(report, PLAIN)


def test_advisory_mode_still_says_drift_and_blocks_nothing() -> None:
    told = headline(make.report(plan=watch(mode="advisory"), **FAIL, outcomes=(make.outcome(**FAIL),)))
    assert told.title.startswith("Drift: ")
    assert "Advisory mode: nothing is blocked." in told.action


def test_a_significant_gain_is_no_drift_and_asks_for_a_new_reference() -> None:
    suites = (make.suite_report(comparisons=(BETTER,)),)
    told = headline(make.report(plan=watch(), suites=suites))
    assert told.title.startswith("No drift: ")
    assert "is significantly better" in told.title
    assert told.action.startswith("Accept this run as the new reference (`gate baseline accept`)")
    assert headline(make.report(suites=suites)).action == "Nothing to do."


@pytest.mark.parametrize("reason", [*FAILING, *INCONCLUSIVE])
def test_no_advice_to_a_watch_speaks_of_a_change(reason: str) -> None:
    verdict = verdict_of(reason)
    said = make.outcome(verdict=verdict, reason=reason, message="something was found")
    told = headline(make.report(plan=watch(), verdict=verdict, reason=reason, outcomes=(said,)))
    assert not re.search("this change|base branch|another commit", f"{told.title} {told.action}")


def test_a_limit_that_the_reference_missed_too_is_told_as_such() -> None:
    rule = Rule(metric=make.METRIC, rule="threshold", at_least=0.99)
    said = make.outcome(
        rule=rule.id, verdict="inconclusive", reason="preexisting", value=0.9, limit=0.99, message="x"
    )
    report = make.report(
        plan=watch(rules=(rule,)), verdict="inconclusive", reason="preexisting", outcomes=(said,)
    )
    assert "and missed it when the reference was measured" in headline(report).title


def test_what_could_not_be_told_is_no_evidence_of_drift() -> None:
    said = make.outcome(verdict="inconclusive", reason="no_baseline")
    for code in (0, 2):
        report = make.report(
            plan=watch(), verdict="inconclusive", reason="no_baseline", outcomes=(said,), exit_code=code
        )
        assert "Not evidence of drift" in headline(report).action


def test_the_explanation_stands_in_every_rendition() -> None:
    for text in renditions(drifting(replace(SINCE, matched=("src/a.ts",)))):
        assert "1 watched file changed in the 12 commits since the reference" in text()


def test_the_command_that_repeats_it_is_the_watchs_own() -> None:
    assert commands(drifting())[0] == "gate drift --config eval-gate.yml"


def test_the_issue_has_one_title_whatever_drifts_and_no_name_breaks_out_of_it() -> None:
    assert title("default") == "Drift: default"
    assert title("a\nb\x1b") == "Drift: a␊b␛"
    assert len(title("x" * 500)) == 200


def test_a_line_says_when_and_why_the_last_attempt_could_not_measure() -> None:
    said = make.outcome(verdict="inconclusive", reason="no_baseline", message="the service @admin was away")
    report = make.report(plan=watch(), verdict="inconclusive", reason="no_baseline", outcomes=(said,))
    line = attempt(report, LINK)
    assert line.startswith(
        "> **Last attempt, <code>2026-03-02T10:31:40Z</code>:** Could not measure: the service "
    )
    assert "<code>@admin</code>" in line
    assert line.endswith(LINK)
    assert "\n" not in line


def test_an_error_and_a_cancelled_run_are_told_in_one_line() -> None:
    line = failed_attempt("2026-03-02T10:31:40Z", "exit code 69", "no answer\nfrom @admin", LINK)
    assert line == (
        "> **Last attempt, <code>2026-03-02T10:31:40Z</code>:** Could not measure: exit code 69."
        f" no answer from <code>@admin</code> {LINK}"
    )
    assert failed_attempt("t", "its run was cancelled", "", "").endswith("measure: its run was cancelled.")


def test_remarks_name_what_drifts_and_neutralise_it() -> None:
    broken = tuple(make.outcome(rule=f"rule-{n:02} @all", suite="s", **FAIL) for n in range(23))
    report = make.report(plan=watch(), **FAIL, outcomes=broken)
    for text, start in (
        (changed_set(report, LINK), "**What drifts has changed.** Drift:"),
        (again(report, LINK), "**Drift again.** Drift:"),
    ):
        assert text.startswith(start)
        assert "- s: rule-00 <code>@all</code>" in text
        assert text.count("\n- s: rule-") == 20
        assert "- and 3 more" in text
        assert text.endswith(f"{LINK}\n")
    assert "more" not in again(drifting(), LINK)


def test_what_closes_the_issue_says_so() -> None:
    text = no_longer(make.report(plan=watch()), LINK)
    assert text.startswith("No drift: no drop detected in <code>recall_all@5</code>")
    assert "in the 12 commits since the reference" in text


def test_a_reader_of_the_issue_learns_who_writes_it() -> None:
    assert "The drift watch of the gate <code>default</code> keeps this issue" in foreword(make.report())
    assert MARKDOWN.name("default") == "<code>default</code>"
