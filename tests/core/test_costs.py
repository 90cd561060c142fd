import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.chat import ChatRequest, Usage
from gate.core.costs import cost, cost_bound, to_receipt, token_bound, total
from gate.core.pricing import Price

PRICE = Price(model="m", input=1.25, output=10)


def request(prompt: str = "", system: str = "", **overrides: object) -> ChatRequest:
    members = {"prompt": prompt, "system": system, "max_tokens": 2000, "timeout": 60.0} | overrides
    return ChatRequest(**members)  # type: ignore[arg-type]  # a test's overrides


def test_the_cost_of_a_call_is_its_usage_at_its_price() -> None:
    assert cost(Usage(input_tokens=1_000_000, output_tokens=100_000), PRICE) == pytest.approx(2.25)


def test_the_cost_at_an_unknown_price_is_unknown_and_not_nothing() -> None:
    assert cost(Usage(input_tokens=1, output_tokens=1), None) is None
    assert cost_bound(request(), None) is None
    assert total([0.5, None, 0.5]) is None
    assert total([0.5, 0.25]) == 0.75
    assert total([]) == 0


def test_a_receipt_carries_four_decimals_halves_upwards() -> None:
    assert to_receipt(0.00005) == 0.0001
    assert to_receipt(0.013449999) == 0.0134


@given(st.text(), st.text())
def test_no_prompt_has_more_tokens_than_its_bound(prompt: str, system: str) -> None:
    bytes_in_all = len((prompt + system).encode("utf-8", "surrogatepass"))

    assert token_bound(request(prompt, system)) >= bytes_in_all
    assert token_bound(request(prompt, system, schema={"type": "object"})) > token_bound(
        request(prompt, system)
    )


def test_the_bound_counts_the_whole_output_cap() -> None:
    least = cost(Usage(input_tokens=0, output_tokens=2000), PRICE)
    bound = cost_bound(request(), PRICE)

    assert least is not None
    assert bound is not None
    assert bound > least
