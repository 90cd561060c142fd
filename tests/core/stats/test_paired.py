"""The comparator: the contract's golden numbers, a slow reference, an outside oracle, and its refusals."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from gate.core.stats.holm import holm
from gate.core.stats.paired import PairedSample, compare_paired
from tests.core.stats import reference
from tests.core.stats.factories import bounded, compared, golden, joined, printed, sample, shared

GOLDEN_CASES = golden("paired-comparator.json")["cases"]
METRIC_FIELDS = {"recall_all@k": "recall_all_hit", "qa_accuracy": "judge_correct"}

# keys whose order by code unit is not their order by code point
KEYS = ["a", "Z", "q10", "q2", "é", "\ud83d", "\U0001f600", "\U00010000", "\ue000", "\uffff", "", "0"]
VALUES = {
    "binary": st.sampled_from([0.0, 1.0]),
    "fifths": st.integers(0, 5).map(lambda k: k / 5),
    "thirds": st.integers(0, 3).map(lambda k: k / 3),
    "unit": st.floats(0, 1),
    "whole": st.integers(-(10**6), 10**6).map(float),
    "large": st.floats(-1e300, 1e300),
}


@st.composite
def paired(draw, *, at_least=1, at_most=40):
    """Pairs of one kind of value, in clusters of one or several rows, in no order."""
    value = VALUES[draw(st.sampled_from(sorted(VALUES)))]
    size = draw(st.integers(at_least, at_most))
    key = draw(st.sampled_from([st.sampled_from(KEYS), st.integers(0, 30).map(str), st.none()]))
    keys = draw(st.lists(key, min_size=size, max_size=size))
    return [(f"{i:02d}" if key is None else key, draw(value), draw(value)) for i, key in enumerate(keys)]


def questions(count, *, wins=0, losses=0):
    """Pairs of binary outcomes, one question a cluster, the flips first."""
    flips = [(0.0, 1.0)] * wins + [(1.0, 0.0)] * losses
    return [(f"q{i:04d}", *pair) for i, pair in enumerate(flips + [(1.0, 1.0)] * (count - len(flips)))]


def fractional(count, *, seed=0):
    """Pairs of fractions, one question a cluster, in the order of their keys."""
    values = np.random.default_rng(seed).random((count, 2))
    return [(f"q{i:05d}", *pair) for i, pair in enumerate(values.tolist())]


@pytest.mark.parametrize("case", GOLDEN_CASES, ids=[case["name"] for case in GOLDEN_CASES])
def test_golden_cases_agree_to_the_last_bit(case):
    statistics = compared(case["pairs"], draws=case["draws"], seed=case["seed"])

    assert printed(statistics) == bounded(case["expected"])


def test_golden_cases_are_the_same_when_compared_together():
    cases = [case for case in GOLDEN_CASES if (case["draws"], case["seed"]) == (10_000, 42)]

    together = compare_paired([sample(case["pairs"]) for case in cases], draws=10_000, seed=42)

    assert [printed(each) for each in together] == [bounded(case["expected"]) for case in cases]


def forty_questions():
    """The upstream unit test: 12 wins, 2 losses, 26 ties."""
    return [
        (f"q{i:02d}", float(i < 20), float((i < 20 and i not in (0, 1)) or 20 <= i < 32)) for i in range(40)
    ]


def derived_pairs(case):
    if "pairs" in case:
        return case["pairs"]
    if "pairs_rule" in case:
        return forty_questions()
    return joined(case["baseline_file"], case["candidate_file"], case["metric_field"])


def test_derived_cases_agree_to_the_last_bit():
    cases = json.loads(shared("derived-golden-paired.json").read_text())["cases"]

    for case in cases:
        statistics = compared(derived_pairs(case), draws=case["draws"], seed=case["seed"])
        expected = {k: v for k, v in case["result"].items() if k not in ("extreme_count", "flips")}
        assert printed(statistics) == bounded(expected), case["name"]


def test_whole_reports_over_real_rows_agree_to_the_last_bit():
    derived = json.loads(shared("derived-golden-compare-lme.json").read_text())
    assert len(derived["families"]) == 12

    for family in derived["families"]:
        samples = [
            sample(
                joined(
                    derived["files"][c["baseline"]],
                    derived["files"][c["candidate"]],
                    METRIC_FIELDS[c["metric"]],
                )
            )
            for c in family["comparisons"]
        ]
        report = compare_paired(samples, draws=family["draws"], seed=family["seed"])
        expected = [flattened(c) for c in family["comparisons"]]

        assert [printed(each) for each in report] == expected
        assert list(holm([each.p_value for each in report])) == [
            c["holm_p_value"] for c in family["comparisons"]
        ]


def flattened(comparison):
    """A comparison of a report, with its bounds under our names and without what is not ours."""
    lower, upper = comparison["ci95"]
    others = ("baseline", "candidate", "metric", "ci95", "holm_p_value", "significant")
    return {k: v for k, v in comparison.items() if k not in others} | {"lower95": lower, "upper95": upper}


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(paired(), st.sampled_from([1_000, 1_001, 1_039]), st.integers(0, 2**32 + 5))
def test_any_sample_gets_the_numbers_of_the_slow_reference(pairs, draws, seed):
    clusters = len({key for key, *_ in pairs})
    if 10 < clusters <= 16:
        pairs = pairs[:10]  # the reference enumerates in pure Python

    expected = reference.statistics(pairs, draws=draws, seed=seed)

    assert printed(compared(pairs, draws=draws, seed=seed)) == expected


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(paired(at_least=12, at_most=25), min_size=2, max_size=9), st.integers(0, 2**32 - 1))
def test_samples_compared_together_get_the_numbers_they_get_alone(every, seed):
    together = compare_paired([sample(pairs) for pairs in every], draws=1_000, seed=seed)

    assert list(together) == [compared(pairs, seed=seed) for pairs in every]


@pytest.mark.parametrize("clusters", [16, 17])
def test_enumeration_ends_at_sixteen_clusters(clusters):
    pairs = fractional(clusters)

    statistics = compared(pairs)

    assert printed(statistics) == reference.statistics(pairs, draws=1_000, seed=42)
    assert statistics.p_method == {16: "exact-sign-flip", 17: "monte-carlo-sign-flip"}[clusters]


@pytest.mark.parametrize(("clusters", "draws"), [(40, 1_639), (513, 1_025)])
def test_additions_keep_their_order_across_blocks_and_in_the_last_single_draw(clusters, draws):
    pairs = fractional(clusters)

    assert printed(compared(pairs, draws=draws)) == reference.statistics(pairs, draws=draws, seed=42)


def test_whole_numbers_too_large_to_share_are_exact_all_the_same():
    pairs = [(f"q{i:02d}", 0.0, float(3**i)) for i in range(40)]

    assert printed(compared(pairs)) == reference.statistics(pairs, draws=1_000, seed=42)


def test_without_keys_every_pair_is_its_own_cluster_in_the_order_given():
    pairs = fractional(30)
    keyed = sample(pairs)

    bare = PairedSample(None, keyed.baseline, keyed.candidate)

    assert compare_paired([bare, keyed], draws=1_000)[0] == compared(pairs)


def test_rows_in_another_order_change_nothing_but_the_rounding_of_the_means():
    pairs = questions(60, wins=9, losses=4)

    assert compared(pairs[::-1]) == compared(pairs)


@settings(deadline=None, max_examples=25)
@given(paired(at_least=17).filter(lambda pairs: max(abs(x) for _, *xs in pairs for x in xs) < 1e9))
def test_swapping_the_sides_turns_the_difference_round(pairs):
    swapped = compared([(key, candidate, baseline) for key, baseline, candidate in pairs])
    straight = compared(pairs)

    assert swapped.delta == -straight.delta
    assert (swapped.wins, swapped.losses, swapped.ties) == (straight.losses, straight.wins, straight.ties)
    assert swapped.p_value == straight.p_value
    assert swapped.nontied_clusters == straight.nontied_clusters


@settings(deadline=None, max_examples=30)
@given(paired(at_most=12).filter(lambda pairs: max(abs(x) for _, *xs in pairs for x in xs) <= 1))
def test_no_exact_p_lies_below_the_smallest_attainable_one(pairs):
    statistics = compared(pairs)

    assert 0 < statistics.smallest_attainable_p <= statistics.p_value <= 1


def test_large_values_can_fall_out_of_the_contracts_tolerance_and_the_attainable_p_shows_it():
    baseline = [4785.7, 14961.9, 6741.7, 24918.2, 6190.7]
    candidate = [5637.9, 15942.4, 7670.3, 28508.5, 6691.4]
    pairs = [(f"q{i}", *sides) for i, sides in enumerate(zip(baseline, candidate, strict=True))]

    statistics = compared(pairs)

    assert printed(statistics) == reference.statistics(pairs, draws=1_000, seed=42)
    assert statistics.p_value == 0  # the identity alone should have made it 2 / 32
    assert statistics.smallest_attainable_p == 2 / 32


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9))
def test_exact_p_agrees_with_scipys_enumeration(values):
    pairs = [(f"q{i}", float(b), float(c)) for i, (b, c) in enumerate(values)]
    differences = np.array([c - b for _, b, c in pairs])

    def size(x, axis):
        return np.abs(np.mean(x, axis=axis))

    oracle = stats.permutation_test(
        (differences,),
        size,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    )

    assert compared(pairs).p_value == pytest.approx(1.0 if not differences.any() else oracle.pvalue)


def test_the_interval_lies_where_scipys_bootstrap_puts_it():
    pairs = fractional(200)
    baseline, candidate = (np.array(side) for side in list(zip(*pairs, strict=True))[1:])
    ours = compared(pairs, draws=10_000)

    oracle = stats.bootstrap(
        (candidate - baseline,),
        np.mean,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval

    spread = oracle.high - oracle.low
    assert ours.lower95 == pytest.approx(oracle.low, abs=spread / 20)
    assert ours.upper95 == pytest.approx(oracle.high, abs=spread / 20)


def test_identical_sides_are_a_point_at_zero():
    statistics = compared(questions(50))

    assert (statistics.lower95, statistics.upper95, statistics.p_value) == (0.0, 0.0, 1.0)
    assert (statistics.p_method, statistics.ci_method) == ("degenerate", "degenerate")
    assert (statistics.nontied_clusters, statistics.smallest_attainable_p) == (0, 1.0)


def test_a_single_cluster_has_no_interval():
    statistics = compared([("one", 0.0, 1.0), ("one", 0.0, 1.0)])

    assert (statistics.lower95, statistics.upper95, statistics.p_value) == (None, None, 1.0)
    assert (statistics.p_method, statistics.ci_method) == ("degenerate", "degenerate")


def test_differences_that_cancel_within_every_cluster_are_not_significant():
    pairs = [(f"q{i}", *sides) for i in range(20) for sides in ((0.0, 1.0), (1.0, 0.0))]

    statistics = compared(pairs)

    assert (statistics.wins, statistics.losses, statistics.nontied_clusters) == (20, 20, 0)
    assert (statistics.p_value, statistics.smallest_attainable_p) == (1.0, 1.0)


@pytest.mark.parametrize(("losses", "smallest"), [(1, 1.0), (2, 0.5), (6, 0.03125), (9, 0.00390625)])
def test_few_differing_questions_cannot_reach_a_small_p(losses, smallest):
    exact = compared(questions(12, losses=losses))

    assert exact.smallest_attainable_p == exact.p_value == smallest


def test_random_flips_cannot_go_below_one_in_their_number_plus_one():
    statistics = compared(questions(400, losses=100))

    assert statistics.smallest_attainable_p == statistics.p_value == 1 / 1_001


def test_random_flips_of_few_differing_questions_cannot_go_below_their_number_of_patterns():
    mixed = compared(questions(400, wins=1, losses=2), draws=2_000)

    assert mixed.p_value == 1.0
    assert mixed.smallest_attainable_p == 0.25


def test_random_flips_scatter_about_the_smallest_attainable_p():
    statistics = compared(questions(400, losses=3), draws=10_000)

    assert statistics.p_value == pytest.approx(statistics.smallest_attainable_p, abs=0.02)


def test_the_statistics_say_how_they_were_found():
    statistics = compared(questions(40, wins=3, losses=1), draws=1_500, seed=7)

    assert (statistics.p_method, statistics.ci_method) == ("monte-carlo-sign-flip", "percentile-bootstrap")
    assert (statistics.draws, statistics.seed, statistics.clusters, statistics.nontied_clusters) == (
        1_500,
        7,
        40,
        4,
    )


def test_no_samples_give_no_statistics():
    assert compare_paired([]) == ()


@pytest.mark.parametrize("draws", [999, 0, -1, 1_000.0, True, "1000"])
def test_draws_that_are_no_whole_thousand_or_more_are_refused(draws):
    with pytest.raises(ValueError, match="draws must be a whole number of at least 1000"):
        compared(questions(3), draws=draws)


@pytest.mark.parametrize("seed", [-1, 4.2, None, False])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0"):
        compared(questions(3), seed=seed)


def test_an_empty_sample_is_refused_by_its_number():
    with pytest.raises(ValueError, match="sample 2 has no pairs"):
        compare_paired([sample(questions(2)), PairedSample((), np.empty(0), np.empty(0))])


@pytest.mark.parametrize(("keys", "candidates"), [(("a", "b"), 3), (("a",), 2), (None, 1)])
def test_sides_of_different_length_are_refused(keys, candidates):
    with pytest.raises(ValueError, match="sample 1 has 2 baseline values, "):
        compare_paired([PairedSample(keys, np.zeros(2), np.zeros(candidates))])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_value_that_is_not_finite_is_refused(side, value):
    pairs = [("a", 0.0, 1.0), ("b", 1.0, value) if side == "candidate" else ("b", value, 1.0)]

    with pytest.raises(ValueError, match="sample 1 holds a value that is not finite"):
        compared(pairs)


@pytest.mark.parametrize("sides", [(-1.7e308, 1.7e308), (1.7e308, 1.7e308), (0.0, 1e308)])
def test_values_that_cannot_be_added_are_refused(sides):
    with pytest.raises(ValueError, match="sums leave the range of a double"):
        compared([(f"q{i}", *sides) for i in range(3)])
