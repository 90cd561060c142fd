import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from gate.core.acceptance import acknowledged
from gate.core.receipt import plan_digest, receipt_bytes, sealed
from gate.core.report import Acceptance
from gate.store.receipts import read_receipt
from gate.systems.reference import ReferenceSystem
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import REPOSITORY_ID, WorkflowRun
from tests.repositories import git
from tests.systems.servers import served
from tests.wiring.pull_requests import ACCEPTED_CONFIG, FORK, NUMBER, TODAY, PullRequest, opened
from tests.workspaces import rows


def measured(folder: Path, fake: FakeGitHub) -> PullRequest:
    """The first half: the fork's pull request ran with a read-only token and uploaded what it found."""
    pull = opened(folder, fake, losses=12)
    fake.world.contents["main", "eval-gate.yml"] = ACCEPTED_CONFIG.encode()
    assert pull.run(payload=pull.from_a_fork()).code == 1
    assert pull.comments() == []
    pull.upload(run_id=100)
    fake.world.runs[0].head_repository = FORK
    pull.extra = {}
    return pull


def publish(pull: PullRequest, *, run_id: int = 100) -> str:
    """The second half: the default branch's workflow, with a token that may write; returns the log."""
    pull.event = "workflow_run"
    payload: dict[str, object] = {
        "action": "completed",
        "repository": {"id": REPOSITORY_ID, "full_name": "octo/search", "default_branch": "main"},
        "workflow_run": {
            "id": run_id,
            "run_attempt": 1,
            "event": "pull_request",
            "conclusion": "failure",
            "path": ".github/workflows/gate.yml",
            "head_sha": pull.head,
            "head_branch": "feature",
            "head_repository": {"id": FORK[0], "full_name": FORK[1]},
        },
    }
    ran = pull.run(command="publish", run_id=300, payload=payload)
    assert ran.code == 0
    return ran.log


def test_what_a_fork_measured_is_posted_by_the_second_half_and_called_what_it_is(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)

        publish(pull)

        (comment,) = pull.comments()
        assert "The numbers come from the contributor's run" in comment
        assert "Regression" in comment


def test_a_fork_s_run_that_ended_in_an_error_is_told_by_the_second_half(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        publish(pull)
        judged = pull.head
        pull.event = "pull_request"
        pull.change({"rows/candidate.ndjson": b"no row\n"})
        first = pull.run(run_id=101, payload=pull.from_a_fork())
        assert (first.code, "`command: publish`" in first.log) == (65, True)
        assert "could not be judged" not in pull.comments()[0]
        pull.extra = {}
        ended = {"event": "pull_request", "branch": "feature", "head_repository": FORK}
        fake.world.runs.append(WorkflowRun(101, pull.head, conclusion="failure", **ended))  # type: ignore[arg-type]

        log = publish(pull, run_id=101)

        (comment,) = pull.comments()
        assert f"Commit <code>{pull.head[:7]}</code> could not be judged: its run failed" in comment
        assert f"What follows is about <code>{judged[:7]}</code>" in comment
        assert "The numbers come from the contributor's run" in comment
        assert "left no artifact" in log


def test_an_acceptance_that_only_the_fork_knows_of_does_not_count(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        receipt = pull.workspace / "gate-out" / "receipt.json"
        word = Acceptance(by="alice", reason="trust me", until="2099-12-31", head=pull.head)
        forged = acknowledged(read_receipt(receipt, "receipt.json"), word, TODAY.date())
        receipt.write_bytes(receipt_bytes(forged))
        fake.world.artifacts.clear()
        pull.upload(run_id=100)
        fake.world.runs[0].head_repository = FORK

        publish(pull)

        (comment,) = pull.comments()
        assert "Regression" in comment
        assert "trust me" not in comment


@pytest.mark.parametrize("base", ["with a gate", "without one"])
def test_a_forks_receipt_that_calls_itself_a_drift_watch_keeps_no_issue(base: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        if base == "without one":
            fake.world.contents.clear()
        receipt = pull.workspace / "gate-out" / "receipt.json"
        report = read_receipt(receipt, "receipt.json")
        plan = replace(report.plan, purpose="drift")
        forged = sealed(replace(report, plan=plan, plan_sha256=plan_digest(plan)))
        receipt.write_bytes(receipt_bytes(forged))
        fake.world.artifacts.clear()
        pull.upload(run_id=100)
        fake.world.runs[0].head_repository = FORK

        log = publish(pull)

        assert (fake.world.issues, pull.comments()) == ({}, [])
        assert "the receipt is of a drift, and judges no change" in log


def test_an_owner_s_acceptance_counts_for_a_fork_too(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.contents["main", "eval-gate.yml"] = (ACCEPTED_CONFIG + "owners: [alice]\n").encode()
        fake.world.collaborators["alice"] = "write"
        said = f'/gate accept {pull.head[:7]} reason="known" until=2026-12-31'
        fake.world.comment(NUMBER, said, login="alice", kind="User")

        publish(pull)

        told = [body for body in pull.comments() if not body.startswith("/gate")]
        assert "Accepted by" in told[0]
        assert "The numbers come from the contributor's run" in told[0]


def test_under_pull_request_target_no_suite_runs_but_what_was_measured_is_posted(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        pull.event = "pull_request_target"
        payload = pull.payload()
        payload["pull_request"]["head"]["repo"] = {"id": FORK[0], "full_name": FORK[1]}  # type: ignore[index]

        assert pull.run(run_id=300, payload=payload).code == 64
        assert pull.comments() == []
        assert pull.run(command="publish", run_id=301, payload=payload).code == 0

        (comment,) = pull.comments()
        assert "The numbers come from the contributor's run" in comment


def test_numbers_that_do_not_follow_from_the_rows_are_not_posted(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.artifacts.clear()
        (pull.workspace / "gate-out" / "rows" / "main.candidate.ndjson").write_bytes(rows([1] * 40))
        pull.upload(run_id=100)
        fake.world.runs[-1].head_repository = FORK

        log = publish(pull)

        assert pull.comments() == []
        assert "the receipt was made from" in log


def test_a_claim_about_somebody_else_s_pull_request_is_not_posted(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        claim = pull.workspace / "gate-out" / "claim.json"
        claim.write_text(json.dumps(json.loads(claim.read_text()) | {"pull": 8}))
        fake.world.artifacts.clear()
        pull.upload(run_id=100)
        fake.world.runs[-1].head_repository = FORK

        log = publish(pull)

        assert pull.comments() == []
        assert "not what it claims" in log


def test_a_head_that_has_moved_on_is_not_commented_on(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.pulls[NUMBER].head_sha = git(pull.workspace, "rev-parse", "main")

        publish(pull)

        assert pull.comments() == []


CASE = Path(__file__).parents[1] / "container" / "cases" / "retrieval"
BUILT_IN = b"{kind: reference}"


def asking_with_a_secret(port: int, at_least: bytes) -> dict[str, bytes | None]:
    """A repository whose queries go to a service that wants a token."""
    files: dict[str, bytes | None] = {
        path.relative_to(CASE).as_posix(): path.read_bytes() for path in CASE.rglob("*") if path.is_file()
    }
    config = files["eval-gate.yml"] or b""
    assert BUILT_IN in config
    service = b"{kind: http, url: 'http://127.0.0.1:%d', token-env: SEARCH_TOKEN}" % port
    config = config.replace(BUILT_IN, service).replace(b"0.7", at_least)
    return {**files, "eval-gate.yml": config + b"on-inconclusive: {not_measured: pass}\n"}


@pytest.mark.parametrize(("at_least", "code", "verdict"), [(b"0.7", 0, "pass"), (b"0.8", 1, "fail")])
def test_what_a_fork_cannot_measure_passes_and_the_merge_queue_measures_it(
    at_least: bytes, code: int, verdict: str, tmp_path: Path
) -> None:
    with github() as fake, served(ReferenceSystem(), token="s3cret") as service:  # noqa: S106 - no real one
        pull = PullRequest(tmp_path, fake)
        pull.main(asking_with_a_secret(service.server_port, at_least))
        pull.change({"README.md": b"a better search\n"})

        forked = pull.run(payload=pull.from_a_fork())

        assert (forked.code, forked.outputs["reason"]) == (0, "not_measured")
        pull.event, pull.extra = "merge_group", {"SEARCH_TOKEN": "s3cret"}
        group = {"head_sha": pull.merge, "base_sha": pull.base, "base_ref": "refs/heads/main"}
        group["head_ref"] = f"refs/heads/gh-readonly-queue/main/pr-{NUMBER}-{pull.base}"
        repository_of = {"id": REPOSITORY_ID, "full_name": "octo/search", "default_branch": "main"}

        queued = pull.run(run_id=400, payload={"repository": repository_of, "merge_group": group})

        assert (queued.code, queued.outputs["verdict"]) == (code, verdict)
