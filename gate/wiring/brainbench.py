"""One BrainBench run: made or read, recounted, compared with the baseline of the base's tree, written as rows."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from msgspec.json import encode

from gate.core.brainbench.decision import Baselines, Decision, decide
from gate.core.brainbench.recount import contradictions
from gate.core.brainbench.result import (
    BrainbenchError,
    Result,
    Turn,
    baseline_of,
    baseline_text,
    read_baseline,
    read_result,
)
from gate.core.plan import FileRef
from gate.core.records.run_records import Occasion, RunFacts, sha256_of
from gate.core.wording import shortened
from gate.errors import EvidenceError
from gate.ports import NotHereError, Progress
from gate.store.atomic import write_atomic
from gate.store.git_tree import GitTree
from gate.store.growing_rows import GrowingFile
from gate.store.presence import is_missing
from gate.store.workspace import relative
from gate.suites.brainbench import turn_name, write_rows
from gate.systems.gbrain import Gbrain
from gate.systems.process import Command

_MOST_NAMED: Final = 3
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainbenchOrder:
    """Everything a run is asked for. Exactly one of `gbrain` (how it is called) and `result` (a file) is given.

    `baseline` is the committed file; `base` names the commit whose tree holds the one to compare with, None =
    the committed file is both. `bank` is where the figures of this run are written as a new baseline.
    """

    output: Path
    name: str
    root: Path
    seed: int
    gbrain: Command | None = None
    result: Path | None = None
    baseline: Path | None = None
    base: str | None = None
    allowed: str | None = None
    bank: Path | None = None
    justification: str | None = None
    patience: float = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainbenchMade:
    """What a run has come to, and the digest of what it was compared with."""

    result: Result
    decision: Decision
    rows: FileRef
    repeats: int
    baseline_sha256: str | None


def conduct_brainbench(order: BrainbenchOrder, tree: GitTree, progress: Progress) -> BrainbenchMade:
    """Run the suite, or read a result; EvidenceError where its figures do not follow from its turns.

    The baselines are read before anything is run.
    """
    baselines = _baselines(order, tree)
    progress.stage("brainbench")
    return judged_brainbench(order, baselines, _result(order))


def judged_brainbench(order: BrainbenchOrder, baselines: Baselines, result: Result) -> BrainbenchMade:
    """Judge a result that is here and write its rows; EvidenceError where its figures contradict its turns."""
    _refuse_contradictions(result)
    decision = decide(result, baselines, allowed=order.allowed)
    rows = GrowingFile(order.output, order.name)
    try:
        repeats = write_rows(result, decision, rows)
    finally:
        written = rows.close()
    if order.bank is not None:
        write_atomic(order.bank, baseline_text(baseline_of(result, order.justification)).encode())
    compared = baselines.base or baselines.committed
    return BrainbenchMade(
        result=result,
        decision=decision,
        rows=written,
        repeats=repeats,
        baseline_sha256=None if compared is None else sha256_of([baseline_text(compared)]),
    )


def brainbench_facts(made: BrainbenchMade, order: BrainbenchOrder, occasion: Occasion) -> RunFacts:
    """The run for the ledger, cells and verdict among its parameters."""
    receipt, decision = made.result.receipt, made.decision
    return RunFacts(
        suite="brainbench",
        mode="n/a",
        occasion=occasion,
        status="completed" if decision.verdict == "pass" else "failed",
        error=None if decision.verdict == "pass" else why(decision),
        rows_path=made.rows.path,
        rows_sha256=made.rows.sha256,
        digests={
            "fixtures_hash": receipt.fixtures_hash,
            "questions_sha256": sha256_of(turn_name(turn) for turn in made.result.turn_rows),
            "answer_key_sha256": sha256_of(map(_answer_key, made.result.turn_rows)),
        },
        identities={"system": "gbrain"},
        params={
            "harness_sha": receipt.harness_sha,
            "include_holdout": receipt.include_holdout,
            "llm": receipt.llm,
            "cells": {
                cell.key: {**cell.metrics, "gold_failed": cell.gold_failed, "gold_total": cell.gold_total}
                for cell in made.result.cells
            },
            "verdict": decision.verdict,
            "baseline_sha256": made.baseline_sha256,
            "allowed": order.allowed,
        },
    )


def why(decision: Decision) -> str:
    """The verdict and its first reasons in one sentence."""
    found = [f"{each.cell} {each.metric}: {each.detail}" for each in (*decision.breaches, *decision.below)]
    return f"{decision.verdict}: {'; '.join((*shortened(found, _MOST_NAMED), *decision.notes))}"


def _answer_key(turn: Turn) -> str:
    return f"{turn_name(turn)} {encode(turn.gold).decode()}"


def _baselines(order: BrainbenchOrder, tree: GitTree) -> Baselines:
    if order.baseline is None:
        return Baselines()
    path = order.baseline
    committed = None if is_missing(path) else _read_file(path, read_baseline)
    if order.base is None:
        return Baselines(asked=True, base=committed, committed=committed)
    inside = relative(order.root.resolve(), path)
    try:
        data = tree.read(tree.resolved(order.base), inside)
    except NotHereError as error:
        return Baselines(asked=True, committed=committed, unread=error.message)
    base = None if data is None else parsed(data, f"{inside} at {order.base}", read_baseline)
    return Baselines(asked=True, base=base, committed=committed)


def _result(order: BrainbenchOrder) -> Result:
    if order.gbrain is None:
        return _read_file(order.result or Path(), read_result)
    return Gbrain(order.gbrain, seconds=order.patience).brainbench(["--seed", str(order.seed)])


def _refuse_contradictions(result: Result) -> None:
    found = contradictions(result)
    if found:
        raise EvidenceError(
            f"the result contradicts its own turns: {'; '.join(found[:_MOST_NAMED])}"
            f"{f' and {len(found) - _MOST_NAMED} more' if len(found) > _MOST_NAMED else ''}",
            remedy="run the suite again with a runner whose figures follow from what it replayed",
        )


def _read_file(path: Path, read: Callable[[bytes], _Read]) -> _Read:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})",
            remedy="check the path and its permissions",
        ) from error
    return parsed(data, str(path), read)


def parsed(data: bytes, name: str, read: Callable[[bytes], _Read]) -> _Read:
    """A result or baseline as it was read; EvidenceError, naming it, when it is none."""
    try:
        return read(data)
    except BrainbenchError as error:
        raise EvidenceError(
            f"{name}: {error}", remedy="`gate validate` says what it should hold; write it again"
        ) from error
