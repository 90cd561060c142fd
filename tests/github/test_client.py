import itertools
import json
from collections.abc import Callable

import pytest

from gate.errors import ExitCode, UsageError
from gate.github.client import Client, connect
from gate.github.failures import (
    CredentialsError,
    DeadlineError,
    ExpiredError,
    ForgeError,
    LockedError,
    MalformedError,
    MissingError,
    PermissionDeniedError,
    RefusedError,
    TooLongError,
)
from gate.github.timing import Timing
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import (
    ALICE_TOKEN,
    BARE_TOKEN,
    FORK_TOKEN,
    ODD_TOKEN,
    REPOSITORY,
    FakeTime,
    Fault,
    Pull,
    World,
)

HEAD = "a" * 40


def world(**changes: object) -> World:
    made = World(**changes)  # type: ignore[arg-type]  # overrides by name
    made.pulls[7] = Pull(7, HEAD)
    return made


def comment(client: Client, body: str = "hello") -> None:
    client.repository(REPOSITORY).get_issue(7).create_comment(body)


def head(client: Client) -> str:
    return client.repository(REPOSITORY).get_pull(7).head.sha


def test_a_repository_is_read_only_when_something_is_asked_of_it() -> None:
    with github(world()) as fake, talking(fake) as client:
        pull = client.repository(REPOSITORY).get_pull(7)
        assert fake.seen == []
        assert pull.head.sha == HEAD
        assert fake.reads == [f"GET /repos/{REPOSITORY}/pulls/7"]


def test_lists_are_read_by_hundreds_and_to_the_end() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.chatter(7, 250)
        assert sum(1 for _ in client.repository(REPOSITORY).get_issue(7).get_comments()) == 250
        assert len(fake.reads) == 3
        assert "per_page=100" in fake.reads[0]


def test_the_fake_gives_thirty_to_whoever_does_not_ask_for_more() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.chatter(7, 31)
        client.requester.per_page = 30
        assert sum(1 for _ in client.repository(REPOSITORY).get_issue(7).get_comments()) == 31
        assert len(fake.reads) == 2


def test_a_token_of_a_user_knows_its_login_and_an_installation_does_not_ask() -> None:
    with github(world()) as fake:
        with talking(fake, token=ALICE_TOKEN) as client:
            assert client.login == "alice"
        with talking(fake) as client:
            assert client.login is None
        assert fake.reads == ["GET /user"]


def test_a_token_that_may_not_ask_who_it_is_has_no_login() -> None:
    with github(world()) as fake, talking(fake, token=ODD_TOKEN) as client:
        assert client.login is None


def test_a_wrong_token_is_said_and_not_tried_again() -> None:
    with (
        github(world()) as fake,
        pytest.raises(CredentialsError, match="Bad credentials") as caught,
        talking(fake, token=HEAD),
    ):
        pass
    assert "token" in caught.value.remedy
    assert len(fake.seen) == 1


def test_no_token_at_all_is_a_usage_error() -> None:
    time = FakeTime()
    with pytest.raises(UsageError):
        connect("", "http://127.0.0.1:1", Timing.starting_now(time, time.sleep, seconds=1))


@pytest.mark.parametrize("name", ["octo", "octo/search/x", "../x", "octo/se arch", "octo/search?x", ""])
def test_a_name_that_is_no_repository_never_becomes_a_path(name: str) -> None:
    with github(world()) as fake, talking(fake) as client, pytest.raises(UsageError):
        client.repository(name)


def test_an_enterprise_server_is_reached_below_its_prefix_on_every_page() -> None:
    with github(world()) as fake, talking(fake, prefix="/api/v3") as client:
        fake.world.chatter(7, 150)
        assert sum(1 for _ in client.repository(REPOSITORY).get_issue(7).get_comments()) == 150
        assert [read.split("?")[0] for read in fake.reads] == [
            f"GET /api/v3/repos/{REPOSITORY}/issues/7/comments"
        ] * 2


def test_retry_after_is_waited_for_exactly() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(429, "slow down", {"Retry-After": "17"}))
        assert head(client) == HEAD
        assert fake.world.time.slept == [17.0]


def test_retry_after_may_be_a_date() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(403, "{}", {"Retry-After": "Mon, 02 Mar 2026 08:00:40 GMT"}))
        assert head(client) == HEAD
        assert fake.world.time.slept == [40.0]


def test_an_exhausted_limit_is_waited_out_on_the_servers_clock() -> None:
    with github(world(remaining=0)) as fake, talking(fake, seconds=900) as client:
        assert head(client) == HEAD
        assert fake.world.time.slept == [601.0]


def test_a_reset_time_that_has_passed_is_no_reason_to_hurry() -> None:
    past = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000000"}
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(403, '{"message": "API rate limit exceeded"}', past), times=2)
        assert head(client) == HEAD
        assert fake.world.time.slept == [60.0, 120.0]


@pytest.mark.parametrize("told", ["0", "soon", ""])
def test_a_retry_after_that_says_nothing_still_waits(told: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(429, "", {"Retry-After": told}), times=2)
        assert head(client) == HEAD
        assert fake.world.time.slept == ([1.0, 2.0] if told == "0" else [60.0, 120.0])


def test_a_secondary_limit_without_a_header_waits_a_minute_and_grows() -> None:
    said = json.dumps({"message": "You have exceeded a secondary rate limit."})
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(403, said), times=3)
        assert head(client) == HEAD
        assert fake.world.time.slept == [60.0, 120.0, 240.0]


def test_a_limit_longer_than_the_deadline_ends_at_once_and_says_how_long() -> None:
    with github(world()) as fake, talking(fake, seconds=30) as client:
        fake.world.fails("GET", Fault(429, "", {"Retry-After": "300"}))
        with pytest.raises(DeadlineError, match="wait 300 s"):
            head(client)
        assert fake.world.time.slept == []


def test_nothing_is_asked_after_the_deadline() -> None:
    with github(world()) as fake, talking(fake, seconds=10) as client:
        fake.world.time.sleep(10)
        with pytest.raises(DeadlineError, match="not asked"):
            head(client)
        assert fake.seen == []


def test_writes_are_a_second_apart_and_reads_are_not_held_up() -> None:
    with github(world()) as fake, talking(fake) as client:
        for _ in range(3):
            comment(client)
            head(client)
        written = [one.at for one in fake.seen if one.verb == "POST"]
        assert [later - earlier for earlier, later in itertools.pairwise(written)] == [1.0, 1.0]
        assert len(fake.world.time.slept) == 2


def test_more_content_than_github_takes_in_a_minute_is_written_all_the_same() -> None:
    with github(world()) as fake, talking(fake, seconds=3600) as client:
        fake.world.content_writes = [0.0] * 80
        comment(client)
        assert fake.world.bodies(7) == ["hello"]
        assert fake.world.time.slept == [60.0]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_fault_of_the_server_is_tried_again_quickly(status: int) -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(status, "<html>oops</html>"), times=3)
        assert head(client) == HEAD
        assert fake.world.time.slept == [1.0, 2.0, 4.0]


def test_a_fault_that_stays_is_reported_after_five_tries() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(502, "bad gateway"), times=9)
        with pytest.raises(ForgeError, match="502") as caught:
            head(client)
        assert caught.value.exit_code == ExitCode.UNAVAILABLE
        assert len(fake.seen) == 5


def test_a_broken_connection_is_tried_again() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(line_breaks=True), times=2)
        assert head(client) == HEAD


def test_a_server_that_is_not_there_is_said_with_its_path_and_without_the_token() -> None:
    time = FakeTime()
    timing = Timing.starting_now(time, time.sleep, seconds=600)
    with (
        pytest.raises(ForgeError, match="no answer") as caught,
        connect("ghp_s3cr3t", "http://127.0.0.1:1", timing),
    ):
        pass
    assert "s3cr3t" not in str(caught.value) + caught.value.remedy


@pytest.mark.parametrize("text", ["<html>sign in</html>", '{"number": 7, "head": {"sha"', "[1, 2", "null"])
def test_an_answer_that_is_no_json_is_tried_again_and_never_taken_for_a_document(text: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(200, text), times=2)
        assert head(client) == HEAD
        fake.world.fails("GET", Fault(200, text), times=5)
        with pytest.raises(MalformedError, match="not JSON"):
            head(client)


def test_a_missing_permission_is_explained_by_the_yaml_and_not_tried_again() -> None:
    with github(world()) as fake, talking(fake, token=FORK_TOKEN) as client:
        with pytest.raises(PermissionDeniedError, match="pull-requests: write") as caught:
            comment(client)
        assert len(fake.seen) == 1
    assert caught.value.remedy.endswith("permissions:\n  contents: read\n  pull-requests: write")
    assert caught.value.permission == "pull-requests: write"


def check_run(client: Client) -> None:
    client.repository(REPOSITORY).create_check_run("gate", HEAD, status="in_progress")


def runs(client: Client) -> None:
    list(client.repository(REPOSITORY).get_workflow("gate.yml").get_runs())


def contents(client: Client) -> None:
    client.repository(REPOSITORY).get_contents("eval-gate.yml", ref="main")


@pytest.mark.parametrize(
    ("act", "permission"),
    [
        (check_run, "checks: write"),
        (runs, "actions: read"),
        (contents, "contents: read"),
        (head, "pull-requests: read"),
    ],
)
def test_each_permission_is_named_by_what_was_tried(act: Callable[[Client], object], permission: str) -> None:
    with (
        github(world()) as fake,
        talking(fake, token=BARE_TOKEN) as client,
        pytest.raises(PermissionDeniedError) as caught,
    ):
        act(client)
    assert caught.value.permission == permission


def test_a_locked_conversation_has_its_own_word() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.pulls[7].locked = True
        with pytest.raises(LockedError) as caught:
            comment(client)
        assert "unlock" in caught.value.remedy
        fake.world.fails("POST", Fault(410, '{"message": "This issue is locked"}'))
        with pytest.raises(LockedError):
            comment(client)


def test_a_deleted_comment_is_missing_and_not_tried_again() -> None:
    with github(world()) as fake, talking(fake) as client:
        made = client.repository(REPOSITORY).get_issue(7).create_comment("x")
        fake.world.comments.clear()
        asked = len(fake.seen)
        with pytest.raises(MissingError):
            made.edit("y")
        assert len(fake.seen) == asked + 1


def test_a_text_beyond_githubs_limit_is_too_long() -> None:
    with github(world()) as fake, talking(fake) as client:
        comment(client, "é" * 65_536)
        with pytest.raises(TooLongError):
            comment(client, "é" * 65_537)


@pytest.mark.parametrize(
    ("status", "word"),
    [(410, ExpiredError), (307, RefusedError), (403, RefusedError), (409, RefusedError), (404, MissingError)],
)
def test_other_refusals_are_translated_once(status: int, word: type[ForgeError]) -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(status, '{"message": "no"}'))
        with pytest.raises(word, match=str(status)) as caught:
            head(client)
        assert caught.value.remedy
        assert caught.value.exit_code == ExitCode.UNAVAILABLE


def test_a_permission_that_no_table_knows_is_taken_from_githubs_header() -> None:
    said = json.dumps({"message": "Resource not accessible by integration"})
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails(
            "GET", Fault(403, said, {"X-Accepted-GitHub-Permissions": "members=read; metadata=read"})
        )
        with pytest.raises(PermissionDeniedError) as caught:
            client.requester.requestJsonAndCheck("GET", "/orgs/octo/teams")
    assert caught.value.permission == "members: read"


def test_a_link_to_another_host_is_asked_of_the_configured_one() -> None:
    with github(world()) as fake, talking(fake) as client:
        _, data = client.requester.requestJsonAndCheck(
            "GET", f"https://evil.example/repos/{REPOSITORY}/pulls/7"
        )
        assert data["number"] == 7
        assert len(fake.seen) == 1


def test_every_request_carries_the_token_in_the_header_and_nowhere_else() -> None:
    with github(world()) as fake, talking(fake) as client:
        head(client)
        assert fake.seen[0].headers["Authorization"].endswith("ghs_action")
        assert "ghs_action" not in fake.seen[0].target


def test_a_redirection_to_another_server_is_not_followed() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails(
            "GET", Fault(301, "", {"Location": "https://elsewhere.example/repos/octo/search/pulls/7"})
        )
        with pytest.raises(ForgeError, match="redirected") as caught:
            head(client)
        assert "GITHUB_API_URL" in caught.value.remedy


def test_a_renamed_repository_is_followed_on_its_own_server() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("renamed", Fault(301, "", {"Location": f"{fake.url}/repos/{REPOSITORY}/pulls/7"}))
        assert client.repository("octo/renamed").get_pull(7).head.sha == HEAD
