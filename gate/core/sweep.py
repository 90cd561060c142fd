"""A sweep: which suites run in which modes, what they may cost, and which cannot run for lack of an input.

The prices are the contract's own estimates per question; a suite that knows no modes runs, and costs, once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.records.ledger import NO_MODE

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
    questions = QUESTIONS if limit is None else limit
    searches = [_search_usd(run, questions) for run in runs]
    spoken = [questions * ANSWER_USD if answers and run.suite in ANSWERING else 0.0 for run in runs]
    return Estimate(
        retrieval_usd=sum(searches),
        answer_usd=sum(spoken),
        per_suite={
            f"{run.suite}:{run.mode}": search + answer
            for run, search, answer in zip(runs, searches, spoken, strict=True)
        },
    )


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


def _search_usd(run: SweepRun, questions: int) -> float:
    return questions * (SEARCH_USD + (TOKENMAX_USD if run.mode == "tokenmax" else 0))
