"""Row files for tests: written from dictionaries, read into tables, compared."""

import json
from collections.abc import Mapping

import numpy as np

from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_duplicates import Duplicates
from gate.core.records.rows import RowTable

Document = Mapping[str, object]


def ndjson(*documents: Document) -> bytes:
    """The documents, one a line, each with its line feed."""
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def read(
    *parts: Document | bytes,
    duplicates: Duplicates = "refused",
    required: frozenset[str] = frozenset(),
    block: int = 1 << 20,
) -> RowTable:
    """The table of documents and of bytes as they are, handed over in blocks of that many bytes."""
    data = b"".join(part if isinstance(part, bytes) else ndjson(part) for part in parts)
    blocks = [data[start : start + block] for start in range(0, len(data), block)]
    return decode_rows(blocks, name="rows.ndjson", duplicates=duplicates, required=required)


def values(table: RowTable, metric: str) -> list[float | None]:
    """A metric row by row, None where it was not measured."""
    column = table.metrics[metric]
    return [
        float(value) if present else None
        for value, present in zip(column.values, column.present, strict=True)
    ]


def content(table: RowTable) -> dict[str, object]:
    """Everything a table says but its notes, in a form that can be compared."""
    return {
        "ids": table.ids,
        "types": table.types,
        "clusters": table.clusters,
        "repeats": table.repeats,
        "metrics": {name: values(table, name) for name in table.metrics},
        "order": tuple(table.metrics),
        "errored": _listed(table.errored),
        "judge_errors": _listed(table.judge_errors),
        "abstentions": _listed(table.abstentions),
        "gold_ranks": None if table.gold_ranks is None else _listed(table.gold_ranks),
        "rankings": table.rankings,
        "content_hashes": table.content_hashes,
        "fingerprints": dict(table.fingerprints),
        "units": dict(table.units),
        "native": table.native,
    }


def _listed(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> list[object]:
    return list(array.tolist())
