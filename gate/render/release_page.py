"""The release page: the verdict, the search modes side by side, wins and losses, the cost, and how to do it again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from gate.core.mode_margins import Margin, ModeMargins
from gate.core.records.ledger import NO_MODE
from gate.core.release import Lead, ModeMetric, Release, ReleasedRun, ReleasedSuite
from gate.core.report import Report
from gate.core.sweep import QUESTIONS, guessed
from gate.core.wording import counted
from gate.render.changes import arrow, gain
from gate.render.comment import alert, gates
from gate.render.dialect import MARKDOWN
from gate.render.left_out import left_out, left_out_summary
from gate.render.markdown import blocks, folded, listing, small
from gate.render.neutral import block, code
from gate.render.numbers import DASH, NOISE, Scale, count, p_value, scale, usd
from gate.render.provenance import footer, provenance
from gate.render.summary import summary
from gate.render.tables import Column, Row, Table, markdown_table

_TITLE: Final = "# Release sweep"
_ELSEWHERE: Final = "`release.md` and `modes.md` hold everything."
_ABSENT: Final = "not stated by any row or receipt"
_MODELS: Final = ("embedder", "reranker")
_MODEL: Final = "_model"
_JUDGE: Final = "judge_model"
_SHORTEST_DIGEST: Final = 40
_LONGEST: Final = 128
_COMMIT_SHOWN: Final = 12
_PATHS_SHOWN: Final = 5


def release_page(report: Report, release: Release) -> str:
    """The whole page, as Markdown that ends with a line end."""
    return (
        blocks(
            *_head(report, release),
            gates(report),
            _left_out(report),
            *_side_by_side(release, gated_only=False),
            *_margins(release),
            blocks("## Left out and noted", listing(left_out(report, MARKDOWN).lines) or "Nothing."),
            _cost(report, release),
            _again(report, release),
            small(footer(report, MARKDOWN)),
        )
        + "\n"
    )


def renditions(report: Report, release: Release) -> tuple[Callable[[], str], ...]:
    """What a job summary begins with, from the fullest: the page with everything measured, the page, the short page."""
    return (
        lambda: (
            f"{release_page(report, release)}\n{folded('Everything that was measured', summary(report))}\n"
        ),
        lambda: release_page(report, release),
        lambda: _short(report, release),
    )


def _short(report: Report, release: Release) -> str:
    return (
        blocks(
            *_head(report, release),
            *_side_by_side(release, gated_only=True),
            _totals(release),
            left_out_summary(left_out(report, MARKDOWN)),
            small(
                f"Left out here for its size: other metrics, single questions, digests, commands. {_ELSEWHERE}"
            ),
        )
        + "\n"
    )


def _head(report: Report, release: Release) -> tuple[str, ...]:
    """What either page begins with."""
    return _TITLE, _measured(report, release), alert(report), provenance(report, MARKDOWN)


def _measured(report: Report, release: Release) -> str:
    """One line: which gate, which system, at which commit, when."""
    commit = report.plan.commits.measured
    at = "commit unknown" if commit is None else f"commit {MARKDOWN.name(commit[:_COMMIT_SHOWN])}"
    systems = dict.fromkeys(
        _system(run.report.candidate.fingerprints) for suite in release.suites for run in suite.runs
    )
    known = ", ".join(filter(None, systems)) or _ABSENT
    changed = f" with {counted(len(release.uncommitted), 'uncommitted file')}" if release.uncommitted else ""
    when = MARKDOWN.prose(report.created_at)
    return f"Gate {MARKDOWN.name(report.gate)} · system {known} · {at}{changed} · {when}"


def _system(stated: Mapping[str, str]) -> str:
    """A system and its version, as the rows of a suite state them; empty where they name none."""
    name, version = stated.get("system"), stated.get("system_version")
    if name is None:
        return ""
    return f"{MARKDOWN.name(name)} {'(no version stated)' if version is None else MARKDOWN.name(version)}"


def _left_out(report: Report) -> str:
    lines = [
        f"{MARKDOWN.name(each.suite)} was left out: {MARKDOWN.prose(each.why)}"
        for each in report.plan.left_out
    ]
    return listing(lines)


def _side_by_side(release: Release, *, gated_only: bool) -> Iterator[str]:
    yield "## Search modes side by side"
    for suite in release.suites:
        yield f"### {MARKDOWN.label(suite.name)}"
        yield markdown_table(_modes_table(suite, gated_only=gated_only)) or "Nothing was measured."
        yield listing(_remarks(suite))


def _modes_table(suite: ReleasedSuite, *, gated_only: bool) -> Table:
    """One row a metric, one column a mode; what a rule gates is marked, and always shown."""
    gated = [each for each in suite.metrics if each.gated]
    shown = gated if gated_only and gated else suite.metrics
    several = len(suite.runs) > 1
    columns = (
        Column("metric", "left"),
        *(Column(_mode_title(run)) for run in suite.runs),
        *((Column("best − next best [95 % CI]", "left", wraps=True),) if several else ()),
    )
    rows = (
        Row(
            (
                _metric(metric),
                *(_mean(metric, run) for run in suite.runs),
                *((_lead(metric),) if several else ()),
            )
        )
        for metric in shown
    )
    return Table(columns, tuple(rows))


def _mode_title(run: ReleasedRun) -> str:
    mode = "measured" if run.mode == NO_MODE else MARKDOWN.label(run.mode)
    return f"{mode}\n{counted(run.report.candidate.questions, 'question')}"


def _metric(metric: ModeMetric) -> str:
    name = f"{MARKDOWN.label(metric.metric)}{arrow(metric.better)}"
    return f"{name} (gated)" if metric.gated else name


def _scale(metric: ModeMetric) -> Scale:
    return scale(metric.unit, *(mean.mean for mean in metric.means.values()))


def _mean(metric: ModeMetric, run: ReleasedRun) -> str:
    mean = metric.means.get(run.mode)
    if mean is None:
        return DASH
    shown = _scale(metric).value(mean.mean)
    lead = metric.lead
    ahead = lead is not None and lead.best == run.mode and lead.significant and not _trails(metric, lead)
    return MARKDOWN.strong(shown) if ahead else shown


def _trails(metric: ModeMetric, lead: Lead) -> bool:
    """Whether the mode with the best mean is the worse one on the questions that both measured."""
    return lead.delta is not None and gain(metric.better, lead.delta) <= -NOISE


def _lead(metric: ModeMetric) -> str:
    lead = metric.lead
    if lead is None:
        return "no direction is declared" if metric.better is None else DASH
    pair = f"{MARKDOWN.label(lead.best)} − {MARKDOWN.label(lead.next_best)}"
    if lead.delta is None:
        return f"{pair}: {MARKDOWN.prose(lead.why)}"
    turned = f", the other way on the {counted(lead.n, 'question')} that both measured"
    rest = turned if _trails(metric, lead) else ""
    return f"{pair}: {_difference(_scale(metric), lead, lead.delta)}{rest}"


def _difference(measure: Scale, lead: Lead, delta: float) -> str:
    if abs(delta) < NOISE:
        return f"equal on {counted(lead.n, 'question')}"
    interval = measure.interval(lead.lower95, lead.upper95)
    said = "significant" if lead.significant else "not significant"
    return f"{measure.delta(delta)}{measure.delta_suffix} {interval}, {said} (Holm p {p_value(lead.holm_p_value)})"


def _remarks(suite: ReleasedSuite) -> Iterator[str]:
    for run in suite.runs:
        if run.failed is not None:
            yield f"{MARKDOWN.name(run.report.name)} is recorded as failed: {MARKDOWN.prose(run.failed)}"


def _margins(release: Release) -> Iterator[str]:
    told = [suite for suite in release.suites if suite.margins]
    if told:
        yield "## Wins and losses, question by question"
        yield (
            "Each mode against the best of the others: the questions it wins and loses by the greatest margin."
        )
    for suite in told:
        metric = next(each for each in suite.metrics if each.metric == suite.judged_by)
        yield f"### {MARKDOWN.label(suite.name)}, by {MARKDOWN.label(metric.metric)}{arrow(metric.better)}"
        differ = any(each.won or each.lost for each in suite.margins)
        table = markdown_table(_margin_table(suite.margins, _scale(metric)))
        yield table if differ else "No question has another value in another mode."


def _margin_table(found: Sequence[ModeMargins], measure: Scale) -> Table:
    columns = (
        Column("mode", "left"),
        Column("against", "left"),
        Column("won / lost / tied"),
        Column("greatest wins", "left", wraps=True),
        Column("greatest losses", "left", wraps=True),
    )
    rows = (
        Row(
            (
                MARKDOWN.label(each.mode),
                MARKDOWN.label(each.against),
                " / ".join(map(count, (each.won, each.lost, each.tied))),
                _questions(each.wins, measure),
                _questions(each.losses, measure),
            )
        )
        for each in found
    )
    return Table(columns, tuple(rows))


def _questions(found: Sequence[Margin], measure: Scale) -> str:
    return "\n".join(_question(each, measure) for each in found) or "none"


def _question(margin: Margin, measure: Scale) -> str:
    words = "" if margin.text is None else f" ({MARKDOWN.label(margin.text)})"
    return f"{MARKDOWN.name(margin.question_id)}{words} by {measure.size(abs(margin.margin))}"


def _cost(report: Report, release: Release) -> str:
    columns = (
        Column("suite", "left", wraps=True),
        Column("mode", "left"),
        Column("questions"),
        Column("errors"),
        Column("time"),
        Column("cost", "left", wraps=True),
    )
    rows = tuple(_cost_row(run) for suite in release.suites for run in suite.runs)
    return blocks(
        "## What it cost",
        markdown_table(Table(columns, rows)),
        listing(_sums(report, release)),
        _totals(release),
    )


def _cost_row(run: ReleasedRun) -> Row:
    side = run.report.candidate
    return Row(
        (
            MARKDOWN.label(run.report.name),
            DASH if run.mode == NO_MODE else MARKDOWN.label(run.mode),
            count(side.questions),
            count(side.errored),
            _took(run),
            _paid(run),
        )
    )


def _took(run: ReleasedRun) -> str:
    """How long it was measured; rows that were brought do not say."""
    took = None if run.record is None or run.report.candidate.rows is None else run.record.raw["duration_ms"]
    brought = run.record is not None and run.record.params.get("measured") == "elsewhere"
    return DASH if brought or not isinstance(took, int) else f"{count(took)} ms"


def _paid(run: ReleasedRun) -> str:
    if run.cost_usd is None:
        return "unknown"
    questions = run.report.candidate.questions
    if run.costed < questions:
        return (
            f"at least {usd(run.cost_usd)}: known of {count(run.costed)} of {counted(questions, 'question')}"
        )
    return usd(run.cost_usd)


def _sums(report: Report, release: Release) -> Iterator[str]:
    """What was estimated before anything ran."""
    if release.estimate.per_suite:
        without_limit = len(guessed(report.plan))
        bound = "about" if without_limit else "at most about"
        taken = f", {counted(without_limit, 'suite')} without a limit taken to have {QUESTIONS} questions"
        asked = f"{bound} {usd(release.estimate.total_usd)} for the suites that ask somebody"
        yield f"Estimated before: {asked}{taken if without_limit else ''}."
    else:
        yield "Estimated before: no suite asks anybody who may be paid."
    for name, most in release.panels.items():
        most_text = "an unknown amount" if most is None else f"at most {usd(most)}"
        yield f"Estimated before: {most_text} for one cycle of the panel {MARKDOWN.name(name)}."


def _totals(release: Release) -> str:
    runs = [run for suite in release.suites for run in suite.runs]
    known = [run.cost_usd for run in runs if run.cost_usd is not None]
    unknown = sum(run.cost_usd is None or run.costed < run.report.candidate.questions for run in runs)
    told = f"Known cost: {usd(sum(known))}." if known else "Known cost: none."
    rest = f" Unknown, and not zero: the cost of {count(unknown)} of {counted(len(runs), 'run')}."
    return told + (rest if unknown else "")


def _again(report: Report, release: Release) -> str:
    return blocks(
        "## How to reproduce this", listing(_conditions(report, release)), block("\n".join(release.commands))
    )


def _conditions(report: Report, release: Release) -> Iterator[str]:
    commit = report.plan.commits.measured
    yield f"commit: {'unknown' if commit is None else _digest(commit)}{_beside(release)}"
    yield f"gate {MARKDOWN.prose(report.tool_version)}, run of {MARKDOWN.prose(report.created_at)}"
    stats = report.plan.stats
    yield f"resampling: {count(stats.draws)} draws, seed {stats.seed}"
    for suite in release.suites:
        yield f"{MARKDOWN.name(suite.name)}: {'; '.join(_suite_conditions(suite))}"


def _beside(release: Release) -> str:
    """What was measured and is in no commit."""
    if release.unseen is not None:
        return f", with or without uncommitted files: {MARKDOWN.prose(release.unseen)}"
    if not release.uncommitted:
        return ""
    shown = ", ".join(map(MARKDOWN.name, release.uncommitted[:_PATHS_SHOWN]))
    rest = len(release.uncommitted) - _PATHS_SHOWN
    more = f" and {count(rest)} more" if rest > 0 else ""
    return f", with {counted(len(release.uncommitted), 'uncommitted file')}: {shown}{more}"


def _suite_conditions(suite: ReleasedSuite) -> Iterator[str]:
    for field, what in (("dataset_sha256", "dataset sha256"), ("corpus_sha256", "corpus sha256"), ("k", "k")):
        yield f"{what} {_stated(suite, field)}"
    seeds = dict.fromkeys(str(run.record.raw["seed"]) for run in suite.runs if run.record is not None)
    yield f"seed {', '.join(seeds) or _ABSENT}"
    yield f"models: {_models(suite)}"
    yield f"judges: {_judges(suite)}"


def _stated(suite: ReleasedSuite, field: str) -> str:
    values = dict.fromkeys(
        run.report.candidate.fingerprints[field]
        for run in suite.runs
        if field in run.report.candidate.fingerprints
    )
    return ", ".join(_digest(value) for value in values) or _ABSENT


def _digest(value: str) -> str:
    return MARKDOWN.prose(value) if len(value) < _SHORTEST_DIGEST else code(value, limit=_LONGEST)


def _models(suite: ReleasedSuite) -> str:
    """The models that rows name: what embeds, ranks, reads."""
    named = {
        f"{field.removesuffix(_MODEL)} {MARKDOWN.name(value)}": None
        for run in suite.runs
        for field, value in run.report.candidate.fingerprints.items()
        if (field in _MODELS or field.endswith(_MODEL)) and field != _JUDGE
    }
    return ", ".join(named) or _ABSENT


def _judges(suite: ReleasedSuite) -> str:
    """The judges that rows and panels' receipts name."""
    named = dict.fromkeys(model for run in suite.runs for model in _judges_of(run))
    return ", ".join(MARKDOWN.name(model) for model in named) or _ABSENT


def _judges_of(run: ReleasedRun) -> Iterator[str]:
    """A panel's receipt names each of its models; its rows would name them together."""
    if run.report.panel is not None:
        yield from (judge.model for judge in run.report.panel.judges)
    elif _JUDGE in run.report.candidate.fingerprints:
        yield run.report.candidate.fingerprints[_JUDGE]
