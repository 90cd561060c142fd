"""Files that the jobs of a matrix leave, as bytes and as they are read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gate.core.parts import Part, PartFile, part_file, stated
from gate.core.shards import ALL, Shard

NAMES = tuple(f"q{number}" for number in range(30))
WHOLE = Part(
    gate="default", suite="docs", mode="balanced", shard=ALL, inputs_sha256="a" * 64, commit="c" * 40
)
ENDED: Mapping[str, object] = {"kind": "run_info", "shortfalls": {}, "notes": []}


def line(members: Mapping[str, object]) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode() + b"\n"


def part_bytes(
    number: int,
    of: int = 3,
    *,
    names: Sequence[str] = NAMES,
    without: int = 0,
    fingerprints: Mapping[str, str] | None = None,
    tail: Sequence[Mapping[str, object]] = (ENDED,),
    hit: float = 1,
    **overrides: Any,
) -> bytes:
    """A shard of a suite with those questions; `without` so many rows, with those lines at its end."""
    part = replace(WHOLE, shard=Shard(number, of), **overrides).asking(names)
    own = [name for name in names if Shard(number, of).holds(name)]
    first = {
        "kind": "run_info",
        "fingerprints": fingerprints or {"system": "scripted"},
        "questions": len(own),
        "notes": [],
    }
    rows = [line({"question_id": name, "hit": hit}) for name in own[: len(own) - without]]
    return b"".join((stated(line(first), part), *rows, *map(line, tail)))


def part(number: int, of: int = 3, *, name: str | None = None, **more: Any) -> PartFile:
    """The same, read."""
    return read(part_bytes(number, of, **more), name or f"shard-{number}")


def read(data: bytes, name: str = "shard") -> PartFile:
    found = part_file(name, data)
    assert found is not None
    return found
