from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gate.core.plan import Commits
from gate.core.report import Report
from gate.errors import Cancelled, ExitCode, UnavailableError
from gate.github.client import Client, connect
from gate.github.comment_choice import Wish
from gate.github.event import Context, Run
from gate.github.publish import Channels, Published, attempted, publish
from gate.github.timing import Timing
from tests import factories as make
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import (
    ACTION_TOKEN,
    BARE_TOKEN,
    FORK_TOKEN,
    REPOSITORY,
    REPOSITORY_ID,
    Fault,
    Pull,
    World,
)

HEAD, MERGE = make.HEAD, "d" * 40
RUN = Run(id=812, attempt=1, url=f"https://github.example/{REPOSITORY}/actions/runs/812")


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD, merge_sha=MERGE)
    return made


def context(**changes: object) -> Context:
    seen = {
        "event": "pull_request",
        "repository": REPOSITORY,
        "repository_id": REPOSITORY_ID,
        "pull_number": 7,
        "pull_lookup": "known",
        "head_sha": HEAD,
        "tested_sha": MERGE,
        "may_comment": True,
        "run": RUN,
    }
    return Context(**{**seen, **changes})


def connecting(fake: FakeGitHub, *, token: str = ACTION_TOKEN, seconds: float = 600) -> Callable[[], Client]:
    timing = Timing.starting_now(fake.world.time, fake.world.time.sleep, seconds=seconds)
    return lambda: connect(token, fake.url, timing)


def send(
    fake: FakeGitHub,
    report: Report | None = None,
    *,
    seen: Context | None = None,
    token: str = ACTION_TOKEN,
    **channels: object,
) -> Published:
    connection = connecting(fake, token=token)
    return publish(report or make.report(), seen or context(), Channels(**channels), connection)


def test_a_pull_request_gets_its_summary_and_its_comment(tmp_path: Path) -> None:
    with github(world()) as fake:
        done = send(fake, summary=tmp_path / "summary.md")
        assert done.warnings == ()
        assert done.said == ("summary written", f"comment posted: {done.comment_url}")
        assert done.comment_url.startswith("https://github.example/octo/search/pull/7#issuecomment-")
        [body] = fake.world.bodies(7)
        assert "> [!NOTE]" in body
        assert "actions/runs/812/attempts/1" in body
        assert (tmp_path / "summary.md").stat().st_size > 100
        assert len(fake.reads) <= 8


def test_a_second_run_with_the_same_result_writes_nothing() -> None:
    with github(world()) as fake:
        send(fake)
        writes = len(fake.writes)
        later = context(run=replace(RUN, id=900, url=RUN.url.replace("812", "900")))
        done = send(fake, make.report(receipt_sha256="e" * 64), seen=later)
        assert done.comment is not None
        assert done.comment.action == "unchanged"
        assert len(fake.writes) == writes


def test_a_check_run_is_completed_when_asked_for() -> None:
    with github(world()) as fake:
        done = send(fake, make.report(verdict="fail", reason="regression"), check_run="on")
        [kept] = fake.world.checks.values()
        assert (kept["name"], kept["head_sha"]) == ("Retrieval Quality Gate (default)", HEAD)
        assert (kept["status"], kept["conclusion"], kept["external_id"]) == ("completed", "failure", "812/1")
        assert done.check is not None
        assert done.said[-1] == f"check run completed: {done.check.url}"


@pytest.mark.parametrize("event", ["push", "schedule", "merge_group"])
def test_what_is_no_pull_request_says_so_and_github_is_not_asked(event: str, tmp_path: Path) -> None:
    seen = context(
        event=event, pull_number=None, may_comment=False, why_no_pull_request="this is something else"
    )
    with github(world()) as fake:
        done = send(fake, seen=seen, summary=tmp_path / "summary.md")
        assert done.said == ("summary written", "no comment: this is something else")
        assert (done.warnings, fake.seen) == ((), [])


def test_the_merge_queue_may_still_have_its_check_run() -> None:
    seen = context(event="merge_group", may_comment=False, why_no_pull_request="merge queue")
    with github(world()) as fake:
        send(fake, seen=seen, check_run="on")
        assert (fake.world.bodies(7), len(fake.world.checks)) == ([], 1)


def test_comments_that_are_off_are_not_mentioned_and_nothing_is_asked() -> None:
    with github(world()) as fake:
        assert send(fake, comment=Wish(mode="off")) == Published()
        assert fake.seen == []


def test_a_fork_is_told_that_the_other_workflow_posts_and_that_is_no_warning() -> None:
    seen = context(is_fork=True)
    with github(world()) as fake:
        done = send(fake, seen=seen, token=FORK_TOKEN, check_run="on", publish="required")
        assert done.warnings == ()
        assert "command: publish" in done.said[0]
        assert done.said[1].startswith("no check run: this token is read-only")


def test_a_missing_permission_is_a_warning_with_the_yaml_and_the_rest_goes_on(tmp_path: Path) -> None:
    with github(world()) as fake:
        done = send(fake, token=FORK_TOKEN, check_run="on", summary=tmp_path / "summary.md")
        assert done.said == ("summary written",)
        assert [one.remedy.splitlines()[-1] for one in done.warnings] == [
            "  pull-requests: write",
            "  checks: write",
        ]


def test_without_any_permission_the_missing_one_is_for_reading() -> None:
    with github(world()) as fake:
        [warning] = send(fake, token=BARE_TOKEN).warnings
        assert "pull-requests: read" in warning.message


def test_required_publishing_that_fails_ends_with_69_and_every_remedy() -> None:
    with github(world()) as fake, pytest.raises(UnavailableError) as caught:
        send(fake, token=FORK_TOKEN, check_run="on", publish="required")
    assert caught.value.exit_code == ExitCode.UNAVAILABLE
    assert "pull-requests: write" in caught.value.remedy
    assert "checks: write" in caught.value.remedy


def test_required_publishing_is_not_failed_by_a_result_that_is_past() -> None:
    with github(world()) as fake:
        fake.world.pulls[7].head_sha = "c" * 40
        done = send(fake, publish="required")
        assert "moved on to ccccccc" in done.said[0]


def test_a_locked_conversation_a_dead_server_and_no_token_are_warnings() -> None:
    with github(world()) as fake:
        fake.world.pulls[7].locked = True
        assert "locked" in send(fake).warnings[0].message
        fake.world.fails("GET", Fault(502), times=99)
        assert "502" in send(fake).warnings[0].message
        assert "no token" in send(fake, token="").warnings[0].message


def test_there_is_one_deadline_for_everything() -> None:
    with github(world()) as fake:
        fake.world.fails("GET", Fault(429, "", {"Retry-After": "50"}), times=3)
        done = publish(make.report(), context(), Channels(check_run="on"), connecting(fake, seconds=120))
        assert done.comment is None
        assert "wait 50 s" in done.warnings[0].message
        assert fake.world.time.elapsed <= 120


def test_after_the_deadline_nothing_more_is_asked() -> None:
    with github(world()) as fake:
        fake.world.before("GET", lambda: fake.world.time.sleep(700))
        done = publish(make.report(), context(), Channels(check_run="on"), connecting(fake))
        assert len(done.warnings) == 2
        assert all("used up" in one.message for one in done.warnings)
        assert len(fake.seen) == 1


def test_a_summary_without_room_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * 1_000_000)
    with github(world()) as fake:
        done = send(fake, summary=file, comment=Wish(mode="off"))
        assert "full" in done.warnings[0].message
    file.write_bytes(b"x" * 920_000)
    with github(world()) as fake:
        assert send(fake, summary=file, comment=Wish(mode="off")).said == (
            "summary written, shortened for its size",
        )


def test_a_page_of_its_own_is_the_summary_and_shortened_before_the_comment_takes_its_place(
    tmp_path: Path,
) -> None:
    file = tmp_path / "summary.md"
    page = (lambda: "x" * 950_000, lambda: "the page")
    with github(world()) as fake:
        done = send(fake, summary=file, comment=Wish(mode="off"), page=page)
        assert done.said == ("summary written, shortened for its size",)
    assert file.read_text() == "the page\n"
    file.write_bytes(b"x" * 920_000)
    with github(world()) as fake:
        send(fake, summary=file, comment=Wish(mode="off"), page=(lambda: "x" * 950_000,))
    assert "> [!" in file.read_text()


def test_a_summary_that_cannot_be_written_does_not_stop_the_comment(tmp_path: Path) -> None:
    with github(world()) as fake:
        done = send(fake, summary=tmp_path / "missing" / "summary.md")
        assert "cannot be written" in done.warnings[0].message
        assert done.comment_url


def test_a_run_started_by_hand_posts_when_it_tested_that_pull_request() -> None:
    by_hand = context(event="workflow_dispatch", head_sha=None)
    for tested in (HEAD, MERGE):
        with github(world()) as fake:
            report = make.report(plan=make.plan(commits=Commits(head=tested)))
            assert send(fake, report, seen=by_hand).comment_url
            assert len(fake.reads) <= 8


def test_a_run_started_by_hand_on_something_else_says_nothing_about_the_pull_request() -> None:
    by_hand = context(event="workflow_dispatch", head_sha=None, tested_sha="e" * 40)
    with github(world()) as fake:
        report = make.report(plan=make.plan(commits=Commits()))
        done = send(fake, report, seen=by_hand, check_run="on")
        assert "neither the head nor the merge of #7" in done.said[0]
        assert "not known" in done.said[1]
        assert fake.writes == []


def test_a_pull_request_that_is_not_known_gets_no_comment() -> None:
    with github(world()) as fake:
        assert send(fake, seen=context(pull_number=None)).said == (
            "no comment: the pull request is not known",
        )


def test_a_shortened_comment_and_a_warning_of_the_comment_are_said() -> None:
    said = '{"message": "Validation Failed", "errors": [{"message": "body is too long"}]}'
    with github(world()) as fake:
        fake.world.fails("POST", Fault(422, said))
        done = send(fake)
        assert done.said[1] == "the comment was too long and is 1 renditions shorter"
        assert "every" not in done.said[0]


def test_a_bug_in_publishing_is_a_warning_and_cancelling_is_not_swallowed() -> None:
    def bug(_: Published) -> Published:
        raise ZeroDivisionError

    def cancelled(_: Published) -> Published:
        raise Cancelled(ExitCode.TERMINATED)

    assert "ZeroDivisionError" in attempted(Published(), bug).warnings[0].message
    with pytest.raises(Cancelled):
        attempted(Published(), cancelled)
