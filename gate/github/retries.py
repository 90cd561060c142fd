"""When a request to GitHub is worth another try, and how long to wait: pure decisions.

The order of GitHub's own advice: Retry-After; the reset time of an exhausted limit; else at least a minute,
growing. Faults (no answer, 5xx, an answer that is no JSON) are tried a few times, quickly.
"""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from gate.github.failures import INACCESSIBLE, Answer

TRIES_AFTER_FAULTS: Final = 5
LONGEST_FAULT_PAUSE: Final = 30.0
SECONDARY_LIMIT_PAUSE: Final = 60.0
SECONDS_BETWEEN_WRITES: Final = 1.0
_LIMIT_WORDS: Final = (
    "rate limit",
    "abuse detection",
    "please wait a few minutes before you try again",
    "please retry your request again later",
)


def pause(answer: Answer, attempt: int) -> float | None:
    """Seconds to wait after the `attempt`-th try (from 1) before the next; None = do not try again."""
    if rate_limited(answer):
        return _limit_pause(answer.headers, attempt)
    if faulty(answer) and attempt < TRIES_AFTER_FAULTS:
        return float(min(1 << (attempt - 1), LONGEST_FAULT_PAUSE))
    return None


def rate_limited(answer: Answer) -> bool:
    """Whether GitHub asked for patience, as opposed to saying no."""
    text = answer.message.lower()
    if answer.status == 429:
        return True
    if answer.status != 403 or INACCESSIBLE in text:
        return False
    return (
        "retry-after" in answer.headers
        or answer.headers.get("x-ratelimit-remaining") == "0"
        or any(words in text for words in _LIMIT_WORDS)
    )


def faulty(answer: Answer) -> bool:
    """Whether the failure is GitHub's or the network's own, and may pass by itself."""
    if answer.status is None:
        return "certificate" not in answer.message.lower()
    return answer.status >= 500 or answer.status < 300


def _limit_pause(headers: Mapping[str, str], attempt: int) -> float:
    told = _seconds(headers.get("retry-after", ""), headers)
    if told is not None:
        return max(told, float(1 << (attempt - 1)))
    if headers.get("x-ratelimit-remaining") == "0":
        until_reset = _until_reset(headers)
        if until_reset is not None:
            return until_reset
    return SECONDARY_LIMIT_PAUSE * (1 << (attempt - 1))


def _until_reset(headers: Mapping[str, str]) -> float | None:
    # measured on the server's own clock: the runner's may be wrong
    now = _epoch(headers.get("date", ""))
    try:
        reset = float(headers.get("x-ratelimit-reset", ""))
    except ValueError:
        return None
    return None if now is None or reset <= now else reset - now + 1.0


def _seconds(text: str, headers: Mapping[str, str]) -> float | None:
    if text.strip().isdecimal():
        return float(text)
    then, now = _epoch(text), _epoch(headers.get("date", ""))
    return None if then is None or now is None else then - now


def _epoch(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
