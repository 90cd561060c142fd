"""Which questions of a dataset a run asks: those that are named, a sample of them."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from gate.core.longmemeval.splits import sample


class SelectionError(ValueError):
    """What was asked for cannot be selected; the text says why."""


class Selection(Struct, frozen=True, kw_only=True):
    """What to select, in this order: the named questions, a sample of `limit` of them drawn with `seed`."""

    named: tuple[str, ...] | None = None
    limit: int | None = None
    seed: int = 42


def selected(ids: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """The selected ids in the order of the dataset; SelectionError when one is named that it does not have."""
    wanted = set(ids) if selection.named is None else set(selection.named)
    unknown = sorted(wanted.difference(ids))
    if unknown:
        more = f" and {len(unknown) - 1} more" if unknown[1:] else ""
        raise SelectionError(f"the dataset has no question {unknown[0]!a}{more}")
    if selection.limit is not None and selection.limit < len(wanted):
        wanted = set(sample(wanted, selection.limit, selection.seed))
    return tuple(each for each in ids if each in wanted)


def ids_of_text(text: str) -> tuple[str, ...]:
    """The ids of a file with one a line; blank lines and those that begin with # say nothing."""
    lines = (line.strip() for line in text.splitlines())
    found = tuple(line for line in lines if line and not line.startswith("#"))
    twice = [each for each, count in Counter(found).items() if count > 1]
    if twice:
        raise SelectionError(f"the question {twice[0]!a} is named twice")
    if not found:
        raise SelectionError("no question is named")
    return found
