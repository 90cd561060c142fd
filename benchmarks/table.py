"""Rows of a benchmark and the table they are printed as."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured job: ours and the peer's seconds (or `unit`) in the same run, and the budget ours must keep."""

    name: str
    ours: float
    peer_name: str
    peer: float | None
    budget: float | None = None
    least_ratio: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float | None:
        """How many times as long the peer takes."""
        return None if self.peer is None else self.peer / self.ours

    @property
    def held(self) -> bool:
        """Whether the budget, and the ratio asked for, are kept."""
        in_time = self.budget is None or self.ours <= self.budget
        ahead = self.least_ratio is None or (self.ratio is not None and self.ratio >= self.least_ratio)
        return in_time and ahead


def interleaved(repeats: int, *jobs: Callable[[], object]) -> tuple[float, ...]:
    """Return the seconds of each job's fastest run; the jobs take turns, so that a busy machine is fair to all."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(repeats):
        for job, taken in zip(jobs, seconds, strict=True):
            started = time.perf_counter()
            job()
            taken.append(time.perf_counter() - started)
    return tuple(min(taken) for taken in seconds)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    head = "| job | ours | peer | peer's time | ratio | budget | held |\n|:--|--:|:--|--:|--:|--:|:--|\n"
    return head + "".join(f"| {' | '.join(_cells(row))} |\n" for row in rows)


def _cells(row: Row) -> tuple[str, ...]:
    asked = [] if row.budget is None else [f"≤ {_amount(row.budget, row.unit)}"]
    asked += [] if row.least_ratio is None else [f"≥ {row.least_ratio:g}×"]
    ratio = "–" if row.ratio is None else f"{row.ratio:.1f}×"
    held = ("yes" if row.held else "NO") if asked else "–"
    return (
        row.name,
        _amount(row.ours, row.unit),
        row.peer_name,
        _amount(row.peer, row.unit),
        ratio,
        ", ".join(asked) or "–",
        held,
    )


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return _time(value) if unit == "s" else f"{value:,.4g} {unit}"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
