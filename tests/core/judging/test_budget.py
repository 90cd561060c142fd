import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.judging.budget import Account, Capped, check_prices
from gate.core.pricing import Price, PriceTable
from gate.errors import ConfigError

PRICES = PriceTable([Price(model="openai:gpt-5.2", input=1.25, output=10)])


def test_a_call_starts_only_if_spent_reserved_and_its_bound_fit() -> None:
    account = Account(cap=1.0).reserve(0.4).settle(0.4, 0.3).reserve(0.5)

    assert account.fits(0.2)
    assert not account.fits(0.21)


def test_a_budget_of_nothing_allows_nothing_not_even_a_call_that_costs_nothing() -> None:
    assert not Account(cap=0).fits(0)


def test_without_a_cap_everything_fits() -> None:
    assert Account().fits(1e9)
    assert Account().fits(None)


def test_an_unknown_bound_fits_no_cap() -> None:
    assert not Account(cap=100).fits(None)


def test_a_call_whose_usage_is_lost_is_charged_its_bound() -> None:
    account = Account(cap=1).reserve(0.4).charge(0.4)

    assert (account.spent, account.reserved, account.charged) == (0.4, 0, 1)


def test_one_unknown_price_makes_the_cost_unknown() -> None:
    account = Account().reserve(None).settle(None, None).reserve(0.1).settle(0.1, 0.1)

    assert account.cost is None
    assert (account.spent, account.unknown) == (0.1, 1)
    assert Account().reserve(None).charge(None).cost is None
    assert Account().cost == 0


def test_a_model_without_a_price_and_a_cap_is_refused_before_any_call() -> None:
    with pytest.raises(
        ConfigError, match=r"no price is known for openai:gpt-9, so a budget of \$5"
    ) as caught:
        check_prices(["openai:gpt-5.2", "openai:gpt-9"], PRICES, Capped(cap=5, price_file="prices.json"))

    assert "add the price to prices.json" in caught.value.remedy


@pytest.mark.parametrize("cap", [None, 0])
def test_without_a_cap_it_is_only_named(cap: float | None) -> None:
    assert check_prices(["openai:gpt-9"], PRICES, Capped(cap=cap, price_file="p")) == ("openai:gpt-9",)


def test_nothing_is_refused_when_every_model_has_a_price() -> None:
    assert check_prices(["GPT-5.2"], PRICES, Capped(cap=5, price_file="p")) == ()


CALLS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)))


@given(st.floats(0.01, 3), CALLS)
def test_no_order_of_calls_spends_more_than_the_cap(cap: float, calls: list[tuple[float, float]]) -> None:
    account = Account(cap=cap)
    running: list[tuple[float, float]] = []
    for bound, share in calls:
        if account.fits(bound):
            account = account.reserve(bound)
            running.append((bound, share))
        if len(running) > 2:
            done, part = running.pop(0)
            account = account.settle(done, done * part) if part > 0.2 else account.charge(done)
        assert account.spent + account.reserved <= cap + 1e-9
