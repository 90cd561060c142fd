"""A pull request as the action meets it: a checked-out merge, an event, a token, and a GitHub that answers."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gate.action import act
from gate.runner import Runner
from tests.github.fake_github import FakeGitHub
from tests.github.fake_world import (
    ACTION_TOKEN,
    FORK_TOKEN,
    REPOSITORY,
    REPOSITORY_ID,
    Artifact,
    Commit,
    FakeTime,
    Pull,
    WorkflowRun,
)
from tests.github.runner_rules import Command, Step, read_command_file
from tests.repositories import commit, git, merged, repository
from tests.workspaces import CONFIG, rows

NUMBER = 7
FORK = (2002, "contributor/search")
TODAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
ACCEPTED_CONFIG = CONFIG.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {rows: base.ndjson}")


class Clock:
    """Today, and seconds that pass as they are counted."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> datetime:
        return TODAY

    def monotonic(self) -> float:
        self._seconds += 0.01
        return self._seconds


@dataclass
class Ran:
    """What one step left behind."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str

    def said(self, level: str) -> str:
        commands: list[Command] = Step().read(self.log)
        return "\n".join(command.data for command in commands if command.name == level)


@dataclass
class PullRequest:
    """A repository whose branch `feature` is to be merged into `main`, and the fake that knows about it."""

    folder: Path
    fake: FakeGitHub
    head: str = ""
    base: str = ""
    merge: str = ""
    event: str = "pull_request"
    extra: dict[str, str] = field(default_factory=dict)
    clock: Callable[[], Clock | FakeTime] = Clock

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def main(self, files: Mapping[str, bytes | None]) -> None:
        """What the base has."""
        self.workspace.mkdir(parents=True)
        repository(self.workspace, {".gitignore": b"gate-out/\n", **files})
        self.base = git(self.workspace, "rev-parse", "HEAD")
        self.fake.world.commits[self.base] = Commit(self.base)

    def change(self, files: Mapping[str, bytes | None]) -> None:
        """What the pull request changes; its merge into main is checked out."""
        git(self.workspace, "checkout", "-q", "-B", "feature", "main" if not self.head else self.head)
        self.head = commit(self.workspace, files)
        self.merge = merged(self.workspace)
        world = self.fake.world
        world.commits[self.head] = Commit(self.head, (self.base,))
        world.commits[self.merge] = Commit(self.merge, (self.base, self.head))
        world.pulls[NUMBER] = Pull(NUMBER, self.head, base_sha=self.base, merge_sha=self.merge)

    def payload(self) -> dict[str, object]:
        repository_of = {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"}
        pull = {
            "number": NUMBER,
            "head": {"sha": self.head, "ref": "feature", "repo": repository_of},
            "base": {"sha": self.base, "ref": "main", "repo": repository_of},
        }
        return {"action": "synchronize", "number": NUMBER, "repository": repository_of, "pull_request": pull}

    def from_a_fork(self) -> dict[str, object]:
        """From now on the pull request is a stranger's, whose token only reads; its event."""
        self.extra |= {"INPUT_TOKEN": FORK_TOKEN}
        self.fake.world.pulls[NUMBER].head_repository = FORK
        payload = self.payload()
        payload["pull_request"]["head"]["repo"] = {"id": FORK[0], "full_name": FORK[1]}  # type: ignore[index]
        return payload

    def run(
        self, *, attempt: int = 1, run_id: int = 100, payload: dict[str, object] | None = None, **inputs: str
    ) -> Ran:
        """One step of the workflow."""
        runner_files = self.runner_files(run_id, attempt, payload)
        log: list[str] = []
        environment = self.environment(runner_files, run_id=run_id, attempt=attempt, inputs=inputs)
        runner = Runner(
            environment, self.workspace, log.append, clock=self.clock(), sleep=self.fake.world.time.sleep
        )
        code = act(runner)
        output = runner_files["output"]
        return Ran(
            code,
            "".join(log),
            read_command_file(output.read_text()) if output.exists() else {},
            runner_files["summary"].read_text() if runner_files["summary"].exists() else "",
        )

    def runner_files(
        self, run_id: int = 100, attempt: int = 1, payload: dict[str, object] | None = None
    ) -> dict[str, Path]:
        """The files that the runner has for the step; the event is written."""
        files = {name: self.folder / f"{name}.{run_id}.{attempt}" for name in ("output", "summary", "event")}
        files["event"].write_text(json.dumps(payload or self.payload()))
        return files

    def environment(
        self, runner_files: Mapping[str, Path], *, run_id: int, attempt: int, inputs: Mapping[str, str]
    ) -> dict[str, str]:
        """The variables that the runner gives the step."""
        return {
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_EVENT_PATH": str(runner_files["event"]),
            "GITHUB_OUTPUT": str(runner_files["output"]),
            "GITHUB_STEP_SUMMARY": str(runner_files["summary"]),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REPOSITORY_ID": str(REPOSITORY_ID),
            "GITHUB_SHA": self.merge,
            "GITHUB_RUN_ID": str(run_id),
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/gate.yml@refs/pull/{NUMBER}/merge",
            "GITHUB_API_URL": self.fake.url,
            "INPUT_TOKEN": ACTION_TOKEN,
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
            **self.extra,
        }

    def receipt(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.workspace / "gate-out" / "receipt.json").read_text())
        return found

    def upload(
        self,
        *,
        run_id: int,
        attempt: int = 1,
        event: str = "pull_request",
        sha: str = "",
        branch: str = "feature",
        name: str = "gate-tests",
    ) -> None:
        """What the workflow's upload step does with the output folder."""
        world = self.fake.world
        world.runs = [run for run in world.runs if run.id != run_id]
        world.runs.append(WorkflowRun(run_id, sha or self.head, event=event, branch=branch, attempt=attempt))
        data = zipped(self.workspace / "gate-out")
        number = 9000 + len(world.artifacts)
        world.artifacts.append(Artifact(number, run_id, f"{name}-attempt-{attempt}", data))

    def comments(self) -> list[str]:
        """What stands below the pull request."""
        return self.fake.world.bodies(NUMBER)


def zipped(folder: Path) -> bytes:
    """A folder as an artifact holds it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.writestr(path.relative_to(folder).as_posix(), path.read_bytes())
    return buffer.getvalue()


def opened(folder: Path, fake: FakeGitHub, *, config: str = ACCEPTED_CONFIG, losses: int = 0) -> PullRequest:
    """A pull request that loses some questions against rows that main has."""
    pull = PullRequest(folder, fake)
    pull.main({"eval-gate.yml": config.encode(), "base.ndjson": rows([1] * 40)})
    pull.change({"rows/candidate.ndjson": rows([0] * losses + [1] * (40 - losses))})
    return pull
