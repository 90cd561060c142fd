import pytest

from gate.core.judging.batches import BatchSlots
from gate.core.judging.cycles import CyclePolicy, decision, settled
from gate.core.records.takes_receipt import PanelVerdict
from tests.core.judging.factories import answered, failed, rubric


def cycle(*values: float) -> BatchSlots:
    """One batch, a judge per value; 0 stands for a judge that failed."""
    return (tuple(answered(f"m{i}", value) if value else failed(f"m{i}") for i, value in enumerate(values)),)


@pytest.mark.parametrize(
    ("policy", "verdicts"),
    [
        ("last", ["fail", "pass"]),
        ("last", ["inconclusive"]),
        ("all", ["pass", "fail"]),
        ("all", ["inconclusive"]),
        ("median", ["fail", "inconclusive"]),
    ],
)
def test_cycles_end_when_they_decide(policy: CyclePolicy, verdicts: list[PanelVerdict]) -> None:
    assert settled(verdicts, policy)


@pytest.mark.parametrize(
    ("policy", "verdicts"),
    [
        ("last", []),
        ("last", ["fail"]),
        ("all", ["pass"]),
        ("median", ["pass", "fail"]),
    ],
)
def test_cycles_go_on_while_a_further_one_could_change_the_verdict(
    policy: CyclePolicy, verdicts: list[PanelVerdict]
) -> None:
    assert not settled(verdicts, policy)


def test_the_contract_lets_the_last_cycle_decide() -> None:
    decided = decision([cycle(6, 6), cycle(8, 8)], "last", rubric())

    assert decided.result.verdict == "pass"
    assert decided.batches == cycle(8, 8)


def test_all_asks_every_cycle_to_pass() -> None:
    assert decision([cycle(8, 8), cycle(6, 6)], "all", rubric()).result.verdict == "fail"
    assert decision([cycle(6, 6), cycle(8, 8)], "all", rubric()).result.verdict == "fail"
    assert decision([cycle(8, 8), cycle(9, 9)], "all", rubric()).result.verdict == "pass"


def test_median_takes_every_judges_middle_score() -> None:
    decided = decision([cycle(6, 9), cycle(8, 9), cycle(7, 1)], "median", rubric())

    (slots,) = decided.batches
    assert [slot.scores["accuracy"] for slot in slots] == [7, 9]
    assert decided.result.verdict == "pass"


def test_under_median_an_inconclusive_cycle_decides() -> None:
    assert decision([cycle(8, 8), cycle(8, 0)], "median", rubric()).result.verdict == "inconclusive"


def test_a_judge_that_missed_half_of_the_cycles_has_no_median() -> None:
    decided = decision([cycle(8, 8, 8), cycle(8, 8, 0)], "median", rubric())

    (slots,) = decided.batches
    assert [slot.error is None for slot in slots] == [True, True, False]
    assert decided.result.contributors == 2


def test_a_median_is_taken_batch_by_batch() -> None:
    first: BatchSlots = (*cycle(6, 6), *cycle(8, 8))
    second: BatchSlots = (*cycle(8, 8), *cycle(8, 8))

    decided = decision([first, second], "median", rubric())

    assert [batch[0].scores["accuracy"] for batch in decided.batches] == [7, 8]
    assert decided.result.scores["accuracy"].scores == (7.5, 7.5)
