import pytest

from gate.errors import ExitCode
from gate.github.failures import (
    Answer,
    CredentialsError,
    ExpiredError,
    ForgeError,
    LockedError,
    MissingError,
    PermissionDeniedError,
    RefusedError,
    Request,
    TooLongError,
    needed_permission,
    permissions_yaml,
    translated,
)

POST = Request("POST", "/repos/o/r/issues/7/comments")


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (Answer(None, message="timed out"), ForgeError),
        (Answer(None, message="certificate verify failed"), ForgeError),
        (Answer(401, {}, "Bad credentials"), CredentialsError),
        (Answer(403, {}, "Resource not accessible by integration"), PermissionDeniedError),
        (Answer(403, {}, "Resource not accessible by personal access token"), PermissionDeniedError),
        (Answer(403, {}, "Unable to create comment because issue is locked."), LockedError),
        (Answer(410, {}, "Issue is locked"), LockedError),
        (Answer(410, {}, "Artifact has expired"), ExpiredError),
        (Answer(410, {}, "Issues has been disabled in this repository."), RefusedError),
        (Answer(403, {}, "no"), RefusedError),
        (Answer(429), RefusedError),
        (Answer(404), MissingError),
        (Answer(422, {}, "Validation Failed; body is too long (maximum is 65536 characters)"), TooLongError),
        (Answer(422, {}, "Only 65535 characters are allowed; 70000 were supplied."), TooLongError),
        (Answer(422, {}, "Validation Failed"), RefusedError),
        (Answer(307), RefusedError),
        (Answer(503), ForgeError),
        (Answer(418), RefusedError),
    ],
)
def test_every_refusal_has_one_word_a_remedy_and_exit_code_69(answer: Answer, word: type[ForgeError]) -> None:
    error = translated(POST, answer)
    assert type(error) is word
    assert error.remedy
    assert error.exit_code == ExitCode.UNAVAILABLE
    assert error.message.startswith("POST /repos/o/r/issues/7/comments: ")


def test_an_untrusted_certificate_names_the_variable_that_helps() -> None:
    assert "REQUESTS_CA_BUNDLE" in translated(POST, Answer(None, message="certificate verify failed")).remedy


@pytest.mark.parametrize(
    ("verb", "path", "permission"),
    [
        ("POST", "/repos/o/r/issues/7/comments", "pull-requests: write"),
        ("PATCH", "/repos/o/r/issues/comments/9", "pull-requests: write"),
        ("GET", "/repos/o/r/issues/7/comments", "pull-requests: read"),
        ("GET", "/repos/o/r/pulls/7", "pull-requests: read"),
        ("GET", "/repos/o/r/issues", "issues: read"),
        ("PATCH", "/repos/o/r/issues/7", "issues: write"),
        ("GET", "/repos/o/r/commits/abc/pulls", "pull-requests: read"),
        ("POST", "/repos/o/r/check-runs", "checks: write"),
        ("GET", "/repos/o/r/actions/runs/1/artifacts", "actions: read"),
        ("GET", "/repos/o/r/contents/eval-gate.yml", "contents: read"),
        ("GET", "/repos/o/r/compare/a...b", "contents: read"),
        ("GET", "/repos/o/r", "contents: read"),
        ("GET", "/api/v3/repos/o/r/pulls/7", "pull-requests: read"),
    ],
)
def test_the_permission_follows_from_what_was_asked(verb: str, path: str, permission: str) -> None:
    assert needed_permission(Request(verb, path), {}) == permission


def test_github_itself_may_name_the_permission() -> None:
    headers = {"x-accepted-github-permissions": "organization_hooks=write; admin=read"}
    assert needed_permission(Request("POST", "/orgs/o/hooks"), headers) == "organization-hooks: write"


def test_the_yaml_lists_every_scope_that_is_needed_because_the_others_become_none() -> None:
    assert permissions_yaml("checks: write", "pull-requests: write") == (
        "permissions:\n  contents: read\n  checks: write\n  pull-requests: write"
    )
    assert permissions_yaml("contents: read") == "permissions:\n  contents: read"
