"""The action's inputs about publishing, and events that are no pull request, as a whole step meets them."""

from pathlib import Path

import pytest

from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import REPOSITORY, REPOSITORY_ID, Fault
from tests.wiring.pull_requests import ACCEPTED_CONFIG, PullRequest, opened
from tests.workspaces import rows

REPOSITORY_OF = {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"}
ANCHORED = ACCEPTED_CONFIG + "anchor: {rows: anchor.ndjson}\n"


def result(pull: PullRequest, values: list[int]) -> None:
    """What the system measures next; the checked-out commit stays."""
    (pull.workspace / "rows" / "candidate.ndjson").write_bytes(rows(values))


SAME, WORSE, BETTER = [1] * 40, [0] * 12 + [1] * 28, [0] + [1] * 39


@pytest.mark.parametrize(
    ("mode", "values", "comments"),
    [
        ("always", SAME, 1),
        ("on-change", SAME, 0),
        ("on-change", BETTER, 1),
        ("on-failure", BETTER, 0),
        ("on-failure", WORSE, 1),
        ("off", WORSE, 0),
    ],
)
def test_the_mode_decides_whether_there_is_a_first_comment(
    mode: str, values: list[int], comments: int, tmp_path: Path
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        result(pull, values)

        pull.run(comment=mode)

        assert len(pull.comments()) == comments


@pytest.mark.parametrize("mode", ["on-change", "on-failure"])
def test_a_red_comment_is_made_green_in_every_mode(mode: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        assert pull.run(comment=mode).code == 1
        pull.change({"rows/candidate.ndjson": rows(SAME)})

        assert pull.run(comment=mode, run_id=101).code == 0

        (comment,) = pull.comments()
        assert "Passed" in comment


@pytest.mark.parametrize(("notify_on", "comments"), [("silent", 1), ("verdict-change", 2)])
def test_a_changed_verdict_is_announced_only_if_asked(notify_on: str, comments: int, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(notify_on=notify_on)
        pull.change({"rows/candidate.ndjson": rows(SAME)})

        pull.run(run_id=101, notify_on=notify_on)
        pull.run(run_id=102, notify_on=notify_on)

        assert len(pull.comments()) == comments


def test_a_check_run_is_made_where_it_is_asked_for(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run()
        assert fake.world.checks == {}

        pull.run(run_id=101, check_run="true")

        (check,) = fake.world.checks.values()
        assert (check["conclusion"], check["head_sha"]) == ("failure", pull.head)


def test_a_failing_gate_whose_result_must_be_published_and_is_not_says_so(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        fake.world.fails("POST", Fault(status=403, body='{"message": "no"}'), times=9)

        ran = pull.run(publish="required")

        assert (ran.code, ran.outputs["verdict"]) == (69, "fail")
        assert ran.said("warning")


# -- slow creep -------------------------------------------------------------------------------------------------


def test_an_anchor_catches_what_every_single_step_hides(tmp_path: Path) -> None:
    """Each step loses two questions of forty, which nobody can tell from noise; together they are a regression."""
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        crept = rows([0] * 10 + [1] * 30)
        main = {"base.ndjson": crept, "anchor.ndjson": rows(SAME)}
        pull.main({"eval-gate.yml": ANCHORED.encode(), **main})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        (comment,) = pull.comments()
        assert "anchor" in comment


# -- other events -----------------------------------------------------------------------------------------------


def queued(pull: PullRequest) -> dict[str, object]:
    return {
        "action": "checks_requested",
        "repository": REPOSITORY_OF,
        "merge_group": {
            "head_sha": pull.merge,
            "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{pull.base}",
            "base_sha": pull.base,
            "base_ref": "refs/heads/main",
        },
    }


def in_the_queue(folder: Path, fake: FakeGitHub) -> PullRequest:
    pull = opened(folder, fake, losses=12)
    pull.change({"eval-gate.yml": (ACCEPTED_CONFIG + "mode: advisory\n").encode()})
    pull.event = "merge_group"
    return pull


def test_the_merge_queue_judges_by_the_base_and_comments_nowhere(tmp_path: Path) -> None:
    with github() as fake:
        pull = in_the_queue(tmp_path, fake)

        ran = pull.run(payload=queued(pull))

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["commits"]["base"] == pull.base  # type: ignore[index]
        assert pull.comments() == []
        assert "merge queue" in ran.log
        assert ran.summary


def test_a_called_workflow_is_about_its_caller_s_pull_request(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        payload = pull.payload()
        pull.event = "workflow_call"

        ran = pull.run(payload=payload)

        assert ran.code == 1
        assert len(pull.comments()) == 1
