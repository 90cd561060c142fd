"""The straight line: a plan goes in, a sealed report comes out, and every arrow has a name."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from gate.core.assemble import Circumstances, assemble, cancelled, not_applicable, timed
from gate.core.findings import Evidence, find
from gate.core.plan import FileRef, Plan
from gate.core.receipt import receipt_bytes, sealed
from gate.core.report import Report, SuiteReport
from gate.core.significance import compare_all, family_size
from gate.core.verdict import decide
from gate.errors import Cancelled
from gate.ports import Output, Ports, QuestionTexts, RowSource, Stopwatch
from gate.render.files import renditions
from gate.suites.evidence import copies_named_by, from_copies, gather

REDERIVED: Final = (
    "verdict",
    "reason",
    "exit_code",
    "regressed",
    "plan_sha256",
    "suites",
    "outcomes",
    "notes",
    "cost_usd",
)


def run(plan: Plan, ports: Ports, *, tool_version: str) -> Report:
    """Rows → compare → decide → receipt → rendered files; the receipt is on disk before anything is shown.

    Cancelled (SIGINT, SIGTERM) on the way, it writes a receipt that says so and raises Cancelled again.
    """
    watch = Stopwatch(ports.clock)
    created_at = ports.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    ports.output.open()
    try:
        ports.progress.stage("reading rows")
        evidence = gather(plan, ports)
        watch.lap("rows")
        copies = keep_rows(evidence, ports.output)
        watch.lap("copies")
        ports.progress.stage("comparing")
        report = derive(plan, evidence, Circumstances(tool_version, created_at, {}, copies))
        watch.lap("compare")
        report = worded(report, ports)
    except Cancelled as stopped:
        facts = Circumstances(tool_version, created_at, watch.laps, {})
        publish(sealed(cancelled(plan, facts, code=int(stopped.exit_code), kept=stopped.kept)), ports.output)
        raise
    finished = sealed(timed(report, watch.laps))
    publish(finished, ports.output)
    return finished


def worded(report: Report, ports: Ports) -> Report:
    """The report with the words of the questions it lists, where the plan shows text; they decide nothing."""
    texts = ports.texts
    if texts is None or not report.plan.show_text:
        return report
    return replace(report, suites=tuple(_worded(suite, texts) for suite in report.suites))


def _worded(suite: SuiteReport, texts: QuestionTexts) -> SuiteReport:
    rows = suite.candidate.rows
    if rows is None or not suite.flips:
        return suite
    found = texts.texts(rows, frozenset(flip.question_id for flip in suite.flips))
    flips = tuple(replace(flip, text=found.get(flip.question_id)) for flip in suite.flips)
    return replace(suite, flips=flips)


def derive(plan: Plan, evidence: Sequence[Evidence], facts: Circumstances) -> Report:
    """Everything the verdict follows from: rows and plan in, report out, the same every time."""
    if plan.watch is not None and not plan.watch.applies:
        return not_applicable(plan, facts)
    findings = compare_all(plan, tuple(find(plan, suite) for suite in evidence))
    outcomes = decide(plan, findings, family=family_size(findings))
    return assemble(plan, findings, outcomes, facts)


def keep_rows(evidence: Sequence[Evidence], output: Output) -> dict[tuple[str, str], FileRef]:
    """Slim copies of both sides' rows below the output folder: the receipt can be verified from them alone."""
    copies = {}
    for suite in evidence:
        sides = (("candidate", suite.candidate), ("baseline", suite.baseline))
        for side, table in sides:
            if table is not None:
                copies[suite.planned.name, side] = output.keep_rows(f"{suite.planned.name}.{side}", table)
    return copies


def publish(report: Report, output: Output) -> None:
    """The receipt first, then what is rendered from it."""
    output.write("receipt.json", receipt_bytes(report))
    for name, text in renditions(report):
        output.write(name, text.encode())


def differences(report: Report, rows: RowSource) -> tuple[str, ...]:
    """Where a report and what its plan and rows say again differ; empty = it re-derives."""
    facts = Circumstances(
        report.tool_version, report.created_at, report.durations_ms, copies_named_by(report)
    )
    again = derive(report.plan, from_copies(report, rows), facts)
    if report.acceptance is not None:
        again = replace(again, reason="acknowledged", exit_code=0)
    return tuple(
        f"{name} differs"
        for name in REDERIVED
        if _comparable(getattr(again, name)) != _comparable(getattr(report, name))
    )


def _comparable(value: object) -> object:
    """A part of a report without what only the original files hold: the readers' remarks, the questions' words."""
    if isinstance(value, tuple):
        return tuple(_comparable(item) for item in value)
    if isinstance(value, SuiteReport):
        baseline = None if value.baseline is None else replace(value.baseline, notes=())
        flips = tuple(replace(flip, text=None) for flip in value.flips)
        return replace(value, candidate=replace(value.candidate, notes=()), baseline=baseline, flips=flips)
    return value
