"""Relevance judgements in every shape people have: gbrain's two JSON shapes, TREC qrels and BEIR's.

A JSON file brings the queries' texts with it; a table of judgements needs them from elsewhere. Documents of a
federated brain are named `source::slug`, those of its default source by their slug alone.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gate.core.records.ecmascript import canonical_json
from gate.core.records.strict_json import StrictJsonError, strict_loads

DEFAULT_SOURCE: Final = "default"
GATE_SHAPE: Final = (
    "the gate's shape (`schema_version` 1, entries with `relevant_slugs` or federated `relevant`)"
)
PLAIN_SHAPE: Final = "the plain shape (`version` 1, entries with `relevant` slugs and `grades`)"

_GRADE_HEADINGS: Final = ("score", "grade", "relevance", "rel", "label")

_Object = Mapping[str, object]


class QrelsError(ValueError):
    """The judgements cannot be used; says where, and what was expected."""


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and the grades of the documents somebody has judged for it; 1 and above is relevant.

    `text` is None where the judgements do not bring it.
    """

    id: str
    grades: Mapping[str, int]
    text: str | None = None
    type: str | None = None
    expected_top1: str | None = None

    def content_hash(self) -> str:
        """Changes when the question or what counts as its answer does."""
        judged = {"text": self.text, "grades": dict(self.grades), "top1": self.expected_top1}
        return hashlib.sha256(canonical_json(judged)).hexdigest()[:32]


def read_qrels(data: bytes) -> tuple[JudgedQuery, ...]:
    """Every judged query, in the order of the file; QrelsError with the place when one is wrong."""
    queries = _read_json(data) if data.lstrip()[:1] in (b"{", b"[") else _read_table(data)
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise QrelsError(f"the query id {query.id!a} is there twice")
        seen.add(query.id)
    return queries


def without_default(document: str) -> str:
    """A document's name as judgements write it: the default source is left out."""
    return document.removeprefix(f"{DEFAULT_SOURCE}::")


def with_texts(
    queries: Sequence[JudgedQuery], texts: Mapping[str, tuple[str, str | None]]
) -> tuple[JudgedQuery, ...]:
    """The queries with text and type from elsewhere; QrelsError naming one that is asked nowhere."""
    made = []
    for query in queries:
        text, kind = texts.get(query.id, (query.text, None))
        if text is None:
            raise QrelsError(f"nothing says what the query {query.id!a} asks")
        made.append(replace(query, text=text, type=kind or query.type))
    return tuple(made)


def read_queries(data: bytes) -> dict[str, tuple[str, str | None]]:
    """Texts and types by query id, from JSON lines (BEIR: `_id`, `text`) or lines of id, tab, text."""
    found: dict[str, tuple[str, str | None]] = {}
    for number, line in _lines(data):
        name, text, kind = _query_object(line, number) if line.startswith("{") else _query_line(line, number)
        if name in found:
            raise QrelsError(f"line {number}: the query id {name!a} is there twice")
        found[name] = (text, kind)
    return found


def _query_object(line: str, number: int) -> tuple[str, str, str | None]:
    members = _json_object(line.encode(), f"line {number}")
    name = members.get("_id", members.get("id", members.get("query_id")))
    text = members.get("text", members.get("query"))
    if not isinstance(name, str) or not name or not isinstance(text, str):
        raise QrelsError(f"line {number}: expected an object with `_id` and `text`, both texts")
    return name, text, _text_or_none(members, "question_type", f"line {number}")


def _query_line(line: str, number: int) -> tuple[str, str, None]:
    name, separator, text = line.partition("\t")
    if not separator or not name:
        raise QrelsError(f"line {number}: expected an id, a tab and the query's text")
    return name, text, None


def _read_json(data: bytes) -> tuple[JudgedQuery, ...]:
    document = _json_object(data, "the file")
    gate, plain = document.get("schema_version"), document.get("version")
    if gate is not None and plain is not None:
        raise QrelsError(f"both `schema_version` and `version`: choose {GATE_SHAPE} or {PLAIN_SHAPE}")
    if gate is None and plain is None:
        raise QrelsError(f"neither `schema_version` nor `version`: expected {GATE_SHAPE} or {PLAIN_SHAPE}")
    key, version, entry_of = (
        ("schema_version", gate, _gate_entry) if gate is not None else ("version", plain, _plain_entry)
    )
    if version != 1 or isinstance(version, bool):
        raise QrelsError(f"`{key}` must be 1")
    entries = document.get("queries")
    if not isinstance(entries, list) or not entries:
        raise QrelsError("`queries` must be a list with at least one entry")
    return tuple(entry_of(_object(entry, f"queries[{at}]"), at) for at, entry in enumerate(entries))


def _gate_entry(entry: _Object, at: int) -> JudgedQuery:
    place = f"queries[{at}]"
    federated = "relevant" in entry
    if federated:
        relevant = [
            _reference(ref, f"{place}.relevant[{n}]") for n, ref in enumerate(_list(entry, "relevant", place))
        ]
        top = entry.get("expected_top1")
        top1 = None if top is None else _reference(top, f"{place}.expected_top1")
    else:
        relevant = [
            _slug(ref, f"{place}.relevant_slugs[{n}]")
            for n, ref in enumerate(_list(entry, "relevant_slugs", place))
        ]
        first = entry.get("first_relevant_slug")
        top1 = None if first is None else _slug(first, f"{place}.first_relevant_slug")
    return JudgedQuery(
        id=_text_or_none(entry, "query_id", place) or f"entry-{at}",
        grades=dict.fromkeys(relevant, 1),
        text=_query_text(entry, place),
        type=_text_or_none(entry, "question_type", place),
        expected_top1=top1,
    )


def _plain_entry(entry: _Object, at: int) -> JudgedQuery:
    place = f"queries[{at}]"
    relevant = [_slug(ref, f"{place}.relevant[{n}]") for n, ref in enumerate(_list(entry, "relevant", place))]
    graded = _object(entry.get("grades") or {}, f"{place}.grades")
    grades = {name: _grade(value, f"{place}.grades.{name}") for name, value in graded.items()}
    stray = next((name for name, grade in grades.items() if grade > 0 and name not in relevant), None)
    if stray is not None:
        raise QrelsError(f"{place}.grades names {stray!a}, which `relevant` does not")
    return JudgedQuery(
        id=_text_or_none(entry, "id", place) or f"entry-{at}",
        grades=dict.fromkeys(relevant, 1) | grades,
        text=_query_text(entry, place),
        type=_text_or_none(entry, "question_type", place),
    )


def _reference(value: object, place: str) -> str:
    if isinstance(value, str):
        raise QrelsError(
            f"{place} is a text: plain slugs stand under `relevant_slugs`; {PLAIN_SHAPE} has `version`"
        )
    ref = _object(value, place)
    source, slug = ref.get("source_id"), ref.get("slug")
    if not isinstance(source, str) or not isinstance(slug, str) or not source or not slug:
        raise QrelsError(f"{place} must have a `source_id` and a `slug`, both texts that are not empty")
    return without_default(f"{source}::{slug}")


def _slug(value: object, place: str) -> str:
    if isinstance(value, dict):
        raise QrelsError(f"{place} is an object: references stand under `relevant` of {GATE_SHAPE}")
    if not isinstance(value, str) or not value:
        raise QrelsError(f"{place} must be a text that is not empty")
    return without_default(value)


def _grade(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise QrelsError(f"{place} must be a whole number")
    return int(value)


def _query_text(entry: _Object, place: str) -> str:
    text = entry.get("query")
    if not isinstance(text, str) or not text.strip():
        raise QrelsError(f"{place}.query must be a text that is not empty")
    return text


def _list(entry: _Object, key: str, place: str) -> list[object]:
    value = entry.get(key)
    if not isinstance(value, list) or not value:
        raise QrelsError(f"{place}.{key} must be a list with at least one document")
    return value


def _text_or_none(entry: _Object, key: str, place: str) -> str | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise QrelsError(f"{place}.{key} must be a text")
    return value or None


def _object(value: object, place: str) -> _Object:
    if not isinstance(value, dict):
        raise QrelsError(f"{place} must be an object")
    return value


def _json_object(data: bytes, place: str) -> _Object:
    try:
        return _object(strict_loads(data), place)
    except StrictJsonError as error:
        raise QrelsError(f"{place}: no valid JSON: {error}") from error


def _read_table(data: bytes) -> tuple[JudgedQuery, ...]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in _lines(data):
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        if not judged and _is_header(fields):
            continue
        query, document, grade = _judgement(fields, number)
        grades = judged.setdefault(query, {})
        if grades.get(document, grade) != grade:
            raise QrelsError(f"line {number}: {document!a} has two grades for the query {query!a}")
        grades[document] = grade
    if not judged:
        raise QrelsError("no judgement in it")
    return tuple(JudgedQuery(id=query, grades=grades) for query, grades in judged.items())


def _is_header(fields: Sequence[str]) -> bool:
    return fields[-1].lower() in _GRADE_HEADINGS


def _judgement(fields: Sequence[str], number: int) -> tuple[str, str, int]:
    """Four columns are TREC's (query, iteration, document, grade), three are BEIR's (query, document, grade)."""
    if len(fields) not in (3, 4) or not all(fields):
        raise QrelsError(f"line {number}: expected query, document and grade, or TREC's four columns")
    query, document, grade = fields[0], fields[-2], fields[-1]
    try:
        return query, without_default(document), int(grade)
    except ValueError:
        raise QrelsError(f"line {number}: the grade must be a whole number") from None


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Every line that is not blank, with its number; a byte order mark is dropped."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QrelsError(f"not UTF-8 (at byte {error.start + 1})") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")
