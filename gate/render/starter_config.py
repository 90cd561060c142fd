"""The configuration that `gate init` begins with: what was found becomes keys, what was not becomes a remark."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.plan import Better

MOST_RULED: Final = 3
"""So many metrics decide at first: every further rule makes each of them harder to break significantly."""

_PLAIN: Final = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_.][A-Za-z0-9_./@+-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMetric:
    """A metric of the rows; None where nothing says which direction is better, or what it is counted in."""

    name: str
    better: Better | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSuite:
    """A file of rows that will be judged."""

    name: str
    rows: str
    typed: bool = False
    """Whether the rows say of which type each question is."""


@dataclass(frozen=True, slots=True)
class FoundBaseline:
    """What the rows will be compared with, as the configuration names it, and what that means."""

    yaml: str
    why: str


def ledger_baseline(path: str, mode: str | None) -> FoundBaseline:
    """The runs of a ledger, in one search mode or in any."""
    keys = [("ledger", path), ("run", "latest"), *([] if mode is None else [("mode", mode)])]
    return FoundBaseline(_flow(keys), "the nearest completed run of the ledger, as the base branch has it.")


def rows_baseline(path: str) -> FoundBaseline:
    """A file of rows."""
    return FoundBaseline(
        _flow([("rows", path)]),
        "these rows, as the base branch has them. `{artifact: true}` would move along by itself.",
    )


ARTIFACT_BASELINE: Final = FoundBaseline(
    "{artifact: true}", "the newest run on the default branch, from what its workflow uploaded."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that was found out about the repository."""

    suites: tuple[FoundSuite, ...]
    baseline: FoundBaseline
    metrics: tuple[FoundMetric, ...]
    repository: str | None = None

    @property
    def judged(self) -> tuple[FoundMetric, ...]:
        """The metrics that rules are written for: what should rise first, times and costs only where there is
        nothing else."""
        rising = [metric for metric in self.metrics if metric.better == "higher"]
        falling = [metric for metric in self.metrics if metric.better == "lower"]
        return tuple((rising or falling)[:MOST_RULED])


def starter_config(findings: Findings) -> str:
    """The text of the first eval-gate.yml; valid as long as `findings.judged` is not empty."""
    return "\n".join(_lines(findings)) + "\n"


def _lines(findings: Findings) -> Iterator[str]:
    whose = f" for {findings.repository}" if findings.repository else ""
    yield f"# Written by `gate init`{whose}. `gate validate eval-gate.yml` checks it."
    yield "version: 1"
    yield "mode: advisory # the same verdict everywhere, and blocks nobody; remove this line to let it block"
    yield ""
    yield "suites:"
    for suite in findings.suites:
        yield f"  - {{suite: rows, name: {_scalar(suite.name)}, rows: {_scalar(suite.rows)}}}"
    yield ""
    yield f"# What the rows are compared with: {findings.baseline.why}"
    yield f"baseline: {findings.baseline.yaml}"
    yield ""
    yield from _metrics(findings)
    yield ""
    yield from _rules(findings)


def _metrics(findings: Findings) -> Iterator[str]:
    yield "# `matters: 0.02` beside a metric names the smallest difference worth acting on."
    yield "metrics:"
    for metric in findings.metrics:
        if metric.better is not None:
            unit = [] if metric.unit is None else [("unit", metric.unit)]
            yield f"  {_scalar(metric.name)}: {_flow([('better', metric.better), *unit])}"
    for metric in findings.metrics:
        if metric.better is None:
            yield f"  # {_scalar(metric.name)}: {{better: higher}} # or lower: nothing here says which"


def _rules(findings: Findings) -> Iterator[str]:
    yield "# What decides: every rule must hold. Metrics without a rule are shown, and decide nothing."
    yield "rules:"
    typed = any(suite.typed for suite in findings.suites)
    for metric in findings.judged:
        yield f"  - {{metric: {_scalar(metric.name)}, rule: significant}}"
        if typed:
            yield f"  - {{metric: {_scalar(metric.name)}, rule: significant, per: question-type}}"
    first = findings.judged[0]
    limit = "at-least: 0.80" if first.better == "higher" else "at-most: 900"
    yield f"  # - {{metric: {_scalar(first.name)}, rule: threshold, {limit}}}"


def _flow(keys: Sequence[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{key}: {_scalar(value)}" for key, value in keys) + "}"


def _scalar(text: str) -> str:
    """A text as YAML writes it in a flow mapping."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
