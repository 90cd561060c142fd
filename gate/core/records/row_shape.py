"""The fields of one run's rows, learnt from the rows, and the typed decoder they make.

A decoder that knows every field by name and type skips what nobody asked for and refuses what is new. What is
new is learnt and the decoder made again: a few times at the start of a file, rarely later. Closed sets of
values (question types, fingerprints) are learnt as literals, so that a value never seen before cannot slip by.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Union

import msgspec
from msgspec import UNSET, Raw

from gate.core.records.row_fields import FINGERPRINT_FIELDS, NATIVE_FIELDS, RESERVED, is_metric_field
from gate.core.records.row_types import (
    MEANT,
    METRIC_MEANT,
    METRIC_TYPE,
    NUMBER,
    TEXT,
    TEXT_TYPE,
    UNMIXED,
    kind_of,
)

MAX_FIELDS: Final = 2_000
MAX_TYPES: Final = 64
"""Question types that are learnt as literals; a run with more is read just as well, a little slower."""
MAX_STATED: Final = 8
"""Different values of one fingerprint that are kept; a run with more is mixed all the same."""
MAX_STATED_LENGTH: Final = 200

ID: Final = "question_id"
TYPE: Final = "question_type"

_WHOLE_NUMBER: Final = re.compile(rb"-?[0-9]{1,15}")
_CLOSED: Final = frozenset((*FINGERPRINT_FIELDS, TYPE))
_FORBIDDEN_IN_NAMES: Final = frozenset('"\\' + "".join(map(chr, range(32))))

Reader = Callable[[Sequence[Any]], list[Any]]
"""From decoded rows to the values of one field."""


class UnlearnableError(ValueError):
    """A row brings something that no decoder can be made for; the text says what."""


class RowShape:
    """What is known of the fields so far.

    `declared` are fields that must be metrics, so that a text in one of them is an error of its row: the gated
    ones, and those that the rows' own run_info line names.
    """

    def __init__(self, declared: Iterable[str] = ()) -> None:
        self._declared = frozenset(declared) - RESERVED
        self._kinds: dict[str, int] = {}
        self._stated: dict[str, set[str | int]] = {name: set() for name in _CLOSED}
        self._open: set[str] = set()
        self._readers: dict[str, Reader] = {}
        self._decode: Callable[[bytes], Any] | None = None
        self._metrics: tuple[str, ...] = ()
        self._add(ID)

    def declare(self, metrics: Iterable[str]) -> None:
        """More fields that must be metrics; before any row is learnt."""
        self._declared |= frozenset(metrics) - RESERVED

    @property
    def decode(self) -> Callable[[bytes], Any]:
        """From the bytes of a row to an object for the readers; msgspec's errors for what is new or wrong."""
        if self._decode is None:
            self._decode = msgspec.json.Decoder(self._struct()).decode
            self._metrics = tuple(filter(self._is_metric, self._kinds))
        return self._decode

    def reader(self, name: str) -> Reader | None:
        """Reads a field of decoded rows; None while no row has had the field."""
        return self._readers.get(name)

    def only_texts(self, name: str) -> bool:
        """Whether every value of a field so far was a text or absent."""
        return self._kinds.get(name, 0) | TEXT == TEXT

    def learn(self, fields: Mapping[str, Raw]) -> None:
        """Take in the fields of one row; UnlearnableError when no decoder can know them."""
        for name, raw in fields.items():
            if name not in self._kinds:
                self._add(name)
            kinds = self._kinds[name] | kind_of(raw)
            if kinds != self._kinds[name]:
                self._kinds[name] = kinds
                self._decode = None
            if name in _CLOSED and name not in self._open and kind_of(raw):
                self._learn_value(name, raw)

    def metric_fields(self) -> tuple[str, ...]:
        """The metrics of generic rows by what the decoder knows, in order of appearance."""
        return self._metrics

    def declared_fields(self) -> tuple[str, ...]:
        """The declared metrics among the fields seen, in order of appearance."""
        return tuple(filter(self._is_declared, self._kinds))

    def not_metrics(self) -> tuple[str, ...]:
        """Fields with numbers in some rows and something else in others, in order of appearance."""
        return tuple(name for name, kinds in self._kinds.items() if is_metric_field(name) and _mixed(kinds))

    def native(self) -> bool:
        """Whether any row carried a field of native rows, with a value."""
        return any(self._kinds.get(name) for name in NATIVE_FIELDS)

    def stated(self) -> Mapping[str, tuple[str, ...]]:
        """The values of every fingerprint field, as sorted texts; a last "…" where there were more."""
        return {
            name: (*sorted(map(str, self._stated[name])), *(["…"] if name in self._open else []))
            for name in FINGERPRINT_FIELDS
            if self._stated[name]
        }

    def expectation(self, path: str) -> tuple[str, str] | None:
        """The field that a decoder's error path (`field` or `field[3]`) names, and what it must hold."""
        names = [name for name in self._kinds if path == name or path.startswith(f"{name}[")]
        if not names:
            return None
        field = max(names, key=len)
        return field, MEANT[field][1] if field in MEANT else METRIC_MEANT

    def _add(self, name: str) -> None:
        if len(self._kinds) >= MAX_FIELDS:
            raise UnlearnableError(f"more than {MAX_FIELDS:,} different field names")
        if not _FORBIDDEN_IN_NAMES.isdisjoint(name):
            raise UnlearnableError("a field name with a quotation mark, a backslash or a control character")
        self._readers[name] = _reader(_attribute(len(self._kinds)))
        self._kinds[name] = 0
        self._decode = None

    def _learn_value(self, name: str, raw: Raw) -> None:
        known, value = self._stated[name], _statement(raw)
        if value in known or (name == TYPE and kind_of(raw) != TEXT):
            return
        self._decode = None
        if value is None:
            known.clear()
            self._open.add(name)
        elif len(known) == (MAX_TYPES if name == TYPE else MAX_STATED):
            self._open.add(name)
        else:
            known.add(value)

    def _is_declared(self, name: str) -> bool:
        return name in self._declared

    def _is_metric(self, name: str) -> bool:
        return self._is_declared(name) or (self._kinds[name] == NUMBER and is_metric_field(name))

    def _struct(self) -> type:
        names = {_attribute(position): name for position, name in enumerate(self._kinds)}
        optional = [
            (attribute, self._type(name), UNSET if name == "gold_rank" else None)
            for attribute, name in names.items()
            if name != ID
        ]
        return msgspec.defstruct(
            "Row",
            [(_attribute(0), MEANT[ID][0]), *optional],
            rename=names,
            forbid_unknown_fields=True,
            frozen=True,
            gc=False,
        )

    def _type(self, name: str) -> Any:
        if name in _CLOSED:
            return self._closed_type(name)
        if name in MEANT:
            return MEANT[name][0]
        if self._is_declared(name):
            return METRIC_TYPE
        if is_metric_field(name):
            return UNMIXED.get(self._kinds[name], Raw)
        # a text is made faster than a view of one; fields with a meaning (`retrieved`) are wanted as they are
        return TEXT_TYPE if self._kinds[name] == TEXT and name not in RESERVED else Raw

    def _closed_type(self, name: str) -> Any:
        if name in self._open:
            return TEXT_TYPE if name == TYPE else Raw
        values = tuple(self._stated[name])
        return Union[Literal[values], None] if values else None  # noqa: UP007  # a type made at run time


def _attribute(position: int) -> str:
    """Struct attributes are numbered: a field's own name need not be an identifier."""
    return f"f{position}"


def _reader(attribute: str) -> Reader:
    """Reads one attribute of many rows, more than twice as fast as operator.attrgetter would, row by row."""
    reader: Reader = eval(f"lambda rows: [row.{attribute} for row in rows]")  # noqa: S307  # numbered by us, above
    return reader


def _mixed(kinds: int) -> bool:
    return bool(kinds & NUMBER) and kinds != NUMBER


def _statement(raw: Raw) -> str | int | None:
    """A text or a whole number that can identify something; None for any other value."""
    if kind_of(raw) == TEXT:
        text = msgspec.json.decode(raw, type=str)
        return text if len(text) <= MAX_STATED_LENGTH else None
    return int(bytes(raw)) if _WHOLE_NUMBER.fullmatch(raw) else None
