import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.core.mode_comparison import Options, Selection, Unavailable, compare_modes, compare_rows
from gate.core.mode_report import ModeReport
from gate.core.records.ledger import RunRecord
from gate.core.records.rows import RowTable
from gate.render.compare_json import compare_json
from gate.store.schema_files import load
from tests.run_factories import ledger, run_object
from tests.tables import table

VALIDATOR = Draft202012Validator(load("compare-report.v2"))
FAST = Options(draws=1000)
CONTRACT = [
    "suite", "baseline_run", "candidate_run", "baseline_mode", "candidate_mode", "metric", "n", "clusters",
    "baseline_mean", "candidate_mean", "delta", "ci95", "p_value", "wins", "losses", "ties", "holm_p_value",
    "significant",
]  # fmt: skip


def document(report: ModeReport) -> dict[str, object]:
    text = compare_json(report)
    parsed: dict[str, object] = json.loads(text)
    VALIDATOR.validate(parsed)
    return parsed


def entries(report: ModeReport, key: str) -> list[dict[str, object]]:
    found = document(report)[key]
    assert isinstance(found, list)
    return found


def of_ledger(*lines: object, **rows: RowTable) -> ModeReport:
    def rows_of(record: RunRecord) -> RowTable | Unavailable:
        return rows.get(record.run_id, Unavailable(f"no rows of {record.run_id}"))

    return compare_modes(ledger(*lines), Selection(), rows_of, FAST)


def two(before: RowTable, after: RowTable) -> ModeReport:
    return compare_rows(("a", before), ("b", after), FAST)


def hits(count: int, **more: object) -> RowTable:
    return table(count, hit=[1] * count, **more)  # type: ignore[arg-type]  # keywords


def test_the_keys_of_the_contract_come_first_and_in_its_order() -> None:
    report = of_ledger(run_object("a", mode="conservative"), run_object("b"), a=hits(3), b=hits(3))

    assert list(document(report))[:6] == [
        "schema_version", "records", "grouped", "paired", "paired_unavailable", "_meta",
    ]  # fmt: skip
    (paired,) = entries(report, "paired")
    assert list(paired)[: len(CONTRACT)] == CONTRACT


def test_it_is_indented_by_two_and_ends_without_a_newline() -> None:
    text = compare_json(two(hits(3), hits(3)))

    assert text.startswith(
        '{\n  "schema_version": 2,\n  "records": [],\n  "grouped": {},\n  "paired": [\n    {'
    )
    assert text.endswith("\n}")


def test_numbers_are_written_as_the_contract_writes_them() -> None:
    text = compare_json(two(table(3, x=[1.0, 1.0, 1.0]), table(3, x=[1.0, 1.0, 1.0])))

    assert '"baseline_mean": 1,' in text
    assert '"delta": 0,' in text
    assert '"p_value": 1,' in text


def test_records_are_printed_as_they_were_read_with_unknown_keys() -> None:
    line = run_object("a", later={"n": 1.5, "t": ["é", None]})

    assert document(of_ledger(line))["records"] == [line]


def test_every_suite_names_the_three_modes_and_the_others_it_has() -> None:
    lines = [run_object("a"), run_object("b", suite="brainbench", mode="n/a")]

    assert document(of_ledger(*lines))["grouped"] == {
        "longmemeval": {"conservative": None, "balanced": lines[0], "tokenmax": None},
        "brainbench": {"conservative": None, "balanced": None, "tokenmax": None, "n/a": lines[1]},
    }


def test_unbounded_intervals_are_null() -> None:
    rows = table(2, clusters=["c", "c"], x=[0.5, 0.25])
    (paired,) = entries(two(rows, table(2, clusters=["c", "c"], x=[0.25, 0.75])), "paired")

    assert paired["ci95"] == [None, None]
    assert (paired["significant"], paired["ci_method"]) == (False, "degenerate")


def test_additions_say_how_the_numbers_were_made_and_what_was_left_out() -> None:
    before = table(["a", "b", "c", "d", "x"], judge_errors=[2], qa_accuracy=[1, 1, None, None, 1])
    after = table(["a", "b", "c", "d", "y", "z"], qa_accuracy=[1, 0, 1, 1, 1, 1])
    (paired,) = entries(two(before, after), "paired")

    assert {key: paired[key] for key in list(paired)[len(CONTRACT) :]} == {
        "better": "higher",
        "adverse": False,
        "p_method": "exact-sign-flip",
        "ci_method": "percentile-bootstrap",
        "draws": 1000,
        "seed": 42,
        "nontied_clusters": 1,
        "smallest_attainable_p": 1,
        "baseline_only": 1,
        "candidate_only": 2,
        "not_measured": 2,
        "judge_errors": 1,
        "abstentions": 0,
    }


@pytest.mark.parametrize(
    ("metric", "values", "adverse"),
    [
        ("hit@1", (1, 0), True),
        ("hit@1", (0, 1), False),
        ("t_ms", (1, 0), False),
        ("t_ms", (0, 1), True),
        ("mine", (1, 0), None),
    ],
)
def test_a_significant_difference_says_whether_it_is_adverse(
    *, metric: str, values: tuple[int, int], adverse: bool | None
) -> None:
    name = metric.replace("@", "_at_")
    before, after = (table(20, **{name: [value] * 20}) for value in values)
    (paired,) = entries(two(before, after), "paired")

    assert (paired["significant"], paired["adverse"]) == (True, adverse)


def test_incomparable_metrics_are_listed_with_their_fields_and_not_paired() -> None:
    before, after = (
        table(3, fingerprints={"k": k, "embedder": k}, r_at_k=[1, 1, 1], hit=[1, 1, 1]) for k in "58"
    )
    report = two(before, after)

    runs = {"suite": "rows", "baseline_run": "a", "candidate_run": "b"}
    assert entries(report, "incomparable") == [
        {**runs, "metric": "r@k", "fields": [{"field": "k", "baseline": "5", "candidate": "8"}]}
    ]
    assert entries(report, "differs") == [
        {**runs, "fields": [{"field": "embedder", "baseline": "5", "candidate": "8"}]}
    ]
    assert [entry["metric"] for entry in entries(report, "paired")] == ["hit"]


def test_runs_without_rows_are_listed_with_the_reason() -> None:
    report = of_ledger(run_object("a", mode="conservative"), run_object("b"), b=hits(3))

    assert entries(report, "paired_unavailable") == [{"run_id": "a", "reason": "no rows of a"}]


def test_what_reading_the_ledger_met_is_counted() -> None:
    report = of_ledger(run_object("a"), b"", b"{", b"[]", run_object("a"))

    assert document(report)["ledger"] == {
        "missing": False,
        "records": 2,
        "skipped": {"blank": 1, "torn": 1, "not_utf8": 0, "not_a_record": 1},
        "duplicate_run_ids": ["a"],
    }


def test_two_files_of_rows_have_no_ledger() -> None:
    found = document(two(hits(3), hits(3)))

    assert "ledger" not in found
    assert (found["records"], found["grouped"]) == ([], {})


def test_the_glossary_explains_what_is_shown_and_leaves_out_what_nobody_has_described() -> None:
    lines = (
        run_object("a", mode="conservative", metrics={"ndcg@10": 0.5, "mystery": 1}),
        run_object("b", metrics={"mrr": 0.5}),
    )
    meta = document(
        of_ledger(*lines, a=table(3, recall_all_at_k=[1, 1, 1]), b=table(3, recall_all_at_k=[1, 1, 1]))
    )["_meta"]
    alone = document(of_ledger(*lines))["_meta"]

    assert isinstance(meta, dict)
    assert list(meta["metric_glossary"]) == [
        "ndcg@10",
        "mrr",
        "recall_all@k",
        "p_value",
        "confidence_interval",
    ]
    assert isinstance(alone, dict)
    assert list(alone["metric_glossary"]) == ["ndcg@10", "mrr"]
    assert alone["methodology"].startswith("Aggregate-only")


@given(st.text(), st.text(min_size=1))
def test_any_text_in_a_record_comes_out_as_json(text: str, key: str) -> None:
    report = of_ledger(run_object("a", extra={key: text}, error="\ud800"))

    assert "NaN" not in compare_json(report)
    (record,) = entries(report, "records")
    assert record["extra"] == {key: text}
