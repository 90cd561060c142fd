"""Questions put to many judges at once: all of them together, each paid for, none waited for beyond its time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.chat import ChatRequest, ModelFailure, Outcome
from gate.core.costs import cost_bound
from gate.core.pricing import PriceTable
from gate.ports import ChatModel, Clock, Progress
from gate.suites.execute import Bounds, Execution, Finished
from gate.suites.purse import Metered, Purse

_LATE: Final = ModelFailure(kind="timeout", message="not waited for any longer", lost=True)

Answer = Outcome | Exception
"""What became of a call; an exception is something nobody foresaw."""


@dataclass(frozen=True, slots=True)
class Call:
    """A question to one place of the panel in one batch, both from 0."""

    batch: int
    place: int
    model: str
    request: ChatRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """Who can be asked, and how. `patience` wraps a model in the policy by which a failed call is tried again.

    `stop` is set when the run is cancelled; whoever waits between two tries waits on it.
    """

    models: Mapping[str, ChatModel]
    clock: Clock
    progress: Progress
    stop: threading.Event
    patience: Callable[[ChatModel], ChatModel] = lambda model: model
    width: int = 12
    """How many calls are under way at the same time, at most."""
    call_seconds: float = 330.0
    """After so long nobody waits for a call, whatever its tries are doing: a little more than they are allowed."""


class Switchboard:
    """The judges, metered: asks many calls and keeps the account."""

    def __init__(self, judges: Judges, prices: PriceTable, cap: float | None) -> None:
        self._judges = judges
        self._prices = prices
        self.purse = Purse(cap)
        self._models = {
            name: judges.patience(Metered(model, prices.price(name), self.purse))
            for name, model in judges.models.items()
        }

    def bound(self, call: Call) -> float | None:
        """The most one attempt at a call can cost; None where the model has no price."""
        return cost_bound(call.request, self._prices.price(call.model))

    def ask(
        self, calls: Sequence[Call], *, until: float | None, ended: Callable[[Call, Answer], None]
    ) -> int:
        """Put every question; `ended` hears of each call once, in order, on this thread.

        Returns when all have ended, or at the moment `until` of the clock; a call that nobody waits for any
        longer ends as a time-out, and the number of those is returned. Cancelled passes through, after everything
        that had ended was told.
        """
        width = max(min(self._judges.width, len(calls)), 1)
        latest = self._judges.clock.monotonic() + self._judges.call_seconds * -(-len(calls) // width)
        heard: set[int] = set()
        over = threading.Event()

        def keep(finished: Finished[tuple[int, Call], Answer]) -> None:
            number, call = finished.item
            heard.add(number)
            ended(call, finished.outcome)  # type: ignore[arg-type]  # no judge raises what would become Failed

        execution = Execution(
            work=lambda numbered: self._answer(numbered[1], over),
            keep=keep,
            clock=self._judges.clock,
            progress=self._judges.progress,
            width=width,
            bounds=Bounds(deadline=latest if until is None else min(latest, until)),
        )
        try:
            execution.run(list(enumerate(calls)))
        finally:
            over.set()  # what still waits for a thread is not asked any more
        late = [call for number, call in enumerate(calls) if number not in heard]
        for call in late:
            ended(call, _LATE)
        return len(late)

    def _answer(self, call: Call, over: threading.Event) -> Answer:
        if over.is_set():
            return ModelFailure(kind="cancelled", message="not asked: the run had ended")
        try:
            return self._models[call.model].complete(call.request)
        except Exception as error:  # noqa: BLE001 - one judge's surprise is an error of its slot, not of the panel
            return error
