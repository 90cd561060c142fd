"""The Cranfield collection, read from beside the repository; tests that need it are skipped without it."""

import re
from pathlib import Path

import pytest

from gate.core.records.system import Document

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "cranfield"

needs_cranfield = pytest.mark.skipif(not FOLDER.is_dir(), reason="the Cranfield collection is not here")


def documents() -> list[Document]:
    """The 1,400 abstracts; two of them are empty."""
    return [
        Document(id=number, title=_field("T", body), text=_field("W", body))
        for number, body in _records("cran.all.1400")
    ]


def queries() -> dict[str, str]:
    """The 225 questions, numbered by their position as the judgements number them."""
    bodies = [body for _, body in _records("cran.qry")]
    return {str(place): _field("W", body) for place, body in enumerate(bodies, 1)}


def qrels() -> dict[str, dict[str, int]]:
    """Binary judgements: the codes 1 to 4 say relevant (1 the most), -1 says not."""
    judged: dict[str, dict[str, int]] = {}
    for line in (FOLDER / "cranqrel").read_text().splitlines():
        query, document, code = line.split()
        judged.setdefault(query, {})[document] = int(1 <= int(code) <= 4)
    return judged


def _records(name: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\.I +(\d+)\n", (FOLDER / name).read_text(), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _field(letter: str, body: str) -> str:
    found = re.search(rf"^\.{letter}\n(.*?)(?=^\.[A-Z]\n|\Z)", body, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""
