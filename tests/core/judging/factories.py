"""Takes, slots and a rubric for tests of the panel; every keyword may be overridden."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from gate.core.judging.rubric import Rubric, read_rubric
from gate.core.judging.slots import Slot
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.takes.take import Take

NAMES = DIMENSIONS


def shipped(name: str) -> bytes:
    """A data file as the wheel carries it."""
    return (files("gate") / "data" / name).read_bytes()


def rubric(**overrides: object) -> Rubric:
    document = json.loads(shipped("rubric.v1.json")) | overrides
    return read_rubric(json.dumps(document).encode(), "rubric.json")


def take(row: int = 1, **overrides: object) -> Take:
    members: dict[str, object] = {
        "page": "people/ada-quill",
        "row": row,
        "claim": "Founded Lumen Forge",
        "kind": "fact",
        "holder": "world",
        "weight": "1",
        "since": "2019-03",
        "source": "company registry",
    }
    return Take(**members | overrides)  # type: ignore[arg-type]  # the overrides are the test's business


def scores(*values: float) -> dict[str, float]:
    """Five scores in the rubric's order; one value stands for all five."""
    return dict(zip(NAMES, values * 5 if len(values) == 1 else values, strict=True))


def answered(model: str, *values: float, improvements: Sequence[str] = ()) -> Slot:
    return Slot(model=model, scores=scores(*values), improvements=tuple(improvements))


def failed(model: str, error: str = "provider_error: it was down") -> Slot:
    return Slot(model=model, error=error)


def reply_text(given: Mapping[str, object] | None = None, *, improvements: Sequence[str] = ()) -> str:
    """What a well-behaved judge answers."""
    judged = scores(8) if given is None else given
    members = {name: {"score": value, "feedback": "fine"} for name, value in judged.items()}
    return json.dumps({"scores": members, "improvements": list(improvements)})
