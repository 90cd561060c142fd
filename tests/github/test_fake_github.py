"""The fake must be as strict as the real one, or what passes against it proves nothing."""

from contextlib import suppress
from typing import Any

import pytest
import requests

from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import ACTION_TOKEN, REPOSITORY, Pull, World

HEAD = "a" * 40


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD)
    return made


def ask(
    fake: FakeGitHub, verb: str, path: str, body: Any = None, *, token: str = ACTION_TOKEN
) -> requests.Response:
    headers = {"Authorization": f"token {token}"}
    return requests.request(
        verb, f"{fake.url}/repos/{REPOSITORY}{path}", json=body, headers=headers, timeout=10
    )


def test_a_page_has_thirty_by_default_a_hundred_at_most_and_says_what_follows() -> None:
    with github(world()) as fake:
        fake.world.chatter(7, 250)
        plain = ask(fake, "GET", "/issues/7/comments")
        assert len(plain.json()) == 30
        assert plain.links["next"]["url"].endswith("/issues/7/comments?page=2")
        greedy = ask(fake, "GET", "/issues/7/comments?per_page=500")
        assert len(greedy.json()) == 100
        last = ask(fake, "GET", "/issues/7/comments?per_page=100&page=3")
        assert (len(last.json()), last.links) == (50, {})


@pytest.mark.parametrize("glyph", ["a", "é", "字"])
def test_a_comment_is_measured_in_characters(glyph: str) -> None:
    with github(world()) as fake:
        assert ask(fake, "POST", "/issues/7/comments", {"body": glyph * 65_536}).status_code == 201
        refused = ask(fake, "POST", "/issues/7/comments", {"body": glyph * 65_537})
        assert (refused.status_code, refused.json()["message"]) == (422, "Validation Failed")
        assert "too long" in refused.json()["errors"][0]["message"]


def test_a_check_summary_is_measured_in_bytes() -> None:
    check = {"name": "gate", "head_sha": HEAD, "status": "in_progress"}
    with github(world()) as fake:
        for summary, status in (("é" * 32_767, 201), ("é" * 32_768, 422)):
            said = {**check, "output": {"title": "t", "summary": summary}}
            assert ask(fake, "POST", "/check-runs", said).status_code == status


def test_more_than_fifty_annotations_are_refused_and_break_the_contract() -> None:
    remark = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    output = {"title": "t", "summary": "s", "annotations": [remark] * 51}
    with github(world()) as fake:
        said = {"name": "gate", "head_sha": HEAD, "status": "in_progress", "output": output}
        assert ask(fake, "POST", "/check-runs", said).status_code == 422
        assert "annotations" in fake.violations[0]
        fake.violations.clear()


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "/issues/7/comments", {"text": "x"}),
        ("POST", "/issues/7/comments", {"body": 7}),
        ("GET", "/issues/seven/comments", None),
        ("GET", "/issues/7/comments?colour=red", None),
        ("GET", "/issues/7/comments?per_page=many", None),
        ("GET", "/nowhere", None),
        ("PATCH", "/check-runs/1", {"status": "nearly done"}),
    ],
)
def test_a_request_that_breaks_githubs_contract_is_noticed(verb: str, path: str, body: Any) -> None:
    with github(world()) as fake:
        with suppress(requests.ConnectionError):  # the fake cannot answer what makes no sense
            ask(fake, verb, path, body)
        assert fake.violations
        fake.violations.clear()


def test_an_answer_that_breaks_githubs_contract_is_noticed() -> None:
    with github(world()) as fake:
        fake.world.pulls[7].state = "ajar"
        ask(fake, "GET", "/pulls/7")
        assert "state" in fake.violations[0]
        fake.violations.clear()


def test_issues_are_listed_with_pull_requests_among_them_by_state_and_creator() -> None:
    with github(world()) as fake:
        fake.world.issue("one", login="alice", kind="User")
        fake.world.issue("two", state="closed")

        def numbers(query: str) -> list[int]:
            return [one["number"] for one in ask(fake, "GET", f"/issues{query}").json()]

        assert numbers("") == [8, 7]  # 7 is the pull request
        assert numbers("?state=all&direction=asc") == [7, 8, 9]
        assert numbers("?state=closed") == [9]
        assert numbers("?state=all&creator=alice") == [8]
        assert ["pull_request" in one for one in ask(fake, "GET", "/issues").json()] == [False, True]


def test_an_issues_text_and_title_have_their_limits_and_a_repository_may_have_no_issues() -> None:
    with github(world()) as fake:
        assert ask(fake, "POST", "/issues", {"title": "t", "body": "x" * 65_536}).status_code == 201
        assert ask(fake, "POST", "/issues", {"title": "t", "body": "x" * 65_537}).status_code == 422
        assert ask(fake, "POST", "/issues", {"title": "t" * 257, "body": "x"}).status_code == 422
        assert ask(fake, "PATCH", "/issues/8", {"state": "closed"}).json()["state_reason"] == "completed"
        assert ask(fake, "PATCH", "/issues/99", {"state": "closed"}).status_code == 404
        fake.world.has_issues = False
        assert ask(fake, "GET", "/issues").status_code == 410


def test_what_may_be_said_below_an_issue_is_another_permission_than_below_a_pull_request() -> None:
    with github(world()) as fake:
        fake.world.issue("one")
        fake.world.tokens[ACTION_TOKEN].permissions["issues"] = "none"
        assert ask(fake, "POST", "/issues/7/comments", {"body": "x"}).status_code == 201
        assert ask(fake, "POST", "/issues/8/comments", {"body": "x"}).status_code == 403


def test_content_written_too_fast_meets_the_secondary_limit() -> None:
    with github(world()) as fake:
        made = [ask(fake, "POST", "/issues/7/comments", {"body": "x"}).status_code for _ in range(81)]
        assert made == [201] * 80 + [403]


def test_a_token_without_the_permission_and_no_token_are_told_apart() -> None:
    with github(world()) as fake:
        assert ask(fake, "POST", "/issues/7/comments", {"body": "x"}, token="ghs_fork").status_code == 403  # noqa: S106
        assert ask(fake, "GET", "/pulls/7", token="unknown").status_code == 401  # noqa: S106
