"""What is measured, suite by suite."""

from collections.abc import Callable, Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from gate.core.plan import SuiteRequest
from gate.core.records.suite_inputs import RetrievalRequest
from gate.settings.frozen import Frozen
from gate.settings.memory_suites import BrainbenchSuite, LongMemEvalSuite, ReplaySuite, by_mode
from gate.settings.takes_quality import TakesQualitySuite

Located = Callable[[str], str]
"""A path of the configuration, which starts at its own folder, as the plan names it: from the workspace."""

_FINGERPRINTS: Final = ("dataset_sha256", "corpus_sha256", "k", "judge_model", "judge_prompt_version")


class RowsSuite(Frozen):
    """Rows that were measured elsewhere, and what they may not say about themselves."""

    suite: Literal["rows"]
    name: str
    rows: str
    dataset_sha256: str | None = None
    corpus_sha256: str | None = None
    k: int | None = None
    judge_model: str | None = None
    judge_prompt_version: str | None = None

    def names(self) -> tuple[str, ...]:
        """What the suite is called in reports."""
        return (self.name,)

    def requests(self, located: Located) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it."""
        stated = {name: getattr(self, name) for name in _FINGERPRINTS}
        said = {name: str(value) for name, value in stated.items() if value is not None}
        yield SuiteRequest(suite=self.suite, name=self.name, rows=located(self.rows), fingerprints=said)


class RetrievalSuite(Frozen):
    """Judged queries asked of the system under test, in each of the modes."""

    suite: Literal["retrieval"]
    name: str = "retrieval"
    corpus: str
    qrels: str
    queries: str | None = None
    k: int | tuple[int, ...] = 10
    modes: tuple[str, ...] = ("balanced",)
    limit: int | None = None

    @property
    def cuts(self) -> tuple[int, ...]:
        """Where the metrics are cut, ascending, each once."""
        return tuple(sorted({self.k} if isinstance(self.k, int) else set(self.k)))

    def names(self) -> tuple[str, ...]:
        """One name a mode; the suite's own where there is one mode."""
        return by_mode(self.name, self.modes)

    def requests(self, located: Located) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it, mode by mode."""
        for name, mode in zip(self.names(), self.modes, strict=True):
            asked = RetrievalRequest(
                corpus=located(self.corpus),
                qrels=located(self.qrels),
                queries=None if self.queries is None else located(self.queries),
                cuts=self.cuts,
                mode=mode,
                limit=self.limit,
            )
            yield SuiteRequest(suite=self.suite, name=name, asked=asked)


AnySuite = Annotated[
    RowsSuite | RetrievalSuite | LongMemEvalSuite | ReplaySuite | BrainbenchSuite | TakesQualitySuite,
    Field(discriminator="suite"),
]
