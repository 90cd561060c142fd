import pytest

from gate.github.access import access_checks, newest_artifact
from gate.github.artifacts import Wanted
from gate.github.client import connect
from gate.github.event import Context, Run
from gate.github.timing import Timing
from gate.render.checklist import Check
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import (
    ACTION_TOKEN,
    BARE_TOKEN,
    FORK_TOKEN,
    REPOSITORY,
    REPOSITORY_ID,
    Artifact,
    Fault,
    Pull,
    WorkflowRun,
    World,
)

HEAD = "a" * 40


def seen(
    *, event: str = "pull_request", is_fork: bool = False, run: int = 100, pull: int | None = 7
) -> Context:
    return Context(
        event=event,
        repository=REPOSITORY,
        repository_id=REPOSITORY_ID,
        pull_number=pull,
        head_sha=HEAD,
        is_fork=is_fork,
        run=Run(id=run),
    )


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD)
    made.runs = [WorkflowRun(100, HEAD, event="pull_request")]
    made.contents[HEAD, ".github"] = ["workflows"]
    return made


def found(
    fake: FakeGitHub, context: Context, token: str = ACTION_TOKEN, *, watches: bool = False
) -> list[Check]:
    time = fake.world.time
    with connect(token, fake.url, Timing.starting_now(time, time.sleep, seconds=60)) as client:
        return list(access_checks(client, context, watches=watches))


def test_a_watch_is_told_about_issues_instead_of_comments() -> None:
    with github(world()) as fake:
        told = found(fake, seen(event="schedule", pull=None), watches=True)
        assert [(one.status, one.said.split("`")[1]) for one in told][2:] == [
            ("ok", "issues: read"),
            ("unknown", "issues: write"),
        ]
        assert "  issues: write" in told[3].do
        fake.world.tokens[ACTION_TOKEN].permissions["issues"] = "none"
        lacking = found(fake, seen(event="schedule", pull=None), watches=True)[2]
        assert (lacking.status, "  issues: read" in lacking.do) == ("missing", True)
        assert fake.writes == []


def test_what_may_be_read_is_known_and_what_may_be_written_is_not() -> None:
    with github(world()) as fake:
        told = found(fake, seen())

        assert [(one.status, one.said.split("`")[1]) for one in told] == [
            ("ok", "contents: read"),
            ("ok", "actions: read"),
            ("ok", "pull-requests: read"),
            ("unknown", "pull-requests: write"),
        ]
        assert fake.writes == []


def test_what_may_not_be_read_is_said_with_the_yaml_to_add() -> None:
    with github(world()) as fake:
        told = found(fake, seen(), BARE_TOKEN)

        missing = [one for one in told if one.status == "missing"]
        assert [one.do for one in missing] == [
            "permissions:\n  contents: read",
            "permissions:\n  contents: read\n  actions: read",
            "permissions:\n  contents: read\n  pull-requests: read",
        ]


def test_a_fork_s_token_writes_nothing_and_the_second_half_does() -> None:
    with github(world()) as fake:
        *_, writing = found(fake, seen(is_fork=True), FORK_TOKEN)

        assert writing.status == "unknown"
        assert "command: publish" in writing.do


def test_without_a_run_or_a_pull_request_that_part_stays_unknown() -> None:
    with github(world()) as fake:
        told = found(fake, seen(event="push", run=0, pull=None))

        assert [one.status for one in told] == ["ok", "unknown", "unknown"]


def test_a_token_that_is_refused_is_missing() -> None:
    with github(world()) as fake:
        told = found(fake, seen(), "ghs_nobody")

        assert {one.status for one in told[:3]} == {"missing"}


def test_a_server_at_fault_proves_nothing() -> None:
    with github(world()) as fake:
        fake.world.fails("/contents/", Fault(status=500), times=9)

        assert found(fake, seen())[0].status == "unknown"


def wanted(name: str = "gate-tests") -> Wanted:
    return Wanted(
        repository_id=REPOSITORY_ID,
        branch="main",
        workflow=".github/workflows/gate.yml",
        name=name,
        files=lambda _: False,
    )


@pytest.mark.parametrize(
    ("expired", "expected"), [(False, "run 51 of bbbbbbb uploaded gate-tests"), (True, None)]
)
def test_the_newest_run_with_an_artifact_that_is_still_there(*, expired: bool, expected: str | None) -> None:
    made = World()
    made.runs = [WorkflowRun(52, "c" * 40), WorkflowRun(51, "b" * 40)]
    made.artifacts = [Artifact(1, 51, "gate-tests", b"", expired=expired)]
    with github(made) as fake:
        time = made.time
        with connect(ACTION_TOKEN, fake.url, Timing.starting_now(time, time.sleep, seconds=60)) as client:
            assert newest_artifact(client.repository(REPOSITORY), wanted()) == expected
