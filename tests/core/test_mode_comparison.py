"""Runs compared: which pairs, which rows, which family. The numbers themselves are checked by the golden files."""

import json
from pathlib import Path

import pytest

from gate.core.compare import Pairing
from gate.core.mode_comparison import (
    Options,
    RowsOf,
    Selection,
    Unavailable,
    compare_modes,
    compare_pairs,
    compare_rows,
)
from gate.core.mode_report import ModeReport
from gate.core.records.ledger import RunRecord
from gate.core.records.rows import RowTable
from gate.errors import UsageError
from tests.run_factories import ledger, run, run_object
from tests.tables import table

FAST = Options(draws=1000)
HOLM = json.loads((Path(__file__).parents[1] / "golden" / "holm.json").read_text())


def hits(count: int, wrong: int = 0) -> RowTable:
    """Questions that all hit but the first `wrong`."""
    return table(count, recall_all_at_k=[index >= wrong for index in range(count)])


def rows_of(**tables: RowTable) -> RowsOf:
    def look_up(record: RunRecord) -> RowTable | Unavailable:
        found = tables.get(record.run_id.replace("-", "_"))
        return Unavailable("per-query file not found") if found is None else found

    return look_up


def pairs(report: ModeReport) -> list[tuple[str, str]]:
    return [(pair.baseline.run_id, pair.candidate.run_id) for pair in report.pairs]


def compared(report: ModeReport) -> list[tuple[str, str, str]]:
    return [
        (pair.baseline.run_id, pair.candidate.run_id, found.metric)
        for pair in report.pairs
        for found in pair.comparisons
    ]


def test_every_two_modes_of_a_suite_are_compared_the_more_conservative_one_as_baseline() -> None:
    runs = ledger(
        run_object("t", mode="tokenmax"),
        run_object("b", mode="balanced"),
        run_object("c", mode="conservative"),
    )

    report = compare_modes(runs, Selection(), rows_of(t=hits(20), b=hits(20), c=hits(20)), FAST)

    assert pairs(report) == [("c", "b"), ("c", "t"), ("b", "t")]


def test_suites_come_in_the_order_they_were_first_seen_and_never_mix() -> None:
    runs = ledger(
        run_object("r1", suite="replay", mode="balanced"),
        run_object("l1", mode="conservative"),
        run_object("l2", mode="balanced"),
        run_object("r2", suite="replay", mode="tokenmax"),
    )

    report = compare_modes(runs, Selection(), rows_of(), FAST)

    assert pairs(report) == [("r1", "r2"), ("l1", "l2")]


def test_a_suite_without_modes_is_listed_and_not_paired() -> None:
    report = compare_modes(ledger(run_object("a", mode="n/a"), run_object("b")), Selection(), rows_of(), FAST)

    assert report.pairs == ()
    record = report.grouped["longmemeval"]["n/a"]
    assert record is not None
    assert record.run_id == "a"


def test_with_one_mode_present_nothing_is_reported_unavailable() -> None:
    report = compare_modes(ledger(run_object("a")), Selection(), rows_of(), FAST)

    assert (report.pairs, report.unavailable) == ((), ())


def test_a_later_failed_run_does_not_take_the_place_of_a_completed_one_and_is_counted() -> None:
    runs = ledger(
        run_object("c", mode="conservative"),
        run_object("good"),
        run_object("bad", status="failed", ran_at="2026-11-09T10:00:00.000Z"),
    )

    report = compare_modes(runs, Selection(), rows_of(c=hits(20), good=hits(20)), FAST)

    assert pairs(report) == [("c", "good")]
    assert report.notes == (
        "longmemeval, balanced: 1 record with status failed left out; only completed runs stand",
    )


def test_runs_named_by_a_filter_stand_whatever_their_status() -> None:
    runs = ledger(
        run_object("c", mode="conservative"),
        run_object("good"),
        run_object("bad", status="failed", ran_at="2026-11-09T10:00:00.000Z"),
    )

    report = compare_modes(runs, Selection(runs=frozenset({"c", "bad"})), rows_of(), FAST)

    assert pairs(report) == [("c", "bad")]
    assert [record.run_id for record in report.records] == ["c", "bad"]


def test_filters_by_mode_and_suite_leave_the_rest_out() -> None:
    runs = ledger(
        run_object("c", mode="conservative"), run_object("b"), run_object("t", mode="tokenmax"),
        run_object("r", suite="replay"),
    )  # fmt: skip

    selection = Selection(modes=frozenset({"balanced", "tokenmax"}), suite="longmemeval")
    report = compare_modes(runs, selection, rows_of(), FAST)

    assert pairs(report) == [("b", "t")]
    assert list(report.grouped) == ["longmemeval"]
    assert report.grouped["longmemeval"]["conservative"] is None


def test_a_named_pair_is_looked_up_in_the_whole_ledger_past_filters_and_status() -> None:
    runs = ledger(run_object("a", suite="replay"), run_object("b", status="failed"), run_object("x"))

    selection = Selection(pair=("b", "a"), runs=frozenset({"x"}), suite="longmemeval")
    report = compare_modes(runs, selection, rows_of(a=hits(20), b=hits(20)), FAST)

    assert pairs(report) == [("b", "a")]
    assert report.pairs[0].suite == "replay"
    assert [record.run_id for record in report.records] == ["x"]


def test_of_records_that_share_an_id_the_first_is_the_named_one_and_that_is_said() -> None:
    runs = ledger(run_object("a", seed=1), run_object("a", seed=2), run_object("b"))

    report = compare_modes(runs, Selection(pair=("a", "b")), rows_of(a=hits(20), b=hits(20)), FAST)

    assert report.pairs[0].baseline.line == 1
    assert report.notes == (
        "1 run id in the ledger more than once (a): a run named by such an id is the first of them",
    )


def test_a_missing_baseline_is_named_before_a_missing_candidate() -> None:
    with pytest.raises(UsageError, match="baseline run x is not in the ledger"):
        compare_modes(ledger(run_object("a")), Selection(pair=("x", "y")), rows_of(), FAST)
    with pytest.raises(UsageError, match="candidate run y is not in the ledger") as caught:
        compare_modes(ledger(run_object("a")), Selection(pair=("a", "y")), rows_of(), FAST)
    assert caught.value.remedy == "name a run_id of the ledger"


def test_a_misspelt_run_id_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        compare_modes(ledger(run_object("nightly-1")), Selection(pair=("nightly-2", "b")), rows_of(), FAST)

    assert caught.value.remedy == "did you mean nightly-1?"


def test_records_that_share_an_id_never_share_their_rows() -> None:
    first = run_object("same", mode="conservative", params={"output": "1"})
    second = run_object("same", mode="balanced", params={"output": "2"})

    def look_up(record: RunRecord) -> RowTable | Unavailable:
        return hits(20, wrong=8) if record.output == "1" else hits(20)

    report = compare_modes(ledger(first, second), Selection(), look_up, FAST)

    assert report.comparisons[0].statistics.wins == 8


def test_rows_are_looked_up_once_a_run_in_the_order_of_the_pairs() -> None:
    asked: list[str] = []

    def look_up(record: RunRecord) -> RowTable | Unavailable:
        asked.append(record.run_id)
        return Unavailable(f"no rows of {record.run_id}")

    runs = ledger(
        run_object("t", mode="tokenmax"),
        run_object("b", mode="balanced"),
        run_object("c", mode="conservative"),
    )
    report = compare_modes(runs, Selection(), look_up, FAST)

    assert asked == ["c", "b", "t"]
    assert [(lost.run_id, lost.reason) for lost in report.unavailable] == [
        ("c", "no rows of c"),
        ("b", "no rows of b"),
        ("t", "no rows of t"),
    ]
    assert report.comparisons == ()


def test_a_pair_with_one_side_unavailable_is_not_compared_and_the_others_are() -> None:
    runs = ledger(
        run_object("c", mode="conservative"),
        run_object("b", mode="balanced"),
        run_object("t", mode="tokenmax"),
    )

    report = compare_modes(runs, Selection(), rows_of(c=hits(20), t=hits(20)), FAST)

    assert compared(report) == [("c", "t", "recall_all@k")]
    assert [pair.read for pair in report.pairs] == [False, True, False]


def test_metrics_come_in_the_order_of_the_baseline_and_only_where_both_sides_have_them() -> None:
    before = table(20, b=[1] * 20, a=[1] * 20, only_before=[1] * 20)
    after = table(20, a=[1] * 20, b=[1] * 20, only_after=[1] * 20)

    report = compare_rows(("x", before), ("y", after), FAST)

    assert [found.metric for found in report.comparisons] == ["b", "a"]
    assert report.notes == (
        "x → y: only the baseline measures only_before",
        "x → y: only the candidate measures only_after",
    )


def test_judge_errors_are_dropped_and_counted() -> None:
    before = table(4, judge_errors=[0], qa_accuracy=[None, 1, 0, 1])
    after = table(4, judge_errors=[3], qa_accuracy=[1, 1, 1, None])

    found = compare_rows(("x", before), ("y", after), FAST).comparisons[0]

    assert (found.statistics.n, found.judge_errors, found.not_measured) == (2, 2, 2)


def test_abstention_questions_stay_outside_recall_and_are_counted_unless_asked_in() -> None:
    before = table(4, abstentions=[0], recall_all_at_k=[1, 1, 1, 1], qa_accuracy=[1, 1, 1, 1])

    report = compare_rows(("x", before), ("y", before), FAST)

    assert [(found.metric, found.statistics.n, found.abstentions) for found in report.comparisons] == [
        ("recall_all@k", 3, 1),
        ("qa_accuracy", 4, 0),
    ]
    inside = Options(draws=1000, pairing=Pairing(judge_errors="dropped", abstentions="inside"))
    assert compare_rows(("x", before), ("y", before), inside).comparisons[0].statistics.n == 4


def test_unmatched_questions_are_counted_on_both_sides() -> None:
    before, after = table(["a", "b", "c"], hit=[1, 1, 1]), table(["c", "d"], hit=[0, 0])

    found = compare_rows(("x", before), ("y", after), FAST).pairs[0]

    assert (found.joined, found.baseline_only, found.candidate_only) == (1, 2, 1)


def test_the_family_is_every_comparison_of_the_report() -> None:
    names = {f"m{index}": [1.0] * 6 for index in range(3)}
    before = table(6, **names)
    after = table(6, **(names | {"m1": [0.0] * 6}))

    found = compare_rows(("x", before), ("y", after), FAST).comparisons

    exact = 2 / 2**6  # six clusters, all lost: only the identity and its mirror image are as extreme
    assert [one.statistics.p_value for one in found] == [1, exact, 1]
    assert [one.holm_p_value for one in found] == [1, exact * 3, 1]


@pytest.mark.parametrize("case", HOLM)
def test_adjusted_values_agree_with_the_golden_ones(case: dict[str, list[float]]) -> None:
    from gate.core.stats.holm import holm

    assert list(holm(case["p_values"])) == case["holm"]


def test_a_set_without_rows_is_unavailable() -> None:
    report = compare_rows(("x", table(0)), ("y", hits(3)), FAST)

    assert [(lost.run_id, lost.reason) for lost in report.unavailable] == [
        ("x", "per-query file has no question rows: x")
    ]
    assert not report.pairs[0].read


def test_two_sets_of_rows_need_no_ledger() -> None:
    report = compare_rows(("before.ndjson", hits(20)), ("after.ndjson", hits(20)), FAST)

    assert (report.records, report.grouped, report.ledger) == ((), {}, None)
    pair = report.pairs[0]
    assert (pair.suite, pair.baseline.mode, pair.candidate.mode) == ("rows", "n/a", "n/a")
    assert (pair.baseline.run_id, pair.candidate.run_id) == ("before.ndjson", "after.ndjson")


def test_one_set_of_rows_compared_with_itself_has_no_difference() -> None:
    rows = hits(20, wrong=3)

    found = compare_rows(("x", rows), ("x", rows), FAST).comparisons[0]

    assert (found.statistics.delta, found.statistics.ties, found.significant) == (0, 20, False)


def test_no_pairs_give_a_report_without_comparisons() -> None:
    report = compare_pairs([], rows_of(), FAST)

    assert (report.pairs, report.comparisons, report.notes) == ((), (), ())


def test_what_reading_left_out_is_noted_once_a_run() -> None:
    from gate.core.records.rows import RowNotes

    rows = table(3, notes=RowNotes(torn_lines=2), hit=[1, 1, 1])
    runs = [
        run(name, mode=mode) for name, mode in (("c", "conservative"), ("b", "balanced"), ("t", "tokenmax"))
    ]

    report = compare_pairs(
        [(runs[0], runs[1]), (runs[0], runs[2])], rows_of(c=rows, b=hits(3), t=hits(3)), FAST
    )

    assert sum("c: 2 lines that are no rows" in note for note in report.notes) == 1
