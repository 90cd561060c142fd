"""What went wrong between us and a provider, in the gate's words; the three SDKs raise three kinds of exceptions.

HTTP status ──► rate_limited, overloaded, server, timeout, conflict: may pass
                auth, unknown_model, rejected: will not
no answer   ──► timeout, connection; `lost` where the request had been sent and may be charged
an answer that is no message of the protocol ──► garbage, `lost`
"""

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from gate.core.chat import Completion, FailureKind, ModelFailure, Outcome
from gate.core.records.redaction import REDACTED, redact_text

_LONGEST_MESSAGE: Final = 500
_KINDS: Final[Mapping[int, FailureKind]] = {
    401: "auth",
    403: "auth",
    408: "timeout",
    409: "conflict",
    429: "rate_limited",
    503: "overloaded",
    529: "overloaded",
}
_GONE: Final = frozenset({404, 410})
_GATEWAY_GAVE_UP: Final = frozenset({502, 504, 520, 522, 523, 524})
"""The provider behind a gateway may have gone on working, and charge for it."""

_MODEL_WORDS: Final = ("model", "deployment")
_QUOTA_WORDS: Final = ("insufficient_quota", "billing", "credit balance")
_GOOGLES_DELAY: Final = re.compile(r"retryDelay\W{1,8}(\d{1,9}(?:\.\d{1,9})?)s")


def of_status(status: int, body: str, headers: Mapping[str, str]) -> ModelFailure:
    """A refusal by status; `body` is what came with it, JSON of the provider's or a gateway's page."""
    said = _said(body)
    return ModelFailure(
        kind=_kind(status, said.lower()),
        message=f"HTTP {status}: {_in_one_line(said) or 'nothing was said about it'}",
        retry_after=retry_after(headers, body),
        lost=status in _GATEWAY_GAVE_UP,
    )


def of_exception(error: Exception) -> ModelFailure:
    """A failure without a status, from an SDK's exception or what caused it; what is not foreseen is raised again."""
    import httpx2
    from pydantic import ValidationError

    for cause in _causes(error):
        match cause:
            case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
                return ModelFailure(kind="timeout", message="no connection within the time allowed")
            case httpx2.TimeoutException():
                return ModelFailure(kind="timeout", message="no reply within the time allowed", lost=True)
            case httpx2.ConnectError() | httpx2.UnsupportedProtocol():
                return ModelFailure(kind="connection", message=f"no connection: {_in_one_line(str(cause))}")
            case httpx2.RequestError():
                what = type(cause).__name__
                return ModelFailure(kind="connection", message=f"the connection was lost ({what})", lost=True)
            case ValidationError() | ValueError():
                return garbage("its answer is not JSON of its own protocol")
            case _:
                continue
    raise error


def garbage(what: str) -> ModelFailure:
    """An answer that is no message of the protocol: most often a wrong base URL, or a gateway's error page."""
    return ModelFailure(kind="garbage", message=f"{what}; check the base URL", lost=True)


def without(secrets: tuple[str, ...], outcome: Outcome) -> Outcome:
    """The same outcome; a failure with nothing secret in its message."""
    if isinstance(outcome, Completion):
        return outcome
    from msgspec.structs import replace

    message = outcome.message
    for secret in secrets:
        message = message.replace(secret, REDACTED)
    return replace(outcome, message=redact_text(message))


def retry_after(headers: Mapping[str, str], text: str = "") -> float | None:
    """Seconds the provider asked for: Retry-After (seconds, or a date), or what Google writes into its body."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "").strip()
    if said:
        seconds = _number(said)
        return _until(said, headers.get("date", "")) if seconds is None else seconds
    delay = _GOOGLES_DELAY.search(text)
    return float(delay[1]) if delay else None


def _kind(status: int, text: str) -> FailureKind:
    if status == 429 and any(words in text for words in _QUOTA_WORDS):
        return "rejected"
    if status in _GONE:
        return "unknown_model" if any(word in text for word in _MODEL_WORDS) else "rejected"
    return _KINDS.get(status) or ("server" if status >= 500 else "rejected")


def _said(body: str) -> str:
    """The message of an error document, with the code and the parameter it names; else the text as it is."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error)
    parts = (error.get(name) for name in ("message", "code", "param", "type", "status"))
    return " · ".join(part for part in parts if isinstance(part, str) and part) or body


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip(), re.ASCII) else None


def _until(then: str, now: str) -> float | None:
    """Seconds between two dates of the server's own clock: ours may be wrong."""
    try:
        return max((parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[: _LONGEST_MESSAGE - 1]}…"
