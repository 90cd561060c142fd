"""The documents' examples are what the gate accepts: configurations, and the inputs of workflow steps."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.github.inputs import INPUTS
from gate.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/getting-started.md",
    "docs/github-action.md",
    "docs/recipes.md",
    "docs/rows.md",
    "docs/suites.md",
    "docs/systems.md",
)
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
TAKEN = {one.name for one in INPUTS} | {"python", "wheel", "index-url", "extras"}


def blocks() -> list[tuple[str, Any]]:
    """Every example, named by its page and its place there."""
    return [
        (f"{page}, example {place}: {text[:40]!r}", yaml.safe_load(text))
        for page in PAGES
        for place, text in enumerate(BLOCK.findall((ROOT / page).read_text()), 1)
    ]


def steps(node: object) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "uses" in node:
            yield node
        for value in node.values():
            yield from steps(value)
    if isinstance(node, list):
        for value in node:
            yield from steps(value)


CONFIGS = [(name, block) for name, block in blocks() if isinstance(block, dict) and "version" in block]
OURS = [
    (f"{name}, step {number}", step)
    for name, block in blocks()
    for number, step in enumerate(steps(block))
    if step["uses"].startswith("OWNER/REPO")
]


@pytest.mark.parametrize("document", [one for _, one in CONFIGS], ids=[name for name, _ in CONFIGS])
def test_every_configuration_shown_is_valid(document: dict[str, Any]) -> None:
    assert Settings.from_document(document).rules


@pytest.mark.parametrize("step", [one for _, one in OURS], ids=[name for name, _ in OURS])
def test_every_step_shown_passes_inputs_that_exist(step: dict[str, Any]) -> None:
    assert set(step.get("with", {})) <= TAKEN


def test_there_are_examples_to_check() -> None:
    assert len(CONFIGS) >= 3
    assert len(OURS) >= 4
