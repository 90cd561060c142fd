"""What a replay came to, for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from gate.core.replay.held import breach_text
from gate.core.replay.stability import Breach, Summary
from gate.core.wording import counted
from gate.render.dialect import PLAIN
from gate.render.numbers import DASH, SHARE, scale
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

_WIDTH: Final = 100
_COLUMNS: Final = (Column("what moved", "left"), Column("value"), Column("errors as 0"))


def replay_table(summary: Summary, breaches: Sequence[Breach] | None) -> str:
    """The means, what stands outside of them, and every threshold missed; None = nothing was to be held."""
    table = Table(_COLUMNS, tuple(_rows(summary)))
    return "\n".join([text_table(table, width=_WIDTH, palette=NO_COLOUR), *_said(summary, breaches)])


def _rows(summary: Summary) -> Iterator[Row]:
    yield _row(
        "same pages, cut at k (jaccard@k)", summary.mean_jaccard_at_k, summary.counted_mean_jaccard_at_k
    )
    yield _row("same pages, all of them (jaccard)", summary.mean_jaccard, None)
    yield _row("same first page", summary.top1_stability_rate, summary.counted_top1_stability_rate)
    delta, ratio = summary.mean_latency_delta_ms, summary.latency_ratio
    yield Row((PLAIN.label("latency, mean change"), DASH if delta is None else f"{delta:+.1f} ms", DASH))
    yield Row((PLAIN.label("latency, ratio of means"), DASH if ratio is None else f"{ratio:.2f}×", DASH))


def _row(name: str, share: float | None, with_errors: float | None) -> Row:
    return Row((PLAIN.label(name), _share(share), _share(with_errors)))


def _share(share: float | None) -> str:
    return DASH if share is None else scale(SHARE, share).value(share)


def _said(summary: Summary, breaches: Sequence[Breach] | None) -> Iterator[str]:
    outside = (
        (summary.rows_replayed, "replayed"),
        (summary.rows_over_2x_latency, "more than twice as slow"),
        (summary.rows_errored, "with errors"),
        (summary.rows_skipped, "skipped"),
    )
    yield from (
        f"{counted(count, 'query', 'queries')} {what}"
        for place, (count, what) in enumerate(outside)
        if count or not place
    )
    if breaches is None:
        yield "no thresholds: nothing was to be held"
    else:
        yield from (f"missed: {breach_text(breach)}" for breach in breaches)
