"""What a suite reads is pinned before anything runs; what it is held against comes from the base."""

from typing import Any

import pytest

from gate.core.plan import AskedSuite, SuiteInputs
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    BrainbenchRequest,
    LongMemEvalInputs,
    LongMemEvalRequest,
    ReplayInputs,
    ReplayLimits,
    ReplayRequest,
    RetrievalInputs,
    RetrievalRequest,
)
from gate.errors import EvidenceError
from gate.suites.pinning import pinned_inputs
from tests.fakes import MemoryFiles


def pinned(asked: AskedSuite, *here: str, base: tuple[str, ...] | None = None) -> SuiteInputs:
    """With these files here, and in the base those or the same ones."""
    return pinned_inputs(
        asked, MemoryFiles(frozenset(here)), MemoryFiles(frozenset(here if base is None else base))
    )


def test_retrieval_brings_the_queries_that_lie_beside_its_corpus() -> None:
    asked = RetrievalRequest(corpus="docs", qrels="q.tsv", cuts=(10,), mode="balanced", limit=3)
    found = pinned(asked, "docs", "q.tsv", "docs/queries.jsonl")
    assert isinstance(found, RetrievalInputs)
    assert (found.corpus.path, found.qrels.path, found.cuts, found.limit) == ("docs", "q.tsv", (10,), 3)
    assert found.queries is not None


def lme(**members: Any) -> LongMemEvalRequest:
    return LongMemEvalRequest(dataset="lme.json", k=5, mode="balanced", limit=7, seed=3, **members)


def test_longmemeval_pins_its_dataset_and_the_questions_that_are_named() -> None:
    found = pinned(lme(question_ids="ids.txt"), "lme.json", "ids.txt")
    assert isinstance(found, LongMemEvalInputs)
    assert (found.dataset.path, found.mode, found.k, found.limit, found.seed) == (
        "lme.json",
        "balanced",
        5,
        7,
        3,
    )
    assert found.question_ids is not None
    assert pinned(lme(), "lme.json").mode == "balanced"


def test_a_dataset_must_have_the_digest_that_is_named_however_it_is_written() -> None:
    real = f"{len('lme.json'):064x}"
    assert isinstance(pinned(lme(sha256=real.upper()), "lme.json"), LongMemEvalInputs)
    with pytest.raises(EvidenceError, match=f"its sha256 is {real}, not {'f' * 64}"):
        pinned(lme(sha256="f" * 64), "lme.json")


def test_a_dataset_that_is_not_there_says_how_it_is_fetched() -> None:
    with pytest.raises(EvidenceError, match="there is no such dataset") as caught:
        pinned(lme())
    assert "gate dataset fetch" in caught.value.remedy


def test_a_replay_is_held_against_what_the_base_has_and_else_against_its_own() -> None:
    asked = ReplayRequest(against="c.ndjson", corpus="docs", mode="balanced", limits=ReplayLimits(top1=0.9))
    found = pinned(asked, "docs", "c.ndjson", base=())
    assert isinstance(found, ReplayInputs)
    assert (found.against.path, found.limits.top1) == ("c.ndjson", 0.9)
    assert isinstance(pinned(asked, "docs", base=("c.ndjson",)), ReplayInputs)
    with pytest.raises(EvidenceError):
        pinned(asked, "docs", base=())


def brainbench(*here: str, base: tuple[str, ...] | None = None) -> BrainbenchInputs:
    found = pinned(
        BrainbenchRequest(baseline="main.json", result="r.json", allowed="so"), "r.json", *here, base=base
    )
    assert isinstance(found, BrainbenchInputs)
    return found


def test_brainbench_pins_the_figures_of_both_sides_as_far_as_they_are_there() -> None:
    both = brainbench("main.json")
    assert (both.committed, both.base is not None, both.mode, both.allowed) == (both.base, True, "n/a", "so")
    deleted, first, neither = (
        brainbench(base=("main.json",)),
        brainbench("main.json", base=()),
        brainbench(base=()),
    )
    assert (deleted.committed is None, deleted.base is None) == (True, False)
    assert (first.committed is None, first.base is None) == (False, True)
    assert (neither.committed, neither.base, neither.baseline) == (None, None, "main.json")


def test_brainbench_without_a_baseline_pins_none() -> None:
    found = pinned(BrainbenchRequest())
    assert isinstance(found, BrainbenchInputs)
    assert (found.baseline, found.committed, found.result) == (None, None, None)
