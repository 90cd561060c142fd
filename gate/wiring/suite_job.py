"""One suite of a plan on its way: where it runs, where its rows go, and how much time is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.core.parts import Part, stated
from gate.core.plan import FileRef, Plan, PlannedSuite
from gate.core.records.run_records import Recordable
from gate.ports import Clock, Progress, SystemFailed, Tree
from gate.store.growing_rows import GrowingFile
from gate.store.workspace import relative_or
from gate.suites.execute import Bounds, Failed, overhear
from gate.suites.retrieval import Setting
from gate.suites.row_writing import failed_row, first_line, last_line
from gate.systems.process import Command
from gate.wiring.systems import command_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where a plan's suites run: files below `root` and in `tree`, rows below `out`, variables that may be granted."""

    root: Path
    out: Path
    environment: Mapping[str, str]
    clock: Clock
    progress: Progress
    tree: Tree
    withheld: str | None = None
    """Why there may be no secrets here, in words; None = whoever started this could have given them."""
    resume: bool = False
    """Whether the rows that an earlier, stopped run has left below `out` are gone on with, where a suite can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJob:
    """A suite's rows go to `output`, which records call `name`; `deadline` is a moment of the clock."""

    plan: Plan
    around: Surroundings
    output: Path
    name: str
    deadline: float | None = None
    part: Part | None = None
    """What the rows state, where this is one job of a matrix."""

    def left(self) -> float | None:
        """The seconds until the deadline, 0 when it has come; None = there is none."""
        if self.deadline is None:
            return None
        return max(self.deadline - self.around.clock.monotonic(), 0.0)

    def late(self, error: SystemFailed) -> bool:
        """Whether a program was ended because the deadline came, not because it was too slow."""
        return error.kind == "timeout" and self.left() == 0

    def setting(self) -> Setting:
        """For suites that ask question by question."""
        return Setting(
            clock=self.around.clock,
            progress=self.around.progress,
            width=self.plan.system.concurrency,
            bounds=Bounds(deadline=self.deadline),
        )

    def command(self) -> Command:
        """The program that is the plan's system."""
        return command_of(self.plan.system, self.around.root, self.around.environment)

    def patience(self) -> float:
        """How long one whole command may take, in seconds."""
        left, usual = self.left(), self.plan.system.waits.question
        return usual if left is None else min(left, usual)


def rows_place(around: Surroundings, suite: PlannedSuite) -> tuple[Path, str]:
    """Where a suite's rows go, and what records call them.

    That is relative to the workspace, or to the output folder where that lies elsewhere.
    """
    beside = f"rows/{suite.name}.ndjson"
    path = around.out / beside
    return path, relative_or(around.root, path, beside)


@dataclass(frozen=True, slots=True)
class Written:
    """The rows of a suite that was run, and what a ledger could say of the run."""

    rows: FileRef
    recordable: Recordable


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmade:
    """A suite that came to nothing: what it would have asked, as far as that is known, and on what."""

    questions: Sequence[str]
    metrics: Sequence[str]
    fingerprints: Mapping[str, str]


def write_unmade(job: SuiteJob, unmade: Unmade, error: SystemFailed) -> Written:
    """Rows that say so: nothing was asked because of the deadline, or every question failed with the system."""
    late = job.late(error)
    reason = "deadline" if late else "suite_failed"
    if not late:
        overhear(job.around.progress, error)
    part = None if job.part is None else job.part.asking(unmade.questions)
    own = unmade.questions if part is None or part.whole else part.own_questions()
    rows = GrowingFile(job.output, job.name)
    try:
        line = first_line(
            metrics=unmade.metrics,
            fingerprints=unmade.fingerprints,
            units={},
            questions=len(own),
            notes=() if late else (error.message,),
        )
        rows.write(stated(line, part))
        if not late:
            failed = Failed(error.kind, f"before the first question: {error.message}", error.detail)
            for question in own:
                rows.write(failed_row(question, failed, {}, show_text=job.plan.show_text))
        rows.write(last_line({reason: len(own) if unmade.questions else 1}))
    finally:
        written = rows.close()
    return Written(written, f"{reason}: {error.message}")
