"""What a suite's command leaves in the ledger, however it ends, and what it requires."""

from pathlib import Path

import pytest

from gate.cli.suite_places import all_required, asked_system, ends_in_ledger
from gate.core.records.ledger import read_ledger
from gate.errors import Cancelled, EvidenceError, ExitCode
from gate.ports import SystemFailed
from gate.process import SystemClock
from gate.wiring.happening import Happening


def recorded(folder: Path, error: BaseException, *, asked: bool = True) -> list[object]:
    """What the ledger says after a run has ended with this."""
    happening = Happening(SystemClock(), folder, 42, recorded=asked)
    with pytest.raises(type(error)), ends_in_ledger("replay", "balanced", happening):
        raise error
    path = folder / ".gbrain-evals/eval-results.jsonl"
    found = read_ledger(path.read_bytes()).records if path.exists() else ()
    return [(each.status, each.raw["error"]) for each in found]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Cancelled(ExitCode.TERMINATED, kept=("2 of 3 left",)), "cancelled: 2 of 3 left"),
        (Cancelled(ExitCode.INTERRUPTED), "cancelled: before anything was asked"),
        (SystemFailed("crash", "it is gone", remedy="start it"), "suite_failed: it is gone"),
        (RuntimeError("secret"), "suite_failed: the gate itself broke, RuntimeError"),
    ],
)
def test_a_run_that_breaks_off_is_a_failed_record(tmp_path: Path, error: BaseException, said: str) -> None:
    assert recorded(tmp_path, error) == [("failed", said)]


def test_an_input_that_is_not_valid_is_no_run(tmp_path: Path) -> None:
    assert recorded(tmp_path, EvidenceError("line 1: not JSON", remedy="write it again")) == []


@pytest.mark.parametrize(
    "error",
    [
        Cancelled(ExitCode.TERMINATED, kept=("2 of 3 left",)),
        SystemFailed("crash", "it is gone", remedy="start it"),
        RuntimeError("a bug"),
    ],
)
def test_a_ledger_that_cannot_be_written_does_not_hide_how_the_run_ended(
    tmp_path: Path, error: BaseException
) -> None:
    (tmp_path / ".gbrain-evals").write_text("no folder")
    happening = Happening(SystemClock(), tmp_path, 42)
    with pytest.raises(type(error)) as ended, ends_in_ledger("replay", "balanced", happening):
        raise error

    told = [*getattr(ended.value, "kept", ()), getattr(ended.value, "message", ""), *_notes(ended.value)]
    assert "its record could not be kept: " in " ".join(told)


def _notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


def test_a_run_that_is_not_recorded_leaves_nothing(tmp_path: Path) -> None:
    assert recorded(tmp_path, RuntimeError("secret"), asked=False) == []


def test_what_is_required_is_named_once_and_in_the_same_order() -> None:
    assert all_required(["reranker", "vector"], ["vector"]) == ("vector", "reranker")


def test_without_a_configuration_nothing_is_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    system = asked_system(None, {})
    assert (system.planned.kind, system.require, system.gbrain) == ("reference", (), None)
