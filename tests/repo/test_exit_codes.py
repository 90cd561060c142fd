"""docs/exit-codes.md says what the program does."""

import re
from pathlib import Path

from gate.cli import COMMANDS
from gate.errors import ExitCode

PAGE = (Path(__file__).parents[2] / "docs" / "exit-codes.md").read_text(encoding="utf-8")
CODES = {str(int(code)) for code in ExitCode}


def rows(heading: str) -> list[list[str]]:
    """The cells of the one table below a heading."""
    section = PAGE.split(f"{heading}\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_every_exit_code_has_its_row_in_order_and_no_other_has() -> None:
    documented = [(int(number), name) for number, name, *_ in rows("# Exit codes")]

    assert documented == [(int(code), code.name) for code in ExitCode]


def test_every_command_has_its_row_and_no_other_has() -> None:
    documented = [re.sub(r"`gate ([\w-]+)`", r"\1", name) for name, *_ in rows("## By command")]

    assert sorted(documented) == sorted(COMMANDS)


def test_the_commands_table_names_codes_that_exist() -> None:
    for *_, others in rows("## By command"):
        assert set(others.split()) <= CODES
