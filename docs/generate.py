"""Writes docs/configuration.md from the published schema; `--check` only says whether it is current."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from gate.core.wording import either, type_words

PAGE = Path(__file__).with_name("configuration.md")
SCHEMA = Path(__file__).parents[1] / "schemas" / "config.v1.schema.json"

Schema = Mapping[str, Any]

EXAMPLE = """\
version: 1
gate: memory
mode: blocking
system: {kind: http, url: "http://search:8000", token-env: SEARCH_TOKEN}
suites:
  - {suite: rows, name: candidate, rows: rows/candidate.ndjson, k: 5}
  - {suite: retrieval, name: docs-search, corpus: docs, qrels: qrels/test.tsv, k: [5, 10]}
  - {suite: takes-quality, pages: brain/, limit: 100, batches: 8}
baseline: {ledger: .gbrain-evals/eval-results.jsonl, run: latest, mode: balanced}
metrics:
  recall_all@5: {better: higher, unit: share, matters: 0.02}
  latency_ms: {better: lower, unit: ms}
rules:
  - {metric: recall_all@5, rule: significant}
  - {metric: recall_all@5, rule: significant, per: question-type}
  - {metric: latency_ms, rule: threshold, at-most: 900}
  - {metric: ndcg@10, rule: threshold, at-least: 0.65, suite: docs-search}
limits: {errors: 0.02, unpaired: 0.05}
stats: {method: contract, draws: 10000, seed: 42}
require: [reranker]
hold-fixed: [embedder]
anchor: {receipt: releases/v1/receipt.json}
watch: {preset: gbrain, paths: ["src/search/**"]}
owners: [alice-example]
on-inconclusive: {default: fail, no_baseline: pass}
show-text: false
deadline: 45m
budget-usd: 5
"""

INTRODUCTION = f"""\
# Configuration

One file, `eval-gate.yml`, says what is measured, what it is compared with, and the rules that decide. It is
checked as a whole before anything runs: every problem is told at once, with its line and, for a misspelt key,
the nearest key that exists. `gate validate eval-gate.yml` checks it alone. Editors complete the keys from
`schemas/config.v1.schema.json`.

The file is plain YAML, or JSON. Only `true` and `false` are booleans and only decimal numbers are numbers, so
`yes`, `on` and dates are text. Duplicate keys, anchors, aliases, tags, merge keys and numbers that are not
finite are refused. Paths start at the folder of the configuration and stay inside the repository.

This page is written by `python docs/generate.py`; change the schema instead.

## Everything at once

```yaml
{EXAMPLE}```

The smallest file has `version`, `suites` and `rules`, and a `baseline` if a rule compares with one.
"""


def page() -> str:
    """The whole page."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    sections = [INTRODUCTION, _section("Keys", "", _table(schema, schema))]
    for key, part in schema["properties"].items():
        sections.extend(_key_sections(key, part, schema))
    return "\n".join(sections)


def _key_sections(key: str, part: Schema, root: Schema) -> Iterator[str]:
    """A key that has an inside gets a section, and each of its alternatives one of their own below."""
    item = part.get("items", part)
    alternatives = [_resolved(one, root) for one in item.get("oneOf", ())]
    members = _members(part, root)
    if not alternatives and members is None:
        return
    each = "For each of them:" if members is not None and members is not part else ""
    table = "" if members is None else _table(members, root)
    yield _section(f"`{key}`", part["description"], _examples(key, part), each, table)
    for alternative in alternatives:
        yield _section(
            f"`{key}`: {alternative['title']}",
            alternative["description"],
            _table(alternative, root),
            *_insides(alternative, root),
            level=3,
        )


def _insides(schema: Schema, root: Schema) -> Iterator[str]:
    """The mappings among a schema's own keys, each with a table of its own."""
    for key, part in schema["properties"].items():
        inside = _resolved(part, root)
        if "properties" in inside:
            yield f"Inside `{key}`:"
            yield _table(inside, root)


def _members(part: Schema, root: Schema) -> Schema | None:
    """The schema whose properties are a key's inside: its own, or that of the values of a mapping."""
    if "properties" in part:
        return part
    values = part.get("additionalProperties")
    return _resolved(values, root) if isinstance(values, Mapping) else None


def _section(title: str, *parts: str, level: int = 2) -> str:
    body = "\n\n".join(part for part in parts if part)
    return f"{'#' * level} {title}\n\n{body}\n"


def _table(schema: Schema, root: Schema) -> str:
    required = schema.get("required", ())
    rows = [
        _row(key, _resolved(part, root), required=key in required)
        for key, part in schema["properties"].items()
    ]
    return "\n".join(["| key | value | default | what it says |", "|:--|:--|:--|:--|", *rows])


def _row(key: str, part: Schema, *, required: bool) -> str:
    default = "required" if required else _code(part["default"]) if "default" in part else "–"
    return f"| `{key}` | {_value(part)} | {default} | {part['description']} |"


def _value(part: Schema) -> str:
    """What may stand there: the choices, else the schema's own words, else the type."""
    if "const" in part or "enum" in part:
        return either(map(_code, part["enum"] if "enum" in part else [part["const"]]))
    if "oneOf" in part or part["type"] == "object":
        return "a mapping, see below"
    return str(part["title"]) if "title" in part else type_words(part["type"])


def _examples(key: str, part: Schema) -> str:
    return "\n\n".join(f"```yaml\n{_yaml({key: example})}```" for example in part["examples"])


def _yaml(value: object) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, default_flow_style=None, width=100))


def _code(value: object) -> str:
    return f"`{json.dumps(value) if not isinstance(value, str) else value}`"


def _resolved(part: Schema, root: Schema) -> Schema:
    """The schema with what it refers to filled in; its own words go first."""
    if "$ref" not in part:
        return part
    return {**root["$defs"][part["$ref"].removeprefix("#/$defs/")], **part}


def main() -> int:
    """Write the page, or say that it is not current (exit code 1)."""
    if "--check" not in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    sys.stderr.write("docs/configuration.md is not current; run: python docs/generate.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
