"""What `gate init` writes, as the pull request that brings it."""

from pathlib import Path

import pytest
import yaml

from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, REPOSITORY_ID
from tests.program import gate
from tests.repositories import git
from tests.wiring.pull_requests import FORK, PullRequest
from tests.workspaces import rows

HITS = rows([1] * 40, **{"hit@1": 1})


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Written":
    return Written(tmp_path / "scratch", monkeypatch, capsys)


class Written:
    """Runs `gate init` in a repository of its own."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def over(self, files: dict[str, bytes]) -> dict[str, bytes | None]:
        """What init writes beside these files."""
        for name, data in files.items():
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(data)
        self._folder.mkdir(exist_ok=True)
        git(self._folder, "init", "-q")
        self._monkeypatch.chdir(self._folder)
        assert gate(self._capsys, "init", "--action", "octo/gate@v1").code == 0
        return {
            path.relative_to(self._folder).as_posix(): path.read_bytes()
            for path in self._folder.rglob("*")
            if path.is_file() and ".git/" not in path.relative_to(self._folder).as_posix()
        }


def config_input(files: dict[str, bytes | None]) -> str:
    """What the gate's own step says under `with:`, which is nothing but where the configuration lies."""
    (job,) = yaml.safe_load(files[".github/workflows/eval-gate.yml"] or b"")["jobs"].values()
    (given,) = (step["with"] for step in job["steps"] if step.get("id") == "gate")
    assert list(given) == ["config"]
    return str(given["config"])


@pytest.mark.parametrize("mode", ["advisory", "blocking"])
@pytest.mark.parametrize(
    "files",
    [{}, {"rows/candidate.ndjson": HITS}, {"rows/candidate.ndjson": HITS, "rows/baseline.ndjson": HITS}],
    ids=["nothing", "rows", "rows-and-baseline"],
)
def test_the_pull_request_that_adopts_the_gate_is_green_and_says_so(
    files: dict[str, bytes], mode: str, tmp_path: Path, written: Written
) -> None:
    adopted = written.over(files)
    if mode == "blocking":
        config = (adopted["eval-gate.yml"] or b"").decode()
        adopted["eval-gate.yml"] = "".join(
            line for line in config.splitlines(keepends=True) if not line.startswith("mode:")
        ).encode()
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"README.md": b"hello\n"})
        pull.change(adopted)

        ran = pull.run(config=config_input(adopted))

        assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (0, "pass", "introducing")
        (comment,) = pull.comments()
        assert "ntroducing the gate" in comment
        assert ran.outputs["artifact-name"] == "gate-default-attempt-1"


def of_fork(pull: PullRequest) -> None:
    """The first half, run for a fork: it measures, uploads, and may write nothing."""
    assert pull.run(payload=pull.from_a_fork()).code == 0
    pull.upload(run_id=100)
    pull.fake.world.runs[0].head_repository = FORK


def finished(pull: PullRequest) -> dict[str, object]:
    """The event that starts the second half."""
    return {
        "action": "completed",
        "repository": {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"},
        "workflow_run": {
            "id": 100,
            "head_sha": pull.head,
            "event": "pull_request",
            "head_branch": "feature",
            "head_repository": {"id": FORK[0], "full_name": FORK[1]},
            "run_attempt": 1,
            "conclusion": "success",
            "path": ".github/workflows/gate.yml",
        },
    }


def test_the_second_half_needs_no_checkout(tmp_path: Path, written: Written) -> None:
    adopted = written.over({"rows/candidate.ndjson": HITS})
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"README.md": b"hello\n"})
        pull.change(adopted)
        of_fork(pull)
        assert pull.comments() == []
        nowhere = PullRequest(tmp_path / "second", fake, head=pull.head, event="workflow_run")
        nowhere.workspace.mkdir(parents=True)

        ran = nowhere.run(command="publish", run_id=200, payload=finished(pull))

        assert ran.code == 0, ran.log
        assert list(nowhere.workspace.iterdir()) == []
        (comment,) = nowhere.comments()
        assert "ntroducing the gate" in comment
