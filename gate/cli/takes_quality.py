"""`gate takes-quality`: a panel of judges scores takes; runs are kept, shown again and compared."""

from collections.abc import Mapping
from typing import Final

import click

from gate.cli import LazyGroup

COMMANDS: Final[Mapping[str, str]] = {
    "run": "Have a sample of takes scored by the panel: PASS, FAIL or INCONCLUSIVE.",
    "replay": "Show a receipt again, without a model and without the takes.",
    "trend": "List the runs there were, newest first; draw them.",
    "regress": "Score the takes of an earlier run again, and say what got worse.",
}
"""Name and one line of help; the command lives in gate.cli.takes_quality_NAME."""


@click.group("takes-quality", cls=LazyGroup, known=COMMANDS, modules="gate.cli.takes_quality_{}")
def command() -> None:
    """A panel of judges scores takes on five dimensions."""
