import json
from pathlib import Path

import pytest

from tests.github.fake_github import github
from tests.github.fake_world import ACTION_TOKEN
from tests.wiring.pull_requests import ACCEPTED_CONFIG, NUMBER, PullRequest, opened
from tests.workspaces import rows

OWNED = ACCEPTED_CONFIG + "owners: [alice]\n"


def comment(pull: PullRequest, text: str, *, by: str = "alice") -> dict[str, object]:
    """Somebody comments on the pull request; the event that GitHub sends about it."""
    made = pull.fake.world.comment(NUMBER, text, login=by, kind="User")
    pull.event = "issue_comment"
    return {
        "action": "created",
        "repository": {"id": 1001, "full_name": "octo/search", "default_branch": "main"},
        "issue": {"number": NUMBER, "pull_request": {"url": "x"}},
        "comment": {"id": made.id, "body": text, "user": {"login": by}},
    }


def good(pull: PullRequest) -> str:
    return f'/gate accept {pull.head[:7]} reason="the corpus was rebuilt" until=2026-12-31'


def failed(folder: Path, fake: object) -> PullRequest:
    pull = opened(folder, fake, config=OWNED, losses=12)  # type: ignore[arg-type]
    pull.fake.world.collaborators["alice"] = "write"
    pull.fake.world.contents["main", "eval-gate.yml"] = OWNED.encode()
    assert pull.run().code == 1
    pull.upload(run_id=100)
    return pull


def test_an_owner_s_comment_acknowledges_the_stored_receipt_and_runs_the_failed_job_again(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        fake.world.tokens[ACTION_TOKEN].permissions["actions"] = "write"

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert ran.code == 0
        (told,) = [body for body in pull.comments() if not body.startswith("/gate")]
        assert "the corpus was rebuilt" in told
        assert "alice" in told
        assert fake.world.reruns == [100]


def test_the_job_that_runs_again_finds_the_acceptance_and_goes_on(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        pull.fake.world.comment(NUMBER, good(pull), login="alice", kind="User")

        ran = pull.run(attempt=2)

        assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (0, "fail", "acknowledged")
        acceptance = pull.receipt()["acceptance"]
        assert acceptance["by"] == "alice"  # type: ignore[index]
        assert acceptance["until"] == "2026-12-31"  # type: ignore[index]


def test_the_next_push_voids_it(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        pull.fake.world.comment(NUMBER, good(pull), login="alice", kind="User")
        pull.change({"rows/candidate.ndjson": rows([0] * 13 + [1] * 27)})

        ran = pull.run(run_id=101)

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert "acceptance_notes" in json.dumps(pull.receipt())


@pytest.mark.parametrize(
    ("by", "text", "why"),
    [
        ("mallory", None, "owner"),
        ("alice", '/gate accept {head} reason="" until=2026-12-31', "reason"),
        ("alice", '/gate accept {head} reason="x" until=2020-01-01', "2020-01-01"),
        ("alice", '/gate accept 0000000 reason="x" until=2026-12-31', "0000000"),
    ],
)
def test_what_does_not_count_is_ignored_and_said(by: str, text: str | None, why: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        said = good(pull) if text is None else text.format(head=pull.head[:7])

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, said, by=by))

        assert ran.code == 0
        assert why in ran.log
        (told,) = [body for body in pull.comments() if not body.startswith("/gate")]
        assert f"The acceptance by {by} does not count" in told
        assert fake.world.reruns == []


def test_the_run_s_own_next_attempt_replaces_what_was_said_after_a_comment(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        said = comment(pull, good(pull), by="mallory")
        pull.run(command="publish", run_id=200, payload=said)
        assert "does not count" in pull.comments()[0]
        pull.fake.world.comment(NUMBER, good(pull), login="alice", kind="User")
        pull.event = "pull_request"

        ran = pull.run(attempt=2)

        assert ran.outputs["reason"] == "acknowledged"
        assert "Accepted by" in pull.comments()[0]
        assert "does not count" not in pull.comments()[0]


def test_two_gates_of_one_run_are_accepted_together_and_it_runs_again_once(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        assert pull.run(gate="other").code == 1
        pull.upload(run_id=100, name="gate-other")
        fake.world.tokens[ACTION_TOKEN].permissions["actions"] = "write"

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert ran.code == 0
        told = [body for body in pull.comments() if not body.startswith("/gate")]
        assert len(told) == 2
        assert all("the corpus was rebuilt" in body for body in told)
        assert fake.world.reruns == [100]
        assert "also reports as gate" not in ran.log


def test_a_fork_s_failure_is_accepted_with_a_word_about_whose_numbers_they_are(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        fake.world.pulls[NUMBER].head_repository = fake.world.runs[0].head_repository = (
            2002,
            "contributor/search",
        )

        pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        (told,) = [body for body in pull.comments() if not body.startswith("/gate")]
        assert "The numbers come from the contributor's run" in told
        assert "the corpus was rebuilt" in told


def test_a_receipt_of_another_commit_is_not_taken_for_this_one_s(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        judged = pull.head
        pull.change({"README.md": b"more\n"})
        fake.world.runs[0].head_sha = pull.head
        before = pull.comments()

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert judged != pull.head
        assert "left a receipt of another commit" in ran.log
        assert pull.comments()[: len(before)] == before
        assert fake.world.reruns == []


def test_an_owner_without_write_permission_cannot_accept(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        fake.world.collaborators["alice"] = "read"

        pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert fake.world.reruns == []


def test_ordinary_talk_is_left_alone(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, "looks good to me"))

        assert ran.code == 0
        assert "nothing to do" in ran.log


def test_a_receipt_that_does_not_follow_from_its_rows_is_not_believed(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        (pull.workspace / "gate-out" / "rows" / "main.candidate.ndjson").write_bytes(rows([1] * 40))
        fake.world.artifacts.clear()
        pull.upload(run_id=100)

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert ran.code != 0 or "not the rows" in ran.log
        assert fake.world.reruns == []


def test_without_the_right_to_run_jobs_again_the_owner_is_told_to(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert ran.code == 0
        assert "re-run them by hand" in ran.said("warning")


def test_where_nobody_may_accept_a_comment_is_ignored_and_said_so_and_again_by_the_next_attempt(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        fake.world.contents["main", "eval-gate.yml"] = ACCEPTED_CONFIG.encode()
        assert pull.run().code == 1
        pull.upload(run_id=100)

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert "names no `owners`" in ran.log
        (told,) = [body for body in pull.comments() if not body.startswith("/gate")]
        assert "The acceptance by alice does not count" in told
        pull.event = "pull_request"
        again = pull.run(attempt=2)
        assert again.code == 1
        assert "The acceptance by alice does not count" in again.log


def test_an_expired_receipt_is_made_again_by_the_pull_request_s_own_workflow(tmp_path: Path) -> None:
    with github() as fake:
        pull = failed(tmp_path, fake)
        for artifact in fake.world.artifacts:
            artifact.expired = True

        ran = pull.run(command="publish", run_id=200, payload=comment(pull, good(pull)))

        assert "run the pull request's workflow again" in ran.said("error")
        assert "default branch" not in ran.said("error")
