from docs.generate_verdicts import MEANING, PAGE, page
from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL


def test_every_reason_is_explained_and_nothing_else() -> None:
    assert set(MEANING) == set(FAILING + INCONCLUSIVE + INFORMATIONAL)


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == page()
