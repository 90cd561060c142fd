"""A JSON document on disk, read strictly."""

from pathlib import Path

from gate.core.records.strict_json import strict_loads
from gate.errors import EvidenceError


def read_json(path: Path, name: str) -> object:
    """The document in a file; EvidenceError names the file and the place when it is not valid JSON."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})",
            remedy="check the path and its permissions",
        ) from error
    try:
        return strict_loads(data)
    except ValueError as error:
        raise EvidenceError(f"{name}: {error}", remedy="fix the file, or write it again") from error
