"""What the computing half says about itself, for the publishing half to check against the API. Pure.

It lies in the artifact beside the receipt. A stranger may have written it: it proves nothing, and every word of it
is compared with what GitHub says.
"""

from typing import Final

import msgspec
from msgspec import Struct

from gate.core.records.ecmascript import json_text
from gate.errors import EvidenceError
from gate.github.event import Context

FILE_NAME: Final = "claim.json"
_MOST_BYTES: Final = 10_000


class Claim(Struct, frozen=True, kw_only=True):
    """Which run claims to have judged which commit of which pull request."""

    repository: str
    pull: int
    head_sha: str
    run_id: int
    attempt: int
    schema_version: int = 1


def claim_of(context: Context) -> Claim | None:
    """The claim of this run; None where it is about no pull request, so that there is nothing to publish."""
    if context.pull_number is None or context.head_sha is None:
        return None
    return Claim(
        repository=context.repository,
        pull=context.pull_number,
        head_sha=context.head_sha,
        run_id=context.run.id,
        attempt=context.run.attempt,
    )


def encoded(claim: Claim) -> bytes:
    """The file's bytes."""
    return (json_text(msgspec.to_builtins(claim), indent=2) + "\n").encode()


def decoded(data: bytes) -> Claim:
    """The claim a file holds; EvidenceError when it holds none."""
    try:
        return msgspec.json.decode(data[:_MOST_BYTES], type=Claim)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise EvidenceError(
            f"the artifact's {FILE_NAME} is missing or not readable ({error})",
            remedy="it is not published; run the pull request's workflow again",
        ) from error


def contradictions(claim: Claim, truth: Claim) -> tuple[str, ...]:
    """Where the claim says something else than GitHub, in words."""
    fields = ("repository", "pull", "head_sha", "run_id")
    found = [
        f"{name} is {getattr(truth, name)!r}, and the artifact claims {str(getattr(claim, name))[:80]!r}"
        for name in fields
        if getattr(claim, name) != getattr(truth, name)
    ]
    if not 1 <= claim.attempt <= truth.attempt:
        found.append(f"the run had {truth.attempt} attempts, and the artifact claims attempt {claim.attempt}")
    return tuple(found)
