"""Where paths of a configuration and of inputs may lead."""

import posixpath


def leads_out(path: str, folder: str | None) -> bool:
    """Whether a path that starts at `folder`, itself in the workspace, cannot lie in it; None = it is not known."""
    if posixpath.isabs(path):
        return True
    return folder is not None and posixpath.normpath(posixpath.join(folder, path)).split("/")[0] == ".."
