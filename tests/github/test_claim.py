import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import EvidenceError
from gate.github.claim import Claim, claim_of, contradictions, decoded, encoded
from tests.github.test_event import HEAD, read

TRUTH = Claim(repository="octo/search", pull=7, head_sha=HEAD, run_id=812, attempt=2)


def claim(**changes: object) -> Claim:
    said = {"repository": "octo/search", "pull": 7, "head_sha": HEAD, "run_id": 812, "attempt": 1}
    return Claim(**{**said, **changes})


def test_a_pull_requests_run_claims_what_it_judged() -> None:
    made = claim_of(read("pull_request", "pull_request.fork"))
    assert made == Claim(
        repository="Codertocat/Hello-World", pull=2, head_sha=HEAD, run_id=8123456789, attempt=2
    )
    assert decoded(encoded(made)) == made
    assert json.loads(encoded(made))["schema_version"] == 1


@pytest.mark.parametrize(
    ("event", "file"),
    [
        ("push", "push.default_branch"),
        ("schedule", "schedule"),
        ("workflow_dispatch", "workflow_dispatch.pr_number"),
    ],
)
def test_a_run_about_no_pull_request_or_no_known_head_claims_nothing(event: str, file: str) -> None:
    assert claim_of(read(event, file)) is None


def test_a_claim_that_agrees_with_github_is_not_contradicted() -> None:
    assert contradictions(claim(), TRUTH) == ()
    assert contradictions(claim(attempt=2), TRUTH) == ()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"repository": "octo/other"}, "repository"),
        ({"pull": 8}, "pull"),
        ({"head_sha": "b" * 40}, "head_sha"),
        ({"head_sha": HEAD[:7]}, "head_sha"),
        ({"run_id": 813}, "run_id"),
        ({"attempt": 3}, "attempt"),
        ({"attempt": 0}, "attempt"),
        ({"attempt": -1}, "attempt"),
    ],
)
def test_each_forged_member_is_named(change: dict[str, object], word: str) -> None:
    [said] = contradictions(claim(**change), TRUTH)
    assert word in said


@given(st.binary(max_size=200))
def test_whatever_a_stranger_wrote_it_is_a_claim_or_one_error(data: bytes) -> None:
    with suppress(EvidenceError):
        assert isinstance(decoded(data), Claim)


def test_what_comes_after_ten_thousand_bytes_is_not_read() -> None:
    assert decoded(encoded(TRUTH) + b" " * 20_000 + b"x") == TRUTH


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b'{"pull": "7"}', b"\xff"])
def test_what_is_no_claim_is_refused(data: bytes) -> None:
    with pytest.raises(EvidenceError):
        decoded(data)
