"""What a comparison could have seen: known sizes, simulated power, and the refusals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.core.stats.detectable import losses_needed, smallest_detectable_drop
from gate.core.stats.paired import PairedSample, compare_paired

# Two-sided 5 %, 80 % power: 1.959964 + 0.841621 standard errors; among 12 comparisons 2.865 + 0.842 (tables of z).
ALONE, AMONG_TWELVE = 2.801585, 3.707


def test_the_drop_is_that_many_standard_errors():
    assert smallest_detectable_drop(0.3, 400, 1) == pytest.approx(ALONE * 0.3 / 20, rel=1e-6)
    assert smallest_detectable_drop(0.3, 400, 12) == pytest.approx(AMONG_TWELVE * 0.3 / 20, rel=1e-3)


@pytest.mark.parametrize(
    ("discordance", "alone", "among_twelve"),
    [(0.05, 0.029, 0.038), (0.10, 0.041, 0.053), (0.20, 0.057, 0.075)],
)
def test_it_reproduces_the_sizes_known_for_470_questions(discordance, alone, among_twelve):
    def at_its_own_drop(family, drop):
        return smallest_detectable_drop(math.sqrt(discordance - drop**2), 470, family)

    assert at_its_own_drop(1, alone) == pytest.approx(alone, abs=0.0006)
    assert at_its_own_drop(12, among_twelve) == pytest.approx(among_twelve, abs=0.0006)


def test_a_drop_of_that_size_is_found_about_four_times_in_five():
    generator = np.random.default_rng(5)
    clusters, spread = 300, 0.4
    drop = smallest_detectable_drop(spread, clusters, 1)
    assert drop is not None
    runs = [
        PairedSample(None, np.zeros(clusters), generator.normal(-drop, spread, clusters)) for _ in range(200)
    ]

    found = sum(statistics.p_value <= 0.05 for statistics in compare_paired(runs, draws=1_000))

    assert 0.70 <= found / len(runs) <= 0.90


@given(st.floats(0.001, 10), st.integers(2, 10**6), st.integers(1, 50))
def test_more_clusters_see_smaller_drops_and_larger_families_only_larger_ones(spread, clusters, family):
    drop = smallest_detectable_drop(spread, clusters, family)

    assert drop is not None
    assert smallest_detectable_drop(spread, clusters * 4, family) == pytest.approx(drop / 2)
    assert smallest_detectable_drop(spread, clusters, family + 1) > drop


@pytest.mark.parametrize(("spread", "clusters"), [(0.0, 470), (0.3, 1), (0.3, 0)])
def test_without_spread_or_clusters_nothing_can_be_said(spread, clusters):
    assert smallest_detectable_drop(spread, clusters, 1) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"differences_sd": -0.1}, "finite and >= 0"),
        ({"differences_sd": math.nan}, "finite and >= 0"),
        ({"differences_sd": math.inf}, "finite and >= 0"),
        ({"family_size": 0}, "at least one comparison"),
        ({"alpha": 0.0}, "alpha must lie between"),
        ({"alpha": math.nan}, "alpha must lie between"),
        ({"power": 1.0}, "power must lie between"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        smallest_detectable_drop(**{"differences_sd": 0.3, "clusters": 10, "family_size": 1} | arguments)


@pytest.mark.parametrize(("family", "losses"), [(1, 6), (2, 7), (3, 7), (4, 8), (12, 9), (13, 10)])
def test_six_losses_suffice_alone_and_nine_among_twelve(family, losses):
    assert losses_needed(family) == losses


@settings(deadline=None)
@given(st.integers(1, 40), st.sampled_from([0.1, 0.05, 0.01]))
def test_one_loss_fewer_would_not_suffice(family, alpha):
    def adjusted(losses):
        statistics = compare_paired([PairedSample(None, np.ones(16), 1.0 - (np.arange(16) < losses))])[0]
        return statistics.p_value * family

    losses = losses_needed(family, alpha=alpha)

    assert adjusted(losses) <= alpha < adjusted(losses - 1)


@pytest.mark.parametrize(("family", "alpha"), [(0, 0.05), (1, 0.0), (1, 1.0)])
def test_no_number_of_losses_answers_a_senseless_question(family, alpha):
    with pytest.raises(ValueError, match=r"at least one comparison|alpha must lie between"):
        losses_needed(family, alpha=alpha)
