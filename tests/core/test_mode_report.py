import pytest

from gate.core.mode_report import Incomparable, MetricComparison, ModeReport, PairReport, outcome
from gate.core.report import FieldDiff
from gate.core.stats.paired import PairedStatistics
from gate.errors import ExitCode
from tests.run_factories import run


def statistics(
    *, delta: float = -0.1, lower: float | None = -0.2, upper: float | None = -0.01
) -> PairedStatistics:
    return PairedStatistics(
        n=100, clusters=100, nontied_clusters=20, baseline_mean=0.9, candidate_mean=0.9 + delta, delta=delta,
        wins=5, losses=15, ties=80, lower95=lower, upper95=upper, p_value=0.01, p_method="monte-carlo-sign-flip",
        ci_method="percentile-bootstrap", smallest_attainable_p=0.0001, draws=10_000, seed=42,
    )  # fmt: skip


def comparison(
    *, metric: str = "hit@1", better: str | None = "higher", holm: float = 0.01, **bounds: float | None
) -> MetricComparison:
    return MetricComparison(metric=metric, better=better, statistics=statistics(**bounds), holm_p_value=holm)  # type: ignore[arg-type]  # literals and keywords


def pair(*comparisons: MetricComparison, **overrides: object) -> PairReport:
    fields = {"read": True, "joined": 100, "comparisons": comparisons, **overrides}
    return PairReport(baseline=run("a"), candidate=run("b"), **fields)  # type: ignore[arg-type]  # keywords


@pytest.mark.parametrize(
    ("holm", "lower", "upper", "significant"),
    [
        (0.05, -0.2, -0.01, True),
        (0.05, 0.01, 0.2, True),
        (0.0500001, -0.2, -0.01, False),
        (0.01, 0.0, 0.2, False),
        (0.01, -0.2, 0.0, False),
        (0.01, -0.2, 0.2, False),
        (0.01, None, None, False),
    ],
)
def test_a_difference_is_significant_when_both_conditions_hold(
    *, holm: float, lower: float | None, upper: float | None, significant: bool
) -> None:
    assert comparison(holm=holm, lower=lower, upper=upper).significant is significant


@pytest.mark.parametrize(
    ("better", "delta", "adverse"),
    [
        ("higher", -0.1, True),
        ("higher", 0.1, False),
        ("lower", -0.1, False),
        ("lower", 0.1, True),
        (None, -0.1, None),
        (None, 0.1, None),
    ],
)
def test_whether_a_significant_difference_is_adverse_depends_on_the_declared_direction(
    *, better: str | None, delta: float, adverse: bool | None
) -> None:
    bounds = {"lower": 0.01, "upper": 0.2} if delta > 0 else {"lower": -0.2, "upper": -0.01}

    assert comparison(better=better, delta=delta, **bounds).adverse is adverse


@pytest.mark.parametrize("better", ["higher", "lower", None])
def test_what_is_not_significant_is_not_adverse(better: str | None) -> None:
    assert comparison(better=better, holm=0.5).adverse is False


def test_a_significant_adverse_difference_fails() -> None:
    found = outcome(pair(comparison(metric="x"), comparison(metric="y", better=None)))

    assert (found.exit_code, found.reasons) == (ExitCode.FAIL, ("x is significantly worse",))


def test_a_significant_improvement_passes() -> None:
    found = outcome(pair(comparison(better="lower")))

    assert (found.exit_code, found.reasons, found.remedy) == (ExitCode.PASS, (), "")


def test_nothing_significant_passes() -> None:
    assert outcome(pair(comparison(holm=0.5, better=None))).exit_code == ExitCode.PASS


def test_an_incomparable_metric_leaves_the_pair_undecided_unless_another_is_worse() -> None:
    item = Incomparable("x", (FieldDiff(field="k", baseline="5", candidate=None),))

    found = outcome(pair(comparison(holm=0.5), incomparable=(item,)))

    assert found.exit_code == ExitCode.INCONCLUSIVE
    assert found.reasons == ("x is not comparable: k 5 → not stated",)
    assert outcome(pair(comparison(), incomparable=(item,))).exit_code == ExitCode.FAIL


def test_a_significant_difference_without_a_direction_asks_for_one() -> None:
    found = outcome(pair(comparison(metric="mine", better=None)))

    assert found.exit_code == ExitCode.INCONCLUSIVE
    assert found.reasons == ("mine differs significantly, and no direction is declared",)
    assert "metrics: {mine: {better: higher}}" in found.remedy


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"read": False, "joined": 0}, "a run has no per-question rows"),
        ({"joined": 0}, "the two runs have no question in common"),
        ({}, "the two runs have no measured metric in common"),
    ],
)
def test_a_pair_without_anything_to_compare_is_undecided(overrides: dict[str, object], reason: str) -> None:
    found = outcome(pair(**overrides))

    assert (found.exit_code, found.reasons) == (ExitCode.INCONCLUSIVE, (reason,))
    assert found.remedy


def test_a_run_compared_with_itself_decides_nothing() -> None:
    same = run("a")
    found = outcome(
        PairReport(baseline=same, candidate=same, read=True, joined=8, comparisons=(comparison(holm=1),))
    )

    assert (found.exit_code, found.reasons) == (ExitCode.INCONCLUSIVE, ("run a is compared with itself",))


def test_the_family_of_a_report_is_every_comparison_of_every_pair() -> None:
    report = ModeReport(
        draws=1000, seed=0, pairs=(pair(comparison()), pair(), pair(comparison(), comparison()))
    )

    assert len(report.comparisons) == 3


def test_the_suite_of_a_pair_is_the_candidates() -> None:
    assert PairReport(baseline=run("a", suite="x"), candidate=run("b", suite="y")).suite == "y"
