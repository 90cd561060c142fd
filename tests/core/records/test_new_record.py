import json

import pytest

from gate.core.records.ledger import RunRecord, read_line
from gate.core.records.new_record import record_line
from tests.run_factories import new_record


def test_a_line_has_the_keys_of_the_contract_in_its_order() -> None:
    record = new_record(limit=5, error="boom", metrics={"recall@5": 1.0}, params={"topK": 5.0})

    assert record_line(record) == (
        b'{"schema_version":3,"run_id":"run-a","ran_at":"2026-11-01T10:00:00.000Z","suite":"longmemeval",'
        b'"mode":"balanced","commit":"a1b2c3d","seed":0,"limit":5,"params":{"topK":5},"status":"completed",'
        b'"duration_ms":1000,"error":"boom","metrics":{"recall@5":1}}\n'
    )


def test_what_is_not_set_is_no_key() -> None:
    assert not {"limit", "error", "metrics"} & json.loads(record_line(new_record())).keys()


def test_a_line_is_read_back_as_the_record_it_is() -> None:
    record = read_line(record_line(new_record(params={"output": "rows é.ndjson", "none": None})))

    assert isinstance(record, RunRecord)
    assert record.output == "rows é.ndjson"
    assert record.params["none"] is None


def test_secrets_leave_parameters_and_error_only() -> None:
    line = record_line(
        new_record("sk-0123456789", params={"url": "https://u:p@h"}, error="Bearer abc123", limit=None)
    )

    written = json.loads(line)
    assert written["params"] == {"url": "https://<redacted>@h"}
    assert written["error"] == "Bearer <redacted>"
    assert written["run_id"] == "sk-0123456789"


def test_a_newline_in_a_text_does_not_end_the_line() -> None:
    assert record_line(new_record(error="a\nb\u2028c")).count(b"\n") == 1


@pytest.mark.parametrize(
    ("overrides", "field"),
    [
        ({"run_id": ""}, "run_id"),
        ({"ran_at": "yesterday"}, "ran_at"),
        ({"ran_at": "2026-11-01T10:00:00+01:00"}, "ran_at"),
        ({"mode": "fast"}, "mode"),
        ({"status": "done"}, "status"),
        ({"seed": "0"}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"duration_ms": -1}, "duration_ms"),
        ({"schema_version": 2}, "schema_version"),
        ({"params": None}, "params"),
        ({"params": {1: "x"}}, "params"),
        ({"metrics": {"m": "x"}}, "metrics"),
    ],
)
def test_what_is_no_version_3_record_is_refused_and_the_field_named(
    overrides: dict[str, object], field: str
) -> None:
    with pytest.raises(ValueError, match=field):
        record_line(new_record(**overrides))


def test_a_number_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="nan"):
        record_line(new_record(params={"x": float("nan")}))
