"""What gbrain itself reports about a replay (`eval replay --json --verbose`) and a gate (`eval gate --json`)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.replay.captures import Capture

_Amount = Annotated[float, Meta(ge=0)]
_Count = Annotated[int, Meta(ge=0)]


class ReportError(ValueError):
    """The output is no report of that kind; says what was expected. It repeats nothing of the output."""


class ReportedRow(Struct, frozen=True, kw_only=True):
    """One query as gbrain replayed it; skipped and errored rows have no pages that mean anything."""

    tool_name: str
    query: str
    current_slugs: tuple[str, ...] = ()
    current_latency_ms: _Amount | None = None
    skipped: bool = False
    errored: bool = False
    error_message: str | None = None


class ReplayReport(Struct, frozen=True, kw_only=True):
    """A replay, row by row; `results` is there only with --verbose."""

    schema_version: Literal[1]
    results: tuple[ReportedRow, ...]


class GateBreach(Struct, frozen=True, kw_only=True):
    """A threshold that gbrain's own gate found missed."""

    metric: str
    observed: float | None = None
    threshold: float | None = None
    reason: str | None = None


class ReplaySummary(Struct, frozen=True, kw_only=True):
    """The part of a regression gate's summary that its verdict leaves out."""

    rows_replayed: _Count = 0
    rows_errored: _Count = 0


class QrelsSummary(Struct, frozen=True, kw_only=True):
    """The same of a correctness gate."""

    queries_run: _Count = 0
    queries_errored: _Count = 0


class RegressionGate(Struct, frozen=True, kw_only=True):
    """The replay half of gbrain's gate."""

    ran: bool
    summary: ReplaySummary = ReplaySummary()
    latency_skipped: bool = False
    breaches: tuple[GateBreach, ...] = ()


class CorrectnessGate(Struct, frozen=True, kw_only=True):
    """The qrels half of gbrain's gate."""

    ran: bool
    summary: QrelsSummary = QrelsSummary()
    breaches: tuple[GateBreach, ...] = ()


class GateReport(Struct, frozen=True, kw_only=True):
    """What gbrain's own gate says."""

    schema_version: Literal[1]
    verdict: Literal["pass", "fail"]
    regression_gate: RegressionGate
    correctness_gate: CorrectnessGate


_Kind = TypeVar("_Kind", ReplayReport, GateReport)

_REPLAY_KEY: Final = "summary"
_GATE_KEY: Final = "verdict"


def read_replay_report(output: bytes) -> ReplayReport:
    """The report in what a replay printed, over one line or several; ReportError when there is none."""
    return _report(output, _REPLAY_KEY, ReplayReport)


def read_gate_report(output: bytes) -> GateReport:
    """The report in what gbrain's gate printed; ReportError when there is none."""
    return _report(output, _GATE_KEY, GateReport)


def objections(report: GateReport) -> tuple[str, ...]:
    """Why a run is no pass, whatever its verdict says: breaches, errors, and halves that measured nothing."""
    return tuple(_objections(report))


def matched(report: ReplayReport, captures: Sequence[Capture]) -> tuple[ReportedRow, ...]:
    """A row for each capture, in their order; ReportError when the report is about other queries."""
    if len(report.results) != len(captures):
        raise ReportError(f"expected {len(captures)} results, found {len(report.results)}")
    for place, (row, capture) in enumerate(zip(report.results, captures, strict=True)):
        if (row.tool_name, row.query) != (capture.tool, capture.query):
            raise ReportError(f"results[{place}] is not about the capture in that place")
    return report.results


def _objections(report: GateReport) -> Iterator[str]:
    regression, correctness = report.regression_gate, report.correctness_gate
    for breach in (*regression.breaches, *correctness.breaches):
        yield _breach(breach)
    for what, ran, run, errored in (
        ("replay", regression.ran, regression.summary.rows_replayed, regression.summary.rows_errored),
        ("qrels", correctness.ran, correctness.summary.queries_run, correctness.summary.queries_errored),
    ):
        if errored:
            yield f"{what}: {errored} queries are errors"
        if ran and not run:
            yield f"{what}: nothing was measured"
    if not regression.ran and not correctness.ran:
        yield "neither half of the gate ran"
    if report.verdict == "fail":
        yield "its own verdict is fail"


def _breach(breach: GateBreach) -> str:
    if breach.observed is None or breach.threshold is None:
        return f"{breach.metric}: {breach.reason or 'missed'}"
    return f"{breach.metric}: {breach.observed:g}, the threshold is {breach.threshold:g}"


def _report(output: bytes, key: str, kind: type[_Kind]) -> _Kind:
    found = next((each for each in _objects(output) if key in each), None)
    if found is None:
        raise ReportError(f"no JSON object with `{key}` in the output")
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise ReportError(str(error)) from error


def _objects(output: bytes) -> Iterator[dict[str, object]]:
    """The whole output where it is one object, else every line that is one."""
    for text in (output, *output.splitlines()):
        try:
            value = strict_loads(text)
        except StrictJsonError:
            continue
        if isinstance(value, dict):
            yield value
