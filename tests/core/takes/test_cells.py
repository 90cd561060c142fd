import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.takes.cells import escaped, row_cells, trimmed


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("| a | b", ["a", "b"]),
        ("||", [""]),
        ("| a \\| b | c |", ["a | b", "c"]),
        ("| C:\\dir | \\n |", ["C:\\dir", "\\n"]),
        ("| a \\\\| b |", ["a \\| b"]),
        ("|\ufeff a \u2003| b |", ["a", "b"]),
    ],
)
def test_a_row_is_cut_at_its_pipes_but_not_at_escaped_ones(line: str, cells: list[str]) -> None:
    assert row_cells(line) == cells


@pytest.mark.parametrize("line", ["", "a | b |", "|", "prose"])
def test_what_is_no_row_has_no_cells(line: str) -> None:
    assert row_cells(line) is None


def test_white_space_is_what_javascript_takes_for_it() -> None:
    assert trimmed("\ufeff\xa0\u2028a\x1c\u2029 ") == "a\x1c"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")).map(trimmed), min_size=1))
def test_what_is_escaped_is_read_back(cells: list[str]) -> None:
    line = f"| {' | '.join(map(escaped, cells))} |"

    assert row_cells(line) == cells
