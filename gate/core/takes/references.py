"""The takes of an earlier run, found again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gate.core.records.takes_receipt import TakeReference
from gate.core.takes.fingerprint import take_sha8
from gate.core.takes.take import Take


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """The takes that still are, in the order they were drawn then; which have changed, which are gone."""

    takes: tuple[Take, ...]
    changed: tuple[TakeReference, ...] = ()
    gone: tuple[TakeReference, ...] = ()


def references(takes: Iterable[Take]) -> tuple[TakeReference, ...]:
    """What a receipt says about the takes it judged."""
    return tuple(TakeReference(page=take.page, row=take.row, sha8=take_sha8(take)) for take in takes)


def found_again(wanted: Sequence[TakeReference], takes: Iterable[Take]) -> FoundAgain:
    """The takes a receipt names among those given; where a page exists twice, the one that has not changed."""
    by_place: dict[tuple[str, int], list[Take]] = {}
    for take in sorted(takes, key=lambda take: take.origin):
        by_place.setdefault((take.page, take.row), []).append(take)
    found: list[Take] = []
    changed: list[TakeReference] = []
    gone: list[TakeReference] = []
    for reference in wanted:
        here = by_place.get((reference.page, reference.row), [])
        same = next((take for take in here if take_sha8(take) == reference.sha8), None)
        if not here:
            gone.append(reference)
            continue
        if same is None:
            changed.append(reference)
        found.append(same or here[0])
    return FoundAgain(tuple(found), tuple(changed), tuple(gone))
