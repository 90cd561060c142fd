"""Runs of a ledger, or two sets of rows, compared metric by metric: the content of `gate compare`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from gate.core.compare import Pairing
from gate.core.comparison_notes import ledger_notes, left_out, row_notes
from gate.core.metric_pairing import Prepared, Side, prepare
from gate.core.mode_report import MetricComparison, ModeReport, PairReport, UnavailableRun
from gate.core.plan import MetricSpec
from gate.core.records.ledger import NO_MODE, SEARCH_MODES, Ledger, RunRecord, grouped
from gate.core.records.rows import RowTable
from gate.core.stats.holm import holm
from gate.core.stats.paired import PairedSample, compare_paired
from gate.errors import UsageError

PAIRING: Final = Pairing(judge_errors="dropped", abstentions="outside-recall")


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why a run has no rows to compare."""

    reason: str


RowsOf = Callable[[RunRecord], RowTable | Unavailable]
RunPair = tuple[RunRecord, RunRecord]
Groups = Mapping[str, Mapping[str, RunRecord | None]]
Found = Side | UnavailableRun


@dataclass(frozen=True, slots=True)
class Selection:
    """Which runs: filters (empty = all) and, optionally, one pair by run ids."""

    runs: frozenset[str] = frozenset()
    modes: frozenset[str] = frozenset()
    suite: str | None = None
    pair: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """How differences are tested, and what the metrics mean where somebody declared it."""

    draws: int = 10_000
    seed: int = 42
    pairing: Pairing = PAIRING
    metrics: Mapping[str, MetricSpec] = field(default_factory=dict)


def compare_modes(ledger: Ledger, selection: Selection, rows_of: RowsOf, options: Options) -> ModeReport:
    """The records selected, the run that stands for each mode, and their paired comparisons.

    UsageError when a run named for the pair is not in the ledger.
    """
    pairs = None if selection.pair is None else (_named_pair(ledger, selection.pair),)
    records = tuple(record for record in ledger.records if _selected(record, selection))
    groups = grouped(records, named=selection.runs)
    report = compare_pairs(pairs or tuple(_mode_pairs(groups)), rows_of, options)
    notes = (*ledger_notes(ledger), *left_out(records, selection.runs), *report.notes)
    return replace(report, records=records, grouped=groups, notes=notes, ledger=ledger)


def compare_rows(
    baseline: tuple[str, RowTable], candidate: tuple[str, RowTable], options: Options
) -> ModeReport:
    """Two sets of rows, each with the name it goes by; a set without rows is unavailable."""
    first, second = (
        RunRecord(run_id=name, suite="rows", mode=NO_MODE, raw={}) for name, _ in (baseline, candidate)
    )
    tables = {id(first): baseline[1], id(second): candidate[1]}

    def rows_of(record: RunRecord) -> RowTable | Unavailable:
        table = tables[id(record)]
        return table if len(table) else Unavailable(f"per-query file has no question rows: {record.run_id}")

    return compare_pairs([(first, second)], rows_of, options)


def compare_pairs(pairs: Sequence[RunPair], rows_of: RowsOf, options: Options) -> ModeReport:
    """Every pair of runs: resamples shared, Holm over all comparisons of the report."""
    found = _looked_up(pairs, rows_of)
    prepared = [_prepared(pair, found, options) for pair in pairs]
    return ModeReport(
        draws=options.draws,
        seed=options.seed,
        pairs=_tested(prepared, options),
        unavailable=tuple(run for run in found.values() if isinstance(run, UnavailableRun)),
        notes=(
            *(note for side in found.values() for note in _read_notes(side)),
            *(note for one in prepared for note in one.notes),
        ),
    )


def _selected(record: RunRecord, selection: Selection) -> bool:
    return (
        selection.suite in (None, record.suite)
        and (not selection.runs or record.run_id in selection.runs)
        and (not selection.modes or record.mode in selection.modes)
    )


def _named_pair(ledger: Ledger, names: tuple[str, str]) -> RunPair:
    """The first record of each id in the whole ledger, whatever its status."""
    baseline, candidate = names
    return _named(ledger, "baseline", baseline), _named(ledger, "candidate", candidate)


def _named(ledger: Ledger, role: str, run_id: str) -> RunRecord:
    record = ledger.find(run_id)
    if record is None:
        from difflib import get_close_matches

        known = tuple(dict.fromkeys(record.run_id for record in ledger.records))
        near = get_close_matches(run_id, known, n=1)
        raise UsageError(
            f"{role} run {run_id} is not in the ledger",
            remedy=f"did you mean {near[0]}?" if near else "name a run_id of the ledger",
        )
    return record


def _mode_pairs(groups: Groups) -> Iterator[RunPair]:
    """Per suite, every two present modes in the order of the search modes, the earlier as baseline."""
    for modes in groups.values():
        present = [record for mode in SEARCH_MODES if (record := modes[mode]) is not None]
        yield from combinations(present, 2)


def _looked_up(pairs: Sequence[RunPair], rows_of: RowsOf) -> Mapping[int, Found]:
    """The rows of every run in a pair, read once, in lookup order; by identity: run ids are not unique."""
    found: dict[int, Found] = {}
    for record in (record for pair in pairs for record in pair):
        if id(record) not in found:
            found[id(record)] = _found(record, rows_of(record))
    return found


def _found(record: RunRecord, rows: RowTable | Unavailable) -> Found:
    if isinstance(rows, Unavailable):
        return UnavailableRun(run_id=record.run_id, reason=rows.reason)
    return Side(record=record, table=rows)


def _read_notes(found: Found) -> Iterator[str]:
    if isinstance(found, Side):
        yield from row_notes(found.record, found.table)


def _prepared(pair: RunPair, found: Mapping[int, Found], options: Options) -> Prepared:
    baseline, candidate = (found[id(record)] for record in pair)
    if isinstance(baseline, UnavailableRun) or isinstance(candidate, UnavailableRun):
        return Prepared(PairReport(baseline=pair[0], candidate=pair[1]))
    return prepare(baseline, candidate, pairing=options.pairing, declared=options.metrics)


def _tested(prepared: Sequence[Prepared], options: Options) -> tuple[PairReport, ...]:
    samples = [
        PairedSample(metric.pairs.clusters, metric.pairs.baseline, metric.pairs.candidate)
        for one in prepared
        for metric in one.metrics
    ]
    results = compare_paired(samples, draws=options.draws, seed=options.seed) if samples else ()
    tested = zip(results, holm([result.p_value for result in results]), strict=True)
    return tuple(
        replace(
            one.report,
            comparisons=tuple(
                MetricComparison(
                    metric=metric.metric,
                    better=metric.better,
                    statistics=statistics,
                    holm_p_value=adjusted,
                    not_measured=metric.pairs.not_measured,
                    judge_errors=metric.pairs.judge_errors,
                    abstentions=metric.pairs.abstentions,
                )
                for metric, (statistics, adjusted) in zip(one.metrics, tested, strict=False)
            ),
        )
        for one in prepared
    )
