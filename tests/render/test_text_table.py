from gate.render.palette import NO_COLOUR, Palette
from gate.render.tables import Column, Row, Table
from gate.render.text_table import cut_to_width, display_width, text_table

COLUMNS = (Column("name", "left"), Column("n"), Column("p", optional=2), Column("q", optional=1))


def shown(*rows: Row, width: int = 80, palette: Palette = NO_COLOUR) -> list[str]:
    return text_table(Table(COLUMNS, rows), width=width, palette=palette).splitlines()


def test_an_empty_table_is_nothing() -> None:
    assert shown() == []


def test_numbers_stand_below_each_other() -> None:
    assert shown(Row(("a", "1", "2", "3")), Row(("long", "1,000", "2", "3"))) == [
        "name      n  p  q",
        "a         1  2  3",
        "long  1,000  2  3",
    ]


def test_cells_of_several_lines_keep_their_columns() -> None:
    assert shown(Row(("a\nfine", "1", "2", "3")), Row(("b", "1\n2", "2", "3"))) == [
        "name  n  p  q",
        "a     1  2  3",
        "fine",
        "",
        "b     1  2  3",
        "      2",
    ]


def test_wide_characters_take_two_places_and_marks_none() -> None:
    assert display_width("日本") == 4
    assert display_width("e\u0301") == 1
    assert shown(Row(("日本", "1", "2", "3")), Row(("e\u0301", "1", "2", "3")))[1:] == [
        "日本  1  2  3",
        "e\u0301     1  2  3",
    ]


def test_the_least_needed_columns_go_first_and_are_named() -> None:
    assert shown(Row(("name", "1", "2", "3")), width=10) == [
        "name  n  q",
        "name  1  3",
        "(too narrow for: p)",
    ]
    assert shown(Row(("name", "1", "2", "3")), width=9)[-1] == "(too narrow for: p, q)"


def test_a_first_column_that_is_still_too_wide_is_cut() -> None:
    assert shown(Row(("a-very-long-name", "1", "", "")), width=12)[1] == "a-very-l…  1"


def test_text_is_cut_to_a_width_between_characters() -> None:
    assert cut_to_width("日本語", 6) == "日本語"
    assert cut_to_width("日本語", 5) == "日本…"
    assert cut_to_width("日本語", 4) == "日…"


def test_rows_are_painted_in_their_tone() -> None:
    palette = Palette(bad="<bad>", quiet="<quiet>", strong="<b>", reset="</>")
    lines = shown(Row(("a", "1", "2", "3"), "bad"), Row(("b", "1", "2", "3"), "good"), palette=palette)
    assert lines == ["<b>name  n  p  q</>", "<bad>a     1  2  3</>", "b     1  2  3"]
