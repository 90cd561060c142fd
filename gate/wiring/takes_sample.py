"""Takes for a run: a new sample, or those of an earlier run, found again and cut as they were then."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import UNSET

from gate.core.records.takes_receipt import TakesReceipt
from gate.core.takes.corpus import CorpusNotes, Scope
from gate.core.takes.references import FoundAgain, batch_numbers, found_again
from gate.core.takes.sampling import Sampling, batches
from gate.core.takes.take import Take
from gate.ports import TakesSource
from gate.wiring.takes_quality import Drawn

DEFAULT_SEED: Final = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The takes of an earlier run; how many are as they were, edited, and gone.

    `why_new` says why it is another sample instead; None = it is not.
    """

    drawn: Drawn
    found: int = 0
    changed: int = 0
    gone: int = 0
    why_new: str | None = None


def sampled(source: TakesSource, scope: Scope, sampling: Sampling, count: int) -> Drawn:
    """A new sample, cut into disjoint batches; fewer where there are fewer takes."""
    sample = source.sample(scope, sampling)
    return Drawn(
        source=source.kind,
        slug_prefix=scope.slug_prefix or None,
        inactive=scope.inactive,
        deleted_pages=scope.deleted_pages,
        batches=batches(sample.takes, count),
        seed=sampling.seed,
        eligible=sample.eligible,
        left_out=dict(_left_out(sample.notes)),
    )


def sampled_again(source: TakesSource, scope: Scope, prior: TakesReceipt) -> Again:
    """The takes of an earlier run that still are, each in the batch it was in then.

    A receipt that does not name its takes (another program wrote it) gives a new sample of the same size.
    """
    count = 1 if prior.batches is UNSET else prior.batches
    if prior.takes is UNSET or not prior.takes:
        seed = DEFAULT_SEED if prior.seed is UNSET else prior.seed
        sampling = Sampling(limit=max(prior.corpus.n_takes, 1), seed=seed)
        return Again(
            drawn=sampled(source, scope, sampling, count),
            why_new="the earlier receipt does not name its takes, so these are others of the same corpus",
        )
    here = source.find(scope, [(each.page, each.row) for each in prior.takes])
    again = found_again(prior.takes, here)
    found, changed, gone = len(again.by_place), len(again.changed), len(again.gone)
    return Again(
        drawn=Drawn(
            source=source.kind,
            slug_prefix=scope.slug_prefix or None,
            inactive=scope.inactive,
            deleted_pages=scope.deleted_pages,
            batches=_as_then(again, batch_numbers(prior)),
            seed=None if prior.seed is UNSET else prior.seed,
            left_out={"gone": gone} if gone else {},
        ),
        found=found - changed,
        changed=changed,
        gone=gone,
    )


def _as_then(again: FoundAgain, numbers: Sequence[int]) -> tuple[tuple[Take, ...], ...]:
    """The takes in the batches they were in; a batch of which none is left is none."""
    parts: dict[int, list[Take]] = {}
    for place in sorted(again.by_place):
        parts.setdefault(numbers[place], []).append(again.by_place[place])
    return tuple(tuple(parts[number]) for number in sorted(parts))


def _left_out(notes: CorpusNotes) -> Iterator[tuple[str, object]]:
    """What a source saw besides the takes it delivered; nothing where it saw nothing."""
    for name in ("inactive", "deleted", "clamped", "misencoded", "unreadable", "links"):
        if getattr(notes, name):
            yield name, getattr(notes, name)
    yield from sorted(notes.warnings.items())
    if notes.places:
        yield "places", list(notes.places)
