"""Files that root wrote go back to whoever owns the workspace."""

import os
from dataclasses import dataclass
from pathlib import Path

from gate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns a file."""

    uid: int
    gid: int


def owner_of(folder: Path) -> Owner:
    """The owner of a folder."""
    found = folder.stat()
    return Owner(found.st_uid, found.st_gid)


def output_below(workspace: Path, out: str) -> Path:
    """The output folder: strictly below the workspace, reached and filled through no symbolic link.

    Root follows links that anybody with a commit can plant; UsageError names the one that is in the way.
    """
    root = workspace.resolve()
    folder = Path(os.path.normpath(root / out))  # the path itself: a link before ".." must not lead elsewhere
    if root not in folder.parents:
        raise UsageError(
            f"out: {out!r} does not lie below the workspace",
            remedy="name a folder below the workspace, such as gate-out",
        )
    link = _first_link(root, folder)
    if link is not None:
        raise UsageError(
            f"out: {link.relative_to(root).as_posix()} is a symbolic link",
            remedy="remove the link, or choose another output folder",
        )
    return folder


def _first_link(root: Path, folder: Path) -> Path | None:
    way = [folder, *(parent for parent in folder.parents if root in parent.parents)]
    linked = next((part for part in way if part.is_symlink()), None)
    return linked or next((part for part in _everything_below(folder) if part.is_symlink()), None)


def _everything_below(folder: Path) -> list[Path]:
    return [
        Path(parent, name)
        for parent, folders, files in os.walk(folder, followlinks=False)
        for name in (*folders, *files)
    ]


def first_missing(folder: Path) -> Path:
    """The topmost folder that has to be made before something can be written into `folder`."""
    missing = folder
    while not missing.parent.exists():
        missing = missing.parent
    return missing


def hand_back(top: Path, owner: Owner) -> int:
    """Give a folder and everything below it to its owner, links themselves and not what they lead to.

    Only root can, and only root needs to: anybody else's files are their own already. Returns how many entries
    could not be given, because the file system knows no owners.
    """
    if os.geteuid() != 0 or not top.exists():
        return 0
    return sum(not _given(entry, owner) for entry in (top, *_everything_below(top)))


def _given(entry: Path, owner: Owner) -> bool:
    try:
        os.chown(entry, owner.uid, owner.gid, follow_symlinks=False)
    except OSError:
        return False
    return True
