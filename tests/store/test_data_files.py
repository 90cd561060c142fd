from gate.core.judging.roster import read_roster
from gate.core.judging.rubric import read_rubric
from gate.core.pricing import price_table
from gate.store.data_files import PANEL, RUBRIC, data_file, price_files


def test_rubric_panel_and_prices_ship_with_the_gate() -> None:
    roster = read_roster(data_file(PANEL), PANEL)

    assert read_rubric(data_file(RUBRIC), RUBRIC).version
    assert price_table(price_files()).unpriced(roster.models) == ()


def test_the_newest_prices_come_first() -> None:
    assert list(price_files()) == sorted(price_files(), reverse=True)
