"""The takes-quality panel: cycles of questions to every judge, one correction each, until a cycle decides.

A cycle asks every judge about every batch at once. Whoever answers with something that is no complete set of scores
is asked once more, with what was wrong (protocol 2). What was asked, what it cost and what stopped the run is told
even when it was cancelled; a cycle that did not end decides nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec import UNSET

from gate.core.chat import ChatRequest, Completion, FailureKind, ModelFailure
from gate.core.costs import cost_bound, total
from gate.core.judging.batches import BatchSlots, combined
from gate.core.judging.budget import Account, Capped, check_prices
from gate.core.judging.conclusion import Conclusion, Rules, Stopped, conclude
from gate.core.judging.cycles import settled
from gate.core.judging.panel import aggregate
from gate.core.judging.prompt import Evidence, Prompt, corrected, judge_prompt, reply_schema
from gate.core.judging.roster import Roster, check_panel, unknown_model
from gate.core.judging.slots import Slot, slot, unforeseen
from gate.core.pricing import PriceTable
from gate.core.records.takes_receipt import Correction, PanelVerdict
from gate.core.takes.take import Take
from gate.errors import Cancelled, ConfigError, ExitCode
from gate.suites.panel_calls import Answer, Call, Judges, Switchboard

PROTOCOL: Final = 2
_UNPAID: Final = ModelFailure(kind="budget", message="not asked once more: the budget is used up")
_ABORTED: Final = ModelFailure(kind="cancelled", message="not asked once more: the run was cancelled")
_SKIPPED: Final[Mapping[FailureKind, Literal["budget", "aborted"]]] = {
    "budget": "budget",
    "cancelled": "aborted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPlan:
    """Everything that is settled before the first call. One batch is the contract's case."""

    rules: Rules
    models: tuple[str, ...]
    batches: tuple[tuple[Take, ...], ...]
    roster: Roster
    prices: PriceTable
    budget: Capped
    evidence: Evidence | None = None
    max_tokens: int = 2000
    attempt_seconds: float = 120.0
    deadline_seconds: float | None = None
    """For the whole run; None = as long as it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRun:
    """What a run came to and what it took. `unfinished` are the replies of a cycle that was interrupted,
    each with its batch, from 0.
    """

    conclusion: Conclusion
    cycles: tuple[BatchSlots, ...]
    prompts: tuple[Prompt, ...]
    account: Account
    unpriced: tuple[str, ...]
    projected_usd: float | None
    """The most one cycle can cost without tries after lost replies; None = unknown."""
    corrections: tuple[Correction, ...] = ()
    snapshots: tuple[tuple[str, str], ...] = ()
    """Model and the snapshot of it that said it answered."""
    remarks: tuple[str, ...] = ()
    calls: int = 0
    """Replies that came, corrections included."""
    replayed: int = 0
    """Those of them that came from a cassette."""
    stopped: Stopped | None = None
    interrupted: ExitCode | None = None
    """How the process is to end after a signal; None = there was none."""
    unfinished: tuple[tuple[int, Slot], ...] = ()


def run_panel(plan: PanelPlan, judges: Judges) -> PanelRun:
    """Ask the panel. ConfigError before any call for a model that is misnamed, retired, or without a price under a
    budget; ConfigError, too, when a provider does not know a model.

    Cancelled (SIGINT, SIGTERM) does not come out of here: the run that was possible does, and says so.
    """
    check_panel(plan.models, plan.roster)
    unpriced = check_prices(plan.models, plan.prices, plan.budget)
    session = _Session(plan, judges)
    stopped, interrupted = None, None
    try:
        stopped = session.run()
    except Cancelled as signal:
        judges.stop.set()
        stopped, interrupted = Stopped(cause="cancelled", detail="the run was cancelled"), signal.exit_code
    except ConfigError as error:
        judges.stop.set()
        session.board.purse.close()
        spent = _spent(session.board.purse.account)
        raise ConfigError(f"{error.message}; {spent}", remedy=error.remedy) from error
    finally:
        session.board.purse.close()
    return PanelRun(
        conclusion=conclude(session.cycles, plan.rules, stopped),
        cycles=tuple(session.cycles),
        prompts=session.prompts,
        account=session.board.purse.account,
        unpriced=unpriced,
        projected_usd=session.projected(),
        corrections=tuple(session.corrections),
        snapshots=tuple(session.notes.snapshots),
        remarks=tuple(session.notes.remarks),
        calls=session.notes.calls,
        replayed=session.notes.replayed,
        stopped=stopped,
        interrupted=interrupted,
        unfinished=tuple((batch, slot) for (batch, _), slot in session.unfinished.items()),
    )


def _spent(account: Account) -> str:
    """What the calls cost that a run made before it turned out that it could not be one."""
    if account.cost is None:
        return "what its other calls cost is unknown"
    return f"its other calls cost ${account.cost:.4f}" + (" at most" if account.charged else "")


def projected(plan: PanelPlan) -> float | None:
    """The most that first attempts of one cycle can cost, from the prompts as they would be asked; None = unknown."""
    calls = _calls(plan, _prompts(plan))
    return total(cost_bound(call.request, plan.prices.price(call.model)) for call in calls)


def _prompts(plan: PanelPlan) -> tuple[Prompt, ...]:
    return tuple(judge_prompt(plan.rules.rubric, takes, plan.evidence) for takes in plan.batches)


def _calls(plan: PanelPlan, prompts: Sequence[Prompt]) -> Iterator[Call]:
    for batch, prompt in enumerate(prompts):
        request = _request(plan, prompt, prompt.text)
        for place, model in enumerate(plan.models):
            yield Call(batch, place, model, request)


def _request(plan: PanelPlan, prompt: Prompt, text: str) -> ChatRequest:
    return ChatRequest(
        system=prompt.system,
        prompt=text,
        max_tokens=plan.max_tokens,
        timeout=plan.attempt_seconds,
        schema=reply_schema(plan.rules.rubric),
    )


_Slots = dict[tuple[int, int], Slot]
"""By batch and place in the panel."""


@dataclass(slots=True)
class _Notes:
    """What replies say beside their scores, each thing once."""

    snapshots: dict[tuple[str, str], None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    calls: int = 0
    replayed: int = 0

    def take(self, call: Call, answer: Answer) -> None:
        if not isinstance(answer, Completion):
            return
        self.calls += 1
        self.replayed += answer.replayed
        if answer.model is not None:
            self.snapshots[call.model, answer.model] = None
        for remark in answer.remarks:
            self.remarks[f"{call.model}: {remark}"] = None


class _Session:
    """One run while it lasts."""

    def __init__(self, plan: PanelPlan, judges: Judges) -> None:
        self._plan = plan
        self._judges = judges
        self._names = plan.rules.rubric.names
        self._until = _moment(judges, plan.deadline_seconds)
        self._left_out = False
        self.board = Switchboard(judges, plan.prices, plan.budget.cap)
        self.prompts = _prompts(plan)
        self.cycles: list[BatchSlots] = []
        self.corrections: list[Correction] = []
        self.unfinished: _Slots = {}
        self.notes = _Notes()

    def run(self) -> Stopped | None:
        """Cycles until one decides; what stopped them before, if anything did."""
        rules = self._plan.rules
        verdicts: list[PanelVerdict] = []
        while len(self.cycles) < rules.cycles and not settled(verdicts, rules.policy):
            stopped = self._before_a_cycle()
            if stopped is not None:
                return stopped
            self._judges.progress.stage(f"cycle {len(self.cycles) + 1} of {rules.cycles}")
            batches = self._cycle()
            if self._left_out:
                return Stopped(cause="deadline", detail="the time allowed was used up during a cycle")
            self.cycles.append(batches)
            self.unfinished = {}
            verdicts.append(aggregate(combined(batches), rules.rubric).verdict)
        return None

    def projected(self) -> float | None:
        """The most a cycle's first attempts can cost."""
        return total(self.board.bound(call) for call in self._calls())

    def _before_a_cycle(self) -> Stopped | None:
        if self._too_late():
            return Stopped(cause="deadline", detail="the time allowed was used up")
        if self._plan.budget.cap == 0:
            return Stopped(cause="budget_exhausted", detail="a budget of $0 allows no model call")
        bound = self.projected()
        if self.board.purse.account.fits(bound):
            return None
        detail = f"the next cycle could cost ${bound or 0.0:.4f}, more than the budget has left"
        return Stopped(cause="budget_exhausted", detail=detail)

    def _too_late(self) -> bool:
        return self._until is not None and self._judges.clock.monotonic() >= self._until

    def _calls(self) -> Iterator[Call]:
        return _calls(self._plan, self.prompts)

    def _cycle(self) -> BatchSlots:
        """Every judge about every batch, and the corrections."""
        slots = self.unfinished

        def ended(call: Call, answer: Answer) -> None:
            slots[call.batch, call.place] = self._slot(call, answer)

        self._ask(list(self._calls()), ended)
        self._corrected(slots)
        places = range(len(self._plan.models))
        return tuple(tuple(slots[batch, place] for place in places) for batch in range(len(self.prompts)))

    def _ask(self, calls: Sequence[Call], ended: Callable[[Call, Answer], None]) -> None:
        late = self.board.ask(calls, until=self._until, ended=ended)
        self._left_out = self._left_out or (late > 0 and self._too_late())

    def _slot(self, call: Call, answer: Answer) -> Slot:
        self.notes.take(call, answer)
        if isinstance(answer, Exception):
            return unforeseen(call.model, answer)
        if isinstance(answer, ModelFailure) and answer.kind == "unknown_model":
            raise self._unknown(call.model, answer.message)
        return slot(call.model, answer, self._names, max_tokens=self._plan.max_tokens)

    def _unknown(self, model: str, said: str) -> ConfigError:
        return unknown_model(model, said, self._plan.roster)

    def _corrected(self, slots: _Slots) -> None:
        """Ask once more where a reply was malformed; a valid second reply takes the first one's place."""
        told: dict[tuple[int, int], Correction] = {}
        asked: list[Call] = []
        for call in self._calls():
            place, first = (call.batch, call.place), slots[call.batch, call.place]
            if first.malformed is None:
                continue
            again = self._again(call, first.malformed)
            if self.board.purse.account.fits(total(map(self.board.bound, (*asked, again)))):
                asked.append(again)
                told[place] = self._told(again, first, _ABORTED, None)
            else:
                told[place] = self._told(again, first, _UNPAID, None)

        def ended(call: Call, answer: Answer) -> None:
            place, second = (call.batch, call.place), self._slot(call, answer)
            told[place] = self._told(call, slots[place], answer, second)
            if second.error is None:
                slots[place] = second

        try:
            if asked:
                self._ask(asked, ended)
        finally:
            self.corrections.extend(told.values())

    def _again(self, call: Call, problem: str) -> Call:
        prompt = self.prompts[call.batch]
        return Call(
            call.batch, call.place, call.model, _request(self._plan, prompt, corrected(prompt, problem))
        )

    def _told(self, call: Call, first: Slot, answer: Answer, second: Slot | None) -> Correction:
        skipped = _SKIPPED.get(answer.kind) if isinstance(answer, ModelFailure) else None
        return Correction(
            cycle=len(self.cycles),
            model_id=call.model,
            first_error=first.error or "",
            corrected=_corrected_to(answer, second),
            corrected_error=UNSET if skipped or second is None or second.error is None else second.error,
            skipped_reason=skipped or UNSET,
            batch=call.batch if len(self.prompts) > 1 else UNSET,
        )


def _corrected_to(answer: Answer, second: Slot | None) -> Literal["valid", "invalid"] | None:
    """What a second reply was; None = there was none."""
    if second is None or not isinstance(answer, Completion):
        return None
    return "valid" if second.error is None else "invalid"


def _moment(judges: Judges, seconds: float | None) -> float | None:
    return None if seconds is None else judges.clock.monotonic() + seconds
