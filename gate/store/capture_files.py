"""Files of captured queries, and published baselines of them, on disk."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gate.core.replay.captures import CaptureError, CaptureFile, read_captures
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from gate.errors import EvidenceError, UsageError
from gate.store.atomic import write_atomic

_SUFFIXES: Final = (".baseline.ndjson", ".ndjson")


@dataclass(frozen=True, slots=True)
class Captured:
    """What a file of captures held when it was read, and the sha256 of its bytes."""

    file: CaptureFile
    sha256: str


def read_capture_file(path: Path) -> Captured:
    """The captures of a file; EvidenceError with file and line when one of them is wrong."""
    try:
        data = path.read_bytes()
        return Captured(read_captures(data), hashlib.sha256(data).hexdigest())
    except CaptureError as error:
        raise EvidenceError(
            f"{path}: {error}", remedy="export the captures again, or publish the baseline anew from them"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise EvidenceError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})",
            remedy="name a file of captured queries, one JSON object a line",
        ) from error


def label_of(path: Path) -> str:
    """A baseline's name where none is given: the file's, without its suffix."""
    suffix = next((each for each in _SUFFIXES if path.name.endswith(each)), "")
    return path.name.removesuffix(suffix)


def publish(
    captured: Captured, target: Path, *, label: str, published_at: str, thresholds: Thresholds
) -> int:
    """Write a baseline whole or not at all, and say how many rows it has; EvidenceError when it cannot be one."""
    try:
        data = baseline_bytes(
            captured.file.captures, label=label, published_at=published_at, thresholds=thresholds
        )
    except CaptureError as error:
        raise EvidenceError(f"{error}", remedy="capture each query once, with sources and latency") from error
    write_atomic(target, data)
    return len(captured.file.captures)


def refuse_existing(target: Path) -> None:
    """UsageError when the target is there already."""
    if target.exists() or target.is_symlink():
        raise UsageError(
            f"{target}: is there already", remedy="name a new file, or overwrite it with --force"
        )
