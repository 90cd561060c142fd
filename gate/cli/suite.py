"""`gate suite`: make rows by asking the system under test; the suites are imported one by one."""

from collections.abc import Mapping
from typing import Final

import click

from gate.cli import LazyGroup

SUITES: Final[Mapping[str, str]] = {
    "retrieval": "Judged queries: is what is relevant found, and how high?",
    "longmemeval": "Long conversations: is the session that holds the answer found?",
    "replay": "Captured queries asked again: have the answers moved?",
    "brainbench": "Memory across harnesses: is it there when needed, and silent otherwise?",
}
"""Name and one line of help; the suite's command lives in gate.cli.suite_NAME."""


@click.group("suite", cls=LazyGroup, known=SUITES, modules="gate.cli.suite_{}")
def command() -> None:
    """Run one suite against the system under test and write its rows, one a question."""
