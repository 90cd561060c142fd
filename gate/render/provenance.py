"""Where the numbers come from: commits, runs, ages, methods, and how to get them again."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from gate.core.plan import PlannedBaseline, Purpose
from gate.core.report import Report, SideReport, SuiteReport
from gate.core.wording import counted
from gate.render.comparability import statement
from gate.render.dialect import Dialect
from gate.render.gated import every_comparison, family
from gate.render.numbers import count, usd

_COMMANDS: Final[Mapping[Purpose, str]] = {"drift": "gate drift", "sweep": "gate sweep"}
"""What repeats a run that is not the plain gate's."""
_OUT: Final = "gate-out"
_COMMIT_SHOWN: Final = 7
_NO_METHOD: Final = "degenerate"
_METHODS: Final[Mapping[str, str]] = {
    "exact-sign-flip": "exact sign flips",
    "monte-carlo-sign-flip": "Monte Carlo sign flips",
    "percentile-bootstrap": "percentile bootstrap",
    _NO_METHOD: "nothing (no value differs)",
}
_DIGEST_SHOWN: Final = 12


def provenance(report: Report, dialect: Dialect) -> str:
    """One line: which commit against which, how the baseline was chosen, how old, how many questions."""
    parts = [
        f"candidate {_commit(report.plan.commits.head, dialect)}",
        _baseline(report, dialect),
        *_paired(report),
        *_cost(report),
    ]
    line = " · ".join(parts)
    return line[:1].upper() + line[1:]


def footer(report: Report, dialect: Dialect) -> str:
    """Gate, sameness, methods and the receipt's digest."""
    parts = (
        f"gate {dialect.name(report.gate)}" + (" (advisory)" if report.mode == "advisory" else ""),
        statement(report),
        methods(report, dialect),
        receipt(report, dialect),
    )
    return " · ".join(part for part in parts if part)


def receipt(report: Report, dialect: Dialect) -> str:
    """The receipt by the beginning of its digest."""
    digest = report.receipt_sha256
    return (
        f"receipt {dialect.name(digest[:_DIGEST_SHOWN])}" if isinstance(digest, str) else "receipt not sealed"
    )


def methods(report: Report, dialect: Dialect) -> str:
    """How p and the intervals were computed, and over what Holm ran."""
    compared = list(every_comparison(report))
    if not compared:
        return ""
    p = _joined((one.p_method for one in compared), dialect)
    interval = _joined((one.ci_method for one in compared), dialect)
    stats = report.plan.stats
    drawn = f"{count(stats.draws)} draws, seed {dialect.prose(str(stats.seed))}"
    return f"p by {p}, intervals by {interval} ({drawn}) · {_holm(family(report))}{_floored(report)}"


def _holm(size: int) -> str:
    if not size:
        return "no comparison is gated, so none is adjusted"
    if size == 1:
        return "one gated comparison, nothing to adjust"
    return f"Holm over {count(size)} gated comparisons, intervals unadjusted"


def _floored(report: Report) -> str:
    """That a p was counted as larger than it was drawn, where that happened to a gated comparison."""
    raised = any(one.gated and one.p_value < one.smallest_attainable_p for one in every_comparison(report))
    return ", p never below the smallest attainable" if raised else ""


def age(report: Report, side: SideReport) -> str:
    """ "2 h old" at the time of this run; empty where a date is missing, unreadable or in the future."""
    made, ran = _moment(report.created_at), _moment(side.ran_at or "")
    if made is None or ran is None or made < ran:
        return ""
    return f"{_elapsed(made - ran)} old"


def commands(report: Report) -> tuple[str, ...]:
    """Shell lines that repeat this decision and check its receipt."""
    config, out = report.plan.config, _out(report)
    command = _COMMANDS.get(report.plan.purpose, "gate run")
    run = command if config is None else f"{command} --config {_word(config.path)}"
    elsewhere = "" if out == _OUT else f" --out {_word(out)}"
    verify = (f"gate verify {_word(f'{out}/receipt.json')}",) if report.complete else ()
    return (f"{run}{elsewhere}", *verify, *_compare_again(report))


def _out(report: Report) -> str:
    """The folder this run wrote to: the rows it kept lie below it."""
    copies = (suite.candidate.copy for suite in report.suites)
    folders = (copy.path.rpartition("/rows/")[0] for copy in copies if copy is not None)
    return next(filter(None, folders), _OUT)


def _compare_again(report: Report) -> Iterator[str]:
    """The numbers alone, from the row files."""
    stats, config = report.plan.stats, report.plan.config
    directions = "" if config is None else f" --config {_word(config.path)}"
    for suite in report.suites:
        ours = suite.candidate.copy or suite.candidate.rows
        theirs = None if suite.baseline is None else suite.baseline.copy or suite.baseline.rows
        if ours is not None and theirs is not None:
            files = f"{_word(theirs.path)} {_word(ours.path)}"
            yield f"gate compare --rows {files} --draws {stats.draws} --seed {stats.seed}{directions}"


def _word(path: str) -> str:
    return shlex.quote(path)


def _commit(commit: str | None, dialect: Dialect) -> str:
    return "commit unknown" if commit is None else dialect.name(commit[:_COMMIT_SHOWN])


def _baseline(report: Report, dialect: Dialect) -> str:
    """What was compared with: the moving baseline and, where there is one, the release anchor beside it."""
    watch = report.plan.watch
    if watch is not None and not watch.applies:
        return "nothing compared"
    anchored = _anchored(report)
    moving = [suite for suite in report.suites if suite.name not in anchored]
    fixed = [suite for suite in report.suites if suite.name in anchored]
    parts = [_source(report, report.plan.baseline, moving, dialect) or "no baseline in the config"]
    anchor = _source(report, report.plan.anchor, fixed, dialect)
    return " · ".join([*parts, f"release anchor: {anchor}"] if anchor else parts)


def _anchored(report: Report) -> frozenset[str]:
    """The suites that are the same questions once more, compared with the release anchor."""
    return frozenset(planned.name for planned in report.plan.suites if planned.anchored is not None)


def _source(
    report: Report, planned: PlannedBaseline | None, suites: Sequence[SuiteReport], dialect: Dialect
) -> str:
    if planned is None:
        return ""
    sides = [suite.baseline for suite in suites if suite.baseline is not None]
    begun = bool(report.suites) or report.complete
    if not sides and planned.source and not report.complete and not (begun and planned.problems):
        return f"baseline {dialect.name(planned.source)}, not compared with"
    if not sides:
        return (
            f"no usable baseline in {dialect.name(planned.source)}"
            if planned.source
            else "no usable baseline"
        )
    side = sides[0]
    base = report.plan.commits.base if planned is report.plan.baseline else None
    commit = side.commit or base
    named = _commit(commit, dialect) if commit else dialect.name(side.run_id or planned.source)
    details = [dialect.prose(planned.chosen)] if planned.chosen else []
    details += filter(None, [age(report, side)])
    return f"baseline {named}" + (f" ({', '.join(details)})" if details else "")


def _paired(report: Report) -> list[str]:
    own = [suite for suite in report.suites if suite.name not in _anchored(report)]
    compared = [suite for suite in own if suite.baseline is not None]
    if not compared:
        return [f"{counted(sum(suite.candidate.questions for suite in own), 'question')} measured"]
    paired = sum(suite.paired for suite in compared)
    single = sum(suite.baseline_only + suite.candidate_only + suite.content_changed for suite in compared)
    return [
        f"{counted(paired, 'question')} on both sides" + (f", {count(single)} not paired" if single else "")
    ]


def _cost(report: Report) -> list[str]:
    return [] if report.cost_usd is None else [f"cost {usd(report.cost_usd)}"]


def _joined(found: Iterator[str], dialect: Dialect) -> str:
    """Method names in words, each once, in the order they appear; where nothing differs there is no method."""
    names = list(dict.fromkeys(found))
    used = [name for name in names if name != _NO_METHOD] or names
    return " and ".join(_METHODS.get(name) or dialect.prose(name) for name in used)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _elapsed(passed: timedelta) -> str:
    hours = passed // timedelta(hours=1)
    if hours < 1:
        return f"{passed // timedelta(minutes=1)} min"
    return f"{hours} h" if hours < 48 else f"{hours // 24} d"
