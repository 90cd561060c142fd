from typing import Any

import pytest

from gate.core.takes.fence import BEGIN, END, WARNING_CODES, Fence, FenceRow, leading_number, parse_fence
from gate.core.takes.take import Resolution
from tests.takes_factories import golden, row

HEADER = "| # | claim | kind | who | weight | since | source |"
RULE = "|---|-------|------|-----|--------|-------|--------|"
WIDE_HEADER = f"{HEADER} resolved | quality | evidence | value | unit | by |"


def fenced(*lines: str, header: str = HEADER) -> Fence:
    return parse_fence("\n".join(["# Page", "", BEGIN, header, RULE, *lines, END, ""]))


def warned(found: Fence) -> list[str]:
    return [warning.code for warning in found.warnings]


def as_original(found: FenceRow) -> dict[str, Any]:
    """A row under the names the original has for its parts, those without a value left out."""
    members = {
        "rowNum": found.row,
        "claim": found.claim,
        "kind": found.kind,
        "holder": found.holder,
        "weight": found.weight,
        "sinceDate": found.since,
        "untilDate": found.until,
        "source": found.source,
        "active": found.active,
    }
    return {name: member for name, member in members.items() if member is not None}


def test_a_fence_is_read_as_the_original_reads_it_warnings_and_all() -> None:
    expected = golden("fence")

    found = parse_fence(expected["body"])

    assert [as_original(one) for one in found.rows] == expected["parsed"]["takes"]
    assert [str(warning) for warning in found.warnings] == expected["parsed"]["warnings"]


def test_near_misses_and_unbalanced_fences_are_warned_of_as_the_original_does() -> None:
    near_miss = parse_fence(f"<!-- gbrain:takes:begin -->\n{HEADER}\n<!-- gbrain:takes:end -->")
    unbalanced = [
        parse_fence(f"{BEGIN}\n{HEADER}\n"),
        parse_fence(f"{HEADER}\n{END}"),
        parse_fence(END + BEGIN),
    ]

    assert [str(one) for one in near_miss.warnings] == golden("fence_near_miss")["warnings"]
    assert [[str(one) for one in each.warnings] for each in unbalanced] == [
        golden("fence_unbalanced")["warnings"]
    ] * 3


@pytest.mark.parametrize("page", ["", "# Prose\n\n| a | b |", "speaks of gbrain:takes:begin in prose"])
def test_a_page_without_a_fence_holds_nothing_and_warns_of_nothing(page: str) -> None:
    assert parse_fence(page) == Fence()


def test_only_the_first_fence_counts_and_the_others_are_not_silent() -> None:
    found = parse_fence(
        f"{BEGIN}\n{HEADER}\n| 1 | a | fact | brain | 1 | | |\n{END}\n{BEGIN}\n{END}\n{BEGIN}"
    )

    assert [one.claim for one in found.rows] == ["a"]
    assert [str(one) for one in found.warnings] == [
        "TAKES_FENCE_REPEATED: only the first fence of a page is read; 2 more found"
    ]


def test_rows_before_the_header_are_warned_of_and_so_is_a_table_without_one() -> None:
    late = parse_fence(f"{BEGIN}\n| 1 | a | fact |\n{HEADER}\n| 2 | b | fact | brain | 1 | | |\n{END}")
    never = parse_fence(f"{BEGIN}\n| 1 | a | fact |\n|\n{END}")

    assert ([one.row for one in late.rows], warned(late)) == ([2], ["TAKES_TABLE_MALFORMED"])
    assert [one.message for one in never.warnings] == [
        'row before header: "| 1 | a | fact |"',
        "pipe-rows present but no recognizable header",
    ]


def test_an_empty_fence_and_prose_inside_one_warn_of_nothing() -> None:
    assert parse_fence(f"{BEGIN}{END}") == Fence()
    assert fenced("some prose", "", "|---|:-:|") == Fence()


def test_windows_line_ends_are_white_space() -> None:
    page = f"{BEGIN}\r\n{HEADER}\r\n{RULE}\r\n| 1 | a | fact | brain | 1 | | |\r\n{END}\r\n"

    assert parse_fence(page) == Fence(rows=(row(1, claim="a", kind="fact", weight=1.0),))


@pytest.mark.parametrize(
    ("number", "read"), [("7", 7), ("+7", 7), ("7th", 7), ("007", 7), ("2147483647", 2147483647)]
)
def test_row_numbers_are_read_as_leniently_as_javascript_reads_them(number: str, read: int) -> None:
    assert [one.row for one in fenced(f"| {number} | a | fact | brain | 1 | | |").rows] == [read]


@pytest.mark.parametrize("number", ["0", "-1", "", "x7", "2147483648", "9" * 5000])
def test_a_row_needs_a_positive_number_that_can_be_stored(number: str) -> None:
    found = fenced(f"| {number} | a | fact | brain | 1 | | |")

    assert (found.rows, warned(found)) == ((), ["TAKES_TABLE_MALFORMED"])


@pytest.mark.parametrize("weight", ["", "high", "Infinity", "NaN", "1e999", ".", "-"])
def test_a_row_needs_a_finite_weight(weight: str) -> None:
    found = fenced(f"| 1 | a | fact | brain | {weight} | | |")

    assert (found.rows, warned(found)) == ((), ["TAKES_TABLE_MALFORMED"])


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.5 or so", 0.5), (".5", 0.5), ("5.", 5.0), ("-1e-2x", -0.01), ("+2", 2.0), ("1e", 1.0), ("x1", None)],
)
def test_weights_are_read_as_leniently_as_javascript_reads_them(text: str, number: float | None) -> None:
    assert leading_number(text) == number


def test_a_rejected_row_still_uses_up_its_number() -> None:
    found = fenced("| 1 | a | opinion | brain | 1 | | |", "| 1 | b | fact | brain | 1 | | |")

    assert (found.rows, warned(found)) == ((), ["TAKES_TABLE_MALFORMED", "TAKES_ROW_NUM_COLLISION"])


def test_kinds_are_read_in_any_case() -> None:
    assert [one.kind for one in fenced("| 1 | a | HUNCH | brain | 1 | | |").rows] == ["hunch"]


@pytest.mark.parametrize(
    ("cell", "claim", "active"),
    [
        ("~~a~~", "a", False),
        ("~~ a ~~", "a", False),
        ("~~a", "~~a", True),
        ("~~~~", "~~~~", True),
        ("", "", True),
    ],
)
def test_a_claim_struck_through_as_a_whole_is_inactive(cell: str, claim: str, active: bool) -> None:  # noqa: FBT001 - a parameter of the test
    (found,) = fenced(f"| 1 | {cell} | fact | brain | 1 | | |").rows

    assert (found.claim, found.active) == (claim, active)


@pytest.mark.parametrize(
    ("cell", "since", "until"),
    [
        ("2026", "2026", None),
        ("2026 → 2027", "2026", "2027"),
        ("2026->2027", "2026", "2027"),
        ("→ 2027", "→ 2027", None),
        ("a → b → c", "a", "b → c"),
        ("", None, None),
    ],
)
def test_dates_are_split_at_the_first_arrow(cell: str, since: str | None, until: str | None) -> None:
    (found,) = fenced(f"| 1 | a | fact | brain | 1 | {cell} | |").rows

    assert (found.since, found.until) == (since, until)


def test_a_resolution_is_read_by_the_names_of_its_columns() -> None:
    found = fenced(
        "| 1 | a | bet | brain | 1 | | | 2026-04-30 | Correct | closed | 50.0 | usd | ada |",
        "| 2 | b | bet | brain | 1 | | | | | | | | |",
        "| 3 | c | bet | brain | 1 | | | 2026-05 | maybe | | much |",
        header=WIDE_HEADER,
    )

    assert [one.resolution for one in found.rows] == [
        Resolution(at="2026-04-30", quality="correct", evidence="closed", value="50", unit="usd", by="ada"),
        None,
        Resolution(at="2026-05"),
    ]


def test_any_subset_of_the_resolution_columns_will_do() -> None:
    (found,) = fenced(
        "| 1 | a | bet | brain | 1 | | | ada | partial |", header=f"{HEADER} by | quality |"
    ).rows

    assert found.resolution == Resolution(by="ada", quality="partial")


def test_the_codes_are_the_contracts_five_and_one_of_ours() -> None:
    assert len(WARNING_CODES) == len(set(WARNING_CODES)) == 6
