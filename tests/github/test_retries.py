import pytest

from gate.github.failures import Answer
from gate.github.retries import pause

NOW = "Mon, 02 Mar 2026 08:00:00 GMT"  # 1772438400
LIMITED = '{"message": "You have exceeded a secondary rate limit"}'


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (Answer(429, {"retry-after": "30"}), [30, 30, 30]),
        (Answer(429, {"retry-after": "1"}), [1, 2, 4]),  # it is told the same again and again: grow
        (Answer(403, {"retry-after": "Mon, 02 Mar 2026 08:01:30 GMT", "date": NOW}), [90, 90, 90]),
        (
            Answer(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1772438700", "date": NOW}),
            [301] * 3,
        ),
        (
            Answer(429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon", "date": NOW}),
            [60, 120, 240],
        ),
        (Answer(429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1772438700"}), [60, 120, 240]),
        (Answer(403, {"x-ratelimit-remaining": "12"}, LIMITED), [60, 120, 240]),
        (Answer(403, {}, "Please wait a few minutes before you try again."), [60, 120, 240]),
        (Answer(403, {}, "You have triggered an abuse detection mechanism."), [60, 120, 240]),
        (Answer(502), [1, 2, 4]),
        (Answer(None, message="Connection reset by peer"), [1, 2, 4]),
        (Answer(200, message="<html>"), [1, 2, 4]),
    ],
)
def test_how_long_to_wait_follows_githubs_advice(answer: Answer, waits: list[float]) -> None:
    assert [pause(answer, attempt) for attempt in (1, 2, 3)] == waits


@pytest.mark.parametrize(
    "answer",
    [
        Answer(403, {"retry-after": "5"}, "Resource not accessible by integration"),
        Answer(403, {"x-ratelimit-remaining": "0"}, "Resource not accessible by personal access token"),
        Answer(403, {}, "Must have admin rights to Repository."),
        Answer(401, {}, "Bad credentials"),
        Answer(404, {}, "Not Found"),
        Answer(410, {}, "Gone"),
        Answer(422, {}, "Validation Failed"),
        Answer(307, {}, "Moved"),
        Answer(None, message="SSLError: certificate verify failed"),
    ],
)
def test_what_another_try_cannot_change_is_not_tried_again(answer: Answer) -> None:
    assert pause(answer, 1) is None


def test_faults_are_tried_five_times_and_limits_until_the_deadline() -> None:
    assert [pause(Answer(500), attempt) for attempt in (4, 5)] == [8, None]
    assert pause(Answer(403, {}, LIMITED), 9) == 60 * 2**8
