from gate.core.compare import Pairing, join, pair
from gate.core.judging.batches import BatchSlots
from gate.core.judging.panel_rows import panel_rows
from gate.core.judging.slots import Slot
from gate.core.records.rows import RowTable
from tests.core.judging.factories import NAMES, answered, failed

MALFORMED = Slot(model="c", scores={"accuracy": 8}, error="incomplete_scores: x", malformed="x")
BATCHES: BatchSlots = (
    (answered("a", 7, 8, 9, 7, 8), failed("b"), MALFORMED),
    (answered("a", 8), answered("b", 9), answered("a", 6)),
)


def rows(batches: BatchSlots = BATCHES, corpus: tuple[str, ...] = ("11111111", "22222222")) -> RowTable:
    return panel_rows(batches, NAMES, corpus, {"rubric_sha8": "abcdabcd"})


def test_every_batch_and_judge_is_a_row_and_the_batch_its_cluster() -> None:
    table = rows()

    assert table.ids[:3] == ("batch-001/a", "batch-001/b", "batch-001/c")
    assert table.types == ("a", "b", "c", "a", "b", "a")
    assert table.clusters == ("batch-001",) * 3 + ("batch-002",) * 3
    assert list(table.metrics) == list(NAMES)
    assert table.metrics["attribution"].values[0] == 8
    assert table.fingerprints == {"rubric_sha8": "abcdabcd"}


def test_a_slot_without_all_scores_is_not_measured_and_says_which_kind_of_failure_it_was() -> None:
    table = rows()

    assert table.metrics["accuracy"].present.tolist() == [True, False, False, True, True, True]
    assert table.errored.tolist() == [False, True, False, False, False, False]
    assert table.judge_errors.tolist() == [False, False, True, False, False, False]


def test_a_model_that_stands_in_the_panel_twice_keeps_its_rows_apart() -> None:
    assert rows().ids[3:] == ("batch-002/a", "batch-002/b", "batch-002/a#2")


def test_a_batch_whose_takes_changed_is_not_compared() -> None:
    joined = join(rows(), rows(corpus=("11111111", "33333333")))

    assert len(joined.changed) == 3
    assert pair(joined, "accuracy", Pairing()).ids == ("batch-001/a",)
