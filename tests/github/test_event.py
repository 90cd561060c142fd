import json
from pathlib import Path
from typing import Any

import pytest

from gate.errors import EvidenceError
from gate.github.event import Context, context

PAYLOADS = Path(__file__).parent / "payloads"
HEAD = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
MERGE = "1f0d3a2b4c5d6e7f8091a2b3c4d5e6f708192a3b"


def payload(name: str) -> dict[str, Any]:
    return json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))


def env(**changes: str) -> dict[str, str]:
    return {
        "GITHUB_SHA": MERGE,
        "GITHUB_RUN_ID": "8123456789",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_WORKFLOW_REF": "Codertocat/Hello-World/.github/workflows/gate.yml@refs/pull/2/merge",
        "GITHUB_JOB": "gate",
        "GITHUB_ACTOR": "Codertocat",
        "GITHUB_API_URL": "https://api.github.com",
        "GITHUB_SERVER_URL": "https://github.com",
        **changes,
    }


def read(event_name: str, file: str, **changes: str) -> Context:
    return context(event_name, payload(file), env(**changes))


def test_a_pull_request_is_reported_against_its_head_and_tested_at_the_merge_commit() -> None:
    seen = read("pull_request", "pull_request.synchronize")
    assert (seen.pull_number, seen.pull_lookup) == (2, "known")
    assert (seen.head_sha, seen.tested_sha) == (HEAD, MERGE)
    assert (seen.base_ref, seen.base_sha) == ("master", "f95f852bd8fca8fcc58a9a2d6c842781e32a215e")
    assert (seen.repository, seen.repository_id) == ("Codertocat/Hello-World", 186853002)
    assert (seen.is_fork, seen.may_run_suites, seen.may_comment) == (False, True, True)
    assert seen.why_no_pull_request == ""


def test_the_run_is_known_by_id_attempt_workflow_and_address() -> None:
    run = read("pull_request", "pull_request.opened").run
    assert (run.id, run.attempt, run.job) == (8123456789, 2, "gate")
    assert run.workflow == ".github/workflows/gate.yml"
    assert run.url == "https://github.com/Codertocat/Hello-World/actions/runs/8123456789"


def test_a_fork_is_told_by_its_repository_id_and_never_by_its_name() -> None:
    fork = payload("pull_request.fork")
    fork["pull_request"]["head"]["repo"]["full_name"] = "Codertocat/Hello-World"
    seen = context("pull_request", fork, env())
    assert (seen.is_fork, seen.head_repository_id) == (True, 991122)
    assert seen.token_is_read_only


def test_the_pull_request_of_a_deleted_fork_is_a_fork_without_a_repository() -> None:
    seen = read("pull_request", "pull_request.deleted_fork")
    assert (seen.is_fork, seen.head_repository, seen.head_sha) == (True, None, HEAD)


def test_dependabot_gets_a_read_only_token_like_a_fork() -> None:
    assert read("pull_request", "pull_request.opened", GITHUB_ACTOR="dependabot[bot]").token_is_read_only
    assert not read("pull_request", "pull_request.opened").token_is_read_only


def test_pull_request_target_may_comment_but_refuses_suites_and_says_what_to_do() -> None:
    seen = read("pull_request_target", "pull_request_target.fork")
    assert (seen.pull_number, seen.head_sha, seen.may_comment) == (2, HEAD, True)
    assert not seen.may_run_suites
    assert "workflow_run" in seen.suites_refused
    assert "command: publish" in seen.suites_refused
    assert not seen.token_is_read_only


def test_a_workflow_run_of_a_fork_is_found_by_its_branch_because_its_pull_requests_are_empty() -> None:
    seen = read("workflow_run", "workflow_run.of_fork")
    assert (seen.pull_number, seen.pull_lookup) == (None, "by-branch")
    assert (seen.head_sha, seen.head_ref, seen.head_repository) == (
        HEAD,
        "changes",
        "contributor/Hello-World",
    )
    assert (seen.is_fork, seen.may_comment, seen.may_run_suites) == (True, True, False)
    assert seen.triggering is not None
    assert (seen.triggering.run_id, seen.triggering.attempt) == (289782451, 1)
    assert (seen.triggering.event, seen.triggering.workflow) == ("pull_request", ".github/workflows/test.yml")


def test_a_workflow_run_after_something_else_than_a_pull_request_says_so() -> None:
    seen = read("workflow_run", "workflow_run.completed")
    assert (seen.pull_lookup, seen.may_comment) == ("none", False)
    assert "repository_dispatch" in seen.why_no_pull_request


def test_the_pull_request_that_a_workflow_run_names_is_not_believed_without_the_api() -> None:
    named = payload("workflow_run.with_pull_request")
    named["workflow_run"]["event"] = "pull_request"
    seen = context("workflow_run", named, env())
    assert (seen.pull_number, seen.pull_lookup) == (None, "by-branch")


@pytest.mark.parametrize(
    ("file", "base"),
    [("merge_group.checks_requested", "main"), ("merge_group.slashed_base", "release/pr-7/next")],
)
def test_the_merge_queue_names_its_pull_request_and_gets_no_comment(file: str, base: str) -> None:
    seen = read("merge_group", file)
    assert (seen.pull_number, seen.base_ref) == (104, base)
    assert seen.head_sha == "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d"
    assert seen.base_sha == "380387fbc80638b734a49e1be1c4dfec1c01b33c"
    assert (seen.may_comment, seen.may_run_suites, seen.is_fork) == (False, True, False)
    assert "merge queue" in seen.why_no_pull_request


def test_a_merge_group_with_another_ref_has_no_pull_request() -> None:
    other = payload("merge_group.checks_requested")
    other["merge_group"]["head_ref"] = "refs/heads/elsewhere"
    assert context("merge_group", other, env()).pull_number is None


def test_a_push_is_compared_with_what_was_there_before() -> None:
    seen = read("push", "push.default_branch")
    assert seen.head_sha == "6113728f27ae82c7b1a177c8d03f9e96e0adf246"
    assert seen.base_sha == "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
    assert (seen.pull_lookup, seen.may_comment, seen.base_ref) == ("by-commit", False, "master")
    assert "push to master" in seen.why_no_pull_request


def test_the_first_push_of_a_branch_has_nothing_before_it() -> None:
    assert read("push", "push.branch_created").base_sha is None


def test_a_deleted_tag_leaves_the_commit_the_runner_names() -> None:
    seen = read("push", "push.tag_deleted")
    assert (seen.head_sha, seen.head_ref, seen.base_ref) == (MERGE, "simple-tag", None)


def test_a_schedule_carries_no_repository_and_takes_it_from_the_environment() -> None:
    seen = read("schedule", "schedule", GITHUB_REPOSITORY="octo-org/octo-repo", GITHUB_REPOSITORY_ID="77")
    assert (seen.repository, seen.repository_id, seen.head_sha) == ("octo-org/octo-repo", 77, MERGE)
    assert (seen.pull_number, seen.may_comment, seen.may_run_suites) == (None, False, True)
    assert "scheduled" in seen.why_no_pull_request


def test_a_dispatch_without_pr_number_is_no_pull_request() -> None:
    seen = read("workflow_dispatch", "workflow_dispatch.plain")
    assert (seen.pull_number, seen.may_comment, seen.head_sha) == (None, False, MERGE)
    assert "`pr-number`" in seen.why_no_pull_request


def test_a_dispatch_with_pr_number_is_about_that_pull_request_whose_head_the_api_knows() -> None:
    seen = read("workflow_dispatch", "workflow_dispatch.pr_number")
    assert (seen.pull_number, seen.may_comment, seen.head_sha) == (2, True, None)


@pytest.mark.parametrize("asked", ["", "two", "-1", "0", "٢", "1" * 40])
def test_a_pr_number_that_is_no_number_is_not_given(asked: str) -> None:
    dispatch = payload("workflow_dispatch.pr_number")
    dispatch["inputs"]["pr-number"] = asked
    assert context("workflow_dispatch", dispatch, env()).pull_number is None


def test_a_comment_on_a_pull_request_runs_no_suites() -> None:
    seen = read("issue_comment", "issue_comment.on_pull_request")
    assert (seen.pull_number, seen.head_sha, seen.may_comment, seen.may_run_suites) == (1, None, True, False)
    assert seen.comment is not None
    assert (seen.comment.author, seen.comment.action) == ("Codertocat", "created")
    assert seen.comment.body.startswith("/gate accept ec26c3e")


def test_a_comment_on_an_issue_is_no_pull_request() -> None:
    seen = read("issue_comment", "issue_comment.on_issue")
    assert (seen.pull_number, seen.may_comment) == (None, False)
    assert "#1 is an issue" in seen.why_no_pull_request


@pytest.mark.parametrize(
    ("file", "event"),
    [
        ("pull_request.fork", "pull_request"),
        ("push.default_branch", "push"),
        ("merge_group.checks_requested", "merge_group"),
        ("workflow_run.of_fork", "workflow_run"),
        ("issue_comment.on_pull_request", "issue_comment"),
        ("schedule", "schedule"),
        ("workflow_dispatch.plain", "workflow_dispatch"),
    ],
)
def test_a_called_workflow_is_about_its_callers_event(file: str, event: str) -> None:
    assert read("workflow_call", file).event == event
    assert read("workflow_call", file) == read(event, file)


def test_an_event_nobody_foresaw_is_no_pull_request_and_says_so() -> None:
    seen = context("release", {"action": "published"}, env(GITHUB_REPOSITORY="o/r"))
    assert (seen.pull_number, seen.may_comment, seen.may_run_suites) == (None, False, True)
    assert "release" in seen.why_no_pull_request


@pytest.mark.parametrize(
    "event", ["pull_request", "pull_request_target", "workflow_run", "merge_group", "issue_comment"]
)
def test_a_payload_of_another_event_is_refused_by_name(event: str) -> None:
    with pytest.raises(EvidenceError, match=event):
        context(event, {}, env())


def test_a_payload_of_wrong_types_is_refused_with_the_place() -> None:
    broken = payload("pull_request.opened")
    broken["pull_request"]["number"] = "two"
    with pytest.raises(EvidenceError, match=r"pull_request\.number"):
        context("pull_request", broken, env())


def test_an_enterprise_server_is_taken_from_the_environment() -> None:
    seen = read(
        "push",
        "push.default_branch",
        GITHUB_API_URL="https://ghe.example/api/v3",
        GITHUB_SERVER_URL="https://ghe.example",
    )
    assert (seen.api_url, seen.server_url) == ("https://ghe.example/api/v3", "https://ghe.example")
    assert seen.run.url.startswith("https://ghe.example/Codertocat/Hello-World/actions/runs/")


def test_a_head_that_is_no_commit_is_unknown() -> None:
    odd = payload("pull_request.opened")
    odd["pull_request"]["head"]["sha"] = "--upload-pack=evil"
    assert context("pull_request", odd, env()).head_sha is None
