"""A drift watch: what changed since the reference, what a run found, and what becomes of the gate's one issue."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.plan import Drifted, Plan, PlannedBaseline
from gate.core.report import Outcome, Report, Verdict
from gate.core.watch import matches

Age = tuple[int, int]
"""A run and its attempt: what is measured later is greater."""

Finding = Literal["drift", "clean", "unmeasured", "nothing"]
"""drift: what was measured failed; clean: everything was measured and every rule held; unmeasured: it could not be
told; nothing: nothing was to be measured."""

Deed = Literal["open", "edit", "announce", "reopen", "close", "remark", "leave"]
"""edit is silent, announce edits and comments, remark says in the body that an attempt could not measure."""

NO_WATCH_LIST: Final = "the configuration has no watch list (`watch`)"
NO_REFERENCE: Final = "there is no reference"
UNDATED: Final = "the reference does not say which commit it was measured at"
_NOTHING_MEASURED: Final = frozenset(
    {"suite_failed", "errors_over_limit", "invalid_receipt", "schema_mismatch"}
)
"""Why a rule fails though nothing is known to be worse: the system gave no answers, or the reference is broken."""


@dataclass(frozen=True, slots=True)
class References:
    """The commits a watch looks back to, the one farthest back first; `unknown` says why one is missing."""

    commits: tuple[str, ...] = ()
    unknown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What git tells about the references: first-parent commits since the first of them, the paths that differ since
    any of them, what no commit holds. None = it cannot tell; where that matters `unknown` says why."""

    commits: int | None = None
    files: tuple[str, ...] | None = None
    local: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def references(plan: Plan, distance: Callable[[str], int | None]) -> References:
    """The commits that the plan's baseline, else its anchor, was measured at: suites may have one each."""
    sources = [source for source in (plan.baseline, plan.anchor) if source is not None]
    dated = next((source for source in sources if _commits(source)), None)
    if dated is None:
        measured = any(source.rows for source in sources)
        return References(unknown=UNDATED if measured else _why_none(sources))
    undated = next((rows.suite for rows in dated.rows if rows.commit is None), None)
    return References(
        tuple(sorted(_commits(dated), key=lambda commit: -(distance(commit) or 0))),
        unknown="" if undated is None else f"{undated}: {UNDATED}",
    )


def _commits(source: PlannedBaseline) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rows.commit for rows in source.rows if rows.commit is not None))


def _why_none(sources: Sequence[PlannedBaseline]) -> str:
    said = next((problem.message for source in sources for problem in source.problems), "")
    return f"{NO_REFERENCE}: {said}" if said else NO_REFERENCE


def drifted_since(found: References, patterns: Sequence[str], changes: Changes) -> Drifted:
    """What of the changes is watched, and why not everything can be told."""
    lacking = (found.unknown, "" if patterns else NO_WATCH_LIST, *changes.unknown)
    files = changes.files or ()
    local = tuple(path for path in changes.local if matches(patterns, path))
    return Drifted(
        reference=next(iter(found.commits), None),
        commits=changes.commits,
        changed=None if changes.files is None else len(files),
        matched=tuple(path for path in files if matches(patterns, path)),
        local=local,
        local_others=len(changes.local) - len(local),
        patterns=tuple(patterns),
        unknown=tuple(why for why in lacking if why),
    )


def finding(report: Report) -> Finding:
    """What a finished drift watch found. A policy that lets an inconclusive run through makes no pass of it."""
    if report.reason == "not_applicable":
        return "nothing"
    said = as_watched(report)
    if said == "fail":
        return "drift"
    compared = all(outcome.reason != "introducing" for outcome in report.outcomes)
    whole = report.complete and compared and not report.left_out
    return "clean" if said == "pass" and whole else "unmeasured"


def as_watched(report: Report) -> Verdict:
    """The verdict as a watch says it: where no measurement failed, it is not known whether anything drifts."""
    if report.verdict != "fail":
        return report.verdict
    return "inconclusive" if only_broken(report.outcomes, report.reason) else "fail"


def only_broken(outcomes: Sequence[Outcome], reason: str | None = None) -> bool:
    """Whether all that failed is the measuring itself: the system gave no answers, or the reference is broken.

    `reason` stands in where no outcome failed.
    """
    failed = {outcome.reason for outcome in outcomes if outcome.verdict == "fail"}
    return _NOTHING_MEASURED.issuperset(failed or {reason})


def drifted(report: Report) -> tuple[str, ...]:
    """Everything that drifted, each by suite, rule and question types; sorted, so that equal sets are equal."""
    return tuple(sorted({_name(outcome) for outcome in report.outcomes if _has_drifted(outcome)}))


def _has_drifted(outcome: Outcome) -> bool:
    return outcome.verdict == "fail" and outcome.reason not in _NOTHING_MEASURED


def _name(outcome: Outcome) -> str:
    place = "" if outcome.suite is None else f"{outcome.suite}: "
    types = f" ({', '.join(sorted(outcome.types))})" if outcome.types else ""
    return f"{place}{outcome.rule}{types}"


def digest(names: Sequence[str]) -> str:
    """A short digest of a set of names; the same whatever their order, empty for none."""
    text = "\n".join(sorted(set(names)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if names else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The gate's issue as it stands: whether it is open, which run's state it shows, what had drifted then."""

    is_open: bool
    measured: Age
    tried: Age = (0, 0)
    """The last run that could not measure."""
    drifted: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do, and why, where nothing is done."""

    deed: Deed
    reason: str = ""


def choose(found: Finding, age: Age, names: str, standing: Standing | None) -> Choice:
    """What becomes of the gate's issue; `names` is the digest of what drifted, `standing` None = there is none."""
    if found == "nothing":
        return Choice("leave", "nothing watched has changed, so nothing was measured")
    if standing is not None and standing.measured > age:
        return Choice("leave", f"run {standing.measured[0]} has measured since run {age[0]} was started")
    if found == "drift":
        return _drifting(names, standing)
    if standing is None or not standing.is_open:
        return Choice("leave", "there is no open issue of this gate")
    if found == "clean":
        return _clean(age, standing)
    if standing.tried > age:
        return Choice("leave", f"run {standing.tried[0]} has tried since run {age[0]} was started")
    return Choice("remark")


def _drifting(names: str, standing: Standing | None) -> Choice:
    if standing is None:
        return Choice("open")
    if not standing.is_open:
        return Choice("reopen")
    return Choice("edit" if standing.drifted == names else "announce")


def _clean(age: Age, standing: Standing) -> Choice:
    if standing.measured == age and standing.drifted:
        return Choice("leave", "another job of this run reports drift under the same gate id")
    return Choice("close")
