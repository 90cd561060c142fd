"""What calls cost, and what they can cost at most. An unknown cost is None and makes every sum with it unknown."""

from collections.abc import Iterable
from typing import Final

from gate.core.chat import ChatRequest, Usage
from gate.core.pricing import Price
from gate.core.records.ecmascript import json_text, math_round

_PER_MILLION: Final = 1_000_000
_OVERHEAD_TOKENS: Final = 1_000
"""What a provider may put around a prompt: roles, separators, the words that introduce a schema."""


def cost(usage: Usage, price: Price | None) -> float | None:
    """US dollars for what a provider counted; None where the price is unknown."""
    if price is None:
        return None
    return _dollars(usage.input_tokens, usage.output_tokens, price)


def token_bound(request: ChatRequest) -> int:
    """More input tokens than a request can have: no tokenizer in use makes more than one of a UTF-8 byte."""
    schema = "" if request.schema is None else json_text(request.schema)
    texts = (request.system, request.prompt, schema)
    return _OVERHEAD_TOKENS + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def cost_bound(request: ChatRequest, price: Price | None) -> float | None:
    """The most one attempt at a request can cost; None where the price is unknown."""
    return None if price is None else _dollars(token_bound(request), request.max_tokens, price)


def total(costs: Iterable[float | None]) -> float | None:
    """The sum; None as soon as one part is unknown."""
    known = 0.0
    for each in costs:
        if each is None:
            return None
        known += each
    return known


def to_receipt(dollars: float) -> float:
    """Dollars as receipts carry them: four decimals, halves upwards."""
    return math_round(dollars * 10_000) / 10_000


def _dollars(input_tokens: int, output_tokens: int, price: Price) -> float:
    return (input_tokens * price.input + output_tokens * price.output) / _PER_MILLION
