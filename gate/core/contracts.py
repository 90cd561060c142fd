"""Which contract a document follows, by what stands in it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

Document = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Contract:
    """A published contract: the schema's name, what it is, and how it is recognised."""

    name: str
    what: str
    fits: Callable[[Document], bool]


def _is_receipt(document: Document) -> bool:
    return document.get("kind") == "gate-receipt"


def _is_takes_receipt(document: Document) -> bool:
    return {"rubric_sha8", "models_sha8"} <= document.keys()


def _is_compare_report(document: Document) -> bool:
    return document.get("schema_version") == 2 and "paired" in document


def _is_row(document: Document) -> bool:
    return "question_id" in document or isinstance(document.get("kind"), str)


def _is_run_record(document: Document) -> bool:
    return {"run_id", "suite", "mode"} <= document.keys()


def _is_config(document: Document) -> bool:
    return "rules" in document and bool({"version", "suites"} & document.keys())


def _is_replay_header(document: Document) -> bool:
    return document.get("_kind") == "baseline_metadata"


def _is_capture(document: Document) -> bool:
    return {"tool_name", "query", "retrieved_slugs"} <= document.keys()


def _is_brainbench_result(document: Document) -> bool:
    receipt = document.get("receipt")
    return isinstance(receipt, Mapping) and "result_schema_version" in receipt


def _is_brainbench_baseline(document: Document) -> bool:
    return {"fixtures_hash", "cells", "counts"} <= document.keys()


GATE_RECEIPT: Final = "gate-receipt.v1"
TAKES_RECEIPT: Final = "takes-quality-receipt.v1"
QUESTION_ROW: Final = "question-row.v1"
RUN_RECORD: Final = "run-record.v3"
CONFIG: Final = "config.v1"
REPLAY_BASELINE: Final = "replay-baseline.v1"
REPLAY_CAPTURE: Final = "replay-capture.v1"
BRAINBENCH_RESULT: Final = "brainbench-result.v1"
BRAINBENCH_BASELINE: Final = "brainbench-baseline.v1"

CONTRACTS: Final = (
    Contract(GATE_RECEIPT, "the receipt of a gate run", _is_receipt),
    Contract(TAKES_RECEIPT, "the receipt of a takes-quality run", _is_takes_receipt),
    Contract("compare-report.v2", "what `gate compare --json` prints", _is_compare_report),
    Contract(REPLAY_BASELINE, "a replay baseline, its header and a captured query a line", _is_replay_header),
    Contract(REPLAY_CAPTURE, "captured queries, one a line", _is_capture),
    Contract(BRAINBENCH_RESULT, "the result of a BrainBench run", _is_brainbench_result),
    Contract(BRAINBENCH_BASELINE, "the committed figures of BrainBench", _is_brainbench_baseline),
    Contract(QUESTION_ROW, "per-question rows, one a line", _is_row),
    Contract(RUN_RECORD, "a run ledger, one record a line", _is_run_record),
    Contract(CONFIG, "a configuration, eval-gate.yml", _is_config),
)
"""Every contract that a file can be recognised by, in the order they are tried."""

LINES: Final = frozenset({QUESTION_ROW, RUN_RECORD, REPLAY_BASELINE, REPLAY_CAPTURE})
"""The contracts that speak about one line of a file, not about the whole of it."""


def contract_of(document: object) -> str | None:
    """The name of the contract a document means to follow, valid or not; None when it is none of them."""
    if not isinstance(document, Mapping):
        return None
    return next((contract.name for contract in CONTRACTS if contract.fits(document)), None)
