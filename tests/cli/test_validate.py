"""`gate validate`: which contract, valid or not, and where not."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gate.cli import invoke
from gate.core.contracts import CONTRACTS
from gate.core.receipt import digest, receipt_bytes, sealed
from tests import factories

CONFIG = """\
version: 1
suites:
  - {suite: rows, name: candidate, rows: rows/candidate.ndjson}
rules:
  - {metric: recall_all@5, rule: significant}
"""
RECORD = {
    "schema_version": 3,
    "run_id": "a1b2c3d-longmemeval-balanced-1",
    "ran_at": "2026-11-01T10:00:00.000Z",
    "suite": "longmemeval",
    "mode": "balanced",
    "commit": "a1b2c3d",
    "seed": 0,
    "params": {},
    "status": "completed",
    "duration_ms": 5,
}
ROWS = '{"question_id":"a","recall":1}\n\n{"question_id":"b","recall":0}\n'

Printed = pytest.CaptureFixture[str]


def validate(printed: Printed, *arguments: str | Path) -> tuple[int, list[str]]:
    code = invoke(["validate", *map(str, arguments)])
    return code, printed.readouterr().out.splitlines()


def as_json(printed: Printed, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code = invoke(["validate", *map(str, arguments), "--json"])
    return code, json.loads(printed.readouterr().out)


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def receipt() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(receipt_bytes(sealed(factories.report())))
    return document


@pytest.mark.parametrize("name", ["eval-gate.yml", "any.yaml", "config", "config.json"])
def test_a_valid_configuration_is_recognised(tmp_path: Path, capsys: Printed, name: str) -> None:
    content = CONFIG
    if name.endswith(".json"):
        content = json.dumps(
            {
                "version": 1,
                "suites": [{"suite": "rows", "name": "c", "rows": "r"}],
                "rules": [{"metric": "m", "rule": "threshold", "at-least": 1}],
            },
            indent=2,
        )
    path = file(tmp_path, name, content)

    assert validate(capsys, path) == (0, [f"{path}: valid config.v1"])


def test_a_configuration_s_problems_have_lines(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "eval-gate.yml", CONFIG.replace("metric:", "metrc:") + "colour: {}\n")

    code, said = validate(capsys, path)

    assert code == 65
    assert said[:2] == [
        f"{path}: not a valid config.v1, 2 problems",
        f"  {path}:5: rules[0].metrc: unknown key `metrc`; did you mean `metric`?",
    ]
    assert said[2].startswith(f"  {path}:6: colour: unknown key `colour` in the configuration; valid here: ")


def test_a_configuration_is_checked_beyond_its_schema(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "eval-gate.yml", CONFIG.replace("significant}", "significant, suite: candidat}"))

    assert validate(capsys, path)[1][1] == (
        f"  {path}:5: rules[0].suite: there is no suite `candidat`; did you mean `candidate`?; "
        "the suites are `candidate`"
    )


def test_a_configuration_that_is_no_yaml_is_told_with_its_line(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "eval-gate.yml", "version: 1\nstats:\n\tseed: 1\n")

    assert validate(capsys, path) == (
        65,
        [
            f"{path}: not a valid config.v1, 1 problem",
            f"  {path}:3: column 1: a tab cannot indent YAML; use spaces",
        ],
    )


def test_another_yaml_file_is_no_configuration(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "workflow.yml", "name: ci\njobs: {}\n")

    assert validate(capsys, path)[1][0] == f"{path}: its content follows none of the contracts"


def test_valid_rows_are_counted(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "rows.ndjson", ROWS)

    assert validate(capsys, path) == (
        0,
        [f"{path}: valid question-row.v1 (2 rows; metrics: recall; 1 blank line)"],
    )


def test_rows_without_metrics_and_with_too_many_say_so(tmp_path: Path, capsys: Printed) -> None:
    none = file(tmp_path, "none.ndjson", lines({"question_id": "a"}))
    many = file(tmp_path, "many.ndjson", lines({"question_id": "a", **{f"m{n}": 1 for n in range(14)}}))
    mixed = file(
        tmp_path, "mixed.ndjson", lines({"question_id": "a", "x": 1}, {"question_id": "b", "x": "no"})
    )

    said = validate(capsys, none, many, mixed)[1]

    assert said[0] == f"{none}: valid question-row.v1 (1 row; no metrics)"
    assert said[1].endswith("(1 row; metrics: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 4 more)")
    assert said[2].endswith("(2 rows; no metrics; not always numbers, so no metrics: x)")
    assert said[3] == "3 files: 3 valid, 0 not"


def test_a_row_that_is_wrong_is_told_with_its_line(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "rows.ndjson", ROWS + '{"question_id":5,"recall":1}\n')

    code, report = as_json(capsys, path)

    assert code == 65
    assert report["valid"] is False
    assert report["files"][0]["contract"] == "question-row.v1"
    assert report["files"][0]["problems"][0]["line"] == 4


def test_rows_whose_first_line_is_broken_are_still_rows(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "rows.ndjson", '{"question_id":\n' + ROWS)

    code, said = validate(capsys, path)

    assert code == 65
    assert said[1].startswith(f"  {path}:1: ")


def test_a_file_with_nothing_but_a_summary_holds_no_rows(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "rows.ndjson", lines({"kind": "run_info", "k": 5}))

    assert validate(capsys, path)[1][1] == f"  {path}: holds no rows"


def test_a_ledger_is_checked_line_by_line(tmp_path: Path, capsys: Printed) -> None:
    good = file(tmp_path, "good.jsonl", lines(RECORD, {**RECORD, "schema_version": 2}) + "\n")
    bad = file(
        tmp_path, "bad.jsonl", lines(RECORD, {**RECORD, "status": "complete"}) + '{"run_id": NaN}\n{"a":'
    )

    assert validate(capsys, good) == (0, [f"{good}: valid run-record.v3 (2 records; 1 blank line)"])
    code, said = validate(capsys, bad)
    assert code == 65
    assert said[0] == f"{bad}: not a valid run-record.v3, 3 problems"
    assert said[1].startswith(f'  {bad}:2: status: expected one of "completed", ')
    assert said[1].endswith('found "complete"; did you mean "completed"?')
    assert said[2] == f"  {bad}:3: column 12: NaN is not a JSON number"
    assert (
        said[3]
        == f"  {bad}:4: column 6: not JSON: expecting value (the last line was not written to its end)"
    )


def test_a_receipt_s_digest_is_checked(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "receipt.json", receipt_bytes(sealed(factories.report())))
    other = file(tmp_path, "other.json", json.dumps({**receipt(), "created_at": "2020-01-01T00:00:00Z"}))

    assert validate(capsys, path) == (0, [f"{path}: valid gate-receipt.v1 (receipt-sha256 holds)"])
    code, said = validate(capsys, other)
    assert code == 65
    assert said[0] == f"{other}: not a valid gate-receipt.v1, 1 problem"
    assert said[1].startswith(f'  {other}: receipt-sha256: expected "')
    assert said[1].endswith("the receipt was changed after it was written")


def test_a_receipt_of_another_shape_is_told_by_place(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "receipt.json", json.dumps({**receipt(), "verdict": "passed"}))

    code, said = validate(capsys, path)

    assert code == 65
    assert said[1].startswith(f"  {path}: verdict: expected one of ")


def test_an_unfinished_receipt_says_so(tmp_path: Path, capsys: Printed) -> None:
    document = {**receipt(), "complete": False}
    path = file(tmp_path, "receipt.json", json.dumps({**document, "receipt-sha256": digest(document)}))

    assert validate(capsys, path) == (
        0,
        [f"{path}: valid gate-receipt.v1 (receipt-sha256 holds; the run was not finished)"],
    )


def test_a_compare_report_is_recognised(tmp_path: Path, capsys: Printed) -> None:
    baseline, candidate = file(tmp_path, "a.ndjson", ROWS), file(tmp_path, "b.ndjson", ROWS)
    invoke(["compare", "--rows", str(baseline), str(candidate), "--json", "--draws", "1000"])
    path = file(tmp_path, "compare.json", capsys.readouterr().out)

    assert validate(capsys, path) == (0, [f"{path}: valid compare-report.v2"])


def test_json_that_is_broken_is_told_with_line_and_column(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "receipt.json", '{\n "kind": "gate-receipt",\n "kind": 1\n}\n')
    held = [f"{path}:3: column 2: duplicate key `kind`, first in line 2"]

    assert validate(capsys, path)[1][:1] == held
    assert validate(capsys, path, "--schema", "gate-receipt.v1")[1][1:] == [f"  {held[0]}"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("qrels.json", '{"queries": []}'),
        ("list.json", "[1, 2]"),
        ("rows.ndjson", '{"id": 1}\n{"id": 2}\n'),
        ("notes.txt", "hello: world\n"),
        ("binary", b"\x00\x01\x02"),
        ("broken.txt", '{"a": '),
    ],
)
def test_a_file_of_no_known_contract_is_invalid_and_the_known_ones_are_named(
    tmp_path: Path, capsys: Printed, name: str, content: str | bytes
) -> None:
    path = file(tmp_path, name, content)

    code, said = validate(capsys, path)

    assert code == 65
    assert said[0] == f"{path}: its content follows none of the contracts"
    assert all(contract.name in said[1] for contract in CONTRACTS)


def test_what_is_no_file_is_told_and_the_others_are_still_looked_at(tmp_path: Path, capsys: Printed) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    rows = file(tmp_path, "rows.ndjson", ROWS)
    names = [
        tmp_path / "none",
        tmp_path / "folder",
        tmp_path / "pipe",
        file(tmp_path, "empty", ""),
        rows / "x",
    ]

    code, said = validate(capsys, *names, "a\0b", rows)

    assert code == 65
    assert [line.split(": ", 1)[1] for line in said[:6]] == [
        "there is no such file",
        "is a folder",
        "is not a regular file",
        "is empty",
        "cannot be read (Not a directory)",
        "cannot be the name of a file",
    ]
    assert said[-1] == "7 files: 1 valid, 6 not"


def test_a_name_cannot_start_a_line_of_its_own(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "a\n::error::b", "")

    said = validate(capsys, path)[1]

    assert said[0] == f"{tmp_path}/a\\n::error::b: is empty"


@pytest.mark.parametrize(
    ("content", "schema", "contract_part"),
    [
        (CONFIG, "config.v1", "valid config.v1"),
        (ROWS, "question-row.v1", "valid question-row.v1"),
        (lines(RECORD), "run-record.v3", "valid run-record.v3"),
        (lines(RECORD), "compare-report.v2", "not a valid compare-report.v2"),
        (ROWS, "gate-receipt.v1", "not a valid gate-receipt.v1"),
        (ROWS, "config.v1", "not a valid config.v1"),
    ],
)
def test_a_file_may_be_held_to_a_contract(
    tmp_path: Path, capsys: Printed, content: str, schema: str, contract_part: str
) -> None:
    path = file(tmp_path, "anything", content)

    code, said = validate(capsys, path, "--schema", schema)

    assert said[0].startswith(f"{path}: {contract_part}")
    assert code == (65 if "not" in contract_part else 0)


def test_a_misspelt_schema_is_a_wrong_call_answered_with_the_nearest(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "eval-gate.yml", CONFIG)

    code = invoke(["validate", str(path), "--schema", "confg.v1"])

    printed = capsys.readouterr()
    assert code == 64
    assert printed.out == ""
    assert "there is no schema `confg.v1`; did you mean `config.v1`?" in printed.err


def test_no_file_is_a_wrong_call(capsys: Printed) -> None:
    assert invoke(["validate"]) == 64
    assert capsys.readouterr().out == ""


def test_very_many_problems_are_counted(tmp_path: Path, capsys: Printed) -> None:
    path = file(tmp_path, "bad.jsonl", lines(*({**RECORD, "status": n} for n in range(70))))

    said = validate(capsys, path)[1]

    assert said[0].endswith("70 problems")
    assert len(said) == 52
    assert said[-1] == "  and 20 more; --json lists them all"
    assert len(as_json(capsys, path)[1]["files"][0]["problems"]) == 70


def test_the_json_says_all_that_the_text_says(tmp_path: Path, capsys: Printed) -> None:
    rows, bad = file(tmp_path, "rows.ndjson", ROWS), file(tmp_path, "eval-gate.yml", CONFIG + "mode: 5\n")

    code, report = as_json(capsys, rows, bad)

    assert code == 65
    assert report == {
        "schema_version": 1,
        "valid": False,
        "files": [
            {
                "file": str(rows),
                "contract": "question-row.v1",
                "valid": True,
                "problems": [],
                "notes": ["2 rows", "metrics: recall", "1 blank line"],
            },
            {
                "file": str(bad),
                "contract": "config.v1",
                "valid": False,
                "problems": [
                    {"line": 6, "place": "mode", "message": 'expected one of "blocking", "advisory", found 5'}
                ],
                "notes": [],
            },
        ],
    }


def real_files(*patterns: str) -> Sequence[Path]:
    data = Path(__file__).parents[3] / "shared" / "data" / "gbrain"
    return sorted(path for pattern in patterns for path in data.glob(pattern))


@pytest.mark.skipif(not real_files("lme-opaque-a.ndjson"), reason="the shared data are not on this machine")
def test_real_rows_and_a_real_ledger_are_valid(capsys: Printed) -> None:
    files = real_files(
        "lme-opaque-*.ndjson", "compare-*.ndjson", "longmemeval-native-*.ndjson", "gbrain-ledger-*.jsonl"
    )

    code, said = validate(capsys, *files)

    assert (code, said[-1]) == (0, f"{len(files)} files: {len(files)} valid, 0 not")
