import pytest

from gate.render.starter_config import (
    ARTIFACT_BASELINE,
    MOST_RULED,
    Findings,
    FoundBaseline,
    FoundMetric,
    FoundSuite,
    ledger_baseline,
    rows_baseline,
    starter_config,
)
from gate.settings import Settings
from gate.store.config_file import parse_config

SUITE = FoundSuite(name="main", rows="rows/candidate.ndjson")
HIT = FoundMetric(name="hit@1", better="higher", unit="share")
LATENCY = FoundMetric(name="latency_ms", better="lower")


def findings(
    *metrics: FoundMetric,
    suites: tuple[FoundSuite, ...] = (SUITE,),
    baseline: FoundBaseline = ARTIFACT_BASELINE,
    repository: str | None = None,
) -> Findings:
    return Findings(suites=suites, baseline=baseline, metrics=metrics or (HIT,), repository=repository)


def settings(found: Findings) -> Settings:
    """The configuration, read as the gate reads it."""
    return Settings.from_file(parse_config(starter_config(found).encode(), name="eval-gate.yml"))


def rules(found: Findings) -> list[tuple[str, str | None]]:
    return [(rule.metric, rule.planned().per) for rule in settings(found).rules]


@pytest.mark.parametrize(
    "baseline",
    [
        ARTIFACT_BASELINE,
        rows_baseline("rows/baseline.ndjson"),
        ledger_baseline("l.jsonl", None),
        ledger_baseline("l.jsonl", "balanced"),
    ],
)
def test_what_is_written_is_valid(baseline: FoundBaseline) -> None:
    read = settings(findings(baseline=baseline))

    assert read.mode == "advisory"
    assert read.baseline is not None


def test_names_that_yaml_would_take_for_something_else_are_quoted() -> None:
    odd = FoundMetric(name="true", better="higher", unit="50 %")
    suite = FoundSuite(name="a: {b}", rows='rows/"x", y.ndjson')
    read = settings(findings(odd, suites=(suite,)))

    assert (read.suites[0].name, read.suites[0].rows) == ("a: {b}", 'rows/"x", y.ndjson')
    assert read.metrics["true"].unit == "50 %"


def test_what_should_rise_decides_and_times_are_only_shown() -> None:
    assert rules(findings(LATENCY, HIT)) == [("hit@1", None)]


def test_times_decide_where_there_is_nothing_else() -> None:
    assert rules(findings(LATENCY)) == [("latency_ms", None)]
    assert "at-most" in starter_config(findings(LATENCY))


def test_rows_with_types_are_judged_by_type_too() -> None:
    typed = FoundSuite(name="main", rows="r.ndjson", typed=True)

    assert rules(findings(suites=(typed,))) == [("hit@1", None), ("hit@1", "question-type")]


def test_no_more_rules_than_the_first_few_metrics() -> None:
    many = [FoundMetric(name=f"m{number}", better="higher") for number in range(9)]

    assert rules(findings(*many)) == [(f"m{number}", None) for number in range(MOST_RULED)]


def test_a_metric_of_unknown_direction_is_a_remark() -> None:
    found = findings(HIT, FoundMetric(name="odd"))

    assert "odd" not in settings(found).metrics
    assert "# odd: {better: higher}" in starter_config(found)


def test_the_repository_is_named_in_a_remark_alone() -> None:
    first, *rest = starter_config(findings(repository="octo/search")).splitlines()

    assert "octo/search" in first
    assert "octo/search" not in "\n".join(rest)
