"""LongMemEval-shaped files that tests read."""

import json
from collections.abc import Iterable
from pathlib import Path

from tests.core.longmemeval.factories import written

WORDS = [
    "gin",
    "martini",
    "vermouth",
    "lease",
    "apartment",
    "harbor",
    "puppy",
    "coffee",
    "recipe",
    "train",
    "violin",
    "garden",
    "lantern",
]


def document(number: int, name: str | None = None) -> dict[str, object]:
    """A question about one of its four sessions, which a search finds by its words."""
    name = name or f"q{number:03}"
    topics = [WORDS[(number + place) % len(WORDS)] for place in range(4)]
    sessions = [
        {
            "session_id": f"{name}-s{place}",
            "turns": [{"role": "user", "content": f"all about the {topic} {name}"}],
        }
        for place, topic in enumerate(topics)
    ]
    return written(
        name,
        question=f"what about the {topics[number % 4]}?",
        question_type=f"type-{number % 3}",
        haystack_sessions=sessions,
        answer_session_ids=[f"{name}-s{number % 4}"],
    )


def array(path: Path, documents: Iterable[dict[str, object]]) -> Path:
    path.write_text(json.dumps(list(documents)))
    return path


def lines(path: Path, documents: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return path
