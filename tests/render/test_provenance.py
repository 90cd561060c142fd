import shlex

import msgspec
import pytest

from gate.core.plan import BaselineProblem, Commits, PlannedSuite, Watched
from gate.core.report import Report
from gate.render.dialect import PLAIN
from gate.render.provenance import age, commands, footer, methods, provenance, receipt
from tests.factories import (
    BASE,
    HEAD,
    SUITE,
    baseline_side,
    comparison,
    file_ref,
    plan,
    planned_baseline,
    report,
    side,
    suite_report,
)


def against(**overrides: object) -> Report:
    return report(suites=(suite_report(baseline=baseline_side(**overrides)),))


def test_commits_choice_age_and_pairs_in_one_line() -> None:
    assert provenance(report(), PLAIN) == (
        f"Candidate {HEAD[:7]} · baseline {BASE[:7]} (parent of the tested merge, 2 h old)"
        " · 500 questions on both sides"
    )


@pytest.mark.parametrize(
    ("ran_at", "said"),
    [
        ("2026-03-02T10:31:40Z", "0 min old"),
        ("2026-03-02T10:01:40Z", "30 min old"),
        ("2026-03-02T11:31:40+02:00", "1 h old"),
        ("2026-02-28T10:31:41", "47 h old"),
        ("2026-02-28T10:31:40", "2 d old"),
        ("2026-03-02T10:31:41Z", ""),
        ("yesterday", ""),
        (None, ""),
    ],
)
def test_the_age_is_that_at_the_time_of_the_run(ran_at: str | None, said: str) -> None:
    assert age(report(), side(ran_at=ran_at)) == said


def test_an_unreadable_time_of_the_run_gives_no_age() -> None:
    assert age(report(created_at="?"), baseline_side()) == ""


def test_a_baseline_without_a_commit_is_named_by_its_run_or_its_source() -> None:
    unknown = plan(commits=Commits())
    run = report(plan=unknown, suites=(suite_report(baseline=baseline_side(commit=None)),))
    assert "Candidate commit unknown · baseline lme-balanced-0192" in provenance(run, PLAIN)
    source = report(plan=unknown, suites=(suite_report(baseline=baseline_side(commit=None, run_id=None)),))
    assert "baseline .gbrain-evals/eval-results.jsonl" in provenance(source, PLAIN)


def test_no_detail_no_brackets() -> None:
    bare = plan(baseline=planned_baseline(chosen=""))
    made = report(plan=bare, suites=(suite_report(baseline=baseline_side(ran_at=None)),))
    assert f"baseline {BASE[:7]} · " in provenance(made, PLAIN)


def test_a_release_anchor_stands_beside_the_moving_baseline() -> None:
    name = "candidate-rows against the anchor"
    made = report(
        plan=plan(
            suites=(
                PlannedSuite(suite="rows", name=SUITE),
                PlannedSuite(suite="rows", name=name, anchored=SUITE),
            ),
            anchor=planned_baseline(chosen="release v1.2", source="receipts/v1.2.json"),
        ),
        suites=(
            suite_report(),
            suite_report(name=name, baseline=baseline_side(commit="9f" * 20, ran_at=None)),
        ),
    )
    assert provenance(made, PLAIN) == (
        f"Candidate {HEAD[:7]} · baseline {BASE[:7]} (parent of the tested merge, 2 h old)"
        " · release anchor: baseline 9f9f9f9 (release v1.2) · 500 questions on both sides"
    )


def test_an_anchor_that_could_not_be_read_is_said() -> None:
    made = report(plan=plan(anchor=planned_baseline(source="gone.json")))
    assert "release anchor: no usable baseline in gone.json" in provenance(made, PLAIN)


def test_a_config_without_a_baseline_says_so() -> None:
    made = report(plan=plan(baseline=None), suites=(suite_report(baseline=None),))
    assert provenance(made, PLAIN).endswith("no baseline in the config · 500 questions measured")


def test_questions_without_a_partner_and_cost_are_counted() -> None:
    made = report(
        suites=(suite_report(paired=1_490, baseline_only=5, candidate_only=4, content_changed=1),),
        cost_usd=2.5,
    )
    assert provenance(made, PLAIN).endswith("1,490 questions on both sides, 10 not paired · cost 2.50 USD")


def test_methods_are_named_once_and_in_words() -> None:
    tied = comparison(p_method="degenerate", ci_method="degenerate")
    exact = comparison(p_method="exact-sign-flip")
    made = report(
        suites=(suite_report(comparisons=(tied, exact, comparison(p_method="new-method")), by_type=()),)
    )
    assert methods(made, PLAIN) == (
        "p by exact sign flips and new-method, intervals by percentile bootstrap (10,000 draws, seed 42)"
        " · Holm over 3 gated comparisons, intervals unadjusted"
    )
    only_tied = report(suites=(suite_report(comparisons=(tied,), by_type=()),))
    assert methods(only_tied, PLAIN).startswith("p by nothing (no value differs), ")
    ungated = report(suites=(suite_report(comparisons=(comparison(gated=False),), by_type=()),))
    assert methods(ungated, PLAIN).endswith("no comparison is gated, so none is adjusted")
    assert methods(report(suites=()), PLAIN) == ""


def test_an_unsealed_receipt_is_called_so() -> None:
    assert receipt(report(), PLAIN) == "receipt 51cc0a9b12de"
    assert receipt(report(receipt_sha256=msgspec.UNSET), PLAIN) == "receipt not sealed"


def test_the_footer_of_an_advisory_gate_says_so() -> None:
    assert footer(report(plan=plan(mode="advisory")), PLAIN).startswith(
        "gate default (advisory) · same dataset, k · "
    )


def test_paths_in_commands_are_safe_to_paste() -> None:
    odd = "my config; rm -rf ~.yml"
    lines = commands(
        report(
            plan=plan(config=file_ref(odd)),
            suites=(suite_report(candidate=side(copy=None, rows=file_ref("a b"))),),
        )
    )
    assert shlex.split(lines[0]) == ["gate", "run", "--config", odd]
    assert lines[1] == "gate verify gate-out/receipt.json"
    assert shlex.split(lines[2])[3:5] == ["gate-out/rows/candidate-rows.baseline.ndjson", "a b"]


def test_another_output_folder_is_named() -> None:
    made = report(suites=(suite_report(candidate=side(copy=file_ref("a b/rows/x.ndjson"))),))
    assert shlex.split(commands(made)[0])[-2:] == ["--out", "a b"]
    assert shlex.split(commands(made)[1]) == ["gate", "verify", "a b/receipt.json"]


def test_without_rows_there_is_nothing_to_compare_again() -> None:
    bare = suite_report(candidate=side(copy=None, rows=None))
    assert commands(report(plan=plan(config=None), suites=(bare, suite_report(baseline=None)))) == (
        "gate run",
        "gate verify gate-out/receipt.json",
    )


def test_an_unfinished_run_does_not_blame_its_baseline_and_cannot_be_verified() -> None:
    made = report(suites=(), complete=False, plan=plan(baseline=planned_baseline(source="base.ndjson")))

    assert "baseline base.ndjson, not compared with" in provenance(made, PLAIN)
    assert not [line for line in commands(made) if line.startswith("gate verify")]


def test_a_run_that_was_not_begun_does_not_blame_a_baseline_that_lacks_a_suite() -> None:
    lacking = planned_baseline(
        source="v1/receipt.json", problems=(BaselineProblem(reason="no_baseline", message="no such suite"),)
    )
    made = report(suites=(), complete=False, plan=plan(baseline=lacking))
    assert "baseline v1/receipt.json, not compared with" in provenance(made, PLAIN)
    begun = suite_report(baseline=None, comparisons=(), by_type=(), flips=())
    cancelled = report(suites=(begun,), complete=False, plan=plan(baseline=lacking))
    assert "no usable baseline in v1/receipt.json" in provenance(cancelled, PLAIN)


def test_what_is_not_applicable_names_no_baseline_and_denies_none() -> None:
    unwatched = plan(baseline=None, watch=Watched(patterns=("src/",), changed=1))
    line = provenance(report(plan=unwatched, suites=()), PLAIN)
    assert "nothing compared" in line
    assert "no baseline in the config" not in line
    everything = plan(baseline=None, watch=Watched(patterns=("src/",)))
    assert "no baseline in the config" in provenance(report(plan=everything, suites=()), PLAIN)


def test_a_baseline_from_nowhere_names_no_place() -> None:
    nowhere = plan(baseline=planned_baseline(kind="artifact", source="", rows=()))
    alone = suite_report(baseline=None, comparisons=(), by_type=(), flips=())
    line = provenance(report(plan=nowhere, suites=(alone,)), PLAIN)
    assert "no usable baseline ·" in line
