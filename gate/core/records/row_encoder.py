"""The slim copy of a table: ids, types, clusters and values, never a text of a question or an answer.

Its first line declares metrics, fingerprints and units, so that reading it gives the same table again.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from gate.core.records.ecmascript import number_text
from gate.core.records.rows import UNKNOWN_RANK, Column, RowTable
from gate.core.records.run_info import RUN_INFO

_Part = Callable[[int], str]
"""What one column contributes to the line of a row: `,"key":value`, or nothing."""


def encode_rows(table: RowTable) -> Iterator[bytes]:
    """The lines of the slim copy, each with its line feed; the same bytes for the same table."""
    yield _header(table)
    parts = _parts(table)
    for row, question in enumerate(table.ids):
        rest = "".join([part(row) for part in parts])
        yield f'{{"question_id":{_text(question)}{rest}}}\n'.encode()


def _header(table: RowTable) -> bytes:
    header = {
        "kind": RUN_INFO,
        "native": table.native,
        "metrics": list(table.metrics),
        "fingerprints": dict(sorted(table.fingerprints.items())),
        "units": dict(sorted(table.units.items())),
        **({"applies_to": dict(sorted(table.applies_to.items()))} if table.applies_to else {}),
        **({"shortfalls": dict(sorted(table.shortfalls.items()))} if table.shortfalls else {}),
        **({"objections": [each.line() for each in table.objections]} if table.objections else {}),
    }
    return msgspec.json.encode(header) + b"\n"


def _parts(table: RowTable) -> tuple[_Part, ...]:
    texts: tuple[tuple[str, Sequence[str | None] | None], ...] = (
        ("question_type", table.types),
        ("cluster_id", table.clusters),
        ("repeat", table.repeats and tuple(repeat or None for repeat in table.repeats)),
    )
    flags = (
        ("error", table.errored),
        ("judge_error", table.judge_errors),
        ("abstention", table.abstentions),
    )
    digests = (("ranking_digest", table.rankings), ("content_hash", table.content_hashes))
    return (
        *(_texts(name, values) for name, values in texts if values),
        *(_numbers(name, column) for name, column in sorted(table.metrics.items())),
        *(_flags(name, mask.tolist()) for name, mask in flags if mask.any()),
        *([] if table.gold_ranks is None else [_ranks(table.gold_ranks.tolist())]),
        *(_texts(name, values) for name, values in digests if values),
    )


def _texts(name: str, values: Sequence[str | None]) -> _Part:
    def part(row: int) -> str:
        value = values[row]
        return "" if value is None else f',"{name}":{_text(value)}'

    return part


def _numbers(name: str, column: Column) -> _Part:
    key, values, present = _text(name), column.values.tolist(), column.present.tolist()

    def part(row: int) -> str:
        return f",{key}:{number_text(values[row])}" if present[row] else ""

    return part


def _flags(name: str, flags: Sequence[bool]) -> _Part:
    def part(row: int) -> str:
        return f',"{name}":true' if flags[row] else ""

    return part


def _ranks(ranks: Sequence[int]) -> _Part:
    def part(row: int) -> str:
        return "" if ranks[row] == UNKNOWN_RANK else f',"gold_rank":{ranks[row]}'

    return part


def _text(value: str) -> str:
    return msgspec.json.encode(value).decode()
