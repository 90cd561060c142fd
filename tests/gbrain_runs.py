"""A stand-in for gbrain in a folder of its own, and what it answers with."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gate.core.longmemeval.haystack import slug_of
from tests.programs import ROOT, everybodys_python


def stand_in(folder: Path, files: Mapping[str, str]) -> str:
    """The `system` of a configuration that calls it."""
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", folder / "gbrain.py")
    for name, text in files.items():
        (folder / name).write_text(text)
    return f"{{kind: gbrain, run: [{everybodys_python()}, -I, {folder / 'gbrain.py'}]}}"


def told(number: int, place: int | None = None, **members: Any) -> dict[str, object]:
    """A row as gbrain writes it: it found the session that holds the answer, or the one named."""
    session = f"q{number:03}-s{number % 4 if place is None else place}"
    return {
        "retrieval_config_hash": "a" * 64,
        "search_meta": {"vector_enabled": True, "degraded": [], "reranked": True},
        "question_id": f"q{number:03}",
        "question": "private words",
        "hypothesis": "",
        "retrieved": [{"slug": slug_of(session), "session_id": session, "rank": 1, "score": 0.5}],
        "mode": "balanced",
        **members,
    }


def answers(rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """The file it takes the rows of a LongMemEval run from."""
    return {"answers.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
