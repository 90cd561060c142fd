"""The workspace: the folder that every path in a plan or receipt is relative to."""

from pathlib import Path

from gate.errors import ConfigError
from gate.store.presence import has_git


def workspace_of(file: Path, cwd: Path) -> Path:
    """The repository that holds a file; without one, the working folder if it holds it, else its own folder."""
    resolved = file.resolve()
    for folder in resolved.parents:
        if has_git(folder):
            return folder
    here = cwd.resolve()
    return here if resolved.is_relative_to(here) else resolved.parent


def relative_or(root: Path, path: Path, elsewhere: str) -> str:
    """The path from the workspace with forward slashes; `elsewhere` where it lies outside."""
    resolved, top = path.resolve(), root.resolve()
    return resolved.relative_to(top).as_posix() if resolved.is_relative_to(top) else elsewhere


def relative(root: Path, path: Path) -> str:
    """A workspace-relative path with forward slashes; ConfigError when it lies outside."""
    resolved = path.resolve()
    if not resolved.is_relative_to(root):
        raise ConfigError(
            f"{path}: lies outside the workspace {root}",
            remedy="keep everything the gate reads inside the repository, and name it by a relative path",
        )
    return resolved.relative_to(root).as_posix()
