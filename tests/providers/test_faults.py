import pytest

from gate.core.chat import ModelFailure
from gate.providers import faults


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT"}, None),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT", "date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 60),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT", "date": "Mon, 30 Nov 2026 13:00:00 GMT"}, 0),
        ({"retry-after": "Mon, 30 Nov 2026 12:01:00 GMT", "date": "yesterday"}, None),
    ],
)
def test_retry_after_may_be_seconds_or_a_date_of_the_servers_clock(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert faults.retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": {"message": "a", "code": "b", "param": "c"}}', "HTTP 400: a · b · c"),
        ('[{"error": {"message": "a"}}]', "HTTP 400: a"),
        ('{"error": "a"}', "HTTP 400: a"),
        ('{"message": "a", "code": 7}', "HTTP 400: a"),
        ('{"other": 1}', 'HTTP 400: {"other": 1}'),
        ("<html>\n  a\n</html>", "HTTP 400: <html> a </html>"),
        ("7", "HTTP 400: 7"),
        ("", "HTTP 400: nothing was said about it"),
        ("x" * 1000, "HTTP 400: " + "x" * 499 + "…"),
        ("[" * 100_000, "HTTP 400: " + "[" * 499 + "…"),
    ],
)
def test_what_a_provider_says_is_found_in_its_body_and_kept_short(body: str, message: str) -> None:
    assert faults.of_status(400, body, {}).message == message


def test_what_nobody_foresaw_stays_an_exception() -> None:
    with pytest.raises(KeyError, match="x"):
        faults.of_exception(KeyError("x"))


def test_the_cause_of_an_exception_counts_when_it_says_nothing_itself() -> None:
    import httpx2

    error = RuntimeError("the SDK's own")
    error.__cause__ = httpx2.PoolTimeout("all busy")

    found = faults.of_exception(error)

    assert found == ModelFailure(kind="timeout", message="no connection within the time allowed")


def test_secrets_are_taken_out_of_messages() -> None:
    said = ModelFailure(kind="auth", message="key abc12345 of team blue-team is wrong, so is sk-0123456789ab")

    told = faults.without(("abc12345", "blue-team"), said)

    assert isinstance(told, ModelFailure)
    assert told.message == ("key <redacted> of team <redacted> is wrong, so is <redacted>")
