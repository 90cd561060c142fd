# The pages stand here as they are written: their lines are as long as they are.
# ruff: noqa: E501

from inline_snapshot import snapshot
from msgspec.structs import replace

from gate.core.plan import Limits, PlannedSuite
from gate.render.summary import summary
from tests.factories import BASE, SUITE, file_ref, outcome, plan, report, side, suite_report, typed
from tests.render.scenarios import SCENARIOS


def section(text: str, title: str) -> str:
    """What stands below one heading."""
    return text.split(f"### {title}\n\n")[1].split("\n\n###", maxsplit=1)[0].split("\n\n<sub>", maxsplit=1)[0]


def test_it_begins_like_the_comment_and_folds_nothing() -> None:
    found = summary(SCENARIOS["regression_in_one_type"]())
    assert found.startswith("> [!CAUTION]\n> **Regression of <code>recall_all@5</code>")
    assert "<details>" not in found
    assert found.endswith("</sub>\n")


def test_every_question_the_receipt_holds_is_listed() -> None:
    found = section(summary(SCENARIOS["regression_in_one_type"]()), "29 questions changed, the worst first")
    assert found.count("| <code>q-") == 13
    assert found.endswith("16 more changed: the row files hold them all.")


def test_every_type_has_its_own_row() -> None:
    many = tuple(replace(typed()[0], question_type=f"type-{number:02}") for number in range(12))
    found = summary(report(suites=(suite_report(by_type=many),)))
    assert all(f"| type-{number:02} |" in found for number in range(12))


def test_every_rule_with_its_reason_and_numbers() -> None:
    assert section(summary(SCENARIOS["threshold_missed"]()), "Rules") == snapshot("""\
| rule | suite | verdict | reason | what&nbsp;was&nbsp;found |
|:--|:--|:--|:--|:--|
| recall_all@5 significant | candidate-rows | ✅&nbsp;pass | – | no drop detected in recall_all@5 |
| ndcg@10 threshold at-least 0.65 | candidate-rows | ❌&nbsp;fail | <code>threshold_missed</code> | ndcg@10 misses its limit (64.96 % < 65 %) |\
""")


def test_a_rule_without_a_suite_has_a_dash() -> None:
    found = summary(report(outcomes=(outcome(suite=None, verdict="inconclusive", reason="not_measured"),)))
    assert "| – | ⚠️&nbsp;inconclusive | not_measured |" in section(found, "Rules").replace(
        "<code>", ""
    ).replace("</code>", "")


def test_every_file_is_pinned() -> None:
    assert section(summary(SCENARIOS["two_suites"]()), "Files") == snapshot("""\
| side | file | bytes | sha256 |
|:--|:--|--:|:--|
| config | <code>eval-gate.yml</code> | 612 | <code>51cc0a9b12de34f5</code> |
| candidate<br>candidate-rows | <code>rows/candidate.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| candidate, kept copy<br>candidate-rows | <code>gate-out/rows/candidate-rows.candidate.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| baseline<br>candidate-rows | <code>rows/baseline.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| baseline, kept copy<br>candidate-rows | <code>gate-out/rows/candidate-rows.baseline.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| candidate<br>docs | <code>rows/candidate.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| candidate, kept copy<br>docs | <code>gate-out/rows/candidate-rows.candidate.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| baseline<br>docs | <code>rows/baseline.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |
| baseline, kept copy<br>docs | <code>gate-out/rows/candidate-rows.baseline.ndjson</code> | 223,114 | <code>51cc0a9b12de34f5</code> |\
""")


def test_files_of_earlier_attempts_and_of_other_commits_are_pinned_too() -> None:
    config = file_ref("eval-gate.yml", commit=BASE)
    earlier = (PlannedSuite(suite="rows", name=SUITE, earlier=(file_ref("attempt-1.ndjson"),)),)
    found = section(summary(report(plan=plan(config=config, suites=earlier))), "Files")
    assert f"| config | <code>eval-gate.yml</code> at <code>{BASE[:7]}</code> |" in found
    assert "| candidate, an earlier attempt | <code>attempt-1.ndjson</code> |" in found


def test_files_that_are_not_there_are_not_listed() -> None:
    bare = suite_report(candidate=side(rows=None, copy=None), baseline=None)
    assert "### Files" not in summary(report(plan=plan(config=None), suites=(bare,)))


def test_the_circumstances_of_the_run() -> None:
    made = report(
        plan=plan(limits=Limits(errors=0.01), on_inconclusive={"default": "fail", "no_baseline": "pass"}),
        durations_ms={"compare": 1_210},
        cost_usd=0.5,
    )
    assert section(summary(made), "This run") == snapshot("""\
- version 0.1.0, <code>2026-03-02T10:31:40Z</code>, mode blocking
- cost: 0.5000 USD
- <code>compare</code>: 1,210 ms
- limits: errors 1.0%, unpaired 5.0% of the questions
- inconclusive, <code>default</code>: fail
- inconclusive, <code>no_baseline</code>: pass
- plan <code>51cc0a9b12de34f5</code>\
""")


def test_an_unknown_cost_is_not_zero() -> None:
    assert "cost: not measured" in summary(report())


def test_nothing_left_out_is_said() -> None:
    whole = suite_report(candidate=side(abstentions=0), baseline=side(abstentions=0))
    assert section(summary(report(suites=(whole,))), "Left out and noted") == "Nothing."
