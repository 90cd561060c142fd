"""What one job of a matrix has measured. Nothing is judged by it: that is for the job that merges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from gate.core.assemble import exit_code
from gate.core.parts import Part
from gate.core.plan import Plan
from gate.core.reasons import without_metric, worst
from gate.core.records.rows import RowTable
from gate.core.report import Outcome

RULE: Final = "the suite ran as it was asked to"


class LegSuite(Struct, frozen=True, kw_only=True):
    """One suite's share: how many of `whole` questions this job was to ask (`own`), has rows of, and failed at.

    `shortfalls` are reason codes with the number of questions each concerns; `withheld` is why nothing was asked.
    """

    name: str
    suite: str
    split: bool
    whole: int
    own: int
    rows: int
    errors: int
    shortfalls: Mapping[str, int]
    withheld: tuple[str, ...] = ()


class Leg(Struct, frozen=True, kw_only=True):
    """All of it. `exit_code` says only whether the suites ran as they were asked to."""

    gate: str
    shard: str
    suites: tuple[LegSuite, ...]
    notes: tuple[str, ...]
    watched: bool
    """Whether anything that is watched has changed; where nothing has, nothing is measured."""
    exit_code: int


@dataclass(frozen=True, slots=True)
class Share:
    """A suite of the plan that this job has run: what its rows state, and what is in them."""

    suite: str
    part: Part
    table: RowTable


def leg(plan: Plan, shard: str, shares: Sequence[Share]) -> Leg:
    """The sum of a job: 0 where every suite ran, else what `gate run` would end with on such a suite."""
    outcomes = tuple(_outcomes(shares))
    deciding = worst(outcomes)
    return Leg(
        gate=plan.gate,
        shard=shard,
        suites=tuple(map(_suite, shares)),
        notes=plan.notes,
        watched=plan.watch is None or plan.watch.applies,
        exit_code=0 if deciding is None else exit_code(plan, deciding.verdict, outcomes),
    )


def _suite(share: Share) -> LegSuite:
    part, table = share.part, share.table
    return LegSuite(
        name=part.suite,
        suite=share.suite,
        split=not part.whole,
        whole=len(table) if part.whole else len(part.questions),
        own=len(table) if part.whole else len(part.own_questions()),
        rows=len(table),
        errors=int(table.errored.sum()),
        shortfalls=dict(table.shortfalls),
        withheld=tuple(each.message for each in table.objections if each.reason == "not_measured"),
    )


def _outcomes(shares: Sequence[Share]) -> Iterator[Outcome]:
    for share in shares:
        table = share.table
        every = len(table) > 0 and bool(table.errored.all()) and "suite_failed" not in table.shortfalls
        for reason in (*sorted(table.shortfalls), *(("errors_over_limit",) if every else ())):
            yield without_metric(RULE, reason, reason, suite=share.part.suite)
