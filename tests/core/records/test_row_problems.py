import msgspec

from gate.core.records.row_problems import mistyped, shown, unreadable


def test_what_has_no_place_is_told_without_one() -> None:
    assert mistyped(RecursionError("too deep"), lambda _: None) == "nested too deeply"


def test_a_place_that_nobody_knows_is_told_without_one() -> None:
    error = msgspec.ValidationError("Expected `object`, got `array` - at `$.x`")
    assert mistyped(error, lambda _: None) == "not a JSON object but a list"


def test_a_number_out_of_range_has_no_kind() -> None:
    assert (
        unreadable(msgspec.ValidationError("Number out of range")) == "a number beyond the range of doubles"
    )


def test_foreign_text_is_printable_and_short() -> None:
    assert shown("m") == "`m`"
    assert shown("a\u202eb\n") == "`a\\u202eb\\n`"
    assert len(shown("x" * 10_000)) < 70
