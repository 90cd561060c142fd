"""One judge's place in the panel: what it was asked came back as scores, or as an error in the contract's words.

An error begins with one of four words: `provider_error:` no reply; `parse_failed:` a reply without a score;
`incomplete_scores:` a reply that lacks some; `allSettled_rejected:` something nobody foresaw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gate.core.chat import Completion, ModelFailure, Outcome
from gate.core.judging.reply import Reply, Unreadable, read_reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A model and its reply; `error` None = it gave all scores and contributes."""

    model: str
    scores: Mapping[str, float] = field(default_factory=dict)
    improvements: tuple[str, ...] = ()
    error: str | None = None
    malformed: str | None = None
    """What to tell the model when it is asked once more; None = asking again is no use."""
    repaired: bool = False
    cut: bool = False
    """The reply ended at the output cap."""


def slot(model: str, outcome: Outcome, names: Sequence[str], *, max_tokens: int) -> Slot:
    """What a model's outcome is worth."""
    match outcome:
        case ModelFailure():
            return Slot(model=model, error=f"provider_error: {outcome.message}")
        case Completion(finish="refused"):
            return Slot(model=model, error="provider_error: the model, or its filter, refused to answer")
        case _:
            return _judged(model, outcome, names, max_tokens)


def unforeseen(model: str, error: BaseException) -> Slot:
    """A slot that ended in something nobody foresaw."""
    return Slot(model=model, error=f"allSettled_rejected: {type(error).__name__}: {error}")


def _judged(model: str, completion: Completion, names: Sequence[str], max_tokens: int) -> Slot:
    cut = completion.finish == "length"
    ending = f"; the reply was cut at the output cap of {max_tokens} tokens" if cut else ""
    reply = read_reply(completion.text, names)
    if isinstance(reply, Unreadable):
        problem = f"{reply.why}{ending}"
        return Slot(model=model, error=f"parse_failed: {problem}", malformed=problem, cut=cut)
    missing = reply.missing(names)
    problem = f"missing dim(s) [{', '.join(missing)}]{_instead(reply)}{ending}"
    return Slot(
        model=model,
        scores=reply.scores,
        improvements=reply.improvements,
        error=f"incomplete_scores: {problem}" if missing else None,
        malformed=problem if missing else None,
        repaired=reply.repaired,
        cut=cut,
    )


def _instead(reply: Reply) -> str:
    """What stood where scores should have been: the contract's words end before it."""
    if not reply.rejected:
        return ""
    return "; " + ", ".join(f"{name} {reason}" for name, reason in reply.rejected.items())
