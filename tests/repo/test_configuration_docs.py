"""docs/configuration.md and schemas/config.v1.schema.json say the same, and what they show works."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.generate import EXAMPLE, PAGE, SCHEMA, page
from gate.core.validate import problems
from gate.settings import check
from gate.store.config_file import parse_config
from gate.store.strict_yaml import parse

REPOSITORY = Path(__file__).parents[2]
ROOT = json.loads(SCHEMA.read_text(encoding="utf-8"))


def documented(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Every property of the schema with its path and whether it is required."""
    for key, part in schema.get("properties", {}).items():
        yield f"{path}.{key}", part, key in schema.get("required", ())
        yield from documented(part, f"{path}.{key}")
    for name, part in schema.get("$defs", {}).items():
        yield from documented(part, name)


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    return {**ROOT["$defs"].get(part.get("$ref", "").removeprefix("#/$defs/"), {}), **part}


PROPERTIES = [pytest.param(part, needed, id=path) for path, part, needed in documented(ROOT)]


def test_the_page_is_what_the_schema_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/generate.py"


@pytest.mark.parametrize(("part", "needed"), PROPERTIES)
def test_every_key_is_described_and_shown(part: dict[str, Any], needed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    whole = resolved(part)

    assert whole["description"].endswith(".")
    assert whole["examples"]
    says_without = "default" in whole or "Without it" in whole["description"]
    assert needed or says_without or part.get("$ref") == "#/$defs/policy"


@pytest.mark.parametrize(("part", "needed"), PROPERTIES)
def test_examples_and_defaults_are_valid_where_they_stand(part: dict[str, Any], needed: bool) -> None:  # noqa: FBT001 - likewise
    whole = {**resolved(part), "$defs": ROOT["$defs"]}
    shown = [*whole["examples"], *([whole["default"]] if "default" in whole else [])]

    assert [
        problems(value, {key: rule for key, rule in whole.items() if key != "$ref"}) for value in shown
    ] == [() for _ in shown]
    assert not (needed and "default" in whole)


def test_the_whole_example_passes_every_check() -> None:
    assert check(parse_config(EXAMPLE.encode(), name="eval-gate.yml")) == ()


def test_the_whole_example_shows_every_key() -> None:
    assert parse(EXAMPLE).value.keys() == ROOT["properties"].keys()  # type: ignore[attr-defined]  # a mapping


def test_every_example_on_the_page_is_plain_yaml_with_known_keys() -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)

    assert len(blocks) > 5
    for block in blocks:
        read = parse(block)
        assert read.problems == ()
        assert set(read.value) <= set(ROOT["properties"])  # type: ignore[call-overload]  # a mapping


def test_no_text_breaks_a_table() -> None:
    rows = [line for line in page().splitlines() if line.startswith("|")]

    assert len(rows) > 50
    assert {line.count("|") for line in rows} == {5}


def test_the_shipped_example_passes_every_check() -> None:
    path = REPOSITORY / "examples" / "quickstart" / "eval-gate.yml"

    assert check(parse_config(path.read_bytes(), name=path.name)) == ()
