from pathlib import Path

import pytest

from gate.core.plan import BaselineRows, FileRef, Plan, PlannedBaseline, PlannedSuite
from gate.core.records.suite_inputs import BrainbenchInputs
from gate.errors import EvidenceError, UnavailableError, UsageError
from gate.store.output_folder import OWN, nothing_stale, refuse_inputs
from tests.program import gate
from tests.workspaces import CONFIG, rows, workspace


def ref(path: str, commit: str | None = None) -> FileRef:
    return FileRef(path=path, sha256="0" * 64, bytes=1, commit=commit)


def plan(candidate: FileRef | None, baseline: FileRef | None = None, source: str = "") -> Plan:
    found = () if baseline is None else (BaselineRows(suite="m", rows=baseline),)
    return Plan(
        suites=(PlannedSuite(suite="rows", name="m", rows=candidate),),
        baseline=PlannedBaseline(kind="rows", source=source, rows=found),
    )


def running(result: FileRef) -> Plan:
    inputs = BrainbenchInputs(result=result)
    return Plan(suites=(PlannedSuite(suite="brainbench", name="m", inputs=inputs),))


@pytest.mark.parametrize(
    "given",
    [
        plan(ref("out/rows/m.candidate.ndjson")),
        plan(ref("a"), ref("out/rows/m.baseline.ndjson")),
        plan(ref("a"), ref("out/rows/../rows/m.candidate.ndjson")),
        plan(ref("a"), source="out/receipt.json"),
        plan(None, ref("out/rows/m.ndjson")),
        running(ref("out/rows/m.ndjson")),
    ],
)
def test_what_a_run_reads_it_may_not_write(given: Plan, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="would be overwritten"):
        refuse_inputs(tmp_path / "out", tmp_path, given)


def test_other_files_of_the_folder_may_be_read(tmp_path: Path) -> None:
    base = ref("out/rows/m.candidate.ndjson", commit="a" * 40)
    refuse_inputs(
        tmp_path / "out", tmp_path, plan(ref("out/rows/m.ndjson"), base, "out/fetched/receipt.json")
    )
    refuse_inputs(tmp_path / "out", tmp_path, Plan())


def finished(folder: Path) -> None:
    for name in OWN:
        (folder / name).write_text("Passed")


def test_an_error_leaves_no_earlier_verdict_behind(tmp_path: Path) -> None:
    finished(tmp_path)

    with pytest.raises(EvidenceError), nothing_stale(tmp_path):
        raise EvidenceError("the rows are broken", remedy="mend them")

    assert [path.name for path in tmp_path.iterdir()] == ["stale"]
    assert sorted(path.name for path in (tmp_path / "stale").iterdir()) == sorted(OWN)


def test_a_run_that_ends_well_leaves_no_page_of_an_earlier_sweep_beside_its_receipt(tmp_path: Path) -> None:
    finished(tmp_path)

    with nothing_stale(tmp_path):
        (tmp_path / "new").write_text("Failed")
        (tmp_path / "new").replace(tmp_path / "receipt.json")

    assert (tmp_path / "receipt.json").read_text() == "Failed"
    assert not (tmp_path / "release.md").exists()
    assert (tmp_path / "stale/release.md").exists()


def test_an_earlier_verdict_that_cannot_be_set_aside_is_told(tmp_path: Path) -> None:
    finished(tmp_path)
    (tmp_path / "stale").write_text("no folder")

    with (
        pytest.raises(UnavailableError, match=r"receipt\.json: what an earlier run left cannot be moved"),
        nothing_stale(tmp_path),
    ):
        raise EvidenceError("the rows are broken", remedy="mend them")


def test_what_this_run_wrote_stays(tmp_path: Path) -> None:
    finished(tmp_path)

    def half_a_run() -> None:
        (tmp_path / "new").write_text("cancelled")
        (tmp_path / "new").replace(tmp_path / "receipt.json")
        raise EvidenceError("the disk is full", remedy="free some space")

    with pytest.raises(EvidenceError), nothing_stale(tmp_path):
        half_a_run()

    assert (tmp_path / "receipt.json").read_text() == "cancelled"
    assert not (tmp_path / "comment.md").exists()


def test_a_wrong_call_and_a_finished_run_leave_everything(tmp_path: Path) -> None:
    finished(tmp_path)

    with nothing_stale(tmp_path):
        pass
    with pytest.raises(UsageError), nothing_stale(tmp_path):
        raise UsageError("no", remedy="yes")
    with pytest.raises(EvidenceError), nothing_stale(tmp_path / "not made yet"):
        raise EvidenceError("broken", remedy="mend it")

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(OWN)


def test_a_run_does_not_overwrite_its_own_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config = CONFIG.replace("rows/candidate.ndjson", "rows/main.candidate.ndjson")
    mine = rows([1] * 40, note="mine")
    workspace(tmp_path, config=config, files={"rows/main.candidate.ndjson": mine})

    done = gate(capsys, "run", "--out", ".")

    assert done.code == 64
    assert (tmp_path / "rows" / "main.candidate.ndjson").read_bytes() == mine


def test_a_failing_run_after_a_passing_one_does_not_look_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path)
    assert gate(capsys, "run").code == 0
    (tmp_path / "rows" / "candidate.ndjson").write_bytes(b"{")

    assert gate(capsys, "run").code == 65
    assert not (tmp_path / "gate-out" / "receipt.json").exists()
    assert not (tmp_path / "gate-out" / "comment.md").exists()
