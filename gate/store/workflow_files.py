"""The workflow files of a repository, read as plain texts: nothing in them is taken for a date, a number or `true`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = ".github/workflows"
LARGEST: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """One file, and what stands in it; `problem` says why it could not be read, and then there is no document."""

    path: str
    document: Mapping[str, object]
    problem: str = ""


def workflow_files(root: Path) -> tuple[WorkflowFile, ...]:
    """Every workflow of a repository, by name."""
    found = sorted((root / FOLDER).glob("*.y*ml"))
    return tuple(_read(path, f"{FOLDER}/{path.name}") for path in found)


def document_of(data: bytes) -> Mapping[str, object]:
    """What stands in a workflow's bytes, as plain texts; nothing where they are no workflow."""
    return _parsed(data, "").document


def holds_the_action(root: Path) -> bool:
    """Whether the repository is the action's own, so that `uses: ./` means it."""
    try:
        text = (root / "action.yml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return "name: Retrieval Quality Gate" in text


def _read(path: Path, name: str) -> WorkflowFile:
    try:
        data = path.read_bytes()
    except OSError as error:
        return WorkflowFile(name, {}, f"cannot be read ({error.strerror or error})")
    return _parsed(data, name)


def _parsed(data: bytes, name: str) -> WorkflowFile:
    import yaml

    if len(data) > LARGEST:
        return WorkflowFile(name, {}, f"is larger than {LARGEST:,} bytes")
    try:
        document = yaml.load(data, Loader=yaml.BaseLoader)  # noqa: S506 - BaseLoader makes texts, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return WorkflowFile(name, {}, f"is not YAML ({str(error).splitlines()[0]})")
    if not isinstance(document, dict):
        return WorkflowFile(name, {}, "is no workflow: it is not a mapping")
    return WorkflowFile(name, document)
