"""The words of a few questions, read from their rows: only for reports that may show them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from gate.errors import EvidenceError

LONGEST: Final = 500


class _Worded(msgspec.Struct):
    """What of a row is looked at; systems call their question one of two names."""

    question_id: str = ""
    question: str | None = None
    query: str | None = None


def question_texts(path: Path, ids: frozenset[str], *, name: str) -> Mapping[str, str]:
    """Question id → its text, at most 500 characters, of those asked for that have one.

    Rows whose words are of another type have none. EvidenceError when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return {row.question_id: words[:LONGEST] for row, words in _worded(file, ids)}
    except OSError as error:
        raise EvidenceError(
            f"{name}: cannot be read ({error.strerror or error})", remedy="check the file and its permissions"
        ) from error


def _worded(lines: Iterator[bytes], ids: frozenset[str]) -> Iterator[tuple[_Worded, str]]:
    decoder = msgspec.json.Decoder(_Worded)
    for line in lines:
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        words = row.question or row.query
        if words and row.question_id in ids:
            yield row, words
