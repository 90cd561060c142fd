"""Captured queries and published baselines of them: one JSON object a line, every figure in it checked.

A file that begins with a `baseline_metadata` line is a baseline; the figures it states about its rows
(their number, the digest over their queries, their mean latency) must be theirs.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.records.ecmascript import canonical_json
from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.replay.thresholds import Thresholds

HEADER_KIND: Final = "baseline_metadata"
TOOLS: Final = ("search", "query")
SCHEMA_VERSION: Final = 1

_BLANKS: Final = re.compile("[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
_HASH_DIGITS: Final = 16
_ROUNDING_MS: Final = 0.01
"""How far the mean that a header states may be from the rows' own: it may have been rounded."""

Tool = Literal["search", "query"]
_Object = Mapping[str, object]


class CaptureError(ValueError):
    """The captures cannot be used; says in which line, and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One query as it was once answered. `raw` is the line as it was read, `latency_ms` None where it says none.

    `slugs` are the pages that were found, each once, best first.
    """

    tool: Tool
    query: str
    slugs: tuple[str, ...]
    sources: tuple[str, ...]
    latency_ms: float | None
    raw: _Object
    id: str | None = None

    @property
    def query_hash(self) -> str:
        """Names the query whatever its case and its blanks."""
        return query_hash(self.query)

    @property
    def key(self) -> str:
        """What must be unique in a baseline: the tool, the sources and the query."""
        return f"{self.tool}|{','.join(sorted(self.sources))}|{self.query_hash}"

    def content_hash(self) -> str:
        """Changes when the question or what was once found for it does."""
        seen = {"key": self.key, "slugs": list(self.slugs)}
        return hashlib.sha256(canonical_json(seen)).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a baseline says about itself."""

    label: str
    published_at: str
    source_hash: str
    thresholds: Thresholds
    row_count: int
    mean_latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureFile:
    """Everything a file of captures holds, in its order. `header` is None where it is no baseline."""

    captures: tuple[Capture, ...]
    header: Header | None = None
    blank_lines: int = 0

    def names(self) -> tuple[str, ...]:
        """A name a capture, unique and the same for equal files: its id, else its tool and query hash."""
        ids = [capture.id or f"{capture.tool}:{capture.query_hash}" for capture in self.captures]
        return tuple(_numbered(ids))


def query_hash(text: str) -> str:
    """The first 16 hex digits of the sha256 of the text in lower case, blanks joined and trimmed."""
    plain = _BLANKS.sub(" ", text.lower()).strip(" ")
    return hashlib.sha256(plain.encode()).hexdigest()[:_HASH_DIGITS]


def source_hash(captures: Sequence[Capture]) -> str:
    """The sha256 of all query hashes, sorted, a line each."""
    return hashlib.sha256("\n".join(sorted(capture.query_hash for capture in captures)).encode()).hexdigest()


def mean_latency(captures: Sequence[Capture]) -> float | None:
    """The plain mean over the captures that know their latency; None when none does."""
    known = [capture.latency_ms for capture in captures if capture.latency_ms is not None]
    return math.fsum(known) / len(known) if known else None


def baseline_mean(file: CaptureFile, captures: Sequence[Capture]) -> float | None:
    """The mean latency then of the captures that are asked, in milliseconds: the file's own where that is all of it."""
    if file.header is not None and len(captures) == len(file.captures):
        return file.header.mean_latency_ms
    return mean_latency(captures)


def read_captures(data: bytes) -> CaptureFile:
    """Every capture of a file; CaptureError with the line when one of them, or the header, is wrong."""
    captures: list[Capture] = []
    header: Header | None = None
    blank = 0
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            blank += 1
            continue
        members = _members(line, number)
        if members.get("_kind") != HEADER_KIND:
            captures.append(_capture(members, number))
        elif captures or header is not None:
            raise CaptureError(f"line {number}: a second header, or one that is not the first line")
        else:
            header = _header(members, number)
    found = CaptureFile(captures=tuple(captures), header=header, blank_lines=max(blank - 1, 0))
    _check(found)
    return found


def _check(file: CaptureFile) -> None:
    """The file holds captures, and what its header says of them is true."""
    if not file.captures:
        raise CaptureError("no captured query in it")
    header = file.header
    if header is None:
        return
    if header.row_count != len(file.captures):
        raise CaptureError(
            f"the header says `row_count` {header.row_count}, but there are {len(file.captures)} rows"
        )
    found = source_hash(file.captures)
    if header.source_hash != found:
        raise CaptureError(f"the header says `source_hash` {header.source_hash}, but the rows' is {found}")
    mean = mean_latency(file.captures)
    if mean is not None and abs(mean - header.mean_latency_ms) > _ROUNDING_MS:
        raise CaptureError(
            f"the header says `baseline_mean_latency_ms` {header.mean_latency_ms:g}, but the rows' is {mean:g}"
        )
    for number, each in enumerate(file.captures, 1):
        lacking = next((name for name in ("query_hash", "source_ids") if each.raw.get(name) is None), None)
        if lacking is not None:
            raise CaptureError(f"row {number} of the baseline has no `{lacking}`")


def _numbered(names: Sequence[str]) -> Iterator[str]:
    taken = Counter(names)
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        made = name if seen[name] == 1 else f"{name}~{seen[name]}"
        while seen[name] > 1 and taken[made]:
            seen[name] += 1
            made = f"{name}~{seen[name]}"
        yield made


def _members(line: bytes, number: int) -> _Object:
    try:
        value = strict_loads(line)
    except StrictJsonError as error:
        raise CaptureError(f"line {number}: {error.reason}") from error
    if not isinstance(value, dict):
        raise CaptureError(f"line {number}: expected an object")
    version = value.get("schema_version")
    if isinstance(version, bool) or version != SCHEMA_VERSION:
        raise CaptureError(f"line {number}: `schema_version` must be {SCHEMA_VERSION}")
    return value


def _capture(row: _Object, number: int) -> Capture:
    at = f"line {number}"
    query = _text(row, "query", at)
    stated = row.get("query_hash")
    if stated is not None and stated != query_hash(query):
        raise CaptureError(f"{at}: `query_hash` is not the hash of the query, {query_hash(query)}")
    tool = row.get("tool_name")
    if tool != "search" and tool != "query":
        raise CaptureError(f"{at}: `tool_name` must be {' or '.join(TOOLS)}")
    name = row.get("id")
    return Capture(
        tool=tool,
        query=query,
        slugs=tuple(dict.fromkeys(_texts(row, "retrieved_slugs", at))),
        sources=tuple(_texts(row, "source_ids", at)) if "source_ids" in row else (),
        latency_ms=_milliseconds(row, "latency_ms", at),
        raw=row,
        id=None if name is None else str(name),
    )


def _header(row: _Object, number: int) -> Header:
    at = f"line {number}, the header"
    return Header(
        label=_text(row, "label", at),
        published_at=_text(row, "published_at", at),
        source_hash=_text(row, "source_hash", at),
        thresholds=_thresholds(row.get("thresholds"), at),
        row_count=_count(row, "row_count", at),
        mean_latency_ms=_mean(row, at),
    )


def _thresholds(value: object, at: str) -> Thresholds:
    stated = value if isinstance(value, dict) else {}
    numbers = [stated.get(name) for name in ("jaccard", "top1", "latency_multiplier")]
    known = [number for number in numbers if isinstance(number, int | float) and not isinstance(number, bool)]
    if len(known) != len(numbers):
        raise CaptureError(f"{at}: `thresholds` must hold the numbers jaccard, top1 and latency_multiplier")
    try:
        return Thresholds(jaccard=known[0], top1=known[1], latency_multiplier=known[2])
    except ValueError as error:
        raise CaptureError(f"{at}: {error}") from error


def _text(row: _Object, key: str, at: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise CaptureError(f"{at}: `{key}` must be a text")
    return value


def _texts(row: _Object, key: str, at: str) -> list[str]:
    value = row.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CaptureError(f"{at}: `{key}` must be a list of texts")
    return value


def _count(row: _Object, key: str, at: str) -> int:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise CaptureError(f"{at}: `{key}` must be a whole number, 0 or more")
    return value


def _mean(row: _Object, at: str) -> float:
    """Without it nothing could be held to the latency threshold."""
    mean = _milliseconds(row, "baseline_mean_latency_ms", at)
    if mean is None:
        raise CaptureError(f"{at}: `baseline_mean_latency_ms` must be a number of milliseconds, 0 or more")
    return mean


def _milliseconds(row: _Object, key: str, at: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise CaptureError(f"{at}: `{key}` must be a number of milliseconds, 0 or more")
    return value
