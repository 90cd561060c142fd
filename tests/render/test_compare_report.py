import re
from collections.abc import Sequence

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from gate.core.mode_comparison import Options, Selection, Unavailable, compare_modes, compare_rows
from gate.core.mode_report import (
    Incomparable,
    MetricComparison,
    ModeReport,
    PairReport,
    UnavailableRun,
)
from gate.core.records.ledger import Ledger, RunRecord, grouped
from gate.core.records.rows import RowTable
from gate.core.report import FieldDiff
from gate.core.stats.paired import PairedStatistics
from gate.render.compare_report import compare_report
from tests.render.github_rules import references, render
from tests.run_factories import ledger, run, run_object
from tests.tables import table

FAST = Options(draws=1000)
COLUMNS = [
    "Suite", "Baseline → Candidate", "Metric", "Pairs (clusters)", "Baseline", "Candidate", "Δ", "95% CI", "p",
    "Holm p", "Wins / losses / ties", "Verdict",
]  # fmt: skip


def tables(markdown: str) -> list[list[list[str]]]:
    """Every table of the rendered page: its rows, header first, as the text of their cells."""
    tree = html5lib.parseFragment(render(markdown), treebuilder="etree", namespaceHTMLElements=False)
    return [
        [["".join(cell.itertext()) for cell in row] for row in found.iter("tr")]
        for found in tree.iter("table")
    ]


def statistics(**overrides: object) -> PairedStatistics:
    fields = {
        "n": 8, "clusters": 8, "nontied_clusters": 5, "baseline_mean": 0.25, "candidate_mean": 0.75, "delta": 0.5,
        "wins": 5, "losses": 0, "ties": 3, "lower95": 0.0, "upper95": 0.875, "p_value": 0.21875,
        "p_method": "exact-sign-flip", "ci_method": "percentile-bootstrap", "smallest_attainable_p": 0.0625,
        "draws": 10_000, "seed": 42,
    }  # fmt: skip
    return PairedStatistics(**{**fields, **overrides})  # type: ignore[arg-type]  # keywords


def comparison(
    metric: str = "recall_all@k", better: str | None = "higher", *, holm: float = 0.5, **more: object
) -> MetricComparison:
    return MetricComparison(metric, better, statistics(**more), holm)  # type: ignore[arg-type]  # a literal


def report(*comparisons: MetricComparison, **overrides: object) -> ModeReport:
    pair = PairReport(baseline=run("a"), candidate=run("b"), read=True, joined=8, comparisons=comparisons)
    return ModeReport(draws=10_000, seed=42, **{"pairs": (pair,), **overrides})  # type: ignore[arg-type]  # keywords


def cell(markdown: str, column: str) -> str:
    (*_, paired) = tables(markdown)
    return paired[1][COLUMNS.index(column)]


def small_case() -> ModeReport:
    """Two modes of one suite; eight questions: five won, none lost in recall; latency halved."""
    before = table(
        8, recall_all_at_k=[0, 0, 0, 0, 0, 1, 1, 0], latency_ms=[20.0] * 8, units={"latency_ms": "ms"}
    )
    after = table(8, recall_all_at_k=[1, 1, 1, 1, 1, 1, 1, 0], latency_ms=[10.0] * 8)
    rows = {"a": before, "b": after}

    def rows_of(record: RunRecord) -> RowTable | Unavailable:
        return rows.get(record.run_id, Unavailable("record has no params.output per-query file"))

    runs = ledger(
        run_object("a", mode="conservative", metrics={"recall_all@k": 0.25}),
        run_object("b", metrics={"recall_all@k": 0.03125, "mystery": None}),
        run_object("bb-1", suite="brainbench", mode="n/a"),
        b"{",
    )
    return compare_modes(runs, Selection(), rows_of, FAST)


def test_a_small_case_reads_as_the_contract_lays_it_out() -> None:
    assert compare_report(small_case()) == snapshot("""\
# Search Mode Comparison

*Written by `gate compare`; run it again instead of editing this file.*

## longmemeval

| Mode | Status | Run ID | Ran at |
| --- | --- | --- | --- |
| conservative | completed | `a` | 2026-11-01T10:00:00.000Z |
| balanced | completed | `b` | 2026-11-01T10:00:00.000Z |
| tokenmax | N/A — no run | — | — |

### recall_all@k

  conservative: **0.2500**
  balanced: **0.0313**

Plain English: The share of questions whose every evidence session is among the first k results. Never above the lenient recall.

### mystery

  conservative: _no value_
  balanced: _no value_

Plain English: nobody has described this metric yet.

## brainbench

| Mode | Status | Run ID | Ran at |
| --- | --- | --- | --- |
| n/a | completed | `bb-1` | 2026-11-01T10:00:00.000Z |

*These records carry no aggregate metrics.*

## Paired comparisons

| Suite | Baseline → Candidate | Metric | Pairs (clusters) | Baseline | Candidate | Δ | 95% CI | p | Holm p | Wins / losses / ties | Verdict |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| longmemeval | `a` (conservative) → `b` (balanced) | `recall_all@k` ↑ | 8 (8) | 0.2500 | 0.8750 | 0.6250 | [0.2500, 0.8750] | 0.0625 | 0.0625 | 5 / 0 / 3 | not significant |
| longmemeval | `a` (conservative) → `b` (balanced) | `latency_ms` ↓ | 8 (8) | 20.0000 | 10.0000 | -10.0000 | [-10.0000, -10.0000] | 0.0078 | 0.0156 | 8 / 0 / 0 | significant |

↑ higher is better; ↓ lower is better; a win is a question on which the candidate is better.

**Significant differences**

- **better**: `latency_ms` fell by 10.0000, `a` (conservative) → `b` (balanced)

**Questions**

- `a` (conservative) → `b` (balanced): 8 on both sides, 0 only in the baseline, 0 only in the candidate

**What differs**

- `a` (conservative) → `b` (balanced): mode `conservative` → `balanced`

**Notes**

- 1 ledger line skipped: line 4, the line is not JSON (Expecting property name enclosed in double quotes, column 2)

*Paired by question: 95% intervals by percentile-bootstrap, two-sided p by exact-sign-flip, 1000 draws, seed 42, over 8 question clusters (up to 16 clusters every sign flip is enumerated, beyond that they are drawn). The smallest p attainable here is 0.0078. Holm p is adjusted for the 2 comparisons of this report; a difference is significant when its Holm p is at most 0.05 and its 95% interval excludes 0 (intervals are not adjusted). 1 of 2 could not have become significant either way: too few questions changed for any p below 0.05. What the numbers cannot see: every question counts as its own cluster unless the rows name one, so questions on one source make intervals too narrow; a judge's own noise is part of every answer it graded; with few questions only large differences can become significant, so not significant is not the same as no change.*
""")  # noqa: E501 - a page has long lines


def test_the_rendered_page_has_the_tables_of_the_contract() -> None:
    modes, brainbench, paired = tables(compare_report(small_case()))

    assert modes[0] == ["Mode", "Status", "Run ID", "Ran at"]
    assert modes[1:] == [
        ["conservative", "completed", "a", "2026-11-01T10:00:00.000Z"],
        ["balanced", "completed", "b", "2026-11-01T10:00:00.000Z"],
        ["tokenmax", "N/A — no run", "—", "—"],
    ]
    assert brainbench[1:] == [["n/a", "completed", "bb-1", "2026-11-01T10:00:00.000Z"]]
    assert paired[0] == COLUMNS
    assert len(paired) == 3


def test_numbers_have_four_decimals_and_exact_ties_go_away_from_zero() -> None:
    text = compare_report(report(comparison(delta=-0.03125, lower95=-0.09375, p_value=0.00005)))

    assert cell(text, "Δ") == "-0.0313"
    assert cell(text, "95% CI") == "[-0.0938, 0.8750]"
    assert cell(text, "p") == "0.0001"
    assert "  balanced: **0.0313**" in compare_report(small_case())


def test_an_unbounded_interval_is_a_dash() -> None:
    assert cell(compare_report(report(comparison(lower95=None, upper95=None))), "95% CI") == "—"


@pytest.mark.parametrize(
    ("holm", "lower", "verdict"),
    [(0.01, 0.1, "significant"), (0.01, 0.0, "not significant"), (0.06, 0.1, "not significant")],
)
def test_the_verdict_is_one_of_two_words(holm: float, lower: float, verdict: str) -> None:
    assert cell(compare_report(report(comparison(holm=holm, lower95=lower))), "Verdict") == verdict


def test_an_improvement_of_a_metric_that_should_be_low_never_reads_as_a_loss() -> None:
    better = comparison(
        "latency_ms", "lower", holm=0.01, delta=-10.0, lower95=-12.0, upper95=-8.0, wins=0, losses=7, ties=1
    )

    text = compare_report(report(better))

    assert cell(text, "Wins / losses / ties") == "7 / 0 / 1"
    assert cell(text, "Metric") == "latency_ms ↓"
    assert "- **better**: `latency_ms` fell by 10.0000" in text
    assert "worse" not in text
    assert "regress" not in text


def test_a_significant_drop_of_a_metric_that_should_be_high_is_called_worse() -> None:
    text = compare_report(report(comparison(holm=0.01, delta=-0.5, lower95=-0.8, upper95=-0.1)))

    assert "- **worse**: `recall_all@k` fell by 0.5000" in text


def test_without_a_declared_direction_nothing_is_called_better_or_worse() -> None:
    text = compare_report(report(comparison("mine", None, holm=0.01, lower95=0.1)))

    assert "- **direction not declared**: `mine` rose by 0.5000" in text
    assert "Without an arrow no direction is declared" in text
    assert cell(text, "Metric") == "mine"


def test_unmatched_questions_and_gaps_are_counted_on_both_sides() -> None:
    pair = PairReport(
        baseline=run("a"),
        candidate=run("b"),
        read=True,
        joined=8,
        baseline_only=3,
        candidate_only=2,
        changed=1,
        comparisons=(
            MetricComparison(
                "qa_accuracy", "higher", statistics(), 0.5, not_measured=4, judge_errors=5, abstentions=6
            ),
        ),
    )

    assert (
        "- `a` (balanced) → `b` (balanced): 8 on both sides, 3 only in the baseline, 2 only in the candidate, "
        "1 left out because their content changed; `qa_accuracy`: 4 without a value on a side; "
        "`qa_accuracy`: 5 with a judge error; `qa_accuracy`: 6 abstentions left out"
    ) in compare_report(report(pairs=(pair,)))


def test_what_is_not_comparable_is_listed_field_by_field_and_what_differs_apart_from_it() -> None:
    pair = PairReport(
        baseline=run("a"),
        candidate=run("b"),
        read=True,
        joined=8,
        incomparable=(Incomparable("recall_all@k", (FieldDiff(field="k", baseline="5", candidate="8"),)),),
        differs=(FieldDiff(field="embedder", baseline=None, candidate="e"),),
    )

    text = compare_report(report(pairs=(pair,)))

    assert (
        "**Not comparable, so not compared**\n\n- `recall_all@k`, `a` (balanced) → `b` (balanced): k `5` → `8`"
        in text
    )
    assert "**What differs**\n\n- `a` (balanced) → `b` (balanced): embedder (not stated) → `e`" in text
    assert "aggregate-only" in text
    assert "*Aggregate-only: " in text


def test_unavailable_runs_follow_the_table_one_bullet_each() -> None:
    text = compare_report(
        report(comparison(), unavailable=(UnavailableRun("a", "per-query file not found: x.ndjson"),))
    )

    assert "\n\n- `a`: per-query file not found: x.ndjson\n\n" in text


def test_an_empty_ledger_gives_two_hints_and_nothing_else() -> None:
    text = compare_report(ModeReport(draws=1000, seed=1, ledger=Ledger(missing=True)))

    assert re.fullmatch(r"\*No run has been recorded yet\.\*\n\n\*[^*]+\*\n", text)


def test_a_ledger_of_broken_lines_says_that_they_were_skipped() -> None:
    text = compare_report(compare_modes(ledger(b"{"), Selection(), lambda _: Unavailable(""), FAST))

    assert text.startswith("*No run has been recorded yet.*")
    assert "1 ledger line skipped" in text


def test_filters_that_leave_nothing_are_told_from_an_empty_ledger() -> None:
    runs = ledger(run_object("a"))

    text = compare_report(compare_modes(runs, Selection(suite="x"), lambda _: Unavailable(""), FAST))

    assert text.startswith("*No run matches the filters.*")


def test_a_suite_with_search_modes_shows_the_missing_ones_and_the_others() -> None:
    records = (run("a"), run("b", mode="n/a"))
    text = compare_report(ModeReport(draws=1000, seed=1, records=records, grouped=grouped(records)))

    (modes,) = tables(text)
    assert [row[0] for row in modes[1:]] == ["conservative", "balanced", "tokenmax", "n/a"]


@pytest.mark.parametrize("value", [True, None, "0.5", float("inf"), [1]])
def test_an_aggregate_that_is_no_number_has_no_value(value: object) -> None:
    records = (run("a", metrics={"m": value}),)
    text = compare_report(ModeReport(draws=1000, seed=1, records=records, grouped=grouped(records)))

    assert "  balanced: _no value_" in text
    assert "Plain English: nobody has described this metric yet." in text


def test_a_date_that_is_none_is_a_dash_or_neutralised() -> None:
    records = (run("a", ran_at=None), run("b", ran_at="@you | <b>", mode="tokenmax"))
    text = compare_report(ModeReport(draws=1000, seed=1, records=records, grouped=grouped(records)))

    (modes,) = tables(text)
    assert [row[3] for row in modes[1:]] == ["—", "—", "@you | <b>"]
    assert references(render(text)) == []


EVIL: Sequence[str] = (
    "a|b", "`x`", "``", "a\nb", "# h", "<img src=x>", "@octocat", "owner/repo#1", "https://evil.example/?a=b", "*x*",
    "![x](y)", "- x", "\u202ereversed", "</td>", "\ud800", "a" * 500, "$x$", ":tada:", "\x1b[31m", "| --- |",
)  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(EVIL), st.text(max_size=30)), min_size=9, max_size=9))
def test_untrusted_text_changes_no_structure_and_calls_nobody(texts: list[str]) -> None:
    a, b, suite, mode, metric, reason, note, field, value = (text or "x" for text in texts)
    baseline, candidate = (
        run(a, suite=suite, mode=mode, ran_at=a),
        run(b, suite=suite, mode=mode, status=value),
    )
    pair = PairReport(
        baseline=baseline,
        candidate=candidate,
        read=True,
        comparisons=(comparison(metric, None, holm=0.01, lower95=0.1), comparison(metric)),
        incomparable=(Incomparable(metric, (FieldDiff(field=field, baseline=value, candidate=None),)),),
        differs=(FieldDiff(field=field, baseline=None, candidate=value),),
    )
    found = ModeReport(
        draws=1000,
        seed=1,
        records=(baseline, candidate),
        grouped=grouped((baseline, candidate)),
        pairs=(pair,),
        unavailable=(UnavailableRun(a, reason),),
        notes=(note,),
    )

    text = compare_report(found)

    modes, paired = tables(text)
    assert {len(row) for row in modes} == {4}
    assert {len(row) for row in paired} == {12}
    assert len(paired) == 3
    html = render(text)
    assert (html.count("<h1>"), html.count("<h2>"), html.count("<h3>")) == (1, 2, 0)
    assert "<img" not in html
    assert "<a " not in html
    assert references(html) == []


def test_rows_without_a_ledger_show_the_paired_part_only() -> None:
    rows = table(3, hit=[1, 1, 0])

    text = compare_report(compare_rows(("rows/a.ndjson", rows), ("rows/b.ndjson", rows), FAST))

    assert text.startswith("# Search Mode Comparison\n")
    assert re.findall(r"^## .*$", text, re.MULTILINE) == ["## Paired comparisons"]
    assert cell(text, "Baseline → Candidate") == "rows/a.ndjson (n/a) → rows/b.ndjson (n/a)"
