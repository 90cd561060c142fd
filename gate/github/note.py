"""A report as the note that goes below a pull request: our rendition, where it was measured, and its marker. Pure."""

from collections.abc import Callable
from typing import Final, Literal

from gate.core.drift import as_watched
from gate.core.report import Outcome, Report
from gate.errors import EvidenceError
from gate.github.checks import CheckAnnotation, CheckResult, conclusion
from gate.github.comments import Note
from gate.github.event import Run
from gate.github.marker import LONGEST_GATE, Marker
from gate.render.comment import renditions
from gate.render.visible import reveal

_VERDICT_WORDS: Final = {"pass": "Passed", "fail": "Failed", "inconclusive": "Cannot tell"}
_DRIFT_WORDS: Final = {"pass": "No drift", "fail": "Drift", "inconclusive": "Could not measure"}


def note(report: Report, *, head: str, run: Run, foreword: str = "") -> Note:
    """What is to be posted about `head`; `foreword` is Markdown of ours that comes before everything.

    EvidenceError for a gate id that is no name: comments are found again by it.
    """
    marker = Marker(
        gate=gate_to_find(report),
        head=head,
        run=run.id,
        attempt=run.attempt,
        restated=run.restated,
        verdict=report.verdict,
    )
    return Note(marker=marker, renditions=bodies(report, run, foreword), differs=differs(report))


def gate_to_find(report: Report) -> str:
    """The gate's id, by which what was posted is found again; EvidenceError for one that is no name."""
    if not 0 < len(report.gate) <= LONGEST_GATE:
        raise EvidenceError(
            "the gate's id is empty or too long", remedy=f"give it 1 to {LONGEST_GATE} characters"
        )
    return report.gate


def bodies(report: Report, run: Run, foreword: str = "") -> tuple[Callable[[], str], ...]:
    """The renditions from the fullest to the shortest, each with the foreword and the link to the run."""
    before = f"{foreword}\n\n" if foreword else ""
    after = _where(run)
    return tuple(lambda text=text: f"{before}{text()}{after}" for text in renditions(report))


def differs(report: Report) -> bool:
    """Whether the candidate differs from its baseline anywhere: in a value, a ranking, or which questions there are."""
    return any(
        suite.flips_total
        or suite.rankings_changed
        or suite.content_changed
        or suite.baseline_only
        or suite.candidate_only
        or any(one.delta != 0 for one in (*suite.comparisons, *suite.by_type))
        for suite in report.suites
    )


def check_name(report: Report) -> str:
    """A check's name: one for each gate, since checks of one name replace each other."""
    return f"Retrieval Quality Gate ({reveal(report.gate)})"


def check_result(report: Report, run: Run) -> CheckResult:
    """The report as a finished check; every rule that did not hold is a remark beside the configuration."""
    word = _word(report)
    config = report.plan.config
    broken = [outcome for outcome in report.outcomes if outcome.verdict != "pass"] if config else []
    return CheckResult(
        conclusion=conclusion(report.verdict, report.exit_code),
        title=f"{word}: {report.reason}" if report.reason else word,
        renditions=bodies(report, run),
        annotations=tuple(_beside(outcome, config.path if config else "") for outcome in broken),
    )


def _word(report: Report) -> str:
    if report.plan.purpose == "drift":
        return _DRIFT_WORDS[as_watched(report)]
    return _VERDICT_WORDS[report.verdict]


def _beside(outcome: Outcome, path: str) -> CheckAnnotation:
    level: Literal["failure", "warning"] = "failure" if outcome.verdict == "fail" else "warning"
    return CheckAnnotation(
        path=path, line=1, level=level, message=reveal(outcome.message), title=reveal(outcome.rule)
    )


def _where(run: Run) -> str:
    if not run.url:
        return ""
    again = f", attempt {run.attempt}" if run.attempt > 1 else ""
    return f"<sub>{run_link(run)}{again}</sub>\n"


def run_link(run: Run) -> str:
    """A link to the run that measured; empty where none is known."""
    return f"[Summary and artifacts of this run]({run.attempt_url})" if run.url else ""
