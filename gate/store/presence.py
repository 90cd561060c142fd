"""Whether something is there, where that may not be ours to know."""

from pathlib import Path


def is_missing(path: Path) -> bool:
    """Whether nothing is there; False where nobody may look, so that reading it says why it cannot be read."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file can have such a name
        return True
    except OSError:
        return False
    return False


def has_git(folder: Path) -> bool:
    """Whether a folder is visibly the root of a git repository."""
    try:
        (folder / ".git").stat()
    except OSError:
        return False
    return True
