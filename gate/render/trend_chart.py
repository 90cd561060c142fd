"""The trend for a terminal: a line a dimension, a column a run, a mark a verdict, a bar wherever the rubric changed."""

from collections.abc import Iterator, Sequence
from typing import Final

from gate.core.judging.trend import Epoch, TrendRow, epochs
from gate.core.records.ecmascript import to_fixed
from gate.core.records.takes_receipt import DIMENSIONS, PanelVerdict
from gate.render.panel_notes import plain

MOST_RUNS: Final = 50
_BARS: Final = "▁▂▃▄▅▆▇█"
_GAP: Final = "·"
_MARKS: Final[dict[PanelVerdict, str]] = {"pass": "●", "fail": "✕", "inconclusive": "○"}
_BETWEEN: Final = " │ "
_LONGEST_NAME: Final = 24
_LABELS: Final = max(map(len, DIMENSIONS)) + 2


def trend_chart(rows: Sequence[TrendRow]) -> str:
    """The runs from the oldest to the newest, given newest first; the newest that fit, and how many those are."""
    return "\n".join(_lines(list(reversed(rows[:MOST_RUNS])), len(rows))) if rows else ""


def _lines(rows: Sequence[TrendRow], total: int) -> Iterator[str]:
    parts = epochs(rows)
    names = [plain(epoch.name, _LONGEST_NAME) for epoch in parts]
    widths = [max(len(name), len(epoch.rows)) for name, epoch in zip(names, parts, strict=True)]

    def line(label: str, cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"{label.ljust(_LABELS)}{_BETWEEN.join(padded)}"

    yield line("rubric", names).rstrip()
    for name in DIMENSIONS:
        drawn = line(name, ["".join(_bar(row, name) for row in epoch.rows) for epoch in parts])
        yield f"{drawn}  {_figures(parts[-1], name)}".rstrip()
    verdicts = ["".join(_MARKS[row.verdict] for row in epoch.rows) for epoch in parts]
    yield line("verdict", verdicts).rstrip()
    marks = "  ".join(f"{mark} {verdict}" for verdict, mark in _MARKS.items())
    yield f"{marks}  {_GAP} no score; {_BARS[0]} is 1, {_BARS[-1]} is 10; the oldest run is on the left"
    if len(rows) < total:
        yield f"the newest {len(rows)} of {total} runs; --plot FILE.svg draws all of them"


def _bar(row: TrendRow, name: str) -> str:
    score = row.dimensions.get(name)
    if score is None:
        return _GAP
    level = int((min(max(score, 1.0), 10.0) - 1.0) / 9.0 * len(_BARS))
    return _BARS[min(level, len(_BARS) - 1)]


def _figures(epoch: Epoch, name: str) -> str:
    """The newest and the lowest score under the newest rubric."""
    scores = [row.dimensions[name] for row in epoch.rows if name in row.dimensions]
    return f"{to_fixed(scores[-1], 1)}, lowest {to_fixed(min(scores), 1)}" if scores else ""
