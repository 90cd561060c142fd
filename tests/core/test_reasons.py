import pytest

from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL, verdict_of, worst
from gate.core.report import Outcome


def outcome(reason: str | None, name: str = "rule") -> Outcome:
    return Outcome(rule=name, metric="", suite=None, verdict=verdict_of(reason), reason=reason, message="")


def test_every_reason_stands_for_exactly_one_verdict() -> None:
    every = FAILING + INCONCLUSIVE + INFORMATIONAL

    assert len(set(every)) == len(every)
    assert {verdict_of(reason) for reason in FAILING} == {"fail"}
    assert {verdict_of(reason) for reason in INCONCLUSIVE} == {"inconclusive"}
    assert {verdict_of(reason) for reason in (None, *INFORMATIONAL)} == {"pass"}


def test_a_reason_that_is_not_on_the_list_is_refused() -> None:
    with pytest.raises(KeyError, match="because"):
        verdict_of("because")


def test_the_worst_outcome_decides_and_the_first_of_equals() -> None:
    first, second = outcome("regression", "first"), outcome("threshold_missed", "second")

    assert worst([outcome(None), outcome("no_baseline"), first, second]) is first
    assert worst([outcome(None), outcome("no_baseline")]) == outcome("no_baseline")
    assert worst([outcome(None), outcome("identical")]) == outcome(None)
    assert worst([]) is None
