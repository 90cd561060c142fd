"""The trend as an SVG: a line a dimension, a mark a verdict, and a gap wherever the rubric changed."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape

from gate.core.judging.trend import TrendRow, epochs
from gate.core.records.takes_receipt import DIMENSIONS
from gate.render.visible import reveal

WIDTH: Final = 860
HEIGHT: Final = 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 660, 48, 352
_MOST_LABELS: Final = 8
_LETTER: Final = 7.0
"""The width that a letter of the labels takes at most, on average."""
_TO_REACH: Final = 7
"""The mean that the shipped rubric asks for."""

_PAPER: Final = "#ffffff"
_INK: Final = "#1f2328"
_QUIET: Final = "#6e7781"
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00")
_DASHES: Final = ("", "8 3", "2 3", "10 3 2 3", "5 5")
"""Colours a reader without red or green tells apart (Okabe & Ito), and dashes for print."""

_MARKS: Final = {"pass": ("●", "#1a7f37"), "fail": ("✕", "#cf222e"), "inconclusive": ("○", _QUIET)}


def trend_plot(rows: Sequence[TrendRow]) -> str:
    """The runs from the oldest to the newest, given newest first. A run without a score breaks its line."""
    oldest_first = list(reversed(rows))
    parts = [_head(), *_scale()]
    if not oldest_first:
        parts.append(_text(_LEFT + 16, 200, "No runs yet.", _QUIET))
    parts += [*_epochs(oldest_first), *_lines(oldest_first), *_verdicts(oldest_first), *_legend(), "</svg>"]
    return "\n".join(parts) + "\n"


def _head() -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12">\n'
        "<title>takes-quality: the mean of every dimension, run by run</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>\n'
        + _text(_LEFT, 20, "takes-quality: mean of every dimension, 1 to 10", _INK, weight="600")
    )


def _scale() -> Iterator[str]:
    for score in range(1, 11):
        strong = score == _TO_REACH
        stroke = "#afb8c1" if strong else "#eaeef2"
        yield (
            f'<line x1="{_LEFT}" y1="{_y(score)}" x2="{_RIGHT}" y2="{_y(score)}" stroke="{stroke}"'
            + (' stroke-dasharray="4 3"/>' if strong else "/>")
        )
        yield _text(_LEFT - 8, _y(score) + 4, str(score), _QUIET, anchor="end")


def _epochs(rows: Sequence[TrendRow]) -> Iterator[str]:
    """The rubric's name over the runs it judged, a line before every new one."""
    for epoch in epochs(rows):
        x, end = _edge(epoch.start, len(rows)), _edge(epoch.start + len(epoch.rows), len(rows))
        if epoch.start:
            yield f'<line x1="{x:.1f}" y1="{_TOP - 14}" x2="{x:.1f}" y2="{_BOTTOM}" stroke="{_INK}"/>'
        name = f"rubric {epoch.name}"
        yield (
            f"<g><title>{_safe(name)}</title>"
            + _text(x + 4, _TOP - 6, _fitting(name, end - x - 8), _INK)
            + "</g>"
        )


def _edge(place: int, total: int) -> float:
    """Halfway between a run and the one before it."""
    return _LEFT + (_RIGHT - _LEFT) * place / total


def _fitting(text: str, width: float) -> str:
    """The beginning of a text that takes no more than this width; its title says the rest."""
    most = int(width / _LETTER)
    return text if len(text) <= most else f"{text[: most - 1]}…" if most > 1 else ""


def _lines(rows: Sequence[TrendRow]) -> Iterator[str]:
    for epoch in epochs(rows):
        for number, name in enumerate(DIMENSIONS):
            style = f'stroke="{_COLOURS[number]}" stroke-width="2" stroke-dasharray="{_DASHES[number]}"'
            for run in _unbroken(epoch.rows, name, epoch.start, len(rows)):
                points = " ".join(f"{x:.1f},{y:.1f}" for x, y in run)
                yield f'<polyline points="{points}" fill="none" {style}/>'
                yield from (
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_COLOURS[number]}"/>' for x, y in run
                )


def _unbroken(
    rows: Sequence[TrendRow], name: str, start: int, total: int
) -> Iterator[list[tuple[float, float]]]:
    """Stretches of runs that all have the score."""
    numbered = list(enumerate(rows, start))
    for there, group in groupby(numbered, key=lambda pair: name in pair[1].dimensions):
        if there:
            yield [(_x(place, total), _y(row.dimensions[name])) for place, row in group]


def _verdicts(rows: Sequence[TrendRow]) -> Iterator[str]:
    step = -(-len(rows) // _MOST_LABELS) if rows else 1
    for place, row in enumerate(rows):
        x = _x(place, len(rows))
        mark, colour = _MARKS[row.verdict]
        yield (
            f"<g><title>{_safe(f'{row.ts} {row.verdict}, rubric {row.rubric_version}')}</title>"
            + _text(x, _BOTTOM + 20, mark, colour, anchor="middle")
            + "</g>"
        )
        if place % step == 0:
            yield _text(x, _BOTTOM + 40, row.ts[5:10], _QUIET, anchor="middle")


def _legend() -> Iterator[str]:
    for number, name in enumerate(DIMENSIONS):
        y = _TOP + 20 + 24 * number
        style = f'stroke="{_COLOURS[number]}" stroke-width="2" stroke-dasharray="{_DASHES[number]}"'
        yield f'<line x1="{_RIGHT + 20}" y1="{y}" x2="{_RIGHT + 52}" y2="{y}" {style}/>'
        yield _text(_RIGHT + 60, y + 4, name, _INK)
    for number, (verdict, (mark, colour)) in enumerate(_MARKS.items()):
        y = _TOP + 164 + 24 * number
        yield _text(_RIGHT + 36, y + 4, mark, colour, anchor="middle")
        yield _text(_RIGHT + 60, y + 4, verdict, _INK)
    yield _text(_RIGHT + 20, _TOP + 250, "dashed line: 7, to be reached", _QUIET)


def _x(place: int, total: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (place + 0.5) / total


def _y(score: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * (min(max(score, 1.0), 10.0) - 1.0) / 9.0


def _text(x: float, y: float, text: str, colour: str, *, anchor: str = "start", weight: str = "400") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{_safe(text)}</text>"
    )


def _safe(text: str) -> str:
    return escape(reveal(text))
