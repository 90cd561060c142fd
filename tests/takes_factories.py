"""Takes, pages and takes-quality receipts for tests: plain functions, keyword overrides."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.takes_receipt import DIMENSIONS, TakesReceipt, takes_receipt
from gate.core.takes.fence import FenceRow
from gate.core.takes.fence_text import fence_text
from gate.core.takes.take import Take

SHARED = Path(__file__).parents[2] / "shared" / "data" / "gbrain"


def shared(name: str) -> Any:
    """A JSON document of the shared data set; the test is skipped where that is not beside the repository."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the shared data set ({name}) is not beside the repository")
    return json.loads(path.read_bytes())


def golden(key: str) -> Any:
    """What the original program gave for takes."""
    return shared("derived-golden-takes.json")[key]


def take(page: str = "people/ada", row: int = 1, **overrides: Any) -> Take:
    """A take on a page."""
    members = {
        "claim": f"claim {row} about {page}",
        "kind": "take",
        "holder": "brain",
        "weight": "0.75",
        "since": "2026-01",
        "source": "notes",
        **overrides,
    }
    return Take(page=page, row=row, **members)


def row(number: int = 1, **overrides: Any) -> FenceRow:
    """A row of a fence."""
    members = {"claim": f"claim {number}", "kind": "take", "holder": "brain", "weight": 0.75, **overrides}
    return FenceRow(row=number, **members)


def write_pages(folder: Path, takes: Iterable[Take]) -> None:
    """A folder of pages that hold these takes."""
    by_page: dict[str, list[FenceRow]] = {}
    for one in takes:
        members = {
            name: getattr(one, name) for name in ("claim", "kind", "holder", "since", "until", "source")
        }
        written = row(one.row, weight=float(one.weight), active=one.active, **members)
        by_page.setdefault(one.page, []).append(written)
    for page, rows in by_page.items():
        path = folder / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# A page\n\nProse.\n\n## Takes\n\n{fence_text(rows)}\n", encoding="utf-8")


def receipt_document(**overrides: object) -> dict[str, Any]:
    """What a receipt's file holds."""
    scores = {
        dimension: {"mean": 7.5, "min": 7, "max": 8, "scores": [7, 8], "per_model": {"a:one": 7, "b:two": 8}}
        for dimension in DIMENSIONS
    }
    return {
        "schema_version": 1,
        "ts": "2026-11-30T12:00:00.000Z",
        "rubric_version": "v1.0",
        "rubric_sha8": "dddddddd",
        "corpus": {"source": "fs", "n_takes": 2, "slug_prefix": None, "corpus_sha8": "aaaaaaaa"},
        "prompt_sha8": "bbbbbbbb",
        "models_sha8": "cccccccc",
        "models": ["a:one", "b:two"],
        "cycles_run": 1,
        "successes_per_cycle": [2],
        "verdict": "pass",
        "scores": scores,
        "overall_score": 7.5,
        "cost_usd": 0.0134,
        "improvements": ["cite the page"],
        "errors": [],
        "verdictMessage": "PASS",
        **overrides,
    }


def inconclusive_document(**overrides: object) -> dict[str, Any]:
    """What the file of a receipt without scores holds."""
    errors = [{"modelId": "b:two", "error": "provider_error: 503"}]
    given: dict[str, object] = {
        "verdict": "inconclusive",
        "scores": {},
        "overall_score": None,
        "errors": errors,
    }
    return receipt_document(**{**given, **overrides})


def receipt(**overrides: object) -> TakesReceipt:
    """A receipt."""
    return takes_receipt(receipt_document(**overrides))
