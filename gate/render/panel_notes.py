"""What a takes-quality run says beside its scores: takes it left out, replies it lost, agreement over everything."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.records.ecmascript import to_fixed
from gate.core.wording import counted
from gate.render.visible import reveal

_LONGEST: Final = 200
_PLACES: Final = "places"
_MOST_PLACES: Final = 3


def panel_notes(others: Mapping[str, object]) -> Iterator[str]:
    """A line for each key of our own that a reader should see; what another program put there is passed over."""
    yield from _left_out(others.get("left_out"))
    lost = _count(others.get("calls_charged_at_bound"))
    if lost:
        yield f"{counted(lost, 'call')} without a known usage: charged the most it could cost"
    cut, missing = _count(others.get("pages_cut")), _count(others.get("pages_missing"))
    if cut or missing:
        yield f"page excerpts: {counted(cut, 'page')} cut short, {counted(missing, 'page')} without text"
    alpha = others.get("agreement_alpha")
    if isinstance(alpha, int | float) and not isinstance(alpha, bool):
        yield f"agreement of the judges over all dimensions: Krippendorff's alpha {to_fixed(alpha, 2)}"
    yield from map(plain, _texts(others.get("remarks")))


def plain(text: str, longest: int = _LONGEST) -> str:
    """Somebody else's text on one line, everything hidden in it visible, cut where it is long."""
    shown = reveal(" ".join(text.split()))
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _left_out(found: object) -> Iterator[str]:
    """Takes that did not count and places that were read with a warning; some of the places by name."""
    if not isinstance(found, dict):
        return
    counts = {str(name): count for name, value in found.items() if (count := _count(value))}
    places = _texts(found.get(_PLACES))
    if not counts and not places:
        return
    listed = ", ".join(f"{count} {plain(name)}" for name, count in counts.items())
    shown = "; ".join(map(plain, places[:_MOST_PLACES]))
    more = len(places) - _MOST_PLACES
    rest = f"; and {more} more" if more > 0 else ""
    yield f"left out or read with a warning: {listed or 'see the places'}{f' ({shown}{rest})' if shown else ''}"


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list | tuple) else []
