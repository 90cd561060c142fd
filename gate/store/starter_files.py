"""The files that `gate init` writes: the workflows, as they come with the package, and whatever is asked for."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from gate.errors import UsageError
from gate.store.atomic import write_atomic
from gate.store.confinement import confine
from gate.store.presence import is_missing

CONFIG: Final = "eval-gate.yml"
WORKFLOWS: Final = (".github/workflows/eval-gate.yml", ".github/workflows/eval-gate-publish.yml")
SWEEP: Final = ".github/workflows/eval-sweep.yml"
DRIFT: Final = ".github/workflows/eval-drift.yml"
PLACEHOLDER: Final = "OWNER/REPO@v1"
"""What stands for the action while nobody has said which repository it lies in."""

_ACTION: Final = re.compile(r"[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+(/[A-Za-z0-9_./-]+)?@[A-Za-z0-9_./-]+")
_PINNED: Final = re.compile(r".*@[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class StarterFile:
    """One file to write, by its workspace-relative path."""

    path: str
    data: bytes


def checked_action(action: str) -> str:
    """The action as `uses:` takes it; UsageError for anything else."""
    if not _ACTION.fullmatch(action):
        raise UsageError(
            f"--action {action!r} is no action of a repository",
            remedy="write it as OWNER/REPO@REF, or OWNER/REPO/composite@REF where there is no Docker",
        )
    return action


def composite(action: str) -> str:
    """The same action on the runner, without Docker; one that lies in a folder is left as it is."""
    repository, at, ref = action.partition("@")
    return f"{repository}/composite{at}{ref}" if repository.count("/") == 1 else action


def workflows(paths: Iterable[str] = WORKFLOWS, *, action: str, branch: str) -> tuple[StarterFile, ...]:
    """The two of the gate, or those at these paths, for an action and, where one names it, a default branch."""
    return tuple(StarterFile(path, _workflow(path, action, branch).encode()) for path in paths)


def _workflow(path: str, action: str, branch: str) -> str:
    text = files("gate").joinpath("data", "workflows", Path(path).name).read_text(encoding="utf-8")
    if _PINNED.fullmatch(action):
        text = re.sub(rf"({re.escape(PLACEHOLDER)}) #.*", r"\1", text)
    return text.replace(PLACEHOLDER, action).replace("[main]", f"[{_branch(branch)}]")


def _branch(name: str) -> str:
    """A branch's name as a pattern in a workflow."""
    return name if re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", name) else json.dumps(name)


def check_free(root: Path, wanted: Iterable[StarterFile]) -> None:
    """UsageError when a file would be written over; one that says the same already is in nobody's way."""
    taken = [
        one.path for one in wanted if not is_there(root, one) and not is_missing(confine(root, one.path))
    ]
    if taken:
        several = len(taken) > 1
        kept = "; --workflows writes only the workflows" if taken == [CONFIG] else ""
        raise UsageError(
            f"{', '.join(taken)} {'exist' if several else 'exists'} already and {'say' if several else 'says'} "
            "something else",
            remedy=f"keep what is there{kept}, or write over it with --force (add --dry-run to see it first)",
        )


def is_there(root: Path, wanted: StarterFile) -> bool:
    """Whether a file says already what it should."""
    try:
        return confine(root, wanted.path).read_bytes() == wanted.data
    except OSError:
        return False


def write_all(root: Path, wanted: Iterable[StarterFile]) -> None:
    """Write every file, whole or not at all; UnavailableError where that fails."""
    for one in wanted:
        write_atomic(confine(root, one.path), one.data)


def example_rows(path: str) -> StarterFile:
    """Rows of no system at all, so that the first pull request shows what the gate says."""
    head = {"kind": "run_info", "k": 5, **_EXAMPLE}
    rows = [
        {"question_id": f"example-{number}", "recall@5": value} for number, value in enumerate(_VALUES, 1)
    ]
    return StarterFile(path, b"".join(json.dumps(line).encode() + b"\n" for line in (head, *rows)))


def is_example(fingerprints: Mapping[str, str]) -> bool:
    """Whether rows are still those of `example_rows`, by what they say about themselves."""
    return _EXAMPLE.items() <= fingerprints.items()


_EXAMPLE: Final = {"example": "written by gate init"}
_VALUES: Final = (1, 1, 0.5, 1, 0, 1, 1, 0.5)
