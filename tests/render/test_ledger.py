from gate.core.records.ledger import read_ledger
from gate.render.ledger import left_out, run_text, runs_csv, runs_table
from tests.run_factories import ledger, ledger_bytes, run, run_object


def test_a_run_is_a_line_and_what_it_does_not_say_is_a_dash() -> None:
    lines = runs_table([run("a"), run("b", ran_at=None, params={}, duration_ms="long")]).splitlines()
    assert lines[0].split() == ["run", "when", "suite", "mode", "status", "seconds", "rows"]
    assert lines[1].split() == [
        "a", "2026-11-01T10:00:00.000Z", "longmemeval", "balanced", "completed", "1.0", "a.ndjson",
    ]  # fmt: skip
    assert lines[2].split() == ["b", "–", "longmemeval", "balanced", "completed", "–", "–"]


def test_no_run_is_said() -> None:
    assert runs_table([]) == "no run"


def test_a_run_id_that_would_move_the_cursor_is_shown_harmlessly() -> None:
    assert "\x1b" not in runs_table([run("a\x1b[2J")])


def test_everything_a_run_says_is_shown() -> None:
    assert '"seed": 0' in run_text(run())


def test_a_spreadsheet_gets_a_column_a_metric_and_no_formula() -> None:
    records = [
        run("=cmd()", metrics={"mrr": 0.5}, limit=3),
        run("b", metrics={"-x": None, "mrr": -0.25}, error=["odd"], seed=object()),
    ]
    header, first, second = runs_csv(records).splitlines()
    assert header.split(",")[-3:] == ["output", "'-x", "mrr"]
    assert first.split(",")[:3] == ["'=cmd()", "2026-11-01T10:00:00.000Z", "longmemeval"]
    assert first.split(",")[-3:] == ["=cmd().ndjson".replace("=", "'="), "", "0.5"]
    assert second.split(",")[5] == ""
    assert second.split(",")[-2:] == ["", "-0.25"]
    assert '"[""odd""]"' in second


def test_what_is_no_run_and_what_is_none_of_its_own_is_counted() -> None:
    torn = ledger_bytes(run_object("a"), run_object("a"), b"", b"{}")[:-1] + b"\n{"
    assert left_out(read_ledger(torn)) == (
        "1 line left out: blank",
        "1 line left out: torn",
        "1 line left out: not a record",
        "1 run id used more than once, the first a",
    )
    assert left_out(ledger(run_object())) == ()
