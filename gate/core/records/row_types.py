"""What each field of a row may hold, as msgspec types and in words."""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Raw, Struct, UnsetType

LARGEST_RANK: Final = 2**31 - 1
LARGEST_WHOLE: Final = 2**53

Whole = Annotated[float, Meta(ge=-LARGEST_WHOLE, le=LARGEST_WHOLE, multiple_of=1)]
"""1 and 1.0 are the same JSON number, and data frames write the latter."""
Name = Annotated[str, Meta(min_length=1)]
Rank = Annotated[float, Meta(ge=0, le=LARGEST_RANK, multiple_of=1)]


class AnyArray(Struct, array_like=True, gc=False):
    """Takes any JSON array and keeps nothing of it."""


TEXT_TYPE: Final[object] = str | None
METRIC_TYPE: Final[object] = float | bool | None
_FLAG: Final = (bool | None, "true or false")
_NAME: Final = (Name | Whole | None, "a text that is not empty, or a whole number")
_TEXT: Final = (TEXT_TYPE, "text")
_TEXTS: Final = (list[str] | None, "a list of texts")

MEANT: Final[Mapping[str, tuple[object, str]]] = {
    "question_id": (Name, "a text that is not empty"),
    "question_type": _TEXT,
    "cluster_id": _NAME,
    "repeat": _NAME,
    "abstention": _FLAG,
    "recall_all_hit": _FLAG,
    "recall_any_hit": _FLAG,
    "recall_hit": _FLAG,
    "judge_correct": _FLAG,
    "judge_error": (str | bool | None, "the kind of error, as text"),
    "error": (
        str | bool | dict[str, Raw] | list[Raw] | None,
        "a text or an object that says why there is no answer (call a metric something else)",
    ),
    "retrieved_session_ids": _TEXTS,
    "answer_session_ids": _TEXTS,
    "gold_rank": (Rank | None | UnsetType, "a whole number, 1 for the first place, 0 for not found"),
    "content_hash": _TEXT,
    "ranking_digest": _TEXT,
}
"""Fields with a meaning of their own: type, and what is expected in words."""

METRIC_MEANT: Final = "a finite number, true or false"

NUMBER: Final = 1
TEXT: Final = 2
ARRAY: Final = 4
OBJECT: Final = 8

_KINDS: Final = {ord("n"): 0, ord('"'): TEXT, ord("["): ARRAY, ord("{"): OBJECT}

UNMIXED: Final[Mapping[int, object]] = {
    0: None,
    NUMBER: METRIC_TYPE,
    TEXT: TEXT_TYPE,
    ARRAY: AnyArray | None,
    OBJECT: dict[str, Raw] | None,
    TEXT | ARRAY: str | AnyArray | None,
    TEXT | OBJECT: str | dict[str, Raw] | None,
    ARRAY | OBJECT: AnyArray | dict[str, Raw] | None,
    TEXT | ARRAY | OBJECT: str | AnyArray | dict[str, Raw] | None,
}
"""The type that takes what was seen of a field and refuses a kind that would make it a mixed one."""


def kind_of(raw: Raw) -> int:
    """The JSON kind of a value by its first byte: NUMBER (also true and false), TEXT, ARRAY, OBJECT; 0 for null."""
    return _KINDS.get(memoryview(raw)[0], NUMBER)
