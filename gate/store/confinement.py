"""Paths that files name may only lead below the repository root."""

import os
from pathlib import Path

from gate.errors import EvidenceError


class OutsideRoot(EvidenceError):  # noqa: N818  # named for what it is; every GateError is an error
    """A path leads outside the repository root; `reason` is the sentence reports show."""

    def __init__(self, root: Path, path: str) -> None:
        self.reason = f"refused per-query file outside the repository root ({root}): {path}"
        super().__init__(self.reason, remedy="name a file below the repository root")


def confine(root: Path, path: str) -> Path:
    """Where a path that a file names leads: strictly below the root, or OutsideRoot.

    The root is resolved through symbolic links. A relative path is joined to it, an absolute one taken as it
    is. What exists is resolved through symbolic links, what does not exist is only normalised.
    """
    real_root = os.path.realpath(root)
    joined = os.path.join(real_root, path)  # noqa: PTH118  # lexical on purpose, like the lines below
    if "\0" in joined:
        raise OutsideRoot(Path(real_root), path)
    exists = os.path.exists(joined)  # noqa: PTH110  # unlike Path.exists, false for a loop of links
    target = Path(os.path.realpath(joined) if exists else os.path.normpath(joined))
    if Path(real_root) not in target.parents:
        raise OutsideRoot(Path(real_root), path)
    return target
