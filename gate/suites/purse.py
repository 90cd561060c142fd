"""The money of one run, shared by every call that is under way."""

import threading

from gate.core.chat import ChatRequest, Completion, ModelFailure, Outcome, Usage
from gate.core.costs import cost, cost_bound
from gate.core.judging.budget import Account
from gate.core.pricing import Price
from gate.ports import ChatModel


class Purse:
    """An account that several threads draw on. A call takes a ticket, and hands it back when it is settled."""

    def __init__(self, cap: float | None) -> None:
        self._account = Account(cap=cap)
        self._running: dict[int, float | None] = {}
        self._tickets = 0
        self._closed = False
        self._lock = threading.Lock()

    @property
    def account(self) -> Account:
        """How things stand."""
        with self._lock:
            return self._account

    def start(self, bound: float | None) -> int | None:
        """A ticket for a call that costs at most `bound`; None when that does not fit, or the run is over."""
        with self._lock:
            if self._closed or not self._account.fits(bound):
                return None
            self._account = self._account.reserve(bound)
            self._tickets += 1
            self._running[self._tickets] = bound
            return self._tickets

    def settle(self, ticket: int, dollars: float | None) -> None:
        """The call cost that much; None = its price is unknown. An abandoned call was settled already."""
        with self._lock:
            if ticket in self._running:
                self._account = self._account.settle(self._running.pop(ticket), dollars)

    def charge(self, ticket: int) -> None:
        """Nobody knows what the call cost: it is charged its bound."""
        with self._lock:
            if ticket in self._running:
                self._account = self._account.charge(self._running.pop(ticket))

    def close(self) -> None:
        """Nothing more may start; what is under way has nobody who waits for it, and is charged its bound."""
        with self._lock:
            self._closed = True
            for bound in self._running.values():
                self._account = self._account.charge(bound)
            self._running.clear()


class Metered:
    """Implements ChatModel over another: every attempt is paid for, and none starts that could not be."""

    def __init__(self, model: ChatModel, price: Price | None, purse: Purse) -> None:
        self._model = model
        self._price = price
        self._purse = purse

    def complete(self, request: ChatRequest) -> Outcome:
        """One attempt; a failure of kind `budget` when there is not enough left for it."""
        bound = cost_bound(request, self._price)
        ticket = self._purse.start(bound)
        if ticket is None:
            return ModelFailure(kind="budget", message=f"not asked: {_too_much(bound)}")
        try:
            outcome = self._model.complete(request)
        except BaseException:
            self._purse.charge(ticket)
            raise
        self._pay(ticket, outcome)
        return outcome

    def _pay(self, ticket: int, outcome: Outcome) -> None:
        match outcome:
            case ModelFailure(lost=True) | Completion(usage=None, replayed=False):
                self._purse.charge(ticket)
            case ModelFailure() | Completion(replayed=True):
                self._purse.settle(ticket, 0.0)
            case Completion(usage=Usage() as usage):
                self._purse.settle(ticket, cost(usage, self._price))


def _too_much(bound: float | None) -> str:
    if bound is None:
        return "its price is unknown, so a budget cannot be kept"
    return f"it could cost ${bound:.4f}, more than the budget has left"
