"""Two receipts over the same takes: what got worse, by the contract's rule and with what the scores can say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from msgspec import UNSET

from gate.core.judging.panel import round_to_tenth
from gate.core.records.ecmascript import number_text
from gate.core.records.takes_receipt import TakesReceipt

Outcome = Literal["ok", "regressed", "inconclusive"]
Input = Literal["corpus", "prompt", "models", "rubric", "protocol"]

INPUTS: Final[tuple[Input, ...]] = ("corpus", "prompt", "models", "rubric", "protocol")
_NAMES: Final[Mapping[Input, str]] = {
    "corpus": "corpus_sha8",
    "prompt": "prompt_sha8",
    "models": "models_sha8",
    "rubric": "rubric_sha8",
    "protocol": "protocol_version",
}
_WORDS: Final[Mapping[Input, str]] = {
    "corpus": "the takes are not the same: some were edited, added or removed",
    "models": "the panel is another one: judges have tempers of their own",
    "rubric": "the rubric is another one: the scores do not mean the same",
    "protocol": "malformed replies were not treated alike",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An input in which the two runs differ."""

    input: Input
    text: str
    """The contract's words."""
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """The comparison. An inconclusive one has no deltas but those of dimensions both sides have."""

    outcome: Outcome
    deltas: Mapping[str, float]
    overall: float | None
    threshold: float
    summary: str
    differences: tuple[Difference, ...]


def compare_receipts(
    current: TakesReceipt, prior: TakesReceipt, threshold: float, *, same: Sequence[Input] = ()
) -> Regression:
    """A drop is one strictly below -threshold, of a dimension or of the overall score.

    Where either side is INCONCLUSIVE, or an input differs that must be the `same`, so is the comparison.
    """
    differences = _differences(current, prior)
    doubts = [*_undecided(current, prior), *(each.text for each in differences if each.input in same)]
    deltas = {
        name: round_to_tenth(scores.mean - prior.scores[name].mean)
        for name, scores in current.scores.items()
        if name in prior.scores
    }
    overall = _overall(current, prior)
    if doubts or overall is None:
        return Regression(
            outcome="inconclusive",
            deltas=deltas,
            overall=overall,
            threshold=threshold,
            summary=f"INCONCLUSIVE: {'; '.join(doubts)}",
            differences=differences,
        )
    failing = {name: delta for name, delta in deltas.items() if delta < -threshold}
    regressed = bool(failing) or overall < -threshold
    return Regression(
        outcome="regressed" if regressed else "ok",
        deltas=deltas,
        overall=overall,
        threshold=threshold,
        summary=_dropped(overall, failing) if regressed else _held(overall, threshold),
        differences=differences,
    )


def signed(value: float) -> str:
    """A delta as the contract prints it: +0, +0.3, -0.1."""
    return f"{'+' if value >= 0 else ''}{number_text(value)}"


def delta_document(found: Regression) -> dict[str, object]:
    """The contract's `delta`; keys of our own follow."""
    texts = [each.text for each in found.differences]
    return {
        "dim_deltas": dict(found.deltas),
        "overall_delta": found.overall,
        "regressed": found.outcome == "regressed",
        "threshold": found.threshold,
        "summary": found.summary,
        "inputs_differ": bool(texts),
        **({"input_diffs": texts} if texts else {}),
        "outcome": found.outcome,
    }


def _undecided(current: TakesReceipt, prior: TakesReceipt) -> list[str]:
    sides = (("this run", current), ("the earlier run", prior))
    return [f"{name} is INCONCLUSIVE" for name, side in sides if side.verdict == "inconclusive"]


def _overall(current: TakesReceipt, prior: TakesReceipt) -> float | None:
    if current.overall_score is None or prior.overall_score is None:
        return None
    return round_to_tenth(current.overall_score - prior.overall_score)


def _differences(current: TakesReceipt, prior: TakesReceipt) -> tuple[Difference, ...]:
    sides = zip(INPUTS, _inputs(prior), _inputs(current), strict=True)
    return tuple(
        Difference(
            input=name,
            text=f"{_NAMES[name]} differs ({before} → {after})",
            meaning=_prompt(current, prior) if name == "prompt" else _WORDS[name],
        )
        for name, before, after in sides
        if before != after
    )


def _prompt(current: TakesReceipt, prior: TakesReceipt) -> str:
    """Why the judges did not read the same text."""
    then, now = (_shown(side) for side in (prior, current))
    if UNSET not in (prior.evidence, current.evidence) and then != now:
        return f"the judges read {then} then, and {now} now (--evidence)"
    if _same_matter(current, prior) and current.evidence == "excerpt":
        return "the pages that the judges saw excerpts of, takes apart, are not the same"
    if _same_matter(current, prior):
        return "takes and rubric are the same, but the judges were asked in other words"
    return "the judges did not read the same text; where takes or rubric differ it cannot be the same"


def _shown(receipt: TakesReceipt) -> str:
    return "excerpts of the pages, too," if receipt.evidence == "excerpt" else "the takes alone"


def _same_matter(current: TakesReceipt, prior: TakesReceipt) -> bool:
    one, other = current.fingerprints, prior.fingerprints
    return (one.corpus, one.rubric) == (other.corpus, other.rubric)


def _inputs(receipt: TakesReceipt) -> tuple[str, ...]:
    protocol = 1 if receipt.protocol_version is UNSET else receipt.protocol_version
    return (*cast("tuple[str, ...]", receipt.fingerprints), str(protocol))


def _dropped(overall: float, failing: Mapping[str, float]) -> str:
    dims = ", ".join(f"{name}={number_text(delta)}" for name, delta in failing.items())
    return f"REGRESSION: overall {signed(overall)}" + (f"; failing dims: {dims}" if dims else "")


def _held(overall: float, threshold: float) -> str:
    return f"OK: overall {signed(overall)} (no dim regressed past {number_text(threshold)})"
