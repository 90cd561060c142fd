"""The questions of a LongMemEval run asked by gbrain's own command, and what it says about them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from gate.core.longmemeval.reported import Reported, ReportedError, read_reported
from gate.core.longmemeval.run import Run
from gate.core.records.suite_inputs import GATE_SAYS
from gate.core.records.system import Capabilities
from gate.errors import Cancelled, UsageError
from gate.ports import SystemFailed
from gate.suites.longmemeval import Task
from gate.suites.longmemeval_reported import write_reported
from gate.systems.gbrain import Gbrain, LongMemEvalCall, RowsMade
from gate.systems.modes import MODES
from gate.systems.process import Command

GBRAIN: Final = Capabilities(name="gbrain", modes=tuple(MODES), answers=True)
"""What is known of it before it is asked."""
LEARNT: Final = frozenset({"fingerprints", "retrieval_config_hash"})
"""What of a run is known only from what it reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """How gbrain is called and how long it may take; `stops` = running out of time is a deadline, not a failure.

    `alive` is told now and then how many rows there are.
    """

    command: Command
    dataset: Path
    options: tuple[str, ...]
    seconds: float
    stops: bool
    alive: Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What gbrain has said: the run with what was learnt of it, and rows that are still to be written.

    `missing` is the error of a question without a row, None = it was not asked. `code` above 0 says that gbrain
    itself counts the run as failed.
    """

    run: Run
    reported: Reported
    missing: str | None
    stopped: Literal["deadline", "cancelled"] | None
    cancelled: Cancelled | None
    code: int

    def write(self, task: Task, write: Callable[[bytes], None]) -> None:
        """A row for every question it was asked."""
        write_reported(task, self.reported, write, missing=self.missing)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on what was passed over."""
        found = self.reported
        counted = (
            (int(found.torn), "line that was cut off, passed over"),
            (found.doubled, "rows replaced by a later one of the same question"),
        )
        return tuple(f"gbrain: {count} {what}" for count, what in counted if count)


def ask_gbrain(call: Call, task: Task) -> Told:
    """Have gbrain ask what is left; SystemFailed when nothing usable comes of it."""
    _check_options(call.options)
    run = task.run
    everything = len(task.todo) == run.dataset_questions
    silent = () if run.answers or "--retrieval-only" in call.options else ("--retrieval-only",)
    made = Gbrain(call.command, seconds=call.seconds, alive=call.alive).longmemeval(
        LongMemEvalCall(
            dataset=call.dataset,
            mode=run.mode,
            top_k=run.k,
            questions=None if everything else tuple(each.id for each in task.todo),
            options=(*silent, *call.options),
        )
    )
    return _told(call, run, made, _read(made, run))


def _check_options(options: tuple[str, ...]) -> None:
    for option in options:
        if option.partition("=")[0] in GATE_SAYS:
            raise UsageError(
                f"--gbrain-option {option}: the gate says this itself",
                remedy="use the options of `gate suite longmemeval`",
            )


def _read(made: RowsMade, run: Run) -> Reported:
    try:
        return read_reported(made.data, run)
    except ReportedError as error:
        raise SystemFailed(
            "garbage",
            f"the rows of eval longmemeval cannot be used (exit code {made.code}): {error}",
            remedy="use a version of gbrain whose rows follow the published formats",
        ) from error


def _told(call: Call, run: Run, made: RowsMade, reported: Reported) -> Told:
    learnt = reported.fingerprints
    known = replace(
        run,
        fingerprints=learnt,
        retrieval_config_hash=learnt.get("retrieval_config_hash", run.retrieval_config_hash),
    )
    ended = made.ended
    cancelled = ended if isinstance(ended, Cancelled) else None
    late = isinstance(ended, SystemFailed) and ended.kind == "timeout" and call.stops
    stopped: Literal["deadline", "cancelled"] | None = "deadline" if late else None
    return Told(
        run=known,
        reported=reported,
        missing=None if late or cancelled is not None else _why(ended),
        stopped="cancelled" if cancelled is not None else stopped,
        cancelled=cancelled,
        code=made.code,
    )


def _why(ended: SystemFailed | Cancelled | None) -> str:
    if isinstance(ended, SystemFailed):
        return f"{ended.kind}: {ended.message}"
    return "garbage: gbrain wrote no row of this question"
