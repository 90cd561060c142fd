"""The parts of a suite that the jobs of a matrix have measured, put together: every question exactly once.

What is missing, doubled or unreadable is held against the run; what does not belong to it is an error.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.parts import Part, PartFile
from gate.core.records.objection_texts import fitted
from gate.core.records.objections import Objection
from gate.core.records.stopped import STOPPED
from gate.core.shard_attempts import chosen, not_finished
from gate.core.shards import Shard, number_of
from gate.core.wording import counted, shortened

RULE: Final = "every question is there exactly once"
SHOWN: Final = 80
"""How many characters of what a file states are repeated in an error."""
LISTED: Final = 8
"""How many shards or questions are named, before the rest is counted."""


class PartError(ValueError):
    """Rows that cannot be part of what is joined; the text says whose and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The whole suite. `rows` stand in the order of its questions; `first` is the first line that knows most.

    `missing` says in words which shards are not there or not finished, and `objections` hold it against the run;
    `said` is worth knowing, and changes nothing. `only` is the file of a suite that was not split.
    """

    first: Mapping[str, object]
    questions: tuple[str, ...]
    rows: tuple[bytes, ...]
    shortfalls: Mapping[str, int]
    oddities: Mapping[str, int]
    notes: tuple[str, ...]
    objections: tuple[Objection, ...]
    missing: tuple[str, ...]
    said: tuple[str, ...]
    only: PartFile | None = None

    @property
    def complete(self) -> bool:
        """Whether every question was asked."""
        return len(self.rows) == len(self.questions)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the numbers must know: how many questions are in none of them, and why."""
        if self.complete or not self.missing:
            return ()
        left = f"{len(self.questions) - len(self.rows):,} of {counted(len(self.questions), 'question')}"
        return (f"{left} left out: {_listed(self.missing, '; ')}",)


def join(files: Sequence[PartFile], expected: Part) -> Joined:
    """Join the shards of one suite, at least one; PartError when they are not of one run, or not of this one.

    `expected` is what the merging job's own plan states of the suite; its shard and questions do not count.
    """
    for file in files:
        _check_expected(file, expected)
        _check_of(files[0], file)
    questions = _questions(files)
    known = frozenset(questions)
    for file in files:
        _check_rows(file, known)
    _check_fingerprints(files)
    found = chosen(files)
    of = files[0].shard.of
    own = Counter(number_of(each, of) for each in questions)
    shards = [Shard(number, of) for number in ([1] if expected.whole else range(1, of + 1))]
    gaps = [gap for each in shards if (gap := _gap(each, found.files.get(each.number), own[each.number]))]
    counting = [found.files[number] for number in sorted(found.files)]
    rows = {name: row for file in counting for name, row in file.rows.items()}
    return Joined(
        first=max(counting, key=lambda file: (bool(file.rows), len(file.fingerprints))).first,
        questions=questions,
        rows=tuple(rows[each] for each in questions if each in rows),
        shortfalls=_shortfalls(counting, gaps),
        oddities=sum((Counter(file.oddities) for file in counting), Counter[str]()),
        notes=tuple(dict.fromkeys(note for file in counting for note in file.notes)),
        objections=fitted((*_theirs(counting), *_against(gaps, counting))),
        missing=tuple(gaps),
        said=found.notes,
        only=found.files.get(1) if expected.whole else None,
    )


def _gap(shard: Shard, file: PartFile | None, own: int) -> str | None:
    """Why a shard of `own` questions is not whole, in words: what it lacks without saying why itself; None = it is."""
    if file is None:
        return f"shard {shard} is missing"
    if file.part.whole:
        return None
    told = sum(file.shortfalls.get(reason, 0) for reason in STOPPED if reason != "cancelled")
    lacking = max(own - len(file.rows) - told, 0)
    if lacking:
        return not_finished(shard, lacking)
    return None if file.ended else f"shard {shard} was cut off, and does not say how it ended"


def _shortfalls(files: Sequence[PartFile], gaps: Sequence[str]) -> Mapping[str, int]:
    """The sum of what the parts say; what is missing besides is told by an objection, so that nobody tells it twice."""
    counts = sum((Counter(file.shortfalls) for file in files), Counter[str]())
    told = {reason: count for reason, count in sorted(counts.items()) if count}
    return {**told, "cancelled": 0} if gaps else told


def _theirs(files: Sequence[PartFile]) -> tuple[Objection, ...]:
    """What the suites themselves hold against their runs, each once."""
    return tuple(dict.fromkeys(each for file in files for each in file.objections))


def _against(gaps: Sequence[str], files: Sequence[PartFile]) -> Iterator[Objection]:
    if gaps:
        yield _objection(_listed(gaps, "; "))
    for file in files:
        if file.unreadable:
            yield _objection(f"shard {file.shard} has {counted(file.unreadable, 'unreadable line')}")
        if file.doubled:
            said = f"shard {file.shard} has {counted(len(file.doubled), 'question')} more than once"
            yield _objection(f"{said}: {_listed(file.doubled, ', ')}")


def _objection(message: str) -> Objection:
    return Objection(rule=RULE, reason="cancelled", message=message)


def _listed(texts: Sequence[str], separator: str) -> str:
    return separator.join(shortened(texts, LISTED))


def _questions(files: Sequence[PartFile]) -> tuple[str, ...]:
    """Those of the whole; a job that could not begin to ask states none."""
    stating = [file for file in files if file.part.questions]
    for file in stating:
        if file.part.questions != stating[0].part.questions:
            ours, theirs = stating[0], file
            raise PartError(
                f"{ours.name} and {theirs.name} are not of one run: they were to ask "
                f"{len(ours.part.questions)} and {len(theirs.part.questions)} questions, not the same ones"
            )
    return stating[0].part.questions if stating else ()


def _check_expected(file: PartFile, expected: Part) -> None:
    part = file.part
    for what, theirs, ours in (
        ("commit", part.commit, expected.commit),
        ("mode", part.mode, expected.mode),
        ("choice of inputs, seed, selection or system", part.inputs_sha256[:12], expected.inputs_sha256[:12]),
        ("way of splitting", part.whole, expected.whole),
    ):
        if theirs != ours:
            said = f"another {what}: {str(theirs)[:SHOWN]}, this job has {ours}"
            raise PartError(f"{file.name} was measured with {said}")


def _check_of(first: PartFile, file: PartFile) -> None:
    if file.shard.of != first.shard.of:
        raise PartError(
            f"{first.name} and {file.name} are not of one run (shards: {first.shard.of} and {file.shard.of})"
        )


def _check_rows(file: PartFile, known: Collection[str]) -> None:
    if file.part.whole:
        return
    strangers = sorted(name for name in file.rows if name not in known or not file.shard.holds(name))
    if strangers:
        raise PartError(f"{file.name}: has a row of {strangers[0]!a}, which shard {file.shard} does not hold")


def _check_fingerprints(files: Sequence[PartFile]) -> None:
    """What two jobs both state must be the same; one whose system failed at once, or had nothing to ask, knows less."""
    known: dict[str, tuple[PartFile, object]] = {}
    for file in (each for each in files if each.rows):
        for name, text in file.fingerprints.items():
            other, theirs = known.setdefault(name, (file, text))
            if theirs != text:
                said = f"{name[:SHOWN]}: {str(theirs)[:SHOWN]} and {str(text)[:SHOWN]}"
                raise PartError(f"{other.name} and {file.name} are not of one run ({said})")
