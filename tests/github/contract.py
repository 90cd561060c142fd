"""GitHub's own description as a judge: of requests, of answers, and as the maker of documents that fit it."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing.requests import MockRequest
from openapi_core.testing.responses import MockResponse

CUT = Path(__file__).parent / "openapi" / "github-rest.cut.json"
HOST = "http://127.0.0.1"
_CONTENTS = re.compile(r"(/repos/[^/]+/[^/]+/contents/)(.+)")


@cache
def description() -> dict[str, Any]:
    return json.loads(CUT.read_text(encoding="utf-8"))


@cache
def _judge() -> OpenAPI:
    return OpenAPI.from_dict(description())


class Exchange:
    """One request and its answer, to be held against the description."""

    def __init__(self, verb: str, target: str, body: bytes) -> None:
        url = urlsplit(target)
        self.verb, self.path, self.query = verb, url.path, dict(parse_qsl(url.query))
        # `path` of the contents operation is the one parameter that spans segments (x-multi-segment)
        path = _CONTENTS.sub(lambda found: found[1] + found[2].replace("/", "%2F"), url.path)
        self._request = MockRequest(HOST, verb.lower(), path, args=self.query, headers={}, data=body)

    def problems_of_request(self) -> list[str]:
        found = self._said(lambda: _judge().validate_request(self._request))
        if not found:
            unknown = self.query.keys() - self._documented_parameters()
            found = [f"{self.verb} {self.path}: no such query parameter: {name}" for name in sorted(unknown)]
        return found

    def problems_of_answer(self, status: int, headers: Mapping[str, str], body: bytes) -> list[str]:
        operation = self._operation()
        if operation is None or str(status) not in operation["responses"]:
            return [] if status >= 400 else [f"{self.verb} {self.path}: {status} is not documented"]
        kind = headers.get("Content-Type", "application/json").split(";")[0]
        answer = MockResponse(body, status, dict(headers), content_type=kind)
        return self._said(lambda: _judge().validate_response(self._request, answer))

    def _operation(self) -> dict[str, Any] | None:
        for pattern, verbs in description()["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), self._request.path):
                found: dict[str, Any] | None = verbs.get(self.verb.lower())
                return found
        return None

    def _documented_parameters(self) -> set[str]:
        operation = self._operation() or {}
        listed = (_resolved(entry) for entry in operation.get("parameters", ()))
        return {entry["name"] for entry in listed if entry["in"] == "query"}

    def _said(self, judge: Any) -> list[str]:
        try:
            judge()
        except OpenAPIError as error:
            return [f"{self.verb} {self.path}: {type(error).__name__}: {text}" for text in _reasons(error)]
        return []


def _reasons(error: BaseException) -> list[str]:
    cause = error.__cause__ or error
    broken = getattr(cause, "schema_errors", None) or getattr(cause, "errors", None)
    if not broken:
        return [str(cause)[:300]]
    return [f"{'/'.join(map(str, one.absolute_path))}: {one.message[:200]}" for one in broken]


def document(component: str, **facts: Any) -> dict[str, Any]:
    """A document with every member that GitHub's schema `component` requires, and these facts in it."""
    made: dict[str, Any] = _sample(description()["components"]["schemas"][component])
    return {**made, **facts}


def _sample(schema: Mapping[str, Any]) -> Any:
    schema = _resolved(schema)
    if schema.get("nullable"):
        return None
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return _sample(schema[choice][0])
    if "allOf" in schema:
        return {key: item for part in schema["allOf"] for key, item in _sample(part).items()}
    if "enum" in schema:
        return schema["enum"][0]
    return _plain(schema)


def _plain(schema: Mapping[str, Any]) -> Any:
    match schema.get("type", "object"):
        case "string":
            return {"date-time": "2026-01-02T03:04:05Z", "uri": f"{HOST}/x"}.get(
                schema.get("format", ""), "x"
            )
        case "integer" | "number":
            return 1
        case "boolean":
            return False
        case "array":
            return []
        case _:
            wanted = schema.get("required", ())
            return {
                name: _sample(schema["properties"][name]) for name in wanted if name in schema["properties"]
            }


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        _, _, section, name = schema["$ref"].split("/")
        schema = description()["components"][section][name]
    return schema
