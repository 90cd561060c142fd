"""Files of a repository that a suite can be held against: published captures, committed BrainBench figures."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gate.core.brainbench.result import BrainbenchError, read_baseline
from gate.core.wording import counted
from gate.errors import EvidenceError
from gate.store.capture_files import read_capture_file
from gate.store.confinement import confine

MOST_BYTES: Final = 4 * 2**20
MOST_LOOKED_AT: Final = 200
_FIGURES: Final = b'"fixtures_hash"'


def judged_files(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """A remark for each of them, with the suite that an `eval-gate.yml` would say; what is none is passed over."""
    likely = [path for path in sorted(paths) if path.endswith((".baseline.ndjson", ".json"))]
    for path in likely[:MOST_LOOKED_AT]:
        try:
            yield from _remark(confine(root, path), path)
        except (EvidenceError, BrainbenchError, OSError):
            continue


def _remark(file: Path, path: str) -> Iterator[str]:
    if not file.is_file() or file.stat().st_size > MOST_BYTES:
        return
    if path.endswith(".ndjson"):
        count = counted(len(read_capture_file(file).file.captures), "captured query", "captured queries")
        yield f"{path}: {count}, for `{{suite: replay, against: {path}}}`"
        return
    data = file.read_bytes()
    if _FIGURES in data:
        cells = counted(len(read_baseline(data).cells), "cell")
        yield f"{path}: BrainBench figures of {cells}, for `{{suite: brainbench, baseline: {path}}}`"
