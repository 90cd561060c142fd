import json

import pytest

from gate.core.pricing import Price, PriceTable, price_table, read_prices
from gate.errors import ConfigError
from tests.core.judging.factories import shipped

SHIPPED = "prices.2026-11.json"
TABLE = price_table({SHIPPED: shipped(SHIPPED)})


def file(*models: dict[str, object], **overrides: object) -> bytes:
    held = {"as_of": "2026-12-01", "currency": "USD", "per_tokens": 1_000_000, "models": models}
    return json.dumps(held | overrides).encode()


def amounts(table: PriceTable, model: str) -> tuple[float, float] | None:
    price = table.price(model)
    return None if price is None else (price.input, price.output)


@pytest.mark.parametrize(
    "name",
    [
        "openai:gpt-5.2",
        "openai/gpt-5.2",
        "gpt-5.2",
        "OPENAI:GPT-5.2",
        " OpenAI/Gpt-5.2 ",
    ],
)
def test_a_model_is_found_however_its_name_is_written(name: str) -> None:
    assert amounts(TABLE, name) == (1.25, 10)


@pytest.mark.parametrize(
    "name",
    ["google:gemini-2-flash", "gemini-2.0-flash", "google/gemini-2.0-flash", "models/gemini-2.0-flash"],
)
def test_aliases_and_googles_prefix_are_understood(name: str) -> None:
    assert amounts(TABLE, name) == (0.1, 0.4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("together:meta-llama/Llama-3.3-70B-Instruct-Turbo", (0.88, 0.88)),
        ("meta-llama/Llama-3.3-70B-Instruct-Turbo", (0.88, 0.88)),
        ("z-ai/glm-5.2", (1.4, 4.4)),
        ("glm-5.2", (1.4, 4.4)),
    ],
)
def test_names_with_a_slash_of_their_own_are_found(name: str, expected: tuple[float, float]) -> None:
    assert amounts(TABLE, name) == expected


@pytest.mark.parametrize("name", ["openai:gpt-6", "azure:gpt-5.2", "openrouter:openai/gpt-5.2", "", "gpt"])
def test_an_unknown_model_has_no_price_rather_than_none_to_pay(name: str) -> None:
    assert TABLE.price(name) is None


def test_the_default_panel_has_prices() -> None:
    models = json.loads(shipped("panel.v1.json"))["models"]

    assert TABLE.unpriced(models) == ()


def test_every_successor_has_a_price() -> None:
    roster = json.loads(shipped("panel.v1.json"))

    instead = [gone["instead"] for gone in roster["retired"].values()]
    assert TABLE.unpriced([*instead, *roster["successors"].values()]) == ()


def test_prices_of_ones_own_come_first() -> None:
    own = file(
        {"model": "openai:gpt-5.2", "input": 1, "output": 2}, {"model": "mine", "input": 0, "output": 0}
    )

    table = price_table({"mine.json": own, SHIPPED: shipped(SHIPPED)})

    assert amounts(table, "openai:gpt-5.2") == amounts(table, "gpt-5.2") == (1, 2)
    assert amounts(table, "gpt-4o") == (2.5, 10)
    assert amounts(table, "anybody:mine") == amounts(table, "mine") == (0, 0)
    assert table.as_of == ("2026-12-01", "2026-11-30")


def test_a_bare_name_that_two_providers_price_differently_is_unknown() -> None:
    table = PriceTable(
        [
            Price(model="a:m", input=1, output=1),
            Price(model="b:m", input=2, output=2),
            Price(model="c:m", input=1, output=1),
            Price(model="a:n", input=1, output=1),
            Price(model="b:n", input=1, output=1),
        ]
    )

    assert table.price("m") is None
    assert amounts(table, "b:m") == (2, 2)
    assert amounts(table, "n") == (1, 1)


def test_unpriced_models_are_named_once_and_in_order() -> None:
    assert TABLE.unpriced(["x:2", "gpt-4o", "x:1", "x:2"]) == ("x:2", "x:1")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[", "mine.json"),
        (file({"model": "m", "input": -1, "output": 1}), "input"),
        (file({"model": "m", "input": "1", "output": 1}), "input"),
        (file({"model": "m", "input": 1}), "output"),
        (file(currency="EUR"), "currency"),
        (file(per_tokens=1000), "per_tokens"),
        (file(as_of="yesterday"), "as_of"),
        (file({"model": "m", "input": 1, "output": 1, "cached": 1}), "cached"),
    ],
)
def test_a_price_file_that_is_none_is_refused_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        read_prices(data, "mine.json")

    assert "as_of" in caught.value.remedy
