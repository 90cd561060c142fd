"""The comparison as JSON: the contract's keys in the contract's order, our additions behind them."""

from collections.abc import Iterator, Mapping

from gate.core.glossary import lookup
from gate.core.mode_report import MetricComparison, ModeReport, PairReport
from gate.core.records.ecmascript import json_text
from gate.core.report import FieldDiff
from gate.render.methodology import methodology

Json = Mapping[str, object]


def compare_json(report: ModeReport) -> str:
    """What `gate compare --json` prints: schema_version 2, indent 2, no trailing newline."""
    return json_text(_document(report), indent=2)


def _document(report: ModeReport) -> Json:
    document: dict[str, object] = {
        "schema_version": 2,
        "records": [record.raw for record in report.records],
        "grouped": _grouped(report),
        "paired": [_paired(pair, found) for pair in report.pairs for found in pair.comparisons],
        "paired_unavailable": [{"run_id": run.run_id, "reason": run.reason} for run in report.unavailable],
        "_meta": {"metric_glossary": _glossary(report), "methodology": methodology(report)},
        "notes": list(report.notes),
        "incomparable": [entry for pair in report.pairs for entry in _incomparable(pair)],
        "differs": [_differs(pair) for pair in report.pairs if pair.differs],
    }
    if report.ledger is not None:
        document["ledger"] = {
            "missing": report.ledger.missing,
            "records": len(report.ledger.records),
            "skipped": dict(report.ledger.skipped),
            "duplicate_run_ids": list(report.ledger.duplicate_run_ids),
        }
    return document


def _grouped(report: ModeReport) -> Json:
    return {
        suite: {mode: None if record is None else record.raw for mode, record in modes.items()}
        for suite, modes in report.grouped.items()
    }


def _paired(pair: PairReport, found: MetricComparison) -> Json:
    statistics = found.statistics
    return {
        **_runs(pair),
        "baseline_mode": pair.baseline.mode,
        "candidate_mode": pair.candidate.mode,
        "metric": found.metric,
        "n": statistics.n,
        "clusters": statistics.clusters,
        "baseline_mean": statistics.baseline_mean,
        "candidate_mean": statistics.candidate_mean,
        "delta": statistics.delta,
        "ci95": [statistics.lower95, statistics.upper95],
        "p_value": statistics.p_value,
        "wins": statistics.wins,
        "losses": statistics.losses,
        "ties": statistics.ties,
        "holm_p_value": found.holm_p_value,
        "significant": found.significant,
        **_additions(pair, found),
    }


def _additions(pair: PairReport, found: MetricComparison) -> Json:
    """Ours alone: optional keys, behind those of the contract."""
    statistics = found.statistics
    return {
        "better": found.better,
        "adverse": found.adverse,
        "p_method": statistics.p_method,
        "ci_method": statistics.ci_method,
        "draws": statistics.draws,
        "seed": statistics.seed,
        "nontied_clusters": statistics.nontied_clusters,
        "smallest_attainable_p": statistics.smallest_attainable_p,
        "baseline_only": pair.baseline_only,
        "candidate_only": pair.candidate_only,
        "not_measured": found.not_measured,
        "judge_errors": found.judge_errors,
        "abstentions": found.abstentions,
    }


def _runs(pair: PairReport) -> Json:
    return {
        "suite": pair.suite,
        "baseline_run": pair.baseline.run_id,
        "candidate_run": pair.candidate.run_id,
    }


def _incomparable(pair: PairReport) -> Iterator[Json]:
    for item in pair.incomparable:
        yield {**_runs(pair), "metric": item.metric, "fields": [_field(diff) for diff in item.fields]}


def _differs(pair: PairReport) -> Json:
    return {**_runs(pair), "fields": [_field(diff) for diff in pair.differs]}


def _field(diff: FieldDiff) -> Json:
    return {"field": diff.field, "baseline": diff.baseline, "candidate": diff.candidate}


def _glossary(report: ModeReport) -> Json:
    """What the metrics shown mean; metrics nobody has described are left out."""
    names = [name for record in report.records for name in record.aggregates]
    names += [found.metric for found in report.comparisons]
    if report.comparisons:
        names += ["p_value", "confidence_interval"]
    entries = ((name, lookup(name)) for name in dict.fromkeys(names))
    return {name: entry.text for name, entry in entries if entry is not None}
