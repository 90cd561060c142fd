"""A threshold that could never be missed is no threshold."""

import math

import pytest

from gate.core.replay.thresholds import Thresholds


def test_the_defaults_are_the_contract_s() -> None:
    known = Thresholds()
    assert (known.jaccard, known.top1, known.latency_multiplier) == (0.85, 0.80, 2.0)


@pytest.mark.parametrize("share", [math.nan, math.inf, -0.01, 1.01])
@pytest.mark.parametrize("name", ["jaccard", "top1"])
def test_a_share_lies_between_nothing_and_everything(name: str, share: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a share"):
        Thresholds(**{name: share})


@pytest.mark.parametrize("multiplier", [math.nan, math.inf, 0, -1])
def test_a_multiplier_is_a_number_above_nothing(multiplier: float) -> None:
    with pytest.raises(ValueError, match="latency_multiplier must be a number above 0"):
        Thresholds(latency_multiplier=multiplier)
