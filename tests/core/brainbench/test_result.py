"""Results and baselines are read with every figure in its place, and written as the contract writes them."""

import json

import pytest

from gate.core.brainbench.result import (
    BrainbenchError,
    baseline_of,
    baseline_text,
    read_baseline,
    read_result,
)
from tests.core.brainbench.results import (
    BASELINE,
    RESULT,
    baseline,
    baseline_object,
    cell_object,
    real,
    result,
    result_object,
    turn_object,
)


def test_the_real_result_makes_the_real_baseline_to_the_byte() -> None:
    committed = read_baseline(real(BASELINE))
    made = baseline_of(read_result(real(RESULT)), committed.reason)
    assert baseline_text(made).encode() == real(BASELINE)


def test_a_baseline_survives_reading_and_writing() -> None:
    text = real(BASELINE).decode()
    assert baseline_text(read_baseline(text.encode())) == text


def test_a_baseline_without_justification_has_no_such_key() -> None:
    assert "justification" not in json.loads(baseline_text(baseline_of(result())))


@pytest.mark.parametrize(
    ("stated", "reason"), [({}, None), ({"justification": " \n"}, None), ({"justification": " new "}, "new")]
)
def test_blanks_are_no_justification(stated: dict[str, object], reason: str | None) -> None:
    assert baseline(**stated).reason == reason


def test_members_that_are_not_known_are_left_alone() -> None:
    assert result(compare={"verdict": "pass"}).receipt.seed == 42


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"receipt": None}, r"Expected `object`, got `null` - at `\$.receipt`"),
        ({"cells": [cell_object(), cell_object()]}, "the cell codex/know-to-ask is there twice"),
        ({"cells": [cell_object(gold_failed=2)]}, "codex/know-to-ask: `gold_failed` 2 is more than"),
        ({"cells": [cell_object(gold_total=-1)]}, "gold_total"),
        ({"turn_rows": [turn_object(injected_tokens="many")]}, "injected_tokens"),
    ],
)
def test_a_result_that_cannot_be_is_refused(overrides: dict[str, object], said: str) -> None:
    with pytest.raises(BrainbenchError, match=said):
        result(**overrides)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"counts": {}}, "the cell codex/push stands under only one"),
        ({"counts": {"codex/push": {"gold_total": 1, "gold_failed": 2}}}, "more than `gold_total` 1"),
        ({"fixtures_hash": "short"}, "fixtures_hash"),
        ({"schema_version": 2}, "schema_version"),
    ],
)
def test_a_baseline_that_cannot_be_is_refused(overrides: dict[str, object], said: str) -> None:
    with pytest.raises(BrainbenchError, match=said):
        baseline(**overrides)


def test_no_number_is_no_figure() -> None:
    torn = json.dumps(baseline_object()).replace("0.5", "NaN")
    with pytest.raises(BrainbenchError, match="NaN is not a JSON number"):
        read_baseline(torn.encode())
    with pytest.raises(BrainbenchError, match="not JSON"):
        read_result(json.dumps(result_object()).encode()[:-5])
