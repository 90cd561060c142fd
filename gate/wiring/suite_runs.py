"""The suites of a plan that have no rows yet: each is asked of a system of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.core.plan import FileRef, Plan, PlannedSuite, RetrievalInputs, metrics_asked_for
from gate.core.records.rows import RowTable
from gate.ports import Clock, Progress
from gate.store.row_files import read_rows
from gate.store.workspace import relative
from gate.suites.execute import Bounds
from gate.suites.retrieval import Setting
from gate.wiring.retrieval import RetrievalOrder, conduct_retrieval
from gate.wiring.systems import system_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where a plan's suites run: files below `root`, rows below `out`, and the variables that may be granted."""

    root: Path
    out: Path
    environment: Mapping[str, str]
    clock: Clock
    progress: Progress


class PlannedRuns:
    """Implements SuiteRuns for one plan. The deadline counts from the first suite, and holds for all."""

    def __init__(self, plan: Plan, around: Surroundings) -> None:
        self._plan = plan
        self._around = around
        self._deadline: float | None = None

    def run(self, suite: PlannedSuite) -> tuple[FileRef, RowTable]:
        """Ask everything, write the rows, read them back."""
        path = self._around.out / "rows" / f"{suite.name}.ndjson"
        name = self._name(path, suite)
        rows = self._made(suite, path, name)
        return rows, read_rows(path, name=name, required=metrics_asked_for(self._plan))

    def _made(self, suite: PlannedSuite, path: Path, name: str) -> FileRef:
        match suite.inputs:
            case RetrievalInputs() as inputs:
                return self._retrieval(inputs, path, name)
            case None:
                raise ValueError(f"suite {suite.name} has neither rows nor anything to ask")

    def _retrieval(self, inputs: RetrievalInputs, path: Path, name: str) -> FileRef:
        around = self._around
        order = RetrievalOrder(
            root=around.root,
            inputs=inputs,
            output=path,
            name=name,
            required=self._plan.require,
            show_text=self._plan.show_text,
        )
        system = system_of(self._plan.system, around.root, around.environment)
        try:
            return conduct_retrieval(order, system, self._setting()).rows
        finally:
            system.close()

    def _setting(self) -> Setting:
        clock, seconds = self._around.clock, self._plan.deadline_seconds
        if self._deadline is None and seconds is not None:
            self._deadline = clock.monotonic() + seconds
        return Setting(
            clock=clock,
            progress=self._around.progress,
            width=self._plan.system.concurrency,
            bounds=Bounds(deadline=self._deadline),
        )

    def _name(self, path: Path, suite: PlannedSuite) -> str:
        """Relative to the workspace, or to the output folder where that lies elsewhere."""
        root = self._around.root.resolve()
        return relative(root, path) if path.resolve().is_relative_to(root) else f"rows/{suite.name}.ndjson"
