"""`gate run` against runs that a real PostgreSQL names."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from gate.cli import invoke
from gate.database import Database
from gate.ledgers.postgres import PostgresLedger
from tests.cli.calls import Call
from tests.run_factories import new_record
from tests.workspaces import CONFIG, losing, rows, workspace

ON_DATABASE = CONFIG.replace(
    "baseline: {rows: rows/baseline.ndjson}", "baseline: {database: true, run: latest}"
)


class Bench:
    """A workspace whose baseline a database names."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str], url: str) -> None:
        self.folder, self.captured, self.url = folder, captured, url

    def record(self, run_id: str = "base", *, path: str = "rows/baseline.ndjson", **params: object) -> None:
        """A run in the database that names rows."""
        record = new_record(run_id, params={"output": path, **params})
        PostgresLedger(Database(self.url)).append(record)

    def gate(self, *arguments: str, url: str | None = None) -> Call:
        self.captured.readouterr()
        code = invoke(list(arguments), {"GATE_DATABASE_URL": self.url if url is None else url})
        out, err = self.captured.readouterr()
        assert "Traceback" not in err, err
        return Call(code, out, err)

    def written(self) -> str:
        """Everything below the output folder."""
        return "".join(path.read_text() for path in (self.folder / "gate-out").rglob("*") if path.is_file())


@pytest.fixture
def bench(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    database_url: str,
) -> Bench:
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, config=ON_DATABASE, candidate=losing(12))
    return Bench(tmp_path, capsys, database_url)


def test_a_run_of_the_database_is_the_baseline_and_the_receipt_verifies_without_the_database(
    bench: Bench,
) -> None:
    bench.record(output_sha256=hashlib.sha256(rows([1] * 40)).hexdigest())

    done = bench.gate("run", "--json")

    assert (done.code, done.document["reason"]) == (1, "regression")
    baseline = json.loads(Path("gate-out/receipt.json").read_text())["plan"]["baseline"]
    assert (baseline["kind"], baseline["source"]) == ("database", "the database")
    assert baseline["rows"][0]["run_id"] == "base"
    assert bench.gate("verify", "gate-out/receipt.json", url="postgresql://127.0.0.1:1/x").code == 0
    assert json.loads(bench.gate("plan").out)["plan"]["baseline"]["rows"][0]["run_id"] == "base"


def test_the_database_s_url_is_nowhere_in_what_is_written(bench: Bench) -> None:
    bench.record()
    url = bench.url + " application_name=hunter2"

    assert bench.gate("run", url=url).code == 1

    assert "hunter2" not in bench.written()
    assert "host=" not in bench.written()


def test_a_database_that_cannot_be_reached_is_69_whatever_the_policy_lets_through(bench: Bench) -> None:
    config = ON_DATABASE + "on-inconclusive: {default: pass, no_baseline: pass}\n"
    workspace(bench.folder, config=config)

    done = bench.gate("run", url="postgresql://ada:hunter2@127.0.0.1:1/brain")

    assert done.code == 69
    assert "cannot be reached" in done.err
    assert "hunter2" not in done.err
    assert not Path("gate-out/receipt.json").exists()


def test_a_url_that_cannot_be_read_is_a_configuration_error(bench: Bench) -> None:
    assert bench.gate("run", url="mysql://ada:hunter2@h/d").code == 78


@pytest.mark.parametrize(
    ("path", "params", "said"),
    [
        ("rows/gone.ndjson", {}, "rows/gone.ndjson"),
        ("rows/baseline.ndjson", {"output_sha256": "0" * 64}, "not the rows it recorded"),
        ("../outside.ndjson", {}, "outside"),
    ],
)
def test_rows_that_are_not_here_or_not_those_recorded_are_no_baseline_and_never_a_pass(
    bench: Bench, path: str, params: dict[str, Any], said: str
) -> None:
    workspace(bench.folder, config=ON_DATABASE)
    bench.record(path=path, **params)

    done = bench.gate("run", "--json")

    assert (done.code, done.document["reason"]) == (2, "no_baseline")
    assert said in bench.written()


def test_without_the_variable_and_in_an_empty_database_there_is_no_baseline(bench: Bench) -> None:
    unset = bench.gate("run", "--json", url="")
    assert (unset.code, unset.document["reason"]) == (2, "no_baseline")
    assert "GATE_DATABASE_URL does not name the database" in bench.written()

    empty = bench.gate("run", "--json")
    assert (empty.code, empty.document["reason"]) == (2, "no_baseline")
    assert "the database has no run ledger yet" in bench.written()
