import pytest

from gate.core.chat import Completion, ModelFailure, Outcome, Usage
from gate.core.pricing import Price
from gate.suites.purse import Metered, Purse
from tests.providers.three import request
from tests.suites.judges import Scripted, Turn

PRICE = Price(model="m", input=10, output=1000)
SPENT = Completion(text="", finish="stop", usage=Usage(input_tokens=5000, output_tokens=500))


def once(turn: Turn, *, cap: float | None = 5.0, price: Price | None = PRICE) -> tuple[Outcome, Purse]:
    purse = Purse(cap)
    return Metered(Scripted([turn]), price, purse).complete(request()), purse


def test_a_call_is_paid_at_its_usage() -> None:
    outcome, purse = once(SPENT)

    assert outcome == SPENT
    assert purse.account.spent == pytest.approx(0.55)
    assert purse.account.reserved == 0


@pytest.mark.parametrize("kind", ["timeout", "connection", "garbage"])
def test_a_lost_call_is_charged_its_bound_and_an_answered_refusal_nothing(kind: str) -> None:
    lost = ModelFailure(kind=kind, message="", lost=True)  # type: ignore[arg-type]  # one of the kinds
    refused = ModelFailure(kind=kind, message="")  # type: ignore[arg-type]  # one of the kinds

    assert once(lost)[1].account.spent > 2
    assert once(lost)[1].account.charged == 1
    assert once(refused)[1].account.spent == 0


def test_what_nobody_foresaw_is_charged_its_bound_and_passed_on() -> None:
    purse = Purse(5.0)

    with pytest.raises(KeyError):
        Metered(Scripted([KeyError("x")]), PRICE, purse).complete(request())

    assert (purse.account.charged, purse.account.reserved) == (1, 0)


def test_a_call_that_does_not_fit_is_not_made() -> None:
    outcome, purse = once(SPENT, cap=1.0)

    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "budget"
    assert "more than the budget has left" in outcome.message
    assert purse.account.spent == 0


def test_a_call_at_an_unknown_price_fits_no_budget_and_without_one_its_cost_is_unknown() -> None:
    outcome, _ = once(SPENT, price=None)
    _, purse = once(SPENT, cap=None, price=None)

    assert isinstance(outcome, ModelFailure)
    assert "its price is unknown" in outcome.message
    assert purse.account.cost is None


def test_after_the_end_nothing_starts_and_what_was_under_way_is_charged_once() -> None:
    purse = Purse(None)
    ticket = purse.start(2.0)
    assert ticket is not None

    purse.close()
    purse.settle(ticket, 0.5)
    purse.charge(ticket)

    assert (purse.account.spent, purse.account.charged) == (2, 1)
    assert purse.start(0.0) is None
