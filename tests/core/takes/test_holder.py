import pytest

from gate.core.takes.holder import is_valid_holder
from tests.takes_factories import golden


def test_holders_are_judged_as_the_original_judges_them() -> None:
    for holder, valid in golden("holder"):
        assert is_valid_holder(holder) is valid, holder


@pytest.mark.parametrize(
    "holder", ["people/名前", "zoë", "companies/ünal.2", "people/a_b-c", "brain", "नमस्ते"]
)
def test_lower_case_and_caseless_letters_marks_and_digits_are_allowed(holder: str) -> None:
    assert is_valid_holder(holder)


@pytest.mark.parametrize(
    "holder", ["people/", "Zoë", "people/a/b", "a b", "people/É", "ⅷ", "brain/x", "日 本"]
)
def test_everything_else_is_not(holder: str) -> None:
    assert not is_valid_holder(holder)
