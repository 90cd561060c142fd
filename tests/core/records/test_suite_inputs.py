"""What a suite reads survives the receipt: each kind is told apart by its name."""

import msgspec
import pytest

from gate.core.plan import PlannedSuite
from gate.core.records.file_ref import FileRef
from gate.core.records.panel_terms import PanelTerms, TakesAsked, TakesInputs
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    LongMemEvalInputs,
    ReplayInputs,
    ReplayLimits,
    RetrievalInputs,
)

FILE = FileRef(path="f", sha256="0" * 64, bytes=1)
ALL = (
    RetrievalInputs(corpus=FILE, qrels=FILE, cuts=(5,), mode="a"),
    LongMemEvalInputs(dataset=FILE, k=5, mode="b"),
    ReplayInputs(against=FILE, mode="c", limits=ReplayLimits(top1=0.5)),
    BrainbenchInputs(baseline="f", committed=FILE, base=FILE),
    TakesInputs(takes=TakesAsked(batches=8), panel=PanelTerms(models=("a:b",)), pages=FILE, cassette=FILE),
)


@pytest.mark.parametrize("inputs", ALL, ids=lambda each: type(each).__name__)
def test_inputs_are_read_back_as_the_kind_they_were(inputs: LongMemEvalInputs) -> None:
    suite = PlannedSuite(suite="any", name="any", inputs=inputs)
    assert msgspec.json.decode(msgspec.json.encode(suite), type=PlannedSuite) == suite


def test_every_suite_knows_its_mode_unless_it_has_rows() -> None:
    assert [PlannedSuite(suite="s", name="s", inputs=each).mode for each in ALL] == [
        "a",
        "b",
        "c",
        "n/a",
        "n/a",
    ]
    assert PlannedSuite(suite="rows", name="r", rows=FILE).mode is None
