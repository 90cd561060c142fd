"""Run records: what one line of a run ledger says, read leniently and written strictly."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, NoReturn, cast

from gate.core.records.ecmascript import number_text

SEARCH_MODES: Final = ("conservative", "balanced", "tokenmax")
NO_MODE: Final = "n/a"
COMPLETED: Final = "completed"
KNOWN_VERSIONS: Final = (2, 3)

_DEEPEST: Final = 100
_BOM: Final = b"\xef\xbb\xbf"

_CONDITIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("dataset_sha256", ("dataset_sha256",)),
    ("dataset_sha256", ("fixtures_hash",)),
    ("corpus_sha256", ("corpus_sha256",)),
    ("k", ("topK",)),
    ("k", ("k",)),
    ("judge_model", ("qa_accuracy", "judge_model")),
    ("judge_config_hash", ("qa_accuracy", "judge_config_hash")),
    ("judge_prompt_version", ("qa_accuracy", "judge_prompt_version")),
    ("retrieval_config_hash", ("retrieval_config_hash",)),
    ("knobs_hash", ("knobs_hash",)),
    ("reader_config_hash", ("reader", "config_hash")),
    ("reader_model", ("reader", "model")),
    ("reader_mode", ("reader", "mode")),
    ("reader_prompt_version", ("reader", "prompt_version")),
    ("embedder", ("embedder",)),
    ("reranker", ("reranker", "model")),
    ("reranker_enabled", ("reranker", "enabled")),
    ("autocut", ("autocut",)),
    ("expansion", ("expansion",)),
    ("keyword_only", ("keyword_only",)),
    ("cache", ("cache", "canonical_sha256")),
    ("cache", ("cache", "sha256")),
)
"""Fingerprint → where a run's parameters say it; the first place that says it counts."""

SkipKind = Literal["blank", "torn", "not_utf8", "not_a_record"]
SKIP_KINDS: Final[tuple[SkipKind, ...]] = ("blank", "torn", "not_utf8", "not_a_record")


@dataclass(frozen=True, slots=True, eq=False)
class RunRecord:
    """One run. `raw` is the object as it was read, unknown keys and all; `line` counts from 1."""

    run_id: str
    suite: str
    mode: str
    raw: Mapping[str, object]
    line: int = 0

    @property
    def ran_at(self) -> str | None:
        """When the run started, as written."""
        return _text(self.raw.get("ran_at"))

    @property
    def moment(self) -> datetime | None:
        """When the run started, timezone-aware; None where the text is not a date."""
        return moment(self.ran_at)

    @property
    def status(self) -> str:
        """What became of the run; "unknown" where the record does not say."""
        return _text(self.raw.get("status")) or "unknown"

    @property
    def commit(self) -> str | None:
        """The commit that ran; None where the record does not know it."""
        commit = _text(self.raw.get("commit"))
        return None if commit == "unknown" else commit

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters of the run; empty where there are none."""
        return _object(self.raw.get("params"))

    def replaced(self, sha256: str) -> str | None:
        """Why rows with this digest are not those the record was made of; None = they are, or it states none."""
        recorded = self.params.get("output_sha256")
        if recorded in (None, sha256):
            return None
        return f"{self.output}: not the rows it recorded (sha256 {str(recorded)[:12]}…, now {sha256[:12]}…)"

    @property
    def output(self) -> str | None:
        """The path of the per-question rows, as written."""
        return _text(self.params.get("output"))

    @property
    def aggregates(self) -> Mapping[str, object]:
        """The metrics the record itself carries, by name."""
        return _object(self.raw.get("metrics"))


@dataclass(frozen=True, slots=True)
class Skip:
    """A line that is no record, and why."""

    line: int
    kind: SkipKind
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Every record of a ledger in file order, and every line that is none."""

    records: tuple[RunRecord, ...] = ()
    skips: tuple[Skip, ...] = ()
    missing: bool = False
    """True when there is no such file; then there is nothing else."""

    @property
    def skipped(self) -> Mapping[SkipKind, int]:
        """How many lines were skipped, by kind, every kind named."""
        counts = Counter(skip.kind for skip in self.skips)
        return {kind: counts[kind] for kind in SKIP_KINDS}

    @property
    def duplicate_run_ids(self) -> tuple[str, ...]:
        """The run ids that more than one record carries, in file order."""
        counts = Counter(record.run_id for record in self.records)
        return tuple(run_id for run_id, count in counts.items() if count > 1)

    def find(self, run_id: str) -> RunRecord | None:
        """The first record with this id, whatever its status; None when there is none."""
        return next((record for record in self.records if record.run_id == run_id), None)


def read_ledger(data: bytes) -> Ledger:
    """Every line of a ledger file: records as they are, the other lines counted. Never raises."""
    records: list[RunRecord] = []
    skips: list[Skip] = []
    for number, line, ended in _lines(data):
        found = read_line(line, number=number, ended=ended)
        if isinstance(found, RunRecord):
            records.append(found)
        else:
            skips.append(found)
    return Ledger(records=tuple(records), skips=tuple(skips))


def read_line(line: bytes, *, number: int = 0, ended: bool = True) -> RunRecord | Skip:
    """One line as the contract reads it: an object with text for run_id, mode and suite is a record.

    `ended` is false for a last line without its newline, which an interrupted writer may have left.
    """
    if not line.strip():
        return Skip(number, "blank", "the line is blank")
    try:
        value = _parsed(line)
    except UnicodeDecodeError:
        return Skip(number, "not_utf8", "the line is not UTF-8")
    except (ValueError, RecursionError) as error:
        return Skip(number, "torn", _torn(error, ended=ended))
    if not isinstance(value, dict):
        return Skip(number, "not_a_record", "the line is not an object")
    run_id, suite, mode = (_text(value.get(key)) for key in ("run_id", "suite", "mode"))
    if run_id is None or suite is None or mode is None:
        return Skip(number, "not_a_record", "the object has no run_id, mode or suite")
    return RunRecord(run_id=run_id, suite=suite, mode=mode, raw=value, line=number)


def moment(text: str | None) -> datetime | None:
    """The moment an ISO 8601 text names, UTC where it names no zone; None where it names none."""
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def latest(records: Iterable[RunRecord]) -> RunRecord | None:
    """The record with the strictly greatest date; equal and unreadable dates keep the one seen first."""
    best: RunRecord | None = None
    for record in records:
        if best is None or _later(record.moment, best.moment):
            best = record
    return best


def grouped(
    records: Iterable[RunRecord], *, named: frozenset[str] = frozenset()
) -> Mapping[str, Mapping[str, RunRecord | None]]:
    """The record that stands for each suite and mode: suites as first seen, the search modes, then others.

    Only completed records stand for a run, except those `named` by their id.
    """
    by_suite: dict[str, dict[str, list[RunRecord]]] = {}
    for record in records:
        modes = by_suite.setdefault(record.suite, {mode: [] for mode in SEARCH_MODES})
        candidates = modes.setdefault(record.mode, [])
        if stands(record, named=named):
            candidates.append(record)
    return {
        suite: {mode: latest(found) for mode, found in modes.items() if found or mode in SEARCH_MODES}
        for suite, modes in by_suite.items()
    }


def stands(record: RunRecord, *, named: frozenset[str] = frozenset()) -> bool:
    """Whether a record may stand for a run: it completed, or somebody named it."""
    return record.status == COMPLETED or record.run_id in named


def fingerprints(record: RunRecord) -> Mapping[str, str]:
    """What a run says about its own conditions, as text, under the names rows use too.

    Only what is stated is there. The commit is not: it is what is under test.
    """
    stated: dict[str, str] = {}
    for name, path in _CONDITIONS:
        text = _condition(record.params, path)
        if text is not None:
            stated.setdefault(name, text)
    stated.setdefault("mode", record.mode)
    return stated


def _condition(params: Mapping[str, object], path: tuple[str, ...]) -> str | None:
    value: object = params
    for key in path:
        value = _object(value).get(key)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value) if math.isfinite(value) else None
    return _text(value)


def _lines(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, content and whether a newline ended it, for each line; no line after the last newline."""
    lines = data.removeprefix(_BOM).split(b"\n")
    tail = lines.pop()
    yield from ((number, line, True) for number, line in enumerate(lines, start=1))
    if tail:
        yield len(lines) + 1, tail, False


def _parsed(line: bytes) -> object:
    value: object = json.loads(line.decode(), parse_constant=_refuse_constant)
    if line.count(b"[") + line.count(b"{") > _DEEPEST and _depth(value) > _DEEPEST:
        raise RecursionError
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _depth(value: object) -> int:
    """How many containers stand inside one another, counted without recursion."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [member for container in level for member in _members(container)]
    return depth


def _members(container: object) -> Iterable[object]:
    return container.values() if isinstance(container, dict) else cast("list[object]", container)


def _torn(error: Exception, *, ended: bool) -> str:
    if isinstance(error, RecursionError):
        return f"the line nests deeper than {_DEEPEST} levels"
    if not ended:
        return "the last line was cut off before its end"
    if isinstance(error, json.JSONDecodeError):
        return f"the line is not JSON ({error.msg}, column {error.colno})"
    return "the line holds NaN, Infinity or a number too long to read"


def _later(moment: datetime | None, than: datetime | None) -> bool:
    return moment is not None and than is not None and moment > than


def _text(value: object) -> str | None:
    """The text itself; None for anything else and for the empty text."""
    return value if isinstance(value, str) and value else None


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
