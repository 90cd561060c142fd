"""Lines that speak of the run, not of a question: what they state about how the rows were made."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gate.core.records.ecmascript import number_text
from gate.core.records.objections import Objection, ObjectionError, objections_of
from gate.core.records.row_fields import RESERVED

RUN_INFO: Final = "run_info"
SUMMARY: Final = "by_type_summary"

SHORTFALLS: Final = (
    "reranker_fell_open",
    "vector_degraded",
    "expansion_failed",
    "suite_failed",
    "deadline",
    "budget_exhausted",
    "cancelled",
)
"""The reason codes that a run may state about itself."""

_MOST: Final = 2**53
MAX_LISTED: Final = 8
MAX_LENGTH: Final = 200

_OWN_KEYS: Final = frozenset(
    {
        "kind",
        "schema_version",
        "fingerprints",
        "units",
        "metrics",
        "native",
        "questions",
        "applies_to",
        "shortfalls",
        "objections",
        "notes",
    }
)

_SUMMARY_PLACES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("dataset_sha256", ("run_config", "dataset_sha256")),
    ("k", ("k",)),
    ("k", ("run_config", "topK")),
    ("judge_model", ("qa_accuracy", "judge_model")),
    ("judge_config_hash", ("qa_accuracy", "judge_config_hash")),
    ("judge_prompt_version", ("qa_accuracy", "judge_prompt_version")),
    ("retrieval_config_hash", ("run_config", "retrieval_config_hash")),
    ("knobs_hash", ("run_config", "knobs_hash")),
    ("reader_config_hash", ("run_config", "reader", "config_hash")),
    ("reader_model", ("run_config", "reader", "model")),
    ("reader_mode", ("run_config", "reader", "mode")),
    ("reader_prompt_version", ("run_config", "reader", "prompt_version")),
    ("embedder", ("run_config", "embedder")),
    ("mode", ("run_config", "mode")),
    ("reranker", ("run_config", "reranker", "model")),
    ("reranker_enabled", ("run_config", "reranker", "enabled")),
    ("autocut", ("run_config", "autocut")),
    ("expansion", ("run_config", "expansion")),
    ("keyword_only", ("run_config", "keyword_only")),
    ("cache", ("run_config", "cache", "canonical_sha256")),
    ("cache", ("run_config", "cache", "sha256")),
)
"""Fingerprint → where the summary line of a LongMemEval run states it; the first place that does counts."""


class RunInfoError(ValueError):
    """A run_info line states something in a way that cannot be used; the text says what."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What one such line says. `metrics` and `native` are None where it leaves that to the rows.

    `questions` is how many rows the run meant to write, 0 where it does not say; `applies_to` how many of them a
    metric is meant to be measured on, where that is not all of them; `shortfalls` are closed reason
    codes with the number of questions each concerns; `objections` what the suite itself holds against the run.
    """

    kind: str
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] | None = None
    native: bool | None = None
    questions: int = 0
    applies_to: Mapping[str, int] = field(default_factory=dict)
    shortfalls: Mapping[str, int] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()
    notes: tuple[str, ...] = ()


def run_info(line: Mapping[str, object]) -> RunInfo:
    """Read a line that has a `kind` and no question; RunInfoError when a run_info line is wrong."""
    kind = str(line["kind"])
    if kind == SUMMARY:
        return RunInfo(kind=kind, fingerprints=_summary(line))
    if kind != RUN_INFO:
        return RunInfo(kind=kind)
    stated = {**{key: line[key] for key in line if key not in _OWN_KEYS}, **_object(line, "fingerprints")}
    texts = {key: text for key, value in stated.items() if (text := _text(value)) is not None}
    if any(len(key) > MAX_LENGTH for key in stated):
        raise RunInfoError(f"the name of a fingerprint is longer than {MAX_LENGTH} characters")
    return RunInfo(
        kind=kind,
        fingerprints=texts,
        units=_units(line),
        metrics=_metrics(line),
        native=_native(line),
        questions=0 if line.get("questions") is None else _count(line["questions"], "questions"),
        applies_to={
            metric: _count(count, f"applies_to.{metric[:MAX_LENGTH]}")
            for metric, count in _object(line, "applies_to").items()
        },
        shortfalls=_shortfalls(line),
        objections=_objections(line),
        notes=_notes(line),
    )


def merged(statements: Iterable[Mapping[str, tuple[str, ...]]]) -> Mapping[str, str]:
    """One text per fingerprint; "mixed: a, b" where a run states different ones, so that it matches nothing else."""
    values: dict[str, dict[str, None]] = {}
    for stated in statements:
        for name, texts in stated.items():
            values.setdefault(name, {}).update(dict.fromkeys(texts))
    return {name: _joined(tuple(texts)) for name, texts in sorted(values.items())}


def _joined(texts: tuple[str, ...]) -> str:
    if len(texts) == 1:
        return texts[0]
    listed = sorted(texts)
    return "mixed: " + ", ".join(listed[:MAX_LISTED]) + (", …" if len(listed) > MAX_LISTED else "")


def _summary(line: Mapping[str, object]) -> dict[str, str]:
    stated: dict[str, str] = {}
    for name, path in _SUMMARY_PLACES:
        value: object = line
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        text = _text(value)
        if text is not None:
            stated.setdefault(name, text)
    return stated


def _text(value: object) -> str | None:
    """A statement as text: None for nothing, lists and objects; a digest of what is too long to show."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value)
        case str() if len(value) > MAX_LENGTH:
            return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
        case str():
            return value or None
        case _:
            return None


def _number(value: float) -> str:
    try:
        return number_text(value)
    except ValueError:
        raise RunInfoError("a number beyond the range of doubles") from None


def _object(line: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = line.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RunInfoError(f"`{key}` must be an object")
    return value


def _units(line: Mapping[str, object]) -> Mapping[str, str]:
    units = {metric: unit for metric, unit in _object(line, "units").items() if isinstance(unit, str)}
    if len(units) != len(_object(line, "units")):
        raise RunInfoError("`units` must name each unit as text")
    return units


def _metrics(line: Mapping[str, object]) -> tuple[str, ...] | None:
    names = line.get("metrics")
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RunInfoError("`metrics` must be a list of field names")
    taken = sorted(RESERVED.intersection(names))
    if taken:
        raise RunInfoError(f"`metrics` names `{taken[0]}`, which has a meaning of its own")
    return tuple(dict.fromkeys(names))


def _native(line: Mapping[str, object]) -> bool | None:
    native = line.get("native")
    if native is not None and not isinstance(native, bool):
        raise RunInfoError("`native` must be true or false")
    return native


def _shortfalls(line: Mapping[str, object]) -> Mapping[str, int]:
    found = _object(line, "shortfalls")
    unknown = sorted(found.keys() - SHORTFALLS)
    if unknown:
        raise RunInfoError(
            f"`shortfalls` names {unknown[0][:MAX_LENGTH]!a}, which is none of {', '.join(SHORTFALLS)}"
        )
    return {reason: _count(count, f"shortfalls.{reason}") for reason, count in found.items()}


def _objections(line: Mapping[str, object]) -> tuple[Objection, ...]:
    try:
        return objections_of(line.get("objections"))
    except ObjectionError as error:
        raise RunInfoError(str(error)) from error


def _count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST or value % 1:
        raise RunInfoError(f"`{name}` must be a whole number, 0 or more")
    return int(value)


def _notes(line: Mapping[str, object]) -> tuple[str, ...]:
    """Remarks of the run; whatever else stands under that name is no remark, and no error either."""
    notes = line.get("notes")
    if not isinstance(notes, list):
        return ()
    return tuple(note[:MAX_LENGTH] for note in notes[:MAX_LISTED] if isinstance(note, str))
