"""A drift watch's report as what its issue says. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gate.core.drift import Age, Deed, Finding, digest, drifted, finding
from gate.core.report import Report
from gate.github.event import Context, Run
from gate.github.note import bodies, gate_to_find, run_link
from gate.render import drift as words

_REMARKS: Final[Mapping[Deed, Callable[[Report, str], str]]] = {
    "announce": words.changed_set,
    "reopen": words.again,
    "close": words.no_longer,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftNote:
    """What one drift watch found, and its words: the body from the fullest rendition to the shortest, the line about
    an attempt that could not measure, and the remark that goes with a deed."""

    gate: str
    age: Age
    found: Finding
    drifted: str = ""
    title: str = ""
    renditions: tuple[Callable[[], str], ...] = ()
    attempt: str = ""
    remarks: Mapping[Deed, str] = field(default_factory=dict)


def drift_note(report: Report, run: Run) -> DriftNote:
    """The note of a finished watch; EvidenceError for a gate id that is no name, since issues are found by it."""
    link = run_link(run)
    return DriftNote(
        gate=gate_to_find(report),
        age=(run.id, run.attempt),
        found=finding(report),
        drifted=digest(drifted(report)),
        title=words.title(report.gate),
        renditions=bodies(report, run, words.foreword(report)),
        attempt=words.attempt(report, link),
        remarks={deed: said(report, link) for deed, said in _REMARKS.items()},
    )


def note_of_error(gate: str, run: Run, how: str, message: str, at: str) -> DriftNote:
    """The note of a watch that ended in an error, or was stopped, at a moment: it could not measure."""
    return DriftNote(
        gate=gate,
        age=(run.id, run.attempt),
        found="unmeasured",
        attempt=words.failed_attempt(at, how, message, run_link(run)),
    )


def why_no_issue(report: Report, context: Context) -> str:
    """Why a watch leaves the issue alone without looking for it; empty where it looks."""
    if finding(report) == "nothing":
        return "nothing watched has changed, so nothing was measured"
    return why_not_here(context)


def why_not_here(context: Context) -> str:
    """Why a run has no issue to write, whatever it found; empty where it has.

    The issue speaks of the default branch: what another branch measures neither opens nor closes it.
    """
    if not context.event:
        return "this is no workflow"
    branch, default = context.head_ref, context.default_branch
    if branch is not None and default is not None and branch != default:
        return f"this run measured {branch}, and the issue speaks of {default}"
    return ""
