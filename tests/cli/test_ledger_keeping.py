"""`gate ledger` on a database, `import` and `prune`: real files, a real PostgreSQL."""

import json
from pathlib import Path

import pytest

from gate.cli import invoke
from gate.core.records.ledger import read_ledger
from gate.database import Database
from gate.ledgers.postgres import PostgresLedger
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from tests.cli.calls import Call, Shell
from tests.run_factories import ledger_bytes, new_record, run_object
from tests.takes_factories import receipt_document

LEDGER = ".gbrain-evals/eval-results.jsonl"


def dated(run_id: str, day: int, **overrides: object) -> dict[str, object]:
    return run_object(run_id, ran_at=f"2026-10-{day:02}T00:00:00.000Z", **overrides)


class Office(Shell):
    """A working directory with an environment."""

    def call(self, url: str, *arguments: str) -> Call:
        """Call `gate ledger` with the database in the environment."""
        self.captured.readouterr()
        code = invoke(["ledger", *arguments], {"GATE_DATABASE_URL": url})
        out, err = self.captured.readouterr()
        assert "Traceback" not in err
        return Call(code, out, err)


@pytest.fixture
def office(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.chdir(tmp_path)
    return Office(tmp_path, capsys)


def ids(url: str) -> list[str]:
    return [record.run_id for record in PostgresLedger(Database(url)).read().records]


# ---- a database is read


def test_a_database_is_listed_shown_and_exported_by_option_and_by_variable(
    office: Office, database_url: str
) -> None:
    PostgresLedger(Database(database_url)).append(new_record("stored"))
    office.write(LEDGER, ledger_bytes(run_object("filed")))

    by_option = office.gate("ledger", "list", "--json", "--database-url", database_url)
    by_variable = office.call(database_url, "list", "--json")
    by_name = office.call(database_url, "list", "--json", "--input", LEDGER)

    assert json.loads(by_option.out)["run_id"] == json.loads(by_variable.out)["run_id"] == "stored"
    assert json.loads(by_name.out)["run_id"] == "filed"
    assert office.call(database_url, "show", "stored").document == run_object("stored")
    assert office.call(database_url, "export", "--output", "out.jsonl").code == 0
    assert json.loads(Path("out.jsonl").read_text()) == run_object("stored")


def test_two_ledgers_are_one_too_many_and_an_empty_database_is_named(
    office: Office, database_url: str
) -> None:
    both = office.gate("ledger", "list", "--input", LEDGER, "--database-url", database_url)
    empty = office.call(database_url, "list")

    assert (both.code, empty.code) == (64, 65)
    assert "the database: there is no such ledger" in empty.err
    assert "gate ledger import" in empty.err


def test_a_database_that_is_not_there_is_69_and_no_password_is_shown(office: Office) -> None:
    done = office.call("postgresql://ada:hunter2@127.0.0.1:1/brain", "list")

    assert done.code == 69
    assert "hunter2" not in done.err


# ---- import


def test_ledgers_and_receipts_are_imported_once_and_counted(office: Office, database_url: str) -> None:
    office.write(LEDGER, ledger_bytes(run_object("a"), b"torn", run_object("b", ran_at="?")))
    stopped = receipt_document(reason="budget_exhausted", corpus_sha8="eeeeeeee")
    office.write("r.json", json.dumps(receipt_document()))
    office.write("stopped.json", json.dumps(stopped))

    first = office.call(database_url, "import", LEDGER, "r.json", "stopped.json", "--json")
    again = office.call(database_url, "import", LEDGER, "r.json", "stopped.json")

    assert first.document == {
        "schema_version": 1,
        "runs": {"new": 1, "there": 0},
        "receipts": {"new": 1, "there": 0, "stopped": 1},
        "left_out": {"torn": 1, "without a readable date": 1},
    }
    assert again.out.splitlines() == [
        "runs: 0 new, 1 there already",
        "receipts: 0 new, 1 there already",
        "1 line left out: torn",
        "1 line left out: without a readable date",
        "1 receipt left out: of runs that were stopped",
    ]
    assert ids(database_url) == ["a"]
    assert TakesQualityRuns(Database(database_url)).receipt(1).ts == receipt_document()["ts"]


def test_a_folder_stands_for_the_ledger_and_the_receipts_in_it(office: Office, database_url: str) -> None:
    office.write("all/eval-results.jsonl", ledger_bytes(run_object("a")))
    name = "takes-quality-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd.json"
    office.write(f"all/{name}", json.dumps(receipt_document()))
    office.write("all/notes.txt", "of no concern")

    done = office.gate("ledger", "import", "all", "--database-url", database_url)

    assert done.out == "runs: 1 new, 0 there already\nreceipts: 1 new, 0 there already\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("notes.json", "{}", "no valid takes-quality receipt"),
        ("v2.json", json.dumps(receipt_document(schema_version=2)), "receipt version 2 is not known"),
        ("rows.jsonl", "hello\n", "no line of it is a run"),
        ("folder/notes.txt", "", "neither a ledger"),
    ],
)
def test_what_is_neither_is_refused_before_anything_is_stored(
    office: Office, database_url: str, name: str, content: str, said: str
) -> None:
    office.write(LEDGER, ledger_bytes(run_object("a")))
    office.write(name, content)

    done = office.call(database_url, "import", LEDGER, name.split("/", maxsplit=1)[0])

    assert (done.code, said in done.err) == (65, True), done.err
    assert PostgresLedger(Database(database_url)).read().missing


def test_an_import_needs_a_database_and_files_that_are_there(office: Office) -> None:
    office.write(LEDGER, ledger_bytes(run_object("a")))

    assert "which database?" in office.gate("ledger", "import", LEDGER).err
    assert office.gate("ledger", "import", "none.jsonl", "--database-url", "postgresql://h/d").code == 65
    assert office.gate("ledger", "import").code == 64


# ---- prune


def test_without_yes_it_is_only_said_which_runs_would_go(office: Office) -> None:
    before = ledger_bytes(dated("a", 1), dated("b", 2), b"torn")
    path = office.write(LEDGER, before)

    done = office.gate("ledger", "prune", "--keep", "1")

    assert done.code == 0
    assert done.out.splitlines()[1].split()[0] == "a"
    assert done.out.splitlines()[2:] == [
        f"1 run would be removed from {path}",
        "1 run stays: among the newest",
        "nothing was removed yet: --yes removes them",
    ]
    assert path.read_bytes() == before


def test_with_yes_they_are_gone_from_the_file_and_named_ones_stay(office: Office) -> None:
    path = office.write(LEDGER, ledger_bytes(dated("a", 1), dated("b", 2), dated("c", 3), b"torn"))

    done = office.gate("ledger", "prune", "--keep", "1", "--keep-run", "a", "--yes", "--json")

    assert (done.document["removed"], done.document["runs"]) == (True, ["b"])
    assert done.document["staying"] == {"among the newest": 1, "named": 1}
    left = read_ledger(path.read_bytes())
    assert ([record.run_id for record in left.records], left.skipped["torn"]) == (["a", "c"], 1)


def test_runs_of_a_database_go_by_age(office: Office, database_url: str) -> None:
    ledger = PostgresLedger(Database(database_url))
    ledger.append(new_record("old", ran_at="2000-01-01T00:00:00.000Z"))
    ledger.append(new_record("failed", ran_at="2000-01-01T00:00:00.000Z", status="failed"))
    ledger.append(new_record("future", ran_at="2999-01-01T00:00:00.000Z"))

    only_said = office.call(database_url, "prune", "--older-than", "30", "--status", "completed")
    assert len(ids(database_url)) == 3
    done = office.call(database_url, "prune", "--older-than", "30", "--status", "completed", "--yes")

    assert "1 run would be removed from the database" in only_said.out
    assert "1 run removed from the database" in done.out
    assert ids(database_url) == ["failed", "future"]


def test_a_prune_without_a_limit_or_without_a_ledger_is_refused(office: Office, database_url: str) -> None:
    unlimited = office.call(database_url, "prune", "--yes")
    nothing = office.gate("ledger", "prune", "--keep", "1")

    assert (unlimited.code, nothing.code) == (64, 65)
    assert "which runs may go?" in unlimited.err
    assert office.gate("ledger", "prune", "--keep", "1", "--yes").code == 65
    assert not Path(LEDGER).exists()
