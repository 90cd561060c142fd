"""Programs that stand for systems under test, good ones and bad ones."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from gate.systems.command import CommandSystem
from gate.systems.process import Command

ROOT: Final = Path(__file__).resolve().parents[1]
WRAPPERS: Final = ROOT / "examples" / "systems"

WELL_BEHAVED: Final = """
import json, sys
known = {}
for line in sys.stdin:
    call = json.loads(line)
    method, params, result = call["method"], call["params"], None
    if method == "capabilities":
        result = {"name": "program", "modes": ["balanced"], "concurrency": 8}
    elif method == "reset":
        known.clear()
        result = {"documents": 0}
    elif method == "ingest":
        known.update((document["id"], document) for document in params["documents"])
        result = {"documents": len(known)}
    elif method == "search":
        result = search(params, known)
    elif method == "answer":
        result = {"text": "because"}
    print(json.dumps({"id": call["id"], "result": result}), flush=True)
"""

FINDS_ALL: Final = """
def search(query, known):
    hits = [{"doc_id": name, "score": 1.0, "rank": rank} for rank, name in enumerate(sorted(known), 1)]
    return {"hits": hits[: query["k"]]}
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may look into, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="gate-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def everybodys_python() -> str:
    """An interpreter that every user may run: ours may lie in somebody's home."""
    for candidate in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        real = Path(candidate).resolve()
        if os.geteuid() != 0 or (
            real.exists() and all(place.stat().st_mode & 0o001 for place in real.parents)
        ):
            return candidate
    pytest.skip("no Python here that every user may run")


def python(source: str, folder: Path) -> Command:
    """A program of that source, in a folder that every user may read."""
    path = folder / "program.py"
    path.write_text(source)
    return Command(argv=(everybodys_python(), "-I", str(path)), folder=folder)


def system(source: str, folder: Path, *, seconds: float = 20) -> CommandSystem:
    """A system under test of that source."""
    return CommandSystem(python(source, folder), seconds=seconds, setup_seconds=max(seconds, 20))


def searching(search: str) -> str:
    """A well-behaved program but for how it searches: `def search(query, known)`."""
    return search + WELL_BEHAVED
