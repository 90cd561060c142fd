"""Which runs of a ledger may go, and which stay."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from gate.core.records.ledger import RunRecord

Stays = Literal["not asked for", "named", "not older", "among the newest", "without a readable date"]
"""Why a run stays; the first reason that holds is the one that counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """A run goes when it is older than `before` and not among the `newest` of its suite, mode and status.

    Either may be None: no such condition. Runs `named` by their id stay, and so does every run whose date cannot
    be read; of suite, mode and status None means any.
    """

    before: datetime | None = None
    newest: int | None = None
    named: frozenset[str] = frozenset()
    suite: str | None = None
    mode: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """The runs that go, in the ledger's order, and how many stay for which reason."""

    going: tuple[RunRecord, ...]
    staying: Counter[Stays] = field(default_factory=Counter)


def pruned(records: Sequence[RunRecord], pruning: Pruning) -> Pruned:
    """What becomes of every run. Nothing goes where neither an age nor a number is given."""
    newest = _newest(records, pruning.newest)
    reasons = [_stays(record, pruning, among=place in newest) for place, record in enumerate(records)]
    return Pruned(
        going=tuple(record for record, reason in zip(records, reasons, strict=True) if reason is None),
        staying=Counter(reason for reason in reasons if reason is not None),
    )


def _stays(record: RunRecord, pruning: Pruning, *, among: bool) -> Stays | None:
    """Why a run stays; None = it goes."""
    asked = ((pruning.suite, record.suite), (pruning.mode, record.mode), (pruning.status, record.status))
    if any(wanted not in (None, found) for wanted, found in asked):
        return "not asked for"
    if record.run_id in pruning.named:
        return "named"
    if record.moment is None:
        return "without a readable date"
    if pruning.before is None and pruning.newest is None:
        return "not asked for"
    if pruning.before is not None and record.moment >= pruning.before:
        return "not older"
    return "among the newest" if among else None


def _newest(records: Iterable[RunRecord], count: int | None) -> frozenset[int]:
    """The places of the last so many runs of every suite, mode and status, by date; of equal dates the later one."""
    groups: dict[tuple[str, str, str], list[tuple[datetime, int]]] = defaultdict(list)
    for place, record in enumerate(records):
        if record.moment is not None:
            groups[record.suite, record.mode, record.status].append((record.moment, place))
    kept: Final = 0 if count is None else count
    return frozenset(place for group in groups.values() for _, place in sorted(group, reverse=True)[:kept])
