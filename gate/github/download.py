"""Fetching what GitHub stores elsewhere: without the token, counted while it arrives, within the deadline."""

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from gate.errors import EvidenceError
from gate.github.failures import Answer, ExpiredError, ForgeError, Request, translated
from gate.github.retries import pause

if TYPE_CHECKING:
    import requests

    from gate.github.requester import PatientRequester

TIMEOUT_SECONDS: Final = 10
_CHUNK: Final = 1 << 18


def download(requester: "PatientRequester", url: str, *, most_bytes: int) -> bytes:
    """The bytes behind a redirecting address of the API.

    The address GitHub redirects to is short-lived and carries its own permission: it is asked for anew for each
    try, and the token is never sent there. ExpiredError when it is past its retention, EvidenceError when it is
    larger than `most_bytes`, a ForgeError when it cannot be had.
    """
    attempt = 0
    while True:
        attempt += 1
        try:
            answer, data = _fetched(requester, requester.redirection(url), most_bytes)
        except ExpiredError as error:
            raise ExpiredError("the artifact is past its retention", remedy=error.remedy) from error
        if data is not None:
            return data
        wait = pause(answer, attempt)
        if wait is None or wait >= requester.timing.left():
            raise translated(Request("GET", urlsplit(url).path), answer)
        requester.timing.sleep(wait)


def _fetched(requester: "PatientRequester", location: str, most_bytes: int) -> tuple[Answer, bytes | None]:
    import requests

    _require_as_safe(location, requester.base_url)
    requester.timing.check("the download of an artifact")
    try:
        # a function as `auth` keeps requests from looking for credentials in ~/.netrc
        with requests.get(
            location,
            stream=True,
            timeout=TIMEOUT_SECONDS,
            allow_redirects=False,
            auth=lambda request: request,
        ) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            if response.status_code != 200:
                return Answer(response.status_code, headers, "the store refused"), None
            return Answer(200, headers), _read(requester, response, most_bytes)
    except requests.RequestException as error:
        return Answer(None, message=type(error).__name__), None  # its text holds the signed address


def _read(requester: "PatientRequester", response: "requests.Response", most_bytes: int) -> bytes:
    got = bytearray()
    for chunk in response.iter_content(_CHUNK):
        got += chunk
        requester.timing.check("the rest of an artifact")
        if len(got) > most_bytes:
            raise EvidenceError(
                f"the artifact is larger than {most_bytes} bytes",
                remedy="it is not used; upload less, e.g. no dumps",
            )
    return bytes(got)


def _require_as_safe(location: str, api_url: str) -> None:
    if urlsplit(api_url).scheme == "https" and urlsplit(location).scheme != "https":
        raise ForgeError(
            "GitHub redirects to an unencrypted address", remedy="check GITHUB_API_URL and proxies"
        )
