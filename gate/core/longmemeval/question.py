"""A LongMemEval question with its haystack of sessions, in either of the two shapes datasets have."""

import hashlib
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Text = Annotated[str, Meta(min_length=1)]
AnswerText = str | int | float | None
ABSTENTION = "_abs"


class QuestionError(ValueError):
    """A question that cannot be read; the text says where it is wrong and quotes none of it."""


class Turn(Struct, frozen=True):
    """One message of a session."""

    role: str
    content: str


class Session(Struct, frozen=True, kw_only=True):
    """One conversation of the haystack."""

    id: str
    turns: tuple[Turn, ...]
    date: str | None = None


class Listed(Struct, frozen=True, kw_only=True):
    """A question without its haystack: what a list of a whole dataset can afford to hold.

    `key_hash` changes when the answer or the sessions that hold it do.
    """

    id: str
    type: str | None
    text: str
    content_hash: str
    key_hash: str

    @property
    def abstention(self) -> bool:
        """Whether the right answer is that there is none: such questions stay outside recall."""
        return self.id.endswith(ABSTENTION)


class Question(Struct, frozen=True, kw_only=True):
    """A question, the sessions to find its answer in, and `gold`: the ids of those that hold it, each once."""

    id: str
    type: str | None
    text: str
    answer: AnswerText
    date: str | None
    sessions: tuple[Session, ...]
    gold: tuple[str, ...]

    def content_hash(self) -> str:
        """Changes when anything of the question but its id does; the same for either shape of the file."""
        return _hash(msgspec.structs.replace(self, id=""))

    def haystack_hash(self) -> str:
        """Changes when a session does."""
        return _hash(self.sessions)

    def listed(self) -> Listed:
        """The question without its haystack."""
        return Listed(
            id=self.id,
            type=self.type,
            text=self.text,
            content_hash=self.content_hash(),
            key_hash=_hash((self.answer, self.gold)),
        )


class _NamedSession(Struct):
    session_id: str | None
    turns: tuple[Turn, ...]


class _Written(Struct):
    """A question as files have it."""

    question_id: Text
    question: str
    haystack_sessions: tuple[_NamedSession | tuple[Turn, ...], ...]
    answer_session_ids: tuple[Text, ...] | None = None
    question_type: str | None = None
    answer: AnswerText = None
    question_date: str | None = None
    haystack_session_ids: tuple[str | None, ...] | None = None
    haystack_dates: tuple[str | None, ...] | None = None


class _Named(Struct):
    question_id: Text


def question_of_line(line: bytes, number: int) -> Question:
    """The question a line of JSON holds, the `number`th of its file; QuestionError when it holds none."""
    try:
        return _question(msgspec.json.decode(line, type=_Written))
    except (msgspec.DecodeError, QuestionError, UnicodeDecodeError, RecursionError) as error:
        raise QuestionError(f"{_called(_id_in_line(line), number)}: {_said(error)}") from error


def question_of_object(document: object, number: int) -> Question:
    """The question that is the `number`th element of an array; QuestionError when it is none."""
    try:
        return _question(msgspec.convert(document, _Written))
    except (msgspec.ValidationError, QuestionError) as error:
        found = document.get("question_id") if isinstance(document, dict) else None
        raise QuestionError(f"{_called(found, number)}: {_said(error)}") from error


def _hash(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:32]


def _called(found: object, number: int) -> str:
    named = isinstance(found, str) and found
    return f"question {found!a} (number {number})" if named else f"question number {number}"


def _id_in_line(line: bytes) -> str | None:
    try:
        return msgspec.json.decode(line, type=_Named).question_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _said(error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError | QuestionError):
        return str(error)
    return "no valid JSON object"


def _question(written: _Written) -> Question:
    ids, dates = written.haystack_session_ids or (), written.haystack_dates or ()
    if len(ids) > len(written.haystack_sessions):
        raise QuestionError(
            f"{len(ids)} haystack_session_ids for {len(written.haystack_sessions)} haystack_sessions"
        )
    if not written.haystack_sessions:
        raise QuestionError("haystack_sessions is empty: there is nothing to search")
    sessions = tuple(
        _session(session, _at(ids, place) or f"lme_{written.question_id}_{place}", _at(dates, place))
        for place, session in enumerate(written.haystack_sessions)
    )
    return Question(
        id=written.question_id,
        type=written.question_type,
        text=written.question,
        answer=written.answer,
        date=written.question_date,
        sessions=sessions,
        gold=tuple(dict.fromkeys(written.answer_session_ids or ())),
    )


def _session(written: _NamedSession | tuple[Turn, ...], instead: str, date: str | None) -> Session:
    if isinstance(written, _NamedSession):
        return Session(id=written.session_id or instead, turns=written.turns, date=date)
    return Session(id=instead, turns=written, date=date)


def _at(values: Sequence[str | None], place: int) -> str | None:
    return values[place] if place < len(values) else None
