"""Writes schemas/system-protocol.v1.schema.json and its OpenAPI twin from the protocol's types; --check compares."""

import json
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from gate.core.records import system_messages as messages
from gate.core.records.system import Answer, Capabilities, Query, SearchReply

FOLDER: Final = Path(__file__).parent.parent / "schemas"
SCHEMA: Final = FOLDER / "system-protocol.v1.schema.json"
OPENAPI: Final = FOLDER / "system-protocol.v1.openapi.json"

_ASKED_AND_ANSWERED: Final = {
    "capabilities": (messages.Nothing, Capabilities),
    "reset": (messages.Nothing, messages.Stored),
    "ingest": (messages.Ingest, messages.Stored),
    "search": (Query, SearchReply),
    "answer": (messages.AnswerRequest, Answer),
}
_PATHS: Final = {
    "/v1/capabilities": ("get", "capabilities", "What the system is and can do."),
    "/v1/reset": ("post", "reset", "Forget every document."),
    "/v1/documents": ("post", "ingest", "Take in more documents; they can be found when the answer comes."),
    "/v1/search": ("post", "search", "Find at most k places, best first."),
    "/v1/answer": ("post", "answer", "Answer a question from hits; only where capabilities say so."),
}


def schema() -> dict[str, Any]:
    """The JSON Schema of one line of the protocol, with every message under $defs."""
    definitions = _definitions("#/$defs/{name}")
    calls = [_call(method, asked.__name__) for method, (asked, _) in _ASKED_AND_ANSWERED.items()]
    results = sorted({answered.__name__ for _, answered in _ASKED_AND_ANSWERED.values()})
    result = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in results]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "system-protocol.v1.schema.json",
        "title": "System protocol, version 1",
        "description": "One line to or from a system under test: a call, its result, or its error.",
        "anyOf": [*calls, _reply("result", result), _reply("error", {"$ref": "#/$defs/Refusal"})],
        "$defs": definitions,
    }


def openapi() -> dict[str, Any]:
    """The same messages as an HTTP service."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "System under test",
            "version": "1",
            "description": "What a service answers so that the gate can measure it.",
        },
        "paths": {path: {verb: _operation(method, what)} for path, (verb, method, what) in _PATHS.items()},
        "components": {
            "schemas": _definitions("#/components/schemas/{name}"),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _definitions(template: str) -> dict[str, Any]:
    kinds = {kind for pair in _ASKED_AND_ANSWERED.values() for kind in pair} | {messages.ErrorReply}
    _, components = msgspec.json.schema_components(
        sorted(kinds, key=lambda kind: kind.__name__), ref_template=template
    )
    return dict(sorted(components.items()))


def _call(method: str, asked: str) -> dict[str, Any]:
    return {
        "title": f"call {method}",
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 0},
            "method": {"const": method},
            "params": {"$ref": f"#/$defs/{asked}"},
        },
        "required": ["id", "method", "params"],
    }


def _reply(member: str, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": member,
        "type": "object",
        "properties": {"id": {"type": "integer", "minimum": 0}, member: content},
        "required": ["id", member],
    }


def _operation(method: str, what: str) -> dict[str, Any]:
    asked, answered = _ASKED_AND_ANSWERED[method]
    operation: dict[str, Any] = {
        "operationId": method,
        "summary": what,
        "security": [{}, {"bearer": []}],
        "responses": {
            "200": _body("The answer.", answered.__name__),
            **({} if method == "capabilities" else {"400": _body("No such message.", "ErrorReply")}),
            "401": _body("A token is wanted.", "ErrorReply"),
            "409": _body(
                "Not as things are: no such mode, an id that is known already, no answers.", "ErrorReply"
            ),
            "default": _body("An honest error.", "ErrorReply"),
        },
    }
    if method != "capabilities":
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{asked.__name__}"}}}
        operation["requestBody"] = {"required": asked is not messages.Nothing, "content": content}
    return operation


def _body(what: str, name: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {"description": what, "content": content}


def texts() -> dict[Path, str]:
    """The content of both files."""
    made = {SCHEMA: schema(), OPENAPI: openapi()}
    return {
        path: json.dumps(document, indent=2, ensure_ascii=False) + "\n" for path, document in made.items()
    }


if __name__ == "__main__":
    for path, text in texts().items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.name} is not current: run docs/generate_system_schema.py")
