"""A question's sessions as documents for a system, under ids that give nothing away."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.core.longmemeval.question import Question, Session
from gate.core.records.system import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Haystack:
    """What a system is given, and how its hits lead back to sessions.

    `collisions` are the ids of sessions that claim the slug of another: the later one is left out, as a page
    of the same name would be lost. `repeated` counts sessions that are there twice, word for word: no loss.
    """

    documents: tuple[Document, ...]
    session_of: Mapping[str, str]
    collisions: tuple[str, ...]
    collided_gold: tuple[str, ...]
    repeated: int
    gold_missing: tuple[str, ...]


def slug_of(session_id: str) -> str:
    """An opaque name, so that no system can tell gold sessions (whose ids begin with `answer_`) by it."""
    return f"chat/s-{hashlib.sha256(session_id.encode()).hexdigest()[:10]}"


def haystack_of(question: Question, slug: Callable[[str], str] = slug_of) -> Haystack:
    """The question's sessions, each once."""
    kept: dict[str, Session] = {}
    collisions: dict[str, None] = {}
    repeated = 0
    for session in question.sessions:
        first = kept.setdefault(slug(session.id), session)
        if first is session:
            continue
        if (first.id, first.turns) == (session.id, session.turns):
            repeated += 1
        else:
            collisions |= {first.id: None, session.id: None}
    present = {session.id for session in question.sessions}
    return Haystack(
        documents=tuple(_document(name, session) for name, session in kept.items()),
        session_of={name: session.id for name, session in kept.items()},
        collisions=tuple(collisions),
        collided_gold=tuple(gold for gold in question.gold if gold in collisions),
        repeated=repeated,
        gold_missing=tuple(gold for gold in question.gold if gold not in present),
    )


def _document(name: str, session: Session) -> Document:
    text = "\n".join(f"{turn.role}: {turn.content}" for turn in session.turns)
    return Document(id=name, text=text, session_id=name, date=session.date)
