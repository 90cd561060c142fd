"""A fork's run that ended without a result, and the comments that older runs left."""

from dataclasses import replace

import pytest

from gate.github.comment_choice import Wish
from gate.github.marker import Marker, Unjudged, found_in, written
from gate.github.publish import Published
from tests import factories as make
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import Fault, WorkflowRun, World
from tests.github.test_publish_artifact import FORK, claim, context, files, of_head, send, world

HEAD, OLD = make.HEAD, "b" * 40
MEASURED = {"event": "pull_request", "branch": "main", "head_repository": FORK}


def ended(
    *artifacts: tuple[str, bytes], conclusion: str | None = "failure", gates: tuple[str, ...] = ("default",)
) -> World:
    """Run 812 ended, after run 700 had been posted for an older head."""
    made = world(*(artifacts or (("coverage", b""),)), conclusion=conclusion)
    made.runs.append(WorkflowRun(700, OLD, **MEASURED))
    for gate in gates:
        said(made, gate=gate)
    return made


def said(made: World, *, login: str = "github-actions[bot]", kind: str = "Bot", **changes: object) -> None:
    marker = Marker(
        **{"gate": "default", "head": OLD, "run": 700, "attempt": 1, "verdict": "pass", **changes}
    )
    made.comment(7, written(marker) + "all is well", login=login, kind=kind)


def told(fake: FakeGitHub) -> list[bool]:
    return ["[!WARNING]" in body or "[!NOTE]" in body for body in fake.world.bodies(7)]


@pytest.mark.parametrize(
    ("conclusion", "how"),
    [
        ("failure", "could not be judged: its run failed"),
        ("timed_out", "could not be judged: its run took too long"),
        ("startup_failure", "could not be judged: its run could not start"),
        ("cancelled", "is not judged yet: its run was cancelled"),
    ],
)
def test_what_github_says_of_the_run_is_told_before_the_older_result(conclusion: str, how: str) -> None:
    with github(ended(conclusion=conclusion)) as fake:
        done = send(fake)

        (body,) = fake.world.bodies(7)
        assert f"**Commit <code>{HEAD[:7]}</code> {how}.**" in body
        assert f"**What follows is about <code>{OLD[:7]}</code>.**" in body
        assert "/actions/runs/812/attempts/1)" in body
        assert body.endswith("all is well")
        marker = found_in(body)
        assert marker is not None
        assert marker.unjudged is not None
        assert (marker.unjudged.head, marker.unjudged.run) == (HEAD, 812)
        assert done.said[0] == "nothing is published: run 812 left no artifact gate-out-*"
        assert done.warnings == ()


@pytest.mark.parametrize("conclusion", ["success", "skipped", "neutral", "action_required", "stale", None])
def test_every_other_end_of_a_run_tells_nothing(conclusion: str | None) -> None:
    with github(ended(conclusion=conclusion)) as fake:
        send(fake)
        assert fake.writes == []


def test_no_comment_is_made_where_none_stands_and_strangers_are_left_alone() -> None:
    there = ended(gates=())
    said(there, login="mallory", kind="User")
    with github(there) as fake:
        send(fake)
        assert fake.writes == []


def test_only_the_gates_without_a_result_are_told() -> None:
    with github(ended(("gate-out-default", files()), gates=("default", "memory"))) as fake:
        done = send(fake)
        assert [line.split(":")[0] for line in done.said] == ["comment updated", "comment updated"]
        by_gate = {found.gate: body for body in fake.world.bodies(7) if (found := found_in(body))}
        assert "could not be judged" not in by_gate["default"]
        assert "could not be judged" in by_gate["memory"]


def test_a_result_that_is_not_posted_leaves_its_comment_told() -> None:
    with github(ended(("gate-out-default", files(claimed=claim(run_id=1))))) as fake:
        done = send(fake)
        assert len(done.warnings) == 1
        assert told(fake) == [True]


def test_the_gates_of_another_workflow_go_their_own_way() -> None:
    there = ended(gates=("default", "memory", "lost"))
    there.runs.append(WorkflowRun(701, OLD, workflow="memory.yml", **MEASURED))
    there.comments.clear()
    said(there)
    said(there, gate="memory", run=701)
    said(there, gate="lost", run=9)
    with github(there) as fake:
        send(fake)
        assert told(fake) == [True, False, False]


def test_an_error_that_a_former_run_told_gives_way_to_this_one() -> None:
    there = ended(gates=())
    said(there, head="", run=0, verdict="", unjudged=Unjudged(head=OLD, run=700, attempt=1))
    with github(there) as fake:
        send(fake)
        (body,) = fake.world.bodies(7)
        assert f"Commit <code>{HEAD[:7]}</code>" in body
        assert "What follows" not in body


def test_the_same_is_not_written_twice() -> None:
    with github(ended()) as fake:
        send(fake)
        writes = len(fake.writes)
        send(fake)
        assert len(fake.writes) == writes


def test_under_pull_request_target_the_head_s_finished_run_is_told_as_well() -> None:
    with github(ended()) as fake:
        send(fake, seen=of_head())
        assert told(fake) == [True]


def test_a_run_that_published_itself_tells_nothing_here() -> None:
    there = ended()
    with github(there) as fake:
        send(fake, seen=context(is_fork=False))
        assert fake.writes == []


def test_comments_that_are_off_are_not_told_either() -> None:
    with github(ended()) as fake:
        send(fake, comment=Wish(mode="off"))
        assert fake.writes == []


def test_both_pull_requests_of_one_branch_and_all_their_gates_are_told() -> None:
    there = ended(gates=("default", "memory", "answers"))
    there.pulls[9] = replace(there.pulls[7], number=9, base_ref="release")
    there.comment(9, written(Marker(gate="default", head=OLD, run=700, attempt=1)) + "all is well")
    with github(there) as fake:
        send(fake)
        assert told(fake) == [True] * 3
        assert "could not be judged" in fake.world.bodies(9)[0]


def test_what_goes_wrong_while_telling_is_a_warning() -> None:
    there = ended()
    there.fails("PATCH", Fault(403, '{"message": "Resource not accessible by integration"}'))
    with github(there) as fake:
        done: Published = send(fake)
        assert "pull-requests: write" in done.warnings[0].message
