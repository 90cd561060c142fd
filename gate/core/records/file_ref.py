"""Files by their content."""

from msgspec import Struct


class FileRef(Struct, frozen=True, kw_only=True):
    """A file named by its workspace-relative path and pinned by its content."""

    path: str
    sha256: str
    bytes: int
    commit: str | None = None
    """The commit whose tree it was read from; None = the workspace on disk."""
