"""Many questions asked of a system: a few at a time, kept in a stable order, until done or told to stop."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final, Generic, Literal, TypeVar

from gate.errors import Cancelled
from gate.ports import Clock, Failure, Progress, SystemFailed

TICK_SECONDS: Final = 0.5
"""How often a waiting run looks at the clock and shows that it is alive."""
AHEAD: Final = 8
"""How many questions per worker may be under way or wait for an earlier one to end."""
GIVE_UP_AFTER: Final = 10
"""So many crashes and timeouts in a row, and nothing more is asked: the system is down."""

Item = TypeVar("Item")
Result = TypeVar("Result")
StopReason = Literal["deadline", "budget_exhausted"]


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that was tried and has no answer: an errored row, never a zero.

    `detail` is what the system said itself; it may repeat the question.
    """

    kind: Failure
    message: str
    detail: str | None = None


def overhear(progress: Progress, failure: Failed | SystemFailed) -> None:
    """Tell whoever follows the run what the system said itself, if it said anything."""
    if failure.detail:
        progress.overheard(failure.detail)


@dataclass(frozen=True, slots=True)
class Finished(Generic[Item, Result]):
    """One question's end; `elapsed_ms` is measured from outside, None for a question that was not asked."""

    item: Item
    outcome: Result | Failed
    elapsed_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Where a run stops by itself: at a moment of the monotonic clock, and when nothing more is affordable.

    At the deadline nothing is waited for; when the budget is used up, what is under way still ends.
    """

    deadline: float | None = None
    affordable: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended: `stopped` None = every question was asked or given up on."""

    stopped: StopReason | None
    kept: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution(Generic[Item, Result]):
    """Runs `work` for each item on `width` threads and hands every end to `keep`, in the order of the items.

    What `work` raises as SystemFailed becomes a Failed outcome; any other exception ends the run. `keep` is
    called on the caller's thread. Whatever had ended when a run is stopped or cancelled has been kept.
    """

    work: Callable[[Item], Result]
    keep: Callable[[Finished[Item, Result]], None]
    clock: Clock
    progress: Progress
    width: int = 1
    bounds: Bounds = field(default_factory=Bounds)

    def run(self, items: Sequence[Item]) -> Ended:
        """Ask everything, or as much as the bounds allow."""
        pool = _Pool(self.work, self.clock, min(self.width, len(items)))
        state = _State(self, items, pool)
        try:
            stopped = state.until_done()
        except Cancelled:
            state.keep_the_rest()
            raise
        finally:
            pool.close()
        state.keep_the_rest()
        if state.all_failed_like is not None:
            overhear(self.progress, state.all_failed_like)
        return Ended(stopped=stopped, kept=state.kept, left=len(items) - state.kept)


class _Pool(Generic[Item, Result]):
    """Daemon threads: one that hangs keeps no process alive."""

    def __init__(self, work: Callable[[Item], Result], clock: Clock, width: int) -> None:
        self._work = work
        self._clock = clock
        self.width = width
        self._todo: SimpleQueue[tuple[int, Item] | None] = SimpleQueue()
        self._ended: SimpleQueue[tuple[int, Finished[Item, Result]] | BaseException] = SimpleQueue()
        for number in range(width):
            threading.Thread(target=self._worker, name=f"question-{number}", daemon=True).start()

    def ask(self, place: int, item: Item) -> None:
        self._todo.put((place, item))

    def next(self) -> tuple[int, Finished[Item, Result]] | None:
        """The next end, whichever it is; None when there was none for a while."""
        try:
            ended = self._ended.get(timeout=TICK_SECONDS)
        except Empty:
            return None
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def close(self) -> None:
        for _ in range(self.width):
            self._todo.put(None)

    def _worker(self) -> None:
        while (asked := self._todo.get()) is not None:
            try:
                self._ended.put((asked[0], self._finished(asked[1])))
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, which raises it
                self._ended.put(error)

    def _finished(self, item: Item) -> Finished[Item, Result]:
        began = self._clock.monotonic()
        outcome: Result | Failed
        try:
            outcome = self._work(item)
        except SystemFailed as error:
            outcome = Failed(error.kind, error.message, error.detail)
        return Finished(item, outcome, (self._clock.monotonic() - began) * 1000)


class _State(Generic[Item, Result]):
    """What was asked, what has ended, and what of it was kept."""

    def __init__(
        self, execution: Execution[Item, Result], items: Sequence[Item], pool: _Pool[Item, Result]
    ) -> None:
        self._execution = execution
        self._items = items
        self._pool = pool
        self._waiting: dict[int, Finished[Item, Result]] = {}
        self._asked = 0
        self._failures = 0
        self._failed = 0
        self._first: Failed | None = None
        self.kept = 0

    @property
    def all_failed_like(self) -> Failed | None:
        """The first failure, where there was nothing else."""
        return self._first if self._failed == self.kept else None

    def until_done(self) -> StopReason | None:
        execution = self._execution
        while self.kept < len(self._items):
            if self._too_late():
                return "deadline"
            exhausted = not self._ask_more()
            if exhausted and self._asked == self.kept:
                return "budget_exhausted"
            self._take(self._pool.next())
            execution.progress.step(self.kept, len(self._items))
        return None

    def keep_the_rest(self) -> None:
        """Results that waited for an earlier question which will not end any more."""
        for place in sorted(self._waiting):
            self._keep(place)

    def _too_late(self) -> bool:
        deadline = self._execution.bounds.deadline
        return deadline is not None and self._execution.clock.monotonic() >= deadline

    def _ask_more(self) -> bool:
        """Fill the workers' queue; False when the next question cannot be afforded."""
        while self._asked < min(len(self._items), self.kept + self._pool.width * AHEAD):
            if not self._execution.bounds.affordable():
                return False
            self._pool.ask(self._asked, self._items[self._asked])
            self._asked += 1
        return True

    def _take(self, ended: tuple[int, Finished[Item, Result]] | None) -> None:
        if ended is None:
            return
        place, finished = ended
        self._waiting[place] = finished
        self._count(finished.outcome)
        while self.kept in self._waiting:
            self._keep(self.kept)

    def _count(self, outcome: Result | Failed) -> None:
        down = isinstance(outcome, Failed) and outcome.kind in ("crash", "timeout")
        self._failures = self._failures + 1 if down else 0
        if self._failures == GIVE_UP_AFTER:
            for place, finished in self._given_up():
                self._waiting[place] = finished

    def _given_up(self) -> Iterator[tuple[int, Finished[Item, Result]]]:
        message = f"not asked: the system had failed {GIVE_UP_AFTER} times in a row"
        for place in range(self._asked, len(self._items)):
            yield place, Finished(self._items[place], Failed("crash", message), None)
        self._asked = len(self._items)

    def _keep(self, place: int) -> None:
        finished = self._waiting.pop(place)  # first: whatever interrupts the keeping, nothing is kept twice
        self.kept += 1
        if isinstance(finished.outcome, Failed):
            self._failed += 1
            self._first = self._first or finished.outcome
        self._execution.keep(finished)
