"""PyGithub's transport with our patience: every call the adapters make goes through here.

Imports PyGithub at the top, so only `client.connect` imports this module, when GitHub is really needed.
"""

import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from github import Auth
from github.Requester import Requester
from requests.exceptions import RequestException

from gate.github.failures import Answer, DeadlineError, ForgeError, MalformedError, Request, translated
from gate.github.retries import SECONDS_BETWEEN_WRITES, pause
from gate.github.timing import Timing

TIMEOUT_SECONDS: Final = 10
ITEMS_PER_PAGE: Final = 100
_Raw = tuple[int, dict[str, Any], str]


class PatientRequester(Requester):
    """Sends, waits, tries again and translates refusals; its own waits and retries of PyGithub are off.

    Objects are lazy: nothing is read before it is asked for. A path named by GitHub is always asked of the
    configured server, so the token never travels to another host. A write whose answer was lost is sent again:
    what the adapters write is convergent, a repetition is found and removed.
    """

    def __init__(self, token: str, api_url: str, timing: Timing) -> None:
        super().__init__(
            auth=Auth.Token(token),
            base_url=api_url.rstrip("/"),
            timeout=TIMEOUT_SECONDS,
            user_agent="retrieval-quality-gate",
            per_page=ITEMS_PER_PAGE,
            verify=True,
            retry=None,
            pool_size=None,
            lazy=True,
        )
        self.timing = timing
        self._writable_at = 0.0

    def requestJsonAndCheck(  # noqa: N802  # the name and the arguments are PyGithub's
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,  # noqa: A002  # PyGithub's name
        follow_302_redirect: bool = False,  # noqa: FBT001, FBT002  # PyGithub's signature
    ) -> tuple[dict[str, Any], Any]:
        """The headers and the decoded answer; a ForgeError for everything else."""

        def send() -> _Raw:
            return self.requestJson(
                verb, url, dict(parameters or {}), dict(headers or {}), input, None, follow_302_redirect
            )

        request = Request(verb, urlsplit(url).path)
        _, answered, text = self._persist(request, send, _is_json)
        data = json.loads(text) if text else None
        if verb == "GET" and isinstance(data, dict):
            data.setdefault("url", url)  # PyGithub's objects find themselves again by it
        return answered, data

    def redirection(self, url: str) -> str:
        """Where GitHub sends whoever asks for `url`: a short-lived address that needs no token."""
        request = Request("GET", urlsplit(url).path)
        status, headers, _ = self._persist(request, lambda: self.requestJson("GET", url), _is_redirection)
        location = headers.get("location", "")
        if not 300 <= status < 400 or not location:
            raise MalformedError(
                f"{request}: expected a redirection, got {status}",
                remedy="re-run; if it stays, report this line",
            )
        return str(location)

    def _persist(self, request: Request, send: Callable[[], _Raw], good: Callable[[int, str], bool]) -> _Raw:
        attempt = 0
        while True:
            attempt += 1
            self._pace(request)
            raw, answer = self._attempt(request, send)
            if raw is not None and good(raw[0], raw[2]):
                return raw
            wait = pause(answer, attempt)
            if wait is None:
                raise _refusal(request, answer)
            self._wait(wait, request, answer)

    def _attempt(self, request: Request, send: Callable[[], _Raw]) -> tuple[_Raw | None, Answer]:
        self.timing.check(str(request))
        try:
            raw = send()
        except RequestException as error:
            return None, Answer(None, message=_first_line(error))
        except RuntimeError as error:  # PyGithub's word for a redirection to another server
            raise ForgeError(f"{request}: {error}", remedy="check GITHUB_API_URL") from error
        finally:
            if request.verb != "GET":
                self._writable_at = self.timing.now() + SECONDS_BETWEEN_WRITES
        return raw, Answer(raw[0], raw[1], _message(raw[2]))

    def _pace(self, request: Request) -> None:
        early = self._writable_at - self.timing.now()
        if request.verb != "GET" and early > 0:
            self.timing.sleep(early)

    def _wait(self, seconds: float, request: Request, answer: Answer) -> None:
        if seconds >= self.timing.left():
            raise DeadlineError(
                f"{request}: GitHub wants us to wait {seconds:.0f} s after {answer.status or 'no answer'}, "
                f"and {max(self.timing.left(), 0):.0f} s are left",
                remedy="re-run the job later; fewer jobs at a time spare the rate limit",
            )
        self.timing.sleep(seconds)


def _refusal(request: Request, answer: Answer) -> ForgeError:
    if answer.status is not None and answer.status < 300:
        return MalformedError(
            f"{request}: GitHub's answer is not JSON: {answer.message[:80]!r}",
            remedy="a proxy may be answering for GitHub: check GITHUB_API_URL, then re-run the job",
        )
    return translated(request, answer)


def _is_json(status: int, text: str) -> bool:
    return status < 300 and (not text or _decoded(text) is not None)


def _is_redirection(status: int, _: str) -> bool:
    return status < 400


def _decoded(text: str) -> Any | None:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _message(text: str) -> str:
    data = _decoded(text)
    if not isinstance(data, dict):
        return text[:200]
    details = [item.get("message", "") for item in data.get("errors") or () if isinstance(item, dict)]
    return "; ".join(str(part) for part in (data.get("message", ""), *details) if part)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
