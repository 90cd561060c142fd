"""What a run says against itself: its suite's own judgement, beside the rules of a configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

REASONS: Final = (
    "threshold_missed",
    "regression",
    "panel_fail",
    "not_measured",
    "incomparable",
    "no_baseline",
    "panel_inconclusive",
    "judge_unreliable",
    "cancelled",
)
"""The reason codes an objection may have: each fails or leaves open, none of them can make a run pass."""

MAX_OBJECTIONS: Final = 32
MAX_TEXT: Final = 500


class ObjectionError(ValueError):
    """An objection that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that did not hold: what was asked, the closed code, and what was seen, in words."""

    rule: str
    reason: str
    message: str

    def line(self) -> dict[str, str]:
        """As a line of rows holds it."""
        return {"rule": self.rule, "reason": self.reason, "message": self.message}


def objections_of(value: object) -> tuple[Objection, ...]:
    """Read what a line states under `objections`; ObjectionError when it is no list of them."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_OBJECTIONS:
        raise ObjectionError(f"`objections` must be a list of at most {MAX_OBJECTIONS}")
    return tuple(_objection(each) for each in value)


def _objection(value: object) -> Objection:
    if not isinstance(value, Mapping):
        raise ObjectionError("every one of `objections` must be an object")
    texts = [value.get(name) for name in ("rule", "reason", "message")]
    if not all(isinstance(text, str) and 0 < len(text) <= MAX_TEXT for text in texts):
        raise ObjectionError(
            f"every one of `objections` needs rule, reason and message, each a text of at most {MAX_TEXT} characters"
        )
    rule, reason, message = map(str, texts)
    if reason not in REASONS:
        raise ObjectionError(f"`objections` names {reason!a}, which is none of {', '.join(REASONS)}")
    return Objection(rule, reason, message)
