"""Replies kept in a cassette and played back: the panel without keys, without a network, without a bill.

A cassette is JSON lines: a head, then one line per call with the model, a digest of the question and the reply. The
question itself, keys, headers and addresses are never in it; a secret that turns up in a reply is blotted out.
"""

import json
from collections import deque
from collections.abc import Callable, Sequence
from hashlib import sha256
from threading import Lock
from typing import Any, Final, Literal

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from gate.core.chat import ChatRequest, Completion, ModelFailure, Outcome
from gate.core.records.ecmascript import canonical_json
from gate.core.records.redaction import REDACTED
from gate.errors import EvidenceError
from gate.ports import ChatModel

VERSION: Final = 1


class _Head(Struct, frozen=True, kw_only=True):
    kind: Literal["chat-cassette"] = "chat-cassette"
    version: Literal[1] = VERSION
    models: tuple[str, ...] = ()
    """The panel in its order; empty = in the order in which they first answered."""


class _Call(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call: exactly one of `completion` and `failure`."""

    model: str
    question: str
    completion: Completion | None = None
    failure: ModelFailure | None = None


def head(models: Sequence[str] = ()) -> bytes:
    """The first line of a cassette; a panel that is named there can be asked again without naming it."""
    return json.dumps(to_builtins(_Head(models=tuple(models)))).encode() + b"\n"


HEAD: Final = head()
"""The first line of a cassette that names no panel."""


class Recording:
    """Implements ChatModel over another: whatever it says is kept, a line a call, as soon as it is known.

    `keep` gets whole lines, from several threads.
    """

    def __init__(
        self, model: ChatModel, name: str, keep: Callable[[bytes], None], *, secrets: Sequence[str] = ()
    ) -> None:
        self._model = model
        self._name = name
        self._keep = keep
        self._secrets = tuple(secrets)

    def complete(self, request: ChatRequest) -> Outcome:
        """What the other model says."""
        outcome = self._model.complete(request)
        call = _Call(
            model=self._name,
            question=question_digest(request),
            completion=outcome if isinstance(outcome, Completion) else None,
            failure=outcome if isinstance(outcome, ModelFailure) else None,
        )
        line = json.dumps(to_builtins(call), ensure_ascii=False)
        for secret in self._secrets:
            line = line.replace(json.dumps(secret, ensure_ascii=False)[1:-1], REDACTED)
        self._keep(line.encode("utf-8", "backslashreplace") + b"\n")
        return outcome


class Cassette:
    """The calls of a recording, ready to be played back once each, in their order."""

    def __init__(self, data: bytes, name: str) -> None:
        """EvidenceError, naming the line, when this is no cassette."""
        self._name = name
        self._lock = Lock()
        self._calls: dict[tuple[str, str], deque[Outcome]] = {}
        first, *rest = data.splitlines() or [b""]
        panel: _Head = self._read(first, 1, _Head)
        for number, line in enumerate(rest, 2):
            self._add(self._read(line, number, _Call), number)
        self.models = panel.models or tuple(dict.fromkeys(name for name, _ in self._calls))
        """The panel that answered."""

    def model(self, name: str) -> "Recorded":
        """The model of that name, as the cassette knows it."""
        return Recorded(self, name)

    def next(self, model: str, request: ChatRequest) -> Outcome:
        """The next reply to this question; a failure when there is none left."""
        with self._lock:
            left = self._calls.get((model, question_digest(request)))
            if left:
                return left.popleft()
        known = any(name == model for name, _ in self._calls)
        why = "this question, or not so often" if known else "this model"
        return ModelFailure(kind="not_recorded", message=f"the cassette {self._name} does not hold {why}")

    def _read(self, line: bytes, number: int, kind: type[Any]) -> Any:
        try:
            return convert(json.loads(line), kind)
        except (ValueError, ValidationError, RecursionError) as error:
            raise self._broken(number, str(error)) from error

    def _add(self, call: _Call, number: int) -> None:
        outcome = call.completion or call.failure
        if outcome is None:
            raise self._broken(number, "neither a completion nor a failure")
        if isinstance(outcome, Completion):
            outcome = replace(outcome, replayed=True)
        self._calls.setdefault((call.model, call.question), deque()).append(outcome)

    def _broken(self, number: int, what: str) -> EvidenceError:
        return EvidenceError(
            f"{self._name}, line {number}: this is no cassette of version {VERSION}: {what}",
            remedy="record it again with --record",
        )


class Recorded:
    """Implements ChatModel from a cassette."""

    def __init__(self, cassette: Cassette, name: str) -> None:
        self._cassette = cassette
        self._name = name

    def complete(self, request: ChatRequest) -> Outcome:
        """What was said then."""
        return self._cassette.next(self._name, request)


def question_digest(request: ChatRequest) -> str:
    """What makes two questions the same: everything the model reads, and its output cap."""
    asked = {
        "system": request.system,
        "prompt": request.prompt,
        "max_tokens": request.max_tokens,
        "schema": None if request.schema is None else dict(request.schema),
    }
    return sha256(canonical_json(asked)).hexdigest()
