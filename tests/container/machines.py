"""The runner's side of a Docker action: folders of an ordinary user, mounts, variables."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.github.runner_rules import read_command_file

IMAGE = os.environ.get("GATE_TEST_IMAGE", "")  # noqa: TID251 - .ci/container names its image so
ROOTLESS = bool(os.environ.get("_CONTAINERS_USERNS_CONFIGURED"))  # noqa: TID251 - as podman itself is told
CASES = Path(__file__).parent / "cases"
UID = 1001
STOP_WITHIN = 5.0
"""Seconds after a signal within which the gate has to be done; the runner kills soon after."""
MOUNTS = {"workspace": "workspace", "home": "home", "workflow": "workflow", "files": "file_commands"}
needs_image = pytest.mark.skipif(
    not IMAGE, reason="GATE_TEST_IMAGE names no image; .ci/container builds one and does"
)


@dataclass(frozen=True)
class Machine:
    """What the runner prepares on the host: every folder belongs to an ordinary user."""

    folder: Path
    image: str = IMAGE
    network: str = "none"

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def out(self) -> Path:
        return self.workspace / "gate-out"

    @property
    def outputs(self) -> dict[str, str]:
        return read_command_file((self.folder / "files/output").read_text())

    def podman_run(self, *flags: str, variables: Sequence[str] = ()) -> list[str]:
        given = (
            "HOME=/github/home",
            "GITHUB_ACTIONS=true",
            "GITHUB_EVENT_NAME=push",
            "GITHUB_EVENT_PATH=/github/workflow/event.json",
            "GITHUB_OUTPUT=/github/file_commands/output",
            "GITHUB_STEP_SUMMARY=/github/file_commands/summary",
            "GITHUB_WORKSPACE=/github/workspace",
            *variables,
        )
        mounts = [f"--volume={self.folder / ours}:/github/{theirs}" for ours, theirs in MOUNTS.items()]
        told = [f"--env={variable}" for variable in given]
        return [
            "podman",
            "run",
            "--workdir=/github/workspace",
            f"--network={self.network}",
            *mounts,
            *told,
            *flags,
            self.image,
        ]

    def run(self, *flags: str, variables: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        command = self.podman_run("--rm", *flags, variables=variables)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def machine(folder: Path, case: str, **more: str) -> Machine:
    """A machine whose workspace is one of the cases."""
    prepared = Machine(folder, **more)
    shutil.copytree(CASES / case, prepared.workspace)
    for name in ("home", "workflow", "files"):
        (folder / name).mkdir()
    for name in ("output", "summary"):
        (folder / "files" / name).touch()
    payload = Path(__file__).parents[1] / "github/payloads/push.default_branch.json"
    shutil.copy(payload, folder / "workflow/event.json")
    give(folder)
    return prepared


def give(folder: Path) -> None:
    """Everything in a folder becomes the ordinary user's."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, UID, UID, follow_symlinks=False)
