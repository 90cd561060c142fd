"""What one job of a matrix has measured of a suite: stated in the first line of its rows, and read back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gate.core.records.file_ref import FileRef
from gate.core.records.objections import Objection
from gate.core.records.run_info import RUN_INFO, SUMMARY
from gate.core.shards import Shard


class Part(Struct, frozen=True, kw_only=True):
    """All that the rows of one job state for a merge. `questions` are those of the whole suite, in its order.

    `gate` is the id of the gate that they were measured for: another one's never stand in for them.

    `inputs_sha256` is a digest of everything that was asked for, `commit` the one that was measured; `whole` = the
    suite cannot be split, and this job has measured all of it; `panel` is the receipt of a panel of judges.
    """

    gate: str
    suite: str
    mode: str
    shard: Shard
    inputs_sha256: str
    commit: str | None = None
    whole: bool = False
    questions: tuple[str, ...] = ()
    panel: FileRef | None = None

    def asking(self, questions: Sequence[str]) -> "Part":
        """The same, now that the suite knows its questions."""
        return replace(self, questions=tuple(questions))

    def own_questions(self) -> tuple[str, ...]:
        """What this job asks, in the order of the suite."""
        return tuple(each for each in self.questions if self.shard.holds(each))


class _FirstLine(Struct):
    kind: str
    part: Part


class _Line(Struct):
    """Whatever a line may be: a row, or what is said of the run."""

    question_id: str | None = None
    kind: str | None = None
    shortfalls: dict[str, int] = {}
    oddities: dict[str, int] = {}
    notes: list[str] = []
    objections: list[dict[str, str]] = []


_FIRST: Final = msgspec.json.Decoder(_FirstLine)
_LINE: Final = msgspec.json.Decoder(_Line)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFile:
    """One job's file. `rows` are lines by question, the last counts; `doubled` and `unreadable` lines are counted.

    `first` is its first line without the part, `rest` all the others; what follows is what the suite says of its run,
    `ended` = it says how that ended.
    """

    name: str
    part: Part
    first: Mapping[str, object]
    rest: bytes
    rows: Mapping[str, bytes]
    doubled: tuple[str, ...]
    unreadable: int
    ended: bool
    shortfalls: Mapping[str, int]
    oddities: Mapping[str, int]
    notes: tuple[str, ...]
    objections: tuple[Objection, ...]

    @property
    def shard(self) -> Shard:
        """Which part it is."""
        return self.part.shard

    @property
    def left(self) -> int:
        """How many of the questions that it was to ask it has no row of, as far as it says how many those were."""
        stated = self.first.get("questions")
        return max(stated - len(self.rows), 0) if isinstance(stated, int) else 0

    @property
    def fingerprints(self) -> Mapping[str, object]:
        """What its first line states of how the rows were made."""
        stated = self.first.get("fingerprints")
        return stated if isinstance(stated, dict) else {}


def part_of_line(line: bytes) -> Part | None:
    """The part that a first line states; None when it states none."""
    try:
        part = _FIRST.decode(line).part
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return part if part.shard.exists else None


def stated(line: bytes, part: Part | None) -> bytes:
    """A file's first line, now stating the part; None = it is the whole, and states none."""
    if part is None:
        return line
    return msgspec.json.encode({**msgspec.json.decode(line, type=dict[str, object]), "part": part}) + b"\n"


def part_file(name: str, data: bytes) -> PartFile | None:
    """What a job has left; None when it states no part. Nothing in it is an error yet, a torn line is passed over."""
    first, _, rest = data.partition(b"\n")
    part = part_of_line(first)
    if part is None:
        return None
    reading = _Reading()
    for line in rest[: rest.rfind(b"\n") + 1].splitlines(keepends=True):
        reading.take(line)
    members = msgspec.json.decode(first, type=dict[str, object])
    del members["part"]
    return PartFile(
        name=name,
        part=part,
        first=members,
        rest=rest,
        rows=reading.rows,
        doubled=tuple(reading.doubled),
        unreadable=reading.unreadable + bool(rest and not rest.endswith(b"\n")),
        ended=reading.ended,
        shortfalls=reading.shortfalls,
        oddities=reading.oddities,
        notes=tuple(reading.notes),
        objections=tuple(reading.objections),
    )


class _Reading:
    """A file on its way: rows by question, and what the run says of itself added up."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}
        self.doubled: dict[str, None] = {}
        self.unreadable = 0
        self.ended = False
        self.shortfalls: Counter[str] = Counter()
        self.oddities: Counter[str] = Counter()
        self.notes: dict[str, None] = {}
        self.objections: dict[Objection, None] = {}

    def take(self, line: bytes) -> None:
        try:
            seen = _LINE.decode(line)
            against = [Objection(**each) for each in seen.objections]
        except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
            self.unreadable += 1
            return
        if seen.question_id is not None:
            if seen.question_id in self.rows:
                self.doubled[seen.question_id] = None
            self.rows[seen.question_id] = line
            self.ended = False
        elif seen.kind == RUN_INFO:
            self.ended = True
            self.shortfalls.update(seen.shortfalls)
            self.oddities.update(seen.oddities)
            self.notes.update(dict.fromkeys(seen.notes))
            self.objections.update(dict.fromkeys(against))
        elif seen.kind == SUMMARY:
            self.ended = True
        else:
            self.unreadable += 1
