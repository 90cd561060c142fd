"""Which run of a ledger is the baseline, and why that one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from gate.core.plan import BaselineProblem
from gate.core.records.ledger import COMPLETED, RunRecord

LATEST: Final = "latest"
BY_DATE: Final = "the newest completed run by date (none of their commits is a first parent that git knows)"
CLOCK_SKEW: Final = timedelta(minutes=5)

CommitDistance = Callable[[str], int | None]
"""First-parent steps back to a commit; None = it is not on that line, as far as git can tell."""

Elsewhere = Callable[[str], bool]
"""Whether git can tell that a commit is none of those this one descends from."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """What git tells about the commits of records."""

    distance: CommitDistance
    elsewhere: Elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The baseline, in plain words how it was chosen, and what was passed over on the way."""

    record: RunRecord
    chosen: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the baseline has to be: a run id or "latest"; None = any suite, any mode."""

    run: str
    suite: str | None = None
    mode: str | None = None

    def __str__(self) -> str:
        parts = (self.suite and f"suite {self.suite}", self.mode and f"mode {self.mode}")
        return ", ".join(part for part in parts if part) or "any suite"


def choose(
    records: Sequence[RunRecord],
    *,
    suite: str | None,
    mode: str | None,
    run: str,
    ancestry: Ancestry,
    now: datetime,
) -> Chosen | BaselineProblem:
    """The record that `run` (an id, or "latest") means, or why there is none.

    Latest is the nearest completed run by commit ancestry where git can tell (of equally near ones the newest),
    else the newest by date; never one that git knows to be of another line. A record dated in the future is
    refused: its date cannot be right, so neither can any order built on it. A run named by its id may have any
    status, and that is said.
    """
    wanted = Wanted(run=run, suite=suite, mode=mode)
    if run != LATEST:
        return _named(records, wanted, now)
    return _latest(records, wanted, ancestry, now)


def _named(records: Sequence[RunRecord], wanted: Wanted, now: datetime) -> Chosen | BaselineProblem:
    same_id = [record for record in records if record.run_id == wanted.run]
    if not same_id:
        return _problem(wanted, f"no record has the run id {wanted.run}")
    fitting = [record for record in same_id if _fits(record, wanted)]
    if not fitting:
        return _problem(wanted, f"run {wanted.run} is {_place(same_id[0])}, not {wanted}")
    record = fitting[0]
    if _in_future(record, now):
        return _problem(wanted, f"run {record.run_id} is dated {record.ran_at}, which is in the future")
    notes = []
    if len(fitting) > 1:
        first = f"the first one (line {record.line}) is used"
        notes.append(f"{len(fitting)} records have the run id {record.run_id}: {first}")
    if record.status != COMPLETED:
        notes.append(f"run {record.run_id} has the status {record.status}")
    return Chosen(record, "named by its id", tuple(notes))


def _latest(
    records: Sequence[RunRecord], wanted: Wanted, ancestry: Ancestry, now: datetime
) -> Chosen | BaselineProblem:
    fitting = [record for record in records if _fits(record, wanted)]
    distances = _distances(fitting, ancestry.distance)
    refusals = [_refusal(record, now) or _elsewhere(record, distances, ancestry) for record in fitting]
    usable = [record for record, why in zip(fitting, refusals, strict=True) if why is None]
    notes = _counted(refusals)
    if not usable:
        return _problem(wanted, "; ".join(notes) or "the ledger has no record of it")
    near = [record for record in usable if distances[record.commit] is not None]
    if not near:
        return Chosen(_newest(usable), BY_DATE, notes)
    least = min(steps for record in near if (steps := distances[record.commit]) is not None)
    record = _newest([record for record in near if distances[record.commit] == least])
    return Chosen(record, f"the nearest completed run, {_steps(least)}", notes)


def _fits(record: RunRecord, wanted: Wanted) -> bool:
    return wanted.suite in (None, record.suite) and wanted.mode in (None, record.mode)


def _refusal(record: RunRecord, now: datetime) -> str | None:
    """Why a record cannot be the latest baseline; None when it can."""
    if record.status != COMPLETED:
        return f"not completed ({record.status})"
    if record.moment is None:
        return "without a readable date"
    return "dated in the future" if _in_future(record, now) else None


def _elsewhere(
    record: RunRecord, distances: Mapping[str | None, int | None], ancestry: Ancestry
) -> str | None:
    """Whether it measured work that this commit does not build on: then it is nobody's baseline here."""
    if record.commit is None or distances[record.commit] is not None or not ancestry.elsewhere(record.commit):
        return None
    return "of commits that this one does not descend from"


def _in_future(record: RunRecord, now: datetime) -> bool:
    return record.moment is not None and record.moment > now + CLOCK_SKEW


def _counted(refusals: Sequence[str | None]) -> tuple[str, ...]:
    counts = Counter(why for why in refusals if why is not None)
    return tuple(f"{count} record{'s' if count > 1 else ''} {why}" for why, count in counts.items())


def _distances(records: Sequence[RunRecord], commit_distance: CommitDistance) -> dict[str | None, int | None]:
    commits = dict.fromkeys(record.commit for record in records)
    return {commit: None if commit is None else commit_distance(commit) for commit in commits}


def _newest(records: Sequence[RunRecord]) -> RunRecord:
    """The newest by date; of equal dates the one seen first."""
    return max(records, key=lambda record: record.moment or datetime.min.replace(tzinfo=UTC))


def _steps(distance: int) -> str:
    if distance == 0:
        return "of the very commit"
    return f"{distance} commit{'s' if distance > 1 else ''} back"


def _place(record: RunRecord) -> str:
    return f"suite {record.suite}, mode {record.mode}"


def _problem(wanted: Wanted, why: str) -> BaselineProblem:
    return BaselineProblem(
        reason="no_baseline", suite=wanted.suite, message=f"no baseline for {wanted} ({wanted.run}): {why}"
    )
