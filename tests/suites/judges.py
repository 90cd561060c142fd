"""A panel of scripted judges, and plans for it."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gate.core.chat import ChatRequest, Completion, ModelFailure, Outcome, Usage
from gate.core.judging.budget import Capped
from gate.core.judging.conclusion import Rules
from gate.core.judging.roster import read_roster
from gate.core.pricing import Price, PriceTable
from gate.core.records.takes_receipt import DIMENSIONS
from gate.ports import ChatModel
from gate.process import SystemClock
from gate.suites.panel_calls import Judges
from gate.suites.takes_quality import PanelPlan
from tests.core.judging.factories import reply_text, rubric, scores, shipped, take
from tests.fakes import Stages

MODELS = ("openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-2.0-flash")
DEARLY = PriceTable([Price(model=name, input=10, output=1000) for name in MODELS])
"""Prices at which 2,000 tokens of output cost two dollars, and a prompt next to nothing."""

SHIPPED = read_roster(shipped("panel.v1.json"), "panel.v1.json")
ROSTER = SHIPPED.except_for({"google"})
"""For judges that are no provider's own: the documented panel has a model that Google shut down."""

USAGE = Usage(input_tokens=5000, output_tokens=500)
"""What a scripted reply says it used: $0.55 at DEARLY."""


def said(text: str, **overrides: object) -> Completion:
    members: dict[str, object] = {"text": text, "finish": "stop", "usage": USAGE}
    return Completion(**members | overrides)  # type: ignore[arg-type]  # a test's overrides


def gives(*values: float, improvements: Sequence[str] = ()) -> Completion:
    """A complete reply with these scores; one value stands for all five dimensions."""
    return said(reply_text(scores(*values), improvements=improvements))


LACKING = said(reply_text(dict.fromkeys(DIMENSIONS[:3], 8.0)))
DOWN = ModelFailure(kind="server", message="HTTP 500: sorry")

Turn = Outcome | Exception | Callable[[ChatRequest], Outcome]


@dataclass
class Scripted:
    """A judge that says one thing after another, and the last thing for ever."""

    turns: Sequence[Turn]
    asked: list[ChatRequest] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(self, request: ChatRequest) -> Outcome:
        with self._lock:
            turn = self.turns[min(len(self.asked), len(self.turns) - 1)]
            self.asked.append(request)
        if isinstance(turn, Exception):
            raise turn
        return turn(request) if callable(turn) else turn


@dataclass
class Ticking:
    """A clock whose monotonic seconds a test moves."""

    seconds: float = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 30, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


def panel(*judges: Turn | Sequence[Turn]) -> dict[str, Scripted]:
    """One script per model of the default panel."""
    scripts = [judge if isinstance(judge, Sequence) else (judge,) for judge in judges]
    return {model: Scripted(script) for model, script in zip(MODELS, scripts, strict=False)}


def judges(models: Mapping[str, ChatModel], **overrides: object) -> Judges:
    members: dict[str, object] = {
        "models": models,
        "clock": SystemClock(),
        "progress": Stages(),
        "stop": threading.Event(),
    }
    return Judges(**members | overrides)  # type: ignore[arg-type]  # a test's overrides


def plan(batches: int = 1, *, cap: float | None = None, **overrides: object) -> PanelPlan:
    """A plan over as many batches of two takes; keywords of Rules go to the rules."""
    of_rules = {key: overrides.pop(key) for key in ("cycles", "policy", "floor") if key in overrides}
    members: dict[str, object] = {
        "rules": Rules(rubric=rubric(), **{"cycles": 1} | of_rules),  # type: ignore[arg-type]  # a test's overrides
        "models": MODELS,
        "batches": tuple((take(2 * i + 1), take(2 * i + 2)) for i in range(batches)),
        "roster": ROSTER,
        "prices": DEARLY,
        "budget": Capped(cap=cap, price_file="prices.json"),
    }
    return PanelPlan(**members | overrides)  # type: ignore[arg-type]  # a test's overrides
