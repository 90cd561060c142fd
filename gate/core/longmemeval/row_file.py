"""The lines of a run's file: what a killed run left of it, and how a finished one is laid out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import Struct

from gate.core.longmemeval.run import Run, first_line, run_of_line
from gate.core.longmemeval.summary import Summary, summarise
from gate.core.parts import Part
from gate.core.records.objections import Objection
from gate.core.records.run_info import RUN_INFO, SUMMARY

FAILED: Final = "suite_failed"
_UNPLAIN: Final = re.compile(r"[^A-Za-z0-9._-]")


class _Line(Struct):
    question_id: str | None = None
    kind: str | None = None
    shortfalls: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a file holds. `run` None = its first line states none; `rows` are lines by question, the last counts.

    `whole_bytes` is where the last whole line ends: what follows was torn by a kill. `unreadable` lines stand
    in the middle. `summed` = the summary is there, so that the run was ended and not killed.
    """

    run: Run | None
    rows: Mapping[str, bytes]
    whole_bytes: int
    torn_bytes: int
    unreadable: int
    doubled: int
    summed: bool
    failed: bool = False
    """Whether the run says of itself that it failed."""


def kept_of(data: bytes) -> Kept:
    """Read whatever is there; nothing of it is an error."""
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].splitlines(keepends=True)
    run = run_of_line(lines[0]) if lines else None
    rows: dict[str, bytes] = {}
    unreadable = doubled = 0
    summed = failed = False
    for line in lines[0 if run is None else 1 :]:
        seen = _read(line)
        if seen is None:
            unreadable += 1
        elif seen.kind in (SUMMARY, RUN_INFO):
            summed = summed or seen.kind == SUMMARY
            failed = failed or bool(seen.shortfalls.get(FAILED))
        elif seen.question_id is None:
            unreadable += 1
        else:
            doubled += seen.question_id in rows
            rows[seen.question_id] = line
            summed = False
    return Kept(
        run=run,
        rows=rows,
        whole_bytes=whole,
        torn_bytes=len(data) - whole,
        unreadable=unreadable,
        doubled=doubled,
        summed=summed,
        failed=failed,
    )


def finished_lines(
    run: Run,
    rows: Mapping[str, bytes],
    stopped: str | None = None,
    *,
    distrusted: bool = False,
    part: Part | None = None,
    notes: Sequence[str] = (),
) -> tuple[Summary, tuple[bytes, ...]]:
    """The whole file of an ended run: what it is, its rows in the order of the dataset, what fell short, the sum.

    `stopped` is the reason code of a run that was ended before every question was asked; `distrusted` = who made
    the rows says that the run failed, and the rows do not show why; `part` = what a job of a matrix states besides;
    `notes` are remarks for whoever judges the rows.
    """
    own = tuple(rows[each] for each in run.own_questions() if each in rows)
    summary = summarise(run, own)
    left = {} if stopped is None else {stopped: summary.left}
    counted = {**summary.degraded, **left, FAILED: summary.asked if distrusted else 0}
    found = {code: count for code, count in counted.items() if count}
    return summary, (first_line(run, part), *own, *Said(found, notes=notes).lines(), summary.line())


@dataclass(frozen=True, slots=True)
class Said:
    """What a run says of itself behind its rows: where it fell short, what is held against it, and remarks."""

    shortfalls: Mapping[str, int]
    objections: Sequence[Objection] = ()
    notes: Sequence[str] = ()

    def lines(self) -> Iterator[bytes]:
        """One line, or none where there is nothing to say."""
        against = {"objections": [each.line() for each in self.objections]} if self.objections else {}
        remarks = {"notes": list(self.notes)} if self.notes else {}
        if self.shortfalls or against or remarks:
            found = dict(sorted(self.shortfalls.items()))
            yield msgspec.json.encode({"kind": RUN_INFO, "shortfalls": found, **against, **remarks}) + b"\n"


def joined_lines(run: Run, rows: Sequence[bytes], said: Said) -> tuple[bytes, ...]:
    """The same of a run whose parts say themselves where they fell short."""
    return (first_line(run), *rows, *said.lines(), summarise(run, rows).line())


def file_name(mode: str) -> str:
    """What the rows of a mode are called, without a shard and an ending."""
    return f"longmemeval-{_UNPLAIN.sub('-', mode)}"


def _read(line: bytes) -> _Line | None:
    try:
        return msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
