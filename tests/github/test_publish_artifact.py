import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gate.core.report import Report
from gate.errors import EvidenceError, UnavailableError
from gate.github.claim import Claim, encoded
from gate.github.event import Context, Triggering
from gate.github.marker import found_in
from gate.github.publish import Channels, Published
from gate.github.publish_artifact import MOST_ARTIFACTS, Half, publish_artifact
from tests import factories as make
from tests.github.factories import talking
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import REPOSITORY, REPOSITORY_ID, Artifact, Pull, WorkflowRun, World
from tests.github.test_archives import archive

HEAD = make.HEAD
FORK = (2002, "contributor/search")


def claim(**changes: object) -> bytes:
    said = {"repository": REPOSITORY, "pull": 7, "head_sha": HEAD, "run_id": 812, "attempt": 1}
    return encoded(Claim(**{**said, **changes}))


def files(*, gate: str = "default", claimed: bytes | None = None, verdict: str = "fail") -> bytes:
    receipt = json.dumps({"gate": gate, "verdict": verdict}).encode()
    comment = ("comment.md", b"> [!NOTE]\n> **Passed** by the attacker's own words @everyone")
    return archive(
        ("receipt.json", receipt), ("claim.json", claimed if claimed is not None else claim()), comment
    )


def world(*artifacts: tuple[str, bytes], **run: object) -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD, head_ref="main", head_repository=FORK)
    measured = {"event": "pull_request", "branch": "main", "head_repository": FORK, **run}
    made.runs = [WorkflowRun(812, HEAD, **measured)]
    for name, data in artifacts or (("gate-out-default", files()),):
        made.artifacts.append(Artifact(9000 + len(made.artifacts), 812, name, data))
    return made


def context(**changes: object) -> Context:
    seen = {
        "event": "workflow_run",
        "repository": REPOSITORY,
        "repository_id": REPOSITORY_ID,
        "is_fork": True,
        "triggering": Triggering(
            run_id=812,
            attempt=1,
            event="pull_request",
            conclusion="success",
            workflow="gate.yml",
            head_branch="main",
        ),
    }
    return Context(**{**seen, **changes})


def report_of(inside: Mapping[str, bytes]) -> Report:
    """Stands for the check against the schemas: the least it must do is refuse."""
    try:
        receipt = json.loads(inside["receipt.json"])
    except (KeyError, ValueError) as error:
        raise EvidenceError("receipt.json is not a receipt", remedy="-") from error
    return make.report(gate=receipt["gate"], verdict=receipt["verdict"], reason="regression")


def send(fake: FakeGitHub, *, seen: Context | None = None, **channels: object) -> Published:
    with talking(fake) as client:
        half = Half(prefix="gate-out-", validate=report_of)
        return publish_artifact(seen or context(), half, Channels(**channels), client)


def test_a_forks_result_is_rendered_anew_posted_and_called_what_it_is() -> None:
    with github(world()) as fake:
        done = send(fake)
        [body] = fake.world.bodies(7)
        marker = found_in(body)
        assert marker is not None
        assert (marker.gate, marker.head, marker.run, marker.verdict) == ("default", HEAD, 812, "fail")
        visible = body.split("\n", 1)[1]
        assert visible.startswith("> [!IMPORTANT]\n> **The numbers come from the contributor's run.**")
        assert f"(https://github.example/{REPOSITORY}/actions/runs/812)" in visible
        assert "attacker" not in body
        assert done.said == (f"comment posted: {done.comment_url}",)
        assert done.warnings == ()


def test_each_gate_is_posted_and_of_each_the_latest_attempt() -> None:
    there = world(
        ("gate-out-memory", files(gate="memory")),
        ("gate-out-default-attempt-1", files(claimed=claim(attempt=1), verdict="fail")),
        ("gate-out-default-attempt-2", files(claimed=claim(attempt=2), verdict="pass")),
        ("coverage", b"not ours"),
        attempt=2,
    )
    with github(there) as fake:
        send(fake)
        markers = [found_in(body) for body in fake.world.bodies(7)]
        assert [(one.gate, one.verdict, one.attempt) for one in markers if one] == [
            ("default", "pass", 2), ("memory", "fail", 1),
        ]  # fmt: skip


@pytest.mark.parametrize(
    "forged",
    [
        claim(pull=8),
        claim(repository="octo/other"),
        claim(head_sha="b" * 40),
        claim(run_id=1),
        claim(attempt=9),
        b"",
        b"[]",
        b'{"pull": 7}',
    ],
)
def test_an_artifact_that_is_not_what_it_claims_is_never_posted(forged: bytes) -> None:
    there = world(("gate-out-default", files(claimed=forged)))
    there.pulls[8] = Pull(8, "b" * 40)
    with github(there) as fake:
        [warning] = send(fake).warnings
        assert "artifact" in warning.message
        assert fake.writes == []


def test_an_artifact_without_a_claim_or_a_valid_receipt_is_never_posted() -> None:
    no_claim, no_receipt = archive(("receipt.json", b"{}")), archive(("claim.json", claim()))
    evil = archive(("receipt.json", b"{}"), ("claim.json", claim()), ("../../etc/passwd", b""))
    for data in (no_claim, no_receipt, evil, b"no zip"):
        with github(world(("gate-out-default", data))) as fake:
            assert len(send(fake).warnings) == 1
            assert fake.writes == []


def test_one_bad_artifact_does_not_stop_the_others() -> None:
    there = world(("gate-out-a", b"no zip"), ("gate-out-b", files(gate="b")))
    with github(there) as fake:
        done = send(fake)
        assert (len(done.warnings), len(fake.world.bodies(7))) == (1, 1)


def test_a_push_after_the_run_makes_its_result_past() -> None:
    there = world()
    there.pulls[7].head_sha = "c" * 40
    with github(there) as fake:
        assert "no open pull request has 4f2c1aa as its head any more" in send(fake).said[0]
        assert fake.writes == []


def test_a_push_while_we_look_is_noticed_before_posting() -> None:
    there = world()
    with github(there) as fake:
        there.before("/zip", lambda: setattr(there.pulls[7], "head_sha", "c" * 40))
        assert "moved on" in send(fake).said[0]
        assert fake.world.bodies(7) == []


def test_the_same_commit_in_another_persons_fork_is_not_this_pull_request() -> None:
    there = world()
    there.pulls[7].head_repository = (3003, "contributor/search")
    with github(there) as fake:
        assert "no open pull request" in send(fake).said[0]


def test_of_two_pull_requests_of_one_branch_the_claimed_one_gets_the_comment() -> None:
    there = world(("gate-out-default", files(claimed=claim(pull=9))))
    there.pulls[9] = replace(there.pulls[7], number=9, base_ref="release")
    with github(there) as fake:
        send(fake)
        assert (len(fake.world.bodies(7)), len(fake.world.bodies(9))) == (0, 1)


@pytest.mark.parametrize("event", ["push", "pull_request_target", "workflow_dispatch"])
def test_only_runs_of_pull_requests_are_published(event: str) -> None:
    with github(world(event=event)) as fake:
        assert f"started by {event}" in send(fake).said[0]
        assert fake.writes == []


def test_a_run_of_the_same_repository_published_itself() -> None:
    there = world(head_repository=(REPOSITORY_ID, REPOSITORY))
    there.pulls[7].head_repository = (REPOSITORY_ID, REPOSITORY)
    with github(there) as fake:
        assert "published itself" in send(fake, seen=context(is_fork=False)).said[0]
        there.runs[0].actor = "dependabot[bot]"
        assert send(fake, seen=context(is_fork=False)).comment_url


def of_head(**changes: object) -> Context:
    """What pull_request_target tells: a head, and no run."""
    named = {
        "event": "pull_request_target",
        "triggering": None,
        "head_sha": HEAD,
        "head_repository_id": FORK[0],
    }
    return context(**{**named, **changes})


def test_under_pull_request_target_the_finished_runs_of_that_head_are_posted() -> None:
    there = world(("gate-out-default", files(claimed=claim(run_id=813))))
    there.artifacts[0].run_id = 813
    measured = {"event": "pull_request", "branch": "main", "head_repository": FORK}
    there.runs.append(WorkflowRun(813, HEAD, **measured))
    there.runs.append(WorkflowRun(814, HEAD, status="in_progress", conclusion=None, **measured))
    there.runs.append(WorkflowRun(815, "b" * 40, **measured))
    with github(there) as fake:
        done = send(fake, seen=of_head())
        [body] = fake.world.bodies(7)
        assert "The numbers come from the contributor's run" in body
        assert "/runs/813)" in body
        assert done.warnings == ()


@pytest.mark.parametrize(
    "other", [{"head_sha": "b" * 40}, {"head_repository_id": 666}, {"head_repository_id": None}]
)
def test_runs_of_another_head_or_fork_are_not_its_own(other: dict[str, object]) -> None:
    with github(world()) as fake:
        assert "no finished run of pull_request has measured" in send(fake, seen=of_head(**other)).said[0]
        assert fake.writes == []


def test_a_deleted_fork_has_no_pull_request_to_comment() -> None:
    with github(world(head_repository=None)) as fake:
        assert "no open pull request" in send(fake).said[0]
        fake.violations.clear()  # GitHub sends null here although its description does not say so


def test_without_an_artifact_or_an_event_nothing_is_published() -> None:
    with github(world(("coverage", b""))) as fake:
        assert "left no artifact gate-out-*" in send(fake).said[0]
        assert "no workflow_run event" in send(fake, seen=context(triggering=None)).said[0]


def test_more_artifacts_than_gates_there_can_be_are_counted_and_left_out() -> None:
    many = [(f"gate-out-{number:02}", files(gate=f"g{number}")) for number in range(MOST_ARTIFACTS + 3)]
    with github(world(*many)) as fake:
        done = send(fake)
        assert "3 artifacts were left out" in done.warnings[0].message
        assert len(fake.world.bodies(7)) == MOST_ARTIFACTS


def test_a_gate_id_that_is_no_name_is_not_posted() -> None:
    with github(world(("gate-out-default", files(gate="g" * 300)))) as fake:
        assert "gate's id" in send(fake).warnings[0].message


def test_required_publishing_that_fails_ends_with_69() -> None:
    with github(world(("gate-out-default", b"no zip"))) as fake, pytest.raises(UnavailableError):
        send(fake, publish="required")
