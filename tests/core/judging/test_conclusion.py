from gate.core.judging.conclusion import Rules, Stopped, conclude
from gate.core.judging.cycles import CyclePolicy
from gate.core.judging.reliability import Floor
from tests.core.judging.factories import rubric
from tests.core.judging.test_cycles import cycle

OUT_OF_MONEY = Stopped(cause="budget_exhausted", detail="the next cycle could cost more than is left")
CANCELLED = Stopped(cause="cancelled", detail="it was cancelled")


def rules(cycles: int = 1, policy: CyclePolicy = "last", **floor: float) -> Rules:
    return Rules(rubric=rubric(), cycles=cycles, policy=policy, floor=Floor(**floor))


def test_a_pass_has_no_reason_and_a_fail_says_panel_fail() -> None:
    assert conclude([cycle(8, 8)], rules()).reason is None
    assert conclude([cycle(6, 6)], rules()).reason == "panel_fail"
    assert conclude([cycle(8, 0)], rules()).reason == "panel_inconclusive"


def test_a_run_without_a_cycle_is_inconclusive() -> None:
    asked_for_none = conclude([], rules(cycles=0))
    not_paid = conclude([], rules(), OUT_OF_MONEY)

    assert asked_for_none.result.message == "INCONCLUSIVE: no cycle was asked for (--cycles 0)."
    assert not_paid.reason == "budget_exhausted"
    assert not_paid.result.message == (
        "INCONCLUSIVE: the next cycle could cost more than is left (0 of 1 cycle ran)."
    )


def test_a_fail_stays_a_fail_when_the_money_for_another_try_is_gone() -> None:
    found = conclude([cycle(6, 6)], rules(cycles=3), OUT_OF_MONEY)

    assert (found.result.verdict, found.reason) == ("fail", "panel_fail")


def test_a_cancelled_run_never_has_a_verdict() -> None:
    for value in (6, 8):
        found = conclude([cycle(value, value)], rules(cycles=3), CANCELLED)

        assert (found.result.verdict, found.reason, found.decision) == ("inconclusive", "cancelled", None)
        assert found.result.scores == {}
        assert "(1 of 3 cycles ran)" in found.result.message


def test_passes_that_needed_more_cycles_are_no_pass() -> None:
    for policy in ("all", "median"):
        assert conclude([cycle(8, 8)], rules(3, policy), OUT_OF_MONEY).reason == "budget_exhausted"


def test_a_cycle_that_failed_decides_under_all_even_when_stopped() -> None:
    assert conclude([cycle(8, 8), cycle(6, 6)], rules(3, "all"), OUT_OF_MONEY).reason == "panel_fail"


def test_judges_who_disagree_too_much_are_not_believed() -> None:
    found = conclude([cycle(10, 5, 10)], rules(range_at_most=4))

    assert (found.result.verdict, found.reason) == ("inconclusive", "judge_unreliable")
    assert "the range of accuracy is 5.00, above 4" in found.result.message
    assert "PASS: every dim" in found.result.message
    assert found.result.scores["accuracy"].mean == 8.3


def test_an_inconclusive_panel_is_not_called_unreliable() -> None:
    assert conclude([cycle(10, 0)], rules(range_at_most=0)).reason == "panel_inconclusive"
