"""Cut GitHub's own OpenAPI description down to the operations the gate calls.

    npm install @octokit/openapi@23.0.2
    python tests/github/openapi/cut.py node_modules/@octokit/openapi/generated/api.github.com.json

writes github-rest.cut.json beside this file. Kept: the operations below, everything they refer to, and every
rule a value can break. Left out: prose and examples (their hosts are GitHub's own, and a client must never be
led there from a test), and everything else.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPO = "/repos/{owner}/{repo}"
OPERATIONS: dict[str, tuple[str, ...]] = {
    "/user": ("get",),
    REPO: ("get",),
    f"{REPO}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ("get",),
    f"{REPO}/actions/runs": ("get",),
    f"{REPO}/actions/runs/{{run_id}}": ("get",),
    f"{REPO}/actions/runs/{{run_id}}/rerun-failed-jobs": ("post",),
    f"{REPO}/actions/runs/{{run_id}}/artifacts": ("get",),
    f"{REPO}/actions/workflows/{{workflow_id}}/runs": ("get",),
    f"{REPO}/check-runs": ("post",),
    f"{REPO}/check-runs/{{check_run_id}}": ("patch",),
    f"{REPO}/collaborators/{{username}}/permission": ("get",),
    f"{REPO}/commits": ("get",),
    f"{REPO}/commits/{{commit_sha}}/pulls": ("get",),
    f"{REPO}/commits/{{ref}}": ("get",),
    f"{REPO}/compare/{{basehead}}": ("get",),
    f"{REPO}/contents/{{path}}": ("get",),
    f"{REPO}/git/blobs/{{file_sha}}": ("get",),
    f"{REPO}/issues": ("get", "post"),
    f"{REPO}/issues/{{issue_number}}": ("get", "patch"),
    f"{REPO}/issues/comments/{{comment_id}}": ("get", "patch", "delete"),
    f"{REPO}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{REPO}/pulls": ("get",),
    f"{REPO}/pulls/{{pull_number}}": ("get",),
    f"{REPO}/pulls/{{pull_number}}/files": ("get",),
}
NAMED = frozenset(
    {"properties", "patternProperties", "responses", "schemas", "parameters", "headers", "content"}
)
PROSE = frozenset({"description", "summary", "example", "examples", "externalDocs", "title", "tags"})


def without_prose(value: Any, *, names: bool = False) -> Any:
    """The same description without prose, examples and vendor extensions; `names` = keys are names, not keywords."""
    if isinstance(value, list):
        return [without_prose(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not names and value.get("nullable") is True and isinstance(value.get("enum"), list):
        # GitHub means null to be allowed here and sends it; OpenAPI 3.0.3 wants it to be listed as well
        value = {**value, "enum": [*value["enum"], *([] if None in value["enum"] else [None])]}
    if "array" in value.get("discriminator", {}).get("mapping", {}):
        # a list has no `type` member to tell it by: the alternatives themselves decide
        value = {key: item for key, item in value.items() if key != "discriminator"}
    return {
        key: without_prose(item, names=not names and key in NAMED and isinstance(item, dict))
        for key, item in value.items()
        if names or (key not in PROSE and not (key.startswith("x-") and key != "x-multi-segment"))
    }


def with_required_prose(value: Any) -> Any:
    """Responses must carry a description to be valid OpenAPI: an empty-handed one is put back."""
    if isinstance(value, list):
        return [with_required_prose(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {code: _described(item) for code, item in inner.items()}
        if key == "responses" and isinstance(inner, dict)
        else with_required_prose(inner)
        for key, inner in value.items()
    }


def _described(answer: Any) -> Any:
    answer = with_required_prose(answer)
    return answer if "$ref" in answer else {"description": "-", **answer}


def references(value: Any) -> Iterator[str]:
    """Every local reference below `value`."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield item
            else:
                yield from references(item)


def reachable(source: dict[str, Any], start: Any) -> dict[str, dict[str, Any]]:
    """The components `start` leads to, by section and name."""
    found: dict[str, dict[str, Any]] = {}
    waiting = list(references(start))
    while waiting:
        section, name = waiting.pop().removeprefix("#/components/").split("/", 1)
        if name not in found.setdefault(section, {}):
            found[section][name] = source["components"][section][name]
            waiting.extend(references(found[section][name]))
    return {section: dict(sorted(entries.items())) for section, entries in sorted(found.items())}


def cut(source: dict[str, Any]) -> dict[str, Any]:
    """GitHub's description, cut to OPERATIONS; KeyError when GitHub no longer describes one of them."""
    source = without_prose(source)
    paths = {
        path: {verb: source["paths"][path][verb] for verb in verbs}
        | {key: source["paths"][path][key] for key in ("parameters",) if key in source["paths"][path]}
        for path, verbs in OPERATIONS.items()
    }
    return {
        "openapi": source["openapi"],
        "info": {
            "title": "GitHub REST API, cut",
            "version": source["info"]["version"],
            "license": {"name": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": with_required_prose(paths),
        "components": with_required_prose(reachable(source, paths)),
    }


def main() -> None:
    """Write the cut file."""
    source = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = json.dumps(cut(source), indent=1, ensure_ascii=False)
    (HERE / "github-rest.cut.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
