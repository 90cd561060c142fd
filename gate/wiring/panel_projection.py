"""What panels would cost, for `gate plan`: from the very prompts that would be asked, and asking nobody."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gate.core.plan import Plan, PlannedSuite
from gate.core.records.panel_terms import TakesInputs
from gate.errors import GateError
from gate.process import SystemClock
from gate.store.git_tree import GitTree
from gate.suites.takes_quality import projected
from gate.wiring.run_takes_quality import prepared
from gate.wiring.suite_job import SuiteJob, Surroundings
from gate.wiring.takes_quality import panel_plan

_NOWHERE: Final = Path("gate-out")


class _Nobody:
    """Nobody is told how far it has come."""

    def stage(self, name: str) -> None:
        """Nothing is said."""

    def step(self, done: int, total: int) -> None:
        """Nothing is said."""

    def overheard(self, words: str) -> None:
        """Nothing is said."""


def projected_costs(plan: Plan, root: Path, environment: Mapping[str, str]) -> Mapping[str, float | None]:
    """By suite, the most that one cycle of its panel can cost; None = unknown: no price, or no takes to be read.

    `root` is the workspace.
    """
    around = Surroundings(
        root=root,
        out=_NOWHERE,
        environment=environment,
        clock=SystemClock(),
        progress=_Nobody(),
        tree=GitTree(root),
    )
    return {
        suite.name: _projected(suite, suite.inputs, plan, around)
        for suite in plan.suites
        if isinstance(suite.inputs, TakesInputs) and suite.anchored is None
    }


def _projected(suite: PlannedSuite, inputs: TakesInputs, plan: Plan, around: Surroundings) -> float | None:
    if inputs.cassette is not None or plan.budget_usd == 0:
        return 0.0
    job = SuiteJob(plan=plan, around=around, output=_NOWHERE / suite.name, name=suite.name)
    try:
        order, drawn = prepared(inputs, job, plan.budget_usd)
    except GateError:
        return None
    return projected(panel_plan(order, drawn))
