import pytest

from gate.core.judging.conclusion import Rules
from gate.core.judging.reliability import Floor
from gate.core.judging.reuse import limits_document, replayed, stands_for
from gate.core.records.takes_receipt import takes_receipt
from tests.core.judging.factories import rubric
from tests.takes_factories import inconclusive_document, receipt

STRICT = Floor(alpha_at_least=0.6, sd_at_most=1.5, range_at_most=3)


def rules(**members: object) -> Rules:
    return Rules(**{"rubric": rubric(), "cycles": 1, **members})  # type: ignore[arg-type]  # by name


def test_limits_that_are_not_set_are_not_written() -> None:
    assert limits_document(Floor()) == {}
    assert limits_document(STRICT) == {"alpha_at_least": 0.6, "sd_at_most": 1.5, "range_at_most": 3}


def test_a_pass_or_a_fail_by_the_same_rules_stands() -> None:
    assert stands_for(receipt(), rules())
    assert stands_for(receipt(verdict="fail"), rules(policy="all"))
    assert stands_for(receipt(), rules(cycles=3))
    assert stands_for(receipt(cycle_policy="median", cycles_run=3), rules(cycles=3, policy="median"))
    assert stands_for(receipt(agreement_limits=limits_document(STRICT)), rules(floor=STRICT))


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ({}, {"floor": Floor(sd_at_most=1)}),
        ({"agreement_limits": {"sd_at_most": 2}}, {"floor": Floor(sd_at_most=1)}),
        ({"agreement_limits": {"sd_at_most": 2}}, {}),
        ({}, {"cycles": 3, "policy": "all"}),
        ({"cycle_policy": "median", "cycles_run": 3}, {"cycles": 3}),
        ({"cycle_policy": "all", "cycles_run": 2}, {"cycles": 3, "policy": "all"}),
        ({"cycle_policy": "all", "cycles_run": 3}, {}),
    ],
)
def test_a_verdict_by_other_rules_does_not(earlier: dict[str, object], now: dict[str, object]) -> None:
    assert not stands_for(receipt(**earlier), rules(**now))


def test_what_could_not_be_told_then_is_asked_again() -> None:
    assert not stands_for(takes_receipt(inconclusive_document()), rules())


def test_a_receipt_says_whether_its_replies_were_played_back() -> None:
    assert not replayed(receipt())
    assert replayed(receipt(replayed_calls=3))
