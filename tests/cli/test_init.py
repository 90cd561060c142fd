import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import gate
from tests.repositories import git, repository
from tests.workspaces import rows

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart"
WRITTEN = ["eval-gate.yml", ".github/workflows/eval-gate.yml", ".github/workflows/eval-gate-publish.yml"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, and the working folder."""
    repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def files(folder: Path) -> set[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in found if not name.startswith(".git/")}


def test_a_repository_without_rows_gets_an_example_that_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "init")

    assert done.code == 0
    assert files(folder) == {*WRITTEN, "rows/candidate.ndjson", "README.md"}
    assert "invented example" in done.out
    assert gate(capsys, "validate", "eval-gate.yml", "rows/candidate.ndjson").code == 0
    assert gate(capsys, "run").code == 0


@pytest.mark.usefixtures("folder")
def test_twice_is_once_also_with_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    gate(capsys, "init")

    assert gate(capsys, "init").code == 0
    again = gate(capsys, "init", "--force", "--action", "octo/gate@v1")

    assert again.code == 0
    assert "name: example" in Path("eval-gate.yml").read_text()
    assert "uses: octo/gate@v1" in Path(WRITTEN[1]).read_text()


def test_a_dry_run_shows_everything_and_writes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "init", "--dry-run")

    assert done.code == 0
    assert files(folder) == {"README.md"}
    assert "would write" in done.out
    assert "permissions: {}" in done.out


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_there_is_not_written_over(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, name, b"mine")
    before = files(folder)

    done = gate(capsys, "init")

    assert (done.code, files(folder)) == (64, before)
    assert name in done.err
    assert "--force" in done.err
    assert gate(capsys, "init", "--force").code == 0
    assert (folder / name).read_bytes() != b"mine"


def test_the_ledger_and_the_rows_that_are_there_are_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (".gbrain-evals", "rows"):
        shutil.copytree(QUICKSTART / name, folder / name)

    done = gate(capsys, "init")
    config = (folder / "eval-gate.yml").read_text()

    assert done.code == 0
    assert "baseline: {ledger: .gbrain-evals/eval-results.jsonl, run: latest, mode: balanced}" in config
    assert "name: longmemeval" in config
    assert "recall_all@5: {better: higher, unit: share}" in config
    assert "per: question-type" in config
    assert "commit .gbrain-evals/eval-results.jsonl" in done.out
    assert gate(capsys, "plan").code == 0


def test_rows_to_compare_with_are_the_baseline_and_the_gate_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = [{"question_id": f"q{number}", "recall@5": 1, "latency_ms": 400 + number} for number in range(40)]
    data = b"".join(json.dumps(each).encode() + b"\n" for each in row)
    put(folder, "rows/baseline.ndjson", data)
    put(folder, "rows/candidate.ndjson", data)

    assert gate(capsys, "init").code == 0
    assert "baseline: {rows: rows/baseline.ndjson}" in (folder / "eval-gate.yml").read_text()
    assert gate(capsys, "run").code == 0
    assert json.loads((folder / "gate-out" / "receipt.json").read_text())["verdict"] == "pass"


def test_every_other_file_of_rows_is_a_suite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, "rows/short.ndjson", rows([1, 0], **{"hit@1": True}))
    put(folder, "rows/long.ndjson", rows([1, 0], **{"hit@3": True}))
    put(folder, "rows/baseline-2025.ndjson", rows([1, 0]))

    assert gate(capsys, "init").code == 0
    config = (folder / "eval-gate.yml").read_text()

    assert "name: long, rows: rows/long.ndjson" in config
    assert "name: short, rows: rows/short.ndjson" in config
    assert "2025" not in config


def test_a_direction_that_nothing_tells_has_to_be_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "rows/candidate.ndjson", rows([1, 0]))

    refused = gate(capsys, "init")
    done = gate(capsys, "init", "--better", "hit=higher")

    assert refused.code == 64
    assert "gate init --better 'hit=higher'" in refused.err
    assert done.code == 0
    assert "hit: {better: higher}" in (folder / "eval-gate.yml").read_text()


def test_a_direction_nobody_knows_is_left_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, "rows/candidate.ndjson", rows([1, 0], **{"hit@1": True}))

    done = gate(capsys, "init")

    assert done.code == 0
    assert "which direction is better: hit" in done.out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("given", ["hit", "hit=up", "=higher"])
def test_a_direction_has_a_metric_and_a_word(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(capsys, "init", "--better", given).code == 64


def test_rows_without_a_number_cannot_be_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(folder, "rows/candidate.ndjson", b'{"question_id": "q1"}\n')

    assert gate(capsys, "init").code == 65


def test_rows_that_are_broken_are_told_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "rows/candidate.ndjson", b"{\n")

    done = gate(capsys, "init")

    assert done.code == 65
    assert "rows/candidate.ndjson, line 1" in done.err
    assert not (folder / "eval-gate.yml").exists()


def test_a_ledger_alone_tells_the_metrics_but_its_rows_are_not_judged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {
        "run_id": "r1",
        "suite": "nightly",
        "mode": "n/a",
        "status": "completed",
        "params": {"output": "rows/r1.ndjson"},
    }
    gone = {**record, "run_id": "r2", "params": {"output": "rows/gone.ndjson"}}
    put(
        folder,
        ".gbrain-evals/eval-results.jsonl",
        b"".join(json.dumps(one).encode() + b"\n" for one in (record, gone)),
    )
    put(folder, "rows/r1.ndjson", rows([1, 0], **{"hit@1": True}))

    done = gate(capsys, "init")
    config = (folder / "eval-gate.yml").read_text()

    assert done.code == 0
    assert "name: nightly, rows: rows/candidate.ndjson" in config
    assert "{metric: hit@1, rule: significant}" in config
    assert not (folder / "rows" / "candidate.ndjson").exists()


def test_outside_a_repository_and_below_its_root_it_says_where_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "git init" in gate(capsys, "init").err

    git(tmp_path, "init", "-q")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    done = gate(capsys, "init")

    assert done.code == 64
    assert f"cd {tmp_path}" in done.err


def test_beside_a_configuration_of_one_s_own_only_the_workflows_are_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "eval-gate.yml", b"mine")
    put(folder, "rows/candidate.ndjson", rows([1, 0], **{"hit@1": True}))

    refused = gate(capsys, "init")
    done = gate(capsys, "init", "--workflows")

    assert "--workflows" in refused.err
    assert done.code == 0
    assert (folder / "eval-gate.yml").read_bytes() == b"mine"
    assert all((folder / name).exists() for name in WRITTEN[1:])


DRIFT = ".github/workflows/eval-drift.yml"
SWEEP = ".github/workflows/eval-sweep.yml"


def test_a_watch_for_drift_is_written_beside_what_is_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "eval-gate.yml", b"mine")

    done = gate(capsys, "init", "--drift", "--action", "octo/gate@v1")

    assert done.code == 0
    assert files(folder) == {"eval-gate.yml", "README.md", DRIFT}
    assert "uses: octo/gate@v1" in (folder / DRIFT).read_text()
    assert "gate baseline accept" in done.out
    assert "OWNER/REPO" not in done.out


def test_a_sweep_is_written_beside_what_is_there_and_says_how_it_is_started(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "eval-gate.yml", b"mine")

    done = gate(capsys, "init", "--sweep")

    assert done.code == 0
    assert files(folder) == {"eval-gate.yml", "README.md", SWEEP}
    assert "gh workflow run eval-sweep.yml" in done.out
    assert "gate init --sweep --force --action" in done.out
    assert gate(capsys, "init", "--sweep", "--action", "octo/gate@v1").code == 64
    assert gate(capsys, "init", "--sweep", "--force", "--action", "octo/gate@v1").code == 0
    assert "uses: octo/gate@v1 #" in (folder / SWEEP).read_text()


def test_all_workflows_are_written_at_once_where_all_are_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(capsys, "init", "--workflows", "--drift", "--sweep").code == 0
    assert files(folder) == {*WRITTEN[1:], DRIFT, SWEEP, "README.md"}


def test_a_watch_is_written_with_the_other_workflows_and_over_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "init", "--drift", "--workflows")

    assert done.code == 0
    assert files(folder) == {*WRITTEN[1:], DRIFT, "README.md"}
    assert "gate init --workflows --drift --force" in done.out
    put(folder, DRIFT, b"mine")
    assert gate(capsys, "init", "--drift").code == 64
    assert (folder / DRIFT).read_bytes() == b"mine"
    assert gate(capsys, "init", "--drift", "--force").code == 0


@pytest.mark.usefixtures("folder")
def test_an_action_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(capsys, "init", "--action", "gate").code == 64


def program(name: str) -> str:
    """A linter of this environment; the test is left out where it is not installed."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}")
    if found is None:
        pytest.skip(f"{name} is not installed: make check installs it")
    return found


@pytest.mark.parametrize("action", [None, "octo/gate@v1", f"octo/gate@{'0123456789' * 4}"])
@pytest.mark.parametrize(
    "linter",
    [
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WRITTEN[1:], DRIFT, SWEEP],
        ["zizmor", "--offline", "--quiet", "--no-progress", "."],
        ["actionlint", "-shellcheck", "", *WRITTEN[1:], DRIFT, SWEEP],
    ],
    ids=lambda command: command[0],
)
def test_linters_find_nothing(
    linter: list[str], action: str | None, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *arguments = linter
    tool = program(name)
    named = () if action is None else ("--action", action)
    gate(capsys, "init", *named)
    gate(capsys, "init", "--drift", "--sweep", *named)

    done = subprocess.run(
        [tool, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stdout + done.stderr


PROGRAM = b"""
version: 1
system: {kind: command, run: [node, search.mjs]}
suites:
  - {suite: retrieval, name: handbook, corpus: handbook, qrels: qrels.json}
baseline: {artifact: true}
rules:
  - {metric: recall@5, rule: threshold, at-least: 0.8}
metrics:
  recall@5: {better: higher, unit: share}
"""
EVERY = ("--workflows", "--drift", "--sweep")


def test_a_program_that_the_image_has_not_is_started_on_the_runner(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "eval-gate.yml", PROGRAM)

    done = gate(capsys, "init", *EVERY, "--action", "octo/gate@v1")

    assert done.code == 0
    for name in (WRITTEN[1], DRIFT, SWEEP):
        assert "uses: octo/gate/composite@v1" in (folder / name).read_text()
    assert "has no `node`" not in gate(capsys, "doctor").out
    assert "node" in done.out


def test_where_no_suite_takes_rows_nothing_is_said_of_measuring_or_committing_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "eval-gate.yml", PROGRAM)
    done = gate(capsys, "init", *EVERY)

    put(folder, "eval-gate.yml", PROGRAM.replace(b"run: [node, search.mjs]", b"run: [python3, search.py]"))
    other = gate(capsys, "init", *EVERY, "--force")

    for said in (done.out, other.out):
        assert "steps that measure" not in said
        assert "commit the rows" not in said
    assert "uses: OWNER/REPO@v1" in (folder / WRITTEN[1]).read_text()


@pytest.mark.parametrize("option", EVERY)
def test_a_configuration_that_is_missing_is_said_with_what_makes_one(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = gate(capsys, "init", option)
    put(folder, "eval-gate.yml", b"mine")
    broken = gate(capsys, "init", option)

    assert without.code == broken.code == 0
    assert "no eval-gate.yml" in without.out
    assert "write eval-gate.yml: `gate init` makes a first one" in without.out
    assert "makes a first one" not in broken.out
    assert "gate validate eval-gate.yml" in broken.out


@pytest.mark.usefixtures("folder")
def test_what_says_the_same_already_is_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    gate(capsys, "init", "--workflows")
    before = [Path(name).stat().st_mtime_ns for name in WRITTEN[1:]]

    again = gate(capsys, "init", "--workflows", "--force")
    more = gate(capsys, "init", "--workflows", "--drift")

    assert "wrote" not in again.out
    assert "unchanged\n  " + "\n  ".join(WRITTEN[1:]) in again.out
    assert [Path(name).stat().st_mtime_ns for name in WRITTEN[1:]] == before
    assert f"wrote\n  {DRIFT}\nunchanged" in more.out


@pytest.mark.usefixtures("folder")
def test_the_placeholder_is_spoken_of_once(capsys: pytest.CaptureFixture[str]) -> None:
    done = gate(capsys, "init", *EVERY)

    assert done.out.count("nothing here tells") == 1
    assert "gate init --workflows --drift --sweep --force --action OWNER/REPO@REF" in done.out
