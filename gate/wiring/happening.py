"""A run while it lasts, and how one that breaks off is told to a ledger."""

from collections.abc import Callable
from pathlib import Path

from gate.core.records.run_records import Occasion
from gate.errors import Cancelled, GateError
from gate.ports import Clock
from gate.store.dataset_commit import dataset_commit
from gate.store.git_history import GitHistory


class Happening:
    """A run while it lasts: where and since when, and whether it is recorded."""

    def __init__(self, clock: Clock, root: Path, seed: int, *, recorded: bool = True) -> None:
        self._clock = clock
        self.root = root
        self.recorded = recorded
        self._seed = seed
        self._began, self._since = clock.now(), clock.monotonic()

    def over(self, *datasets: Path) -> Occasion:
        """It has ended now; `datasets` are the files its questions come from."""
        return Occasion(
            commit=GitHistory(self.root).head(),
            seed=self._seed,
            started=self._began,
            duration_ms=round((self._clock.monotonic() - self._since) * 1000),
            dataset_commit=dataset_commit(datasets) if datasets else None,
        )


def recorded_end(error: BaseException, keep: Callable[[], object]) -> None:
    """Record a run that broke off with this error; a ledger that cannot be written is told by it, and hides it not."""
    try:
        keep()
    except GateError as unkept:
        said = f"its record could not be kept: {unkept.message}"
        if isinstance(error, Cancelled):
            error.kept = (*error.kept, said)
        elif isinstance(error, GateError):
            error.message = f"{error.message} ({said})"
        else:
            error.add_note(said)


def why_it_broke_off(error: BaseException) -> str:
    """The `error` of a run's record, when this is how the run ended."""
    if isinstance(error, Cancelled):
        return f"cancelled: {'; '.join(error.kept) or 'before anything was asked'}"
    said = error.message if isinstance(error, GateError) else f"the gate itself broke, {type(error).__name__}"
    return f"suite_failed: {said}"
