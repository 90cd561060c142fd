"""A sweep: which suites run in which modes, what they may cost, and which cannot run for lack of an input.

The prices are the contract's own estimates per question; a suite that knows no modes runs, and costs, once. The
built-in system and rows that are there already cost nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from gate.core.plan import Plan, PlannedSuite
from gate.core.records.ledger import NO_MODE
from gate.core.records.panel_terms import TakesInputs
from gate.core.records.suite_inputs import BrainbenchInputs, LongMemEvalInputs

QUESTIONS: Final = 500
"""How many questions a suite is taken to have where no limit is given."""
SEARCH_USD: Final = 0.00001
TOKENMAX_USD: Final = 0.001
ANSWER_USD: Final = 0.015

WITHOUT_MODES: Final = frozenset({"brainbench"})
ANSWERING: Final = frozenset({"longmemeval"})

FIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "longmemeval": ("gate", "run-all", "--suites", "longmemeval", "--dataset", "<dataset.json>"),
    "replay": ("gate", "run-all", "--suites", "replay", "--against", "<captures.ndjson>", "--corpus", "<docs>"),
    "retrieval": ("gate", "run-all", "--suites", "retrieval", "--corpus", "<docs>", "--qrels", "<qrels>"),
    "brainbench": ("gate", "run-all", "--suites", "brainbench", "--gbrain", "gbrain", "--baseline", "<main.json>"),
}  # fmt: skip
"""Every suite a sweep knows, in the order they run, and the command that wires it."""


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One suite in one mode; `n/a` for a suite that knows none."""

    suite: str
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One suite in one mode that somebody is asked, as far as its price goes; `questions` None = QUESTIONS."""

    name: str
    mode: str
    questions: int | None = None
    answers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a sweep may cost, in dollars, and each run's part under `suite:mode`."""

    retrieval_usd: float
    answer_usd: float
    per_suite: Mapping[str, float]

    @property
    def total_usd(self) -> float:
        """Both kinds together."""
        return self.retrieval_usd + self.answer_usd


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What a sweep may cost without being confirmed, in dollars."""

    retrieval_usd: float = 5
    answer_usd: float = 20


def sweep_runs(suites: Sequence[str], modes: Sequence[str]) -> tuple[SweepRun, ...]:
    """Every suite in every mode, once each, in the order of FIXES and of the modes given."""
    wanted = [suite for suite in FIXES if suite in suites]
    return tuple(
        SweepRun(suite, mode)
        for suite in wanted
        for mode in ((NO_MODE,) if suite in WITHOUT_MODES else dict.fromkeys(modes))
    )


def estimate(runs: Sequence[SweepRun], *, limit: int | None, answers: bool) -> Estimate:
    """The cost of all runs; answers cost only where they are asked for."""
    return priced(
        Asking(
            name=f"{run.suite}:{run.mode}",
            mode=run.mode,
            questions=limit,
            answers=answers and run.suite in ANSWERING,
        )
        for run in runs
    )


def priced(asked: Iterable[Asking]) -> Estimate:
    """The cost of everything that is asked, each part under its name."""
    every = tuple(asked)
    searches = [_search_usd(one) for one in every]
    spoken = [_questions(one) * ANSWER_USD if one.answers else 0.0 for one in every]
    return Estimate(
        retrieval_usd=sum(searches),
        answer_usd=sum(spoken),
        per_suite={
            one.name: search + answer for one, search, answer in zip(every, searches, spoken, strict=True)
        },
    )


def planned_cost(plan: Plan) -> Estimate:
    """What a plan's suites may cost, panels of judges apart: their prompts tell that."""
    return priced(_asking(suite) for suite in plan.suites if _costs(suite, plan))


def guessed(plan: Plan) -> frozenset[str]:
    """The suites that cost and have no limit: they are taken to have QUESTIONS questions, and may have more."""
    return frozenset(
        suite.name for suite in plan.suites if _costs(suite, plan) and _asking(suite).questions is None
    )


def families(plan: Plan, stated: Mapping[str, str] = MappingProxyType({})) -> Mapping[str, str]:
    """What every suite of a plan is called in all its modes: its name without the mode that stands behind it.

    `stated` are the modes that rows which were brought say themselves. Suites that would be taken for one another
    keep their whole names.
    """
    modes = {suite.name: suite.mode or stated.get(suite.name, NO_MODE) for suite in plan.suites}
    short = {name: name.removesuffix(f"-{mode}") for name, mode in modes.items()}
    bases = set(short.values())  # "m-balanced" is one where there is an "m-balanced-tokenmax"
    named = {name: (name if name in bases else short[name], mode) for name, mode in modes.items()}
    shared = Counter(named.values())
    return {name: family[0] if shared[family] == 1 else name for name, family in named.items()}


def _costs(suite: PlannedSuite, plan: Plan) -> bool:
    """Whether somebody who may be paid is asked."""
    if suite.inputs is None or suite.anchored is not None or isinstance(suite.inputs, TakesInputs):
        return False
    if isinstance(suite.inputs, BrainbenchInputs):
        return suite.inputs.result is None
    return plan.system.kind != "reference"


def _asking(suite: PlannedSuite) -> Asking:
    inputs = suite.inputs
    limit: int | None = getattr(inputs, "limit", None)
    answers = isinstance(inputs, LongMemEvalInputs) and inputs.reader == "on"
    return Asking(name=suite.name, mode=suite.mode or NO_MODE, questions=limit, answers=answers)


def over_caps(cost: Estimate, caps: Caps) -> tuple[str, ...]:
    """Every cap that is not certainly kept, in a sentence."""
    kinds = (
        ("retrieval", cost.retrieval_usd, caps.retrieval_usd),
        ("answers", cost.answer_usd, caps.answer_usd),
    )
    return tuple(
        f"{what} may cost {usd:.3f} $, the cap is {cap:g} $" for what, usd, cap in kinds if not usd <= cap
    )


def fix_of(suites: Sequence[str]) -> tuple[str, ...]:
    """The commands that wire these suites, one each."""
    return tuple(" ".join(FIXES[suite]) for suite in suites)


def _questions(one: Asking) -> int:
    return QUESTIONS if one.questions is None else one.questions


def _search_usd(one: Asking) -> float:
    return _questions(one) * (SEARCH_USD + (TOKENMAX_USD if one.mode == "tokenmax" else 0))
