"""Files that may not be read, also where the tests run as root, who may read everything."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
_CAPABILITIES = "-dac_override,-dac_read_search"


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """Within, nobody may look into a folder; for root by being somebody else."""
    folder.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


def unprivileged(command: Sequence[str]) -> list[str]:
    """A command that is stopped by permissions; root keeps its files and loses its right to read all others."""
    if os.geteuid() != 0:
        return list(command)
    setpriv = shutil.which("setpriv") or pytest.skip("root may read everything, and setpriv is not here")
    return [setpriv, f"--bounding-set={_CAPABILITIES}", f"--inh-caps={_CAPABILITIES}", *command]
