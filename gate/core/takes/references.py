"""The takes of an earlier run, found again, and the batches they were judged in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from gate.core.records.takes_receipt import TakeReference, TakesReceipt
from gate.core.takes.fingerprint import take_sha8
from gate.core.takes.sampling import batches
from gate.core.takes.take import Take

_Free = dict[tuple[str, int], list[Take]]
"""Takes that no reference has found yet, by page and row."""


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """The takes that still are, each with its place among those wanted; which have changed, which are gone."""

    by_place: Mapping[int, Take]
    changed: tuple[TakeReference, ...] = ()
    gone: tuple[TakeReference, ...] = ()

    @property
    def takes(self) -> tuple[Take, ...]:
        """Those that still are, in the order they were drawn then."""
        return tuple(self.by_place[place] for place in sorted(self.by_place))


def references(takes: Iterable[Take]) -> tuple[TakeReference, ...]:
    """What a receipt says about the takes of its only batch."""
    return tuple(_reference(take, UNSET) for take in takes)


def batch_references(parts: Sequence[Sequence[Take]]) -> tuple[TakeReference, ...]:
    """What a receipt says about the takes it judged, each in its batch."""
    if len(parts) < 2:
        return references(take for part in parts for take in part)
    return tuple(_reference(take, number) for number, part in enumerate(parts) for take in part)


def batch_numbers(receipt: TakesReceipt) -> tuple[int, ...]:
    """The batch of every take a receipt names, from 0.

    An earlier receipt says only how many batches there were; those of a new sample were cut evenly.
    """
    named = () if receipt.takes is UNSET else receipt.takes
    told = tuple(each.batch for each in named if each.batch is not UNSET)
    if len(told) == len(named):
        return told
    even = batches(named, 1 if receipt.batches is UNSET else receipt.batches)
    return tuple(number for number, part in enumerate(even) for _ in part)


def found_again(wanted: Sequence[TakeReference], takes: Iterable[Take]) -> FoundAgain:
    """The takes a receipt names among those given, none of them twice.

    A take is known by its page, its row and the repository of the page. A receipt that does not say the repository
    means, where there are several, first the take that has not changed.
    """
    free: _Free = {}
    for take in sorted(takes, key=lambda take: take.origin):
        free.setdefault((take.page, take.row), []).append(take)
    found: dict[int, Take] = {}
    changed: list[int] = []
    for place, reference in enumerate(wanted):
        _move(place, _unchanged(reference, free), free, found)
    for place, reference in enumerate(wanted):
        if place not in found and _move(place, _candidates(reference, free), free, found):
            changed.append(place)
    return FoundAgain(
        found,
        tuple(wanted[place] for place in changed),
        tuple(reference for place, reference in enumerate(wanted) if place not in found),
    )


def _reference(take: Take, batch: int | UnsetType) -> TakeReference:
    return TakeReference(
        page=take.page, row=take.row, sha8=take_sha8(take), source_id=take.origin, batch=batch
    )


def _candidates(reference: TakeReference, free: _Free) -> Iterator[Take]:
    for take in free.get((reference.page, reference.row), []):
        if reference.source_id in (UNSET, take.origin):
            yield take


def _unchanged(reference: TakeReference, free: _Free) -> Iterator[Take]:
    return (take for take in _candidates(reference, free) if take_sha8(take) == reference.sha8)


def _move(place: int, candidates: Iterator[Take], free: _Free, found: dict[int, Take]) -> bool:
    """Whether there was a candidate; the first one is no longer free then."""
    take = next(candidates, None)
    if take is None:
        return False
    free[take.page, take.row].remove(take)
    found[place] = take
    return True
