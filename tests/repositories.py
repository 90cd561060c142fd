"""Real git repositories for tests."""

import subprocess
from collections.abc import Mapping
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """One git command, with an identity of its own."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, files: Mapping[str, bytes | None], message: str = "change") -> str:
    """Write (or, for None, remove) files, commit everything, return the sha."""
    for name, data in files.items():
        path = folder / name
        if data is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, files: Mapping[str, bytes | None] | None = None) -> Path:
    """A repository whose branch main has one commit."""
    git(folder, "init", "-q")
    commit(folder, files or {"README.md": b"hello\n"})
    return folder


def merged(folder: Path, branch: str = "feature") -> str:
    """What GitHub checks out for a pull request: main with the branch merged into it, detached."""
    git(folder, "checkout", "-q", "--detach", "main")
    git(folder, "merge", "-q", "--no-ff", branch, "-m", f"Merge {branch} into main")
    return git(folder, "rev-parse", "HEAD")
