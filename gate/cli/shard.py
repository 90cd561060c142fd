"""The option --shard, wherever a command has it."""

from typing import TYPE_CHECKING

from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.core.shards import Shard


def shard_of_option(text: str) -> "Shard":
    """The shard that --shard names; UsageError when it names none."""
    from gate.core.shards import ShardError, shard_of_text

    try:
        return shard_of_text(text)
    except ShardError as error:
        raise UsageError(f"--shard: {error}", remedy="number the shards from 1 to their count") from error
