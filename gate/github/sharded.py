"""The action's input `shard`: which part of a matrix a job measures, and what its artifact is called. Pure."""

from collections.abc import Mapping

from gate.core.shards import Shard, ShardError, shard_of_text
from gate.errors import UsageError
from gate.github.artifacts import artifact_name

PREFIX = "shard-"
"""Not the one of verdicts: the half that publishes for forks looks at every artifact that begins with that."""


def shard_of(command: str, text: str) -> Shard | None:
    """The shard that is measured; None = the whole. UsageError for what is none, and beside another command."""
    if not text:
        return None
    if command != "run":
        raise UsageError(
            f"`shard: {text}` goes with `command: run`, not with `command: {command}`",
            remedy="give `shard` to the jobs that measure, and leave it out everywhere else",
        )
    try:
        return shard_of_text(text)
    except ShardError as error:
        raise UsageError(
            f"`shard`: {error}",
            remedy="number the shards from 1 to their count, such as ${{ matrix.shard }}/4",
        ) from error


def shard_artifact(gate: str, shard: Shard, attempt: int) -> str:
    """What the rows of this attempt are uploaded as: no two jobs of a run share a name."""
    return artifact_name(f"{PREFIX}{gate}-{shard.number}-of-{shard.of}", attempt)


def artifact_of_inputs(inputs: Mapping[str, str], gate: str, attempt: int) -> str | None:
    """The same from inputs that may be wrong; None where they name no shard."""
    try:
        shard = shard_of("run", inputs.get("shard", ""))
    except UsageError:
        return None
    return None if shard is None else shard_artifact(gate, shard, attempt)
