import pytest

from gate.core.reasons import FAILING, INCONCLUSIVE
from gate.core.records.objections import (
    MAX_OBJECTIONS,
    MAX_TEXT,
    REASONS,
    Objection,
    ObjectionError,
    objections_of,
)

LOW = {"rule": "jaccard@k of the captures", "reason": "threshold_missed", "message": "0.71 is below 0.8"}


def test_no_objection_can_make_a_run_pass() -> None:
    assert set(REASONS) <= {*FAILING, *INCONCLUSIVE}


def test_an_objection_reads_back_as_it_was_written() -> None:
    (read,) = objections_of([LOW])

    assert read == Objection("jaccard@k of the captures", "threshold_missed", "0.71 is below 0.8")
    assert objections_of([read.line()]) == (read,)


def test_nothing_stated_is_no_objection() -> None:
    assert objections_of(None) == objections_of([]) == ()


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("bad", "a list of at most 32"),
        ([LOW] * (MAX_OBJECTIONS + 1), "a list of at most 32"),
        (["bad"], "must be an object"),
        ([{**LOW, "rule": None}], "needs rule, reason and message"),
        ([{**LOW, "message": ""}], "needs rule, reason and message"),
        ([{**LOW, "message": "m" * (MAX_TEXT + 1)}], "at most 500 characters"),
        ([{**LOW, "reason": "identical"}], "names 'identical', which is none of threshold_missed, "),
    ],
)
def test_what_is_no_objection_is_refused_with_a_reason(stated: object, said: str) -> None:
    with pytest.raises(ObjectionError, match=said):
        objections_of(stated)
