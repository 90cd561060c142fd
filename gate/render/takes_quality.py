"""Runs of the takes-quality panel, for a terminal. What models wrote is shown with everything hidden made visible."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from gate.core.judging.agreement import score_range, within_sd
from gate.core.judging.regression import Regression, signed
from gate.core.judging.trend import TrendRow
from gate.core.records.ecmascript import number_text, to_fixed
from gate.core.records.takes_receipt import Agreement, TakesReceipt
from gate.render.palette import NO_COLOUR
from gate.render.panel_notes import panel_notes, plain
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

if TYPE_CHECKING:  # numpy is behind them, and who shows a receipt needs none of it
    from gate.core.judging.score_pairs import Paired
    from gate.core.stats.paired import PairedStatistics

_WIDTH: Final = 140
_NONE: Final = "–"
_RULE: Final = "─" * 50
_EMPTY: Final = "No takes-quality runs recorded yet. Run `gate takes-quality run` to get started."


def receipt_text(receipt: TakesReceipt) -> str:
    """The verdict, the scores, the judges, what it cost."""
    parts = ["\n".join(_head(receipt)), _scores(receipt), "\n".join(_remarks(receipt))]
    return "\n\n".join(part for part in parts if part) + "\n"


def regression_text(found: Regression, paired: "Paired", prior: TakesReceipt) -> str:
    """What got worse, how sure that is, and where the runs were not alike."""
    parts = [found.summary, _deltas(found, paired), "\n".join(_doubts(found, paired, prior))]
    return "\n\n".join(part for part in parts if part) + "\n"


def trend_text(rows: Sequence[TrendRow]) -> str:
    """The contract's table: 0.0 stands for the score of an INCONCLUSIVE run; an unknown cost is a dash."""
    if not rows:
        return _EMPTY
    header = "  ".join(("ts", "rubric", "verdict", "overall", "cost", "corpus"))
    return "\n".join([header, _RULE, *map(_trend_line, rows)])


def _trend_line(row: TrendRow) -> str:
    cost = _NONE if row.cost is None else f"${to_fixed(row.cost, 2)}"
    cells = (
        row.ts[:19],
        plain(row.rubric_version).ljust(6),
        row.verdict.ljust(12),
        to_fixed(row.overall or 0, 1).rjust(6),
        cost.rjust(7),
        row.corpus_sha8,
    )
    return "  ".join(cells)


def _head(receipt: TakesReceipt) -> Iterator[str]:
    corpus = receipt.corpus
    batches = 1 if receipt.batches is UNSET else receipt.batches
    yield plain(receipt.verdict_message)
    prefix = "" if not corpus.slug_prefix else f", pages {plain(corpus.slug_prefix)}…"
    yield (
        f"{corpus.n_takes} takes ({plain(corpus.source)}{prefix}) in {batches} batch{'es' * (batches != 1)}, "
        f"{receipt.cycles_run} cycle{'s' * (receipt.cycles_run != 1)}, rubric {plain(receipt.rubric_version)}"
    )
    cost = "unknown" if receipt.cost_usd is None else f"${to_fixed(receipt.cost_usd, 4)}"
    replayed = receipt.others.get("replayed_calls")
    yield f"cost: {cost}" + (
        f" — {replayed} replies were replayed from a cassette; no model was asked" if replayed else ""
    )


def _scores(receipt: TakesReceipt) -> str:
    agreement = {} if receipt.agreement is UNSET else receipt.agreement
    models = tuple(dict.fromkeys(receipt.models))
    rows = tuple(
        Row(
            (
                name,
                number_text(scores.mean),
                *(_score(scores.per_model, model) for model in models),
                *_spread(agreement.get(name), scores.scores),
                _alpha(agreement[name].alpha) if name in agreement else _NONE,
            ),
            "bad" if scores.fail_reason is not UNSET else None,
        )
        for name, scores in receipt.scores.items()
    )
    columns = (
        Column("dimension", "left"),
        Column("mean"),
        *(Column(plain(model)) for model in models),
        Column("range"),
        Column("sd"),
        Column("alpha"),
    )
    return text_table(Table(columns, rows), width=_WIDTH, palette=NO_COLOUR)


def _score(per_model: Mapping[str, float], model: str) -> str:
    return number_text(per_model[model]) if model in per_model else _NONE


def _spread(told: Agreement | None, scores: Sequence[float]) -> tuple[str, str]:
    """Range and standard deviation as a receipt tells them; of one that does not, those of its judges' scores."""
    far, sd = (score_range([scores]), within_sd([scores])) if told is None else (told.range, told.sd)
    return _NONE if far is None else number_text(far), _NONE if sd is None else to_fixed(sd, 2)


def _alpha(alpha: float | None) -> str:
    return "cannot tell" if alpha is None else to_fixed(alpha, 2)


def _remarks(receipt: TakesReceipt) -> Iterator[str]:
    if receipt.batches is UNSET or receipt.batches == 1:
        yield "one batch: no uncertainty can be given (--batches)"
    if receipt.unpriced_models is not UNSET and receipt.cost_usd is None:
        yield f"no price is known for {', '.join(map(plain, receipt.unpriced_models))}: the cost is unknown"
    for error in receipt.errors:
        yield f"{plain(error.model_id)}: {plain(error.error)}"
    for correction in () if receipt.corrections is UNSET else receipt.corrections:
        became = correction.corrected or "no reply"
        yield f"{plain(correction.model_id)}: asked once more ({plain(correction.first_error)}): {became}"
    yield from panel_notes(receipt.others)
    for improvement in receipt.improvements:
        yield f"- {plain(improvement)}"


def _deltas(found: Regression, paired: "Paired") -> str:
    rows = tuple(
        Row((name, signed(delta), *_interval(paired.by_dimension.get(name))))
        for name, delta in found.deltas.items()
    )
    columns = (
        Column("dimension", "left"),
        Column("delta"),
        Column("95 % interval"),
        Column("p"),
        Column("batches"),
    )
    kept = columns if paired.by_dimension else columns[:2]
    shown = tuple(Row(row.cells[: len(kept)]) for row in rows)
    return text_table(Table(kept, shown), width=_WIDTH, palette=NO_COLOUR)


def _interval(found: "PairedStatistics | None") -> tuple[str, str, str]:
    if found is None:
        return _NONE, _NONE, _NONE
    bounds = (
        _NONE
        if found.lower95 is None or found.upper95 is None
        else f"{to_fixed(found.lower95, 2)} to {to_fixed(found.upper95, 2)}"
    )
    return bounds, to_fixed(found.p_value, 3), str(found.clusters)


def _doubts(found: Regression, paired: "Paired", prior: TakesReceipt) -> Iterator[str]:
    yield f"against the run of {prior.ts}; a drop of more than {number_text(found.threshold)} is a regression"
    if paired.why_none:
        yield f"no interval: {paired.why_none}"
    elif paired.left_out:
        one = paired.left_out == 1
        yield (
            f"{paired.left_out} batch{'es' * (not one)} of this run hold{'s' * one} other takes than then, or other "
            "words: intervals and p are without"
        )
    for each in found.differences:
        yield f"{each.text}: {each.meaning}"
