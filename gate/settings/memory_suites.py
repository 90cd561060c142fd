"""Suites that ask the system under test, or its own runner, about what it remembers."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from gate.core.plan import SuiteRequest
from gate.core.records.suite_inputs import (
    BrainbenchRequest,
    LongMemEvalRequest,
    ReplayLimits,
    ReplayRequest,
)
from gate.settings.frozen import Frozen

_Suite = TypeVar("_Suite", bound=BaseModel)


class LongMemEvalSuite(Frozen):
    """The questions of a LongMemEval dataset, each asked of a clean system, in each of the modes."""

    suite: Literal["longmemeval"]
    name: str = "longmemeval"
    dataset: str
    sha256: str | None = None
    k: int = 5
    modes: tuple[str, ...] = ("balanced",)
    limit: int | None = None
    seed: int | None = None
    question_ids: str | None = None
    answers: bool = False
    gbrain_options: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """One name a mode; the suite's own where there is one mode."""
        return by_mode(self.name, self.modes)

    def requests(self, located: Callable[[str], str]) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it, mode by mode."""
        for name, mode in zip(self.names(), self.modes, strict=True):
            asked = LongMemEvalRequest(
                dataset=located(self.dataset),
                sha256=self.sha256,
                k=self.k,
                mode=mode,
                limit=self.limit,
                question_ids=None if self.question_ids is None else located(self.question_ids),
                reader="on" if self.answers else "off",
                options=self.gbrain_options,
                **({} if self.seed is None else {"seed": self.seed}),
            )
            yield SuiteRequest(suite=self.suite, name=name, asked=asked)


class Thresholds(Frozen):
    """What a replay is held to; what is not said here the baseline file says, if it says anything."""

    jaccard: float | None = None
    top1: float | None = None
    latency_multiplier: float | None = None


class ReplaySuite(Frozen):
    """Captured queries asked again, in each of the modes."""

    suite: Literal["replay"]
    name: str = "replay"
    against: str
    corpus: str | None = None
    modes: tuple[str, ...] = ("balanced",)
    compare_limit: int | None = None
    limit: int | None = None
    thresholds: Thresholds = Thresholds()

    def names(self) -> tuple[str, ...]:
        """One name a mode; the suite's own where there is one mode."""
        return by_mode(self.name, self.modes)

    def requests(self, located: Callable[[str], str]) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it, mode by mode."""
        for name, mode in zip(self.names(), self.modes, strict=True):
            asked = ReplayRequest(
                against=located(self.against),
                corpus=None if self.corpus is None else located(self.corpus),
                mode=mode,
                compare_limit=self.compare_limit,
                limit=self.limit,
                limits=ReplayLimits(**self.thresholds.model_dump()),
            )
            yield SuiteRequest(suite=self.suite, name=name, asked=asked)


class BrainbenchSuite(Frozen):
    """The hermetic suite, run by gbrain or read from what it has written, and the figures it is compared with."""

    suite: Literal["brainbench"]
    name: str = "brainbench"
    baseline: str | None = None
    result: str | None = None
    seed: int | None = None
    allow_regression: str | None = None

    def names(self) -> tuple[str, ...]:
        """What the suite is called in reports."""
        return (self.name,)

    def requests(self, located: Callable[[str], str]) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it."""
        asked = BrainbenchRequest(
            baseline=None if self.baseline is None else located(self.baseline),
            result=None if self.result is None else located(self.result),
            allowed=self.allow_regression,
            **({} if self.seed is None else {"seed": self.seed}),
        )
        yield SuiteRequest(suite=self.suite, name=self.name, asked=asked)


def by_mode(name: str, modes: Sequence[str]) -> tuple[str, ...]:
    """One name a mode: the suite's own where there is one, else with the mode's name behind it."""
    return (name,) if len(modes) == 1 else tuple(f"{name}-{mode}" for mode in modes)


def seeded(suites: Sequence[_Suite], seed: int) -> tuple[_Suite, ...]:
    """Suites that draw and do not say with which seed draw with the configuration's own."""
    return tuple(
        suite.model_copy(update={"seed": seed}) if getattr(suite, "seed", seed) is None else suite
        for suite in suites
    )
