"""What a whole replay is held to, told from its finished rows: the jobs that measured its parts judged nothing."""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec
from msgspec import Struct, field

from gate.core.records.objections import Objection
from gate.core.replay.captures import CaptureFile, baseline_mean
from gate.core.replay.held import objections
from gate.core.replay.stability import Stability, breaches, summarise
from gate.core.replay.thresholds import Thresholds


class _Row(Struct):
    """What of a row the sum of a replay is made of."""

    error: str | None = None
    jaccard: float = 0.0
    jaccard_at_k: float = field(name="jaccard@k", default=0.0)
    top1_stability: float = 0.0
    over_2x_latency: float | None = None
    latency_ms: float = 0.0
    latency_delta_ms: float | None = None

    def stability(self) -> Stability:
        return Stability(
            jaccard=self.jaccard,
            jaccard_at_k=self.jaccard_at_k,
            k=0,
            top1_match=bool(self.top1_stability),
            latency_ms=self.latency_ms,
            latency_delta_ms=self.latency_delta_ms,
            over_2x_latency=bool(self.over_2x_latency),
        )


_ROW: Final = msgspec.json.Decoder(_Row)


def objections_of_rows(
    rows: Sequence[bytes], asked: Collection[str], file: CaptureFile, thresholds: Thresholds
) -> tuple[Objection, ...]:
    """What they miss: the same that is held against a replay that ran in one job.

    `asked` are the names of the captures that were asked; msgspec.DecodeError for a row that is none.
    """
    read = [_ROW.decode(row) for row in rows]
    names = frozenset(asked)
    captures = [capture for name, capture in zip(file.names(), file.captures, strict=True) if name in names]
    summary = summarise(
        [row.stability() for row in read if row.error is None],
        errored=sum(row.error is not None for row in read),
        skipped=0,
        baseline_mean_ms=baseline_mean(file, captures),
    )
    return objections(breaches(summary, thresholds))
