"""`gate ledger`: what was recorded, listed, shown and exported."""

import json
from pathlib import Path

import pytest

from tests.cli.calls import Shell
from tests.run_factories import ledger_bytes, run_object

LEDGER = ".gbrain-evals/eval-results.jsonl"


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    shell.write(
        LEDGER,
        ledger_bytes(
            run_object("a"),
            run_object("b", suite="replay", status="failed"),
            b"torn",
            run_object("c", mode="tokenmax", metrics={"mrr": 0.5}),
        ),
    )
    return shell


def test_every_run_is_listed_in_order_and_what_is_none_is_told(shell: Shell) -> None:
    done = shell.gate("ledger", "list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == ["run", "a", "b", "c"]
    assert done.err == "1 line left out: torn\n"


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (("--suite", "replay"), ["b"]),
        (("--mode", "tokenmax"), ["c"]),
        (("--status", "completed"), ["a", "c"]),
        (("--last", "2"), ["b", "c"]),
        (("--suite", "no"), []),
    ],
)
def test_only_what_was_asked_for_is_listed(shell: Shell, options: tuple[str, str], ids: list[str]) -> None:
    done = shell.gate("ledger", "list", "--json", *options)
    assert [json.loads(line)["run_id"] for line in done.out.splitlines()] == ids


def test_a_run_is_shown_whole(shell: Shell) -> None:
    done = shell.gate("ledger", "show", "c")
    assert done.document == run_object("c", mode="tokenmax", metrics={"mrr": 0.5})
    assert shell.gate("ledger", "show", "c", "--json").out.count("\n") == 1


def test_the_last_of_several_with_one_id_is_shown_and_that_is_said(shell: Shell) -> None:
    shell.write("two.jsonl", ledger_bytes(run_object("a"), run_object("a", seed=7)))
    done = shell.gate("ledger", "show", "a", "--input", "two.jsonl")
    assert (done.document["seed"], done.err) == (7, "2 runs have this id: the last one\n")


def test_an_unknown_run_and_a_missing_ledger_are_named(shell: Shell) -> None:
    assert "there is no run 'z'" in shell.gate("ledger", "show", "z").err
    missing = shell.gate("ledger", "list", "--input", "elsewhere")
    assert (missing.code, "elsewhere/eval-results.jsonl: there is no such ledger" in missing.err) == (
        65,
        True,
    )


def test_runs_are_exported_as_they_were_recorded(shell: Shell) -> None:
    done = shell.gate("ledger", "export", "--status", "completed", "--output", "out.jsonl")
    assert done.out == "exported: 2 runs to out.jsonl\n"
    lines = (shell.folder / "out.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == run_object("a")


def test_runs_are_exported_for_a_spreadsheet(shell: Shell) -> None:
    lines = shell.gate("ledger", "export", "--format", "csv").out.splitlines()
    assert lines[0].endswith(",output,mrr")
    assert lines[3].endswith(",c.ndjson,0.5")
