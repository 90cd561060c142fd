"""The takes-quality suite: a panel of judges on a sample of takes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from gate.core.plan import Better, SuiteRequest
from gate.core.records.panel_terms import PanelTerms, TakesAsked, TakesRequest
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.validate import Problem
from gate.settings.frozen import Frozen

SUITE: Final = "takes-quality"


class TakesQualitySuite(Frozen):
    """Takes of pages or of a database, scored by a panel of models, live or from a cassette."""

    suite: Literal["takes-quality"]
    name: str = SUITE
    source: Literal["fs", "db"] = "fs"
    pages: str | None = None
    slug_prefix: str | None = None
    inactive: bool = False
    deleted_pages: bool = False
    limit: int = 100
    seed: int = 42
    strata: Literal["none", "kind"] = "none"
    batches: int = 1
    models: tuple[str, ...] = ()
    cassette: str | None = None
    cycles: int = 1
    cycle_policy: Literal["last", "all", "median"] = "last"
    rubric: str | None = None
    prices: str | None = None
    evidence: Literal["none", "excerpt"] = "none"
    min_alpha: float | None = None
    max_sd: float | None = None
    max_range: float | None = None

    def names(self) -> tuple[str, ...]:
        """What the suite is called in reports."""
        return (self.name,)

    def requests(self, located: Callable[[str], str]) -> Iterator[SuiteRequest]:
        """The suite as the plan asks for it."""

        def named(path: str | None) -> str | None:
            return None if path is None else located(path)

        asked = TakesRequest(
            takes=TakesAsked(
                source=self.source,
                slug_prefix=self.slug_prefix,
                inactive="included" if self.inactive else "skipped",
                deleted_pages="included" if self.deleted_pages else "skipped",
                limit=self.limit,
                seed=self.seed,
                strata=self.strata,
                batches=self.batches,
            ),
            panel=PanelTerms(
                models=self.models,
                cycles=self.cycles,
                cycle_policy=self.cycle_policy,
                evidence=self.evidence,
                min_alpha=self.min_alpha,
                max_sd=self.max_sd,
                max_range=self.max_range,
            ),
            pages=named(self.pages),
            cassette=named(self.cassette),
            rubric=named(self.rubric),
            prices=named(self.prices),
        )
        yield SuiteRequest(suite=self.suite, name=self.name, asked=asked)


def directions(suites: Sequence[object]) -> Mapping[str, Better]:
    """The dimensions that a panel scores, where there is one: higher is better."""
    judged = any(isinstance(suite, TakesQualitySuite) for suite in suites)
    return dict.fromkeys(DIMENSIONS, "higher") if judged else {}


def takes_sources(suites: Sequence[object]) -> Iterator[Problem]:
    """Suites that do not say where their takes are, or say it twice."""
    for index, suite in enumerate(suites):
        if not isinstance(suite, TakesQualitySuite):
            continue
        if suite.source == "fs" and suite.pages is None:
            yield Problem(
                f"suites[{index}].pages",
                "which folder of pages? Name it, or take gbrain's database with `source: db`",
            )
        if suite.source == "db" and suite.pages is not None:
            yield Problem(f"suites[{index}].pages", "`source: db` reads no pages; leave one of the two out")
