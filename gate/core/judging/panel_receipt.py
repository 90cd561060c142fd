"""A run of the panel as the contract's receipt, with every cycle and what it took behind the contract's keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import UNSET

from gate.core.costs import to_receipt
from gate.core.judging.batches import BatchSlots, combined
from gate.core.judging.budget import Account
from gate.core.judging.conclusion import Conclusion, Rules
from gate.core.judging.panel import aggregate
from gate.core.judging.prompt import Prompt
from gate.core.judging.reuse import LIMITS, limits_document
from gate.core.judging.rubric import rubric_sha8
from gate.core.judging.slots import Slot
from gate.core.records.takes_receipt import (
    Choice,
    Correction,
    Cycle,
    Fingerprints,
    ReceiptCorpus,
    Shown,
    SlotError,
    TakesReceipt,
    UnfinishedReply,
)
from gate.core.takes.fingerprint import (
    corpus_sha8,
    models_sha8,
    prompt_sha8,
    takes_text,
    takes_text_with_pages,
)
from gate.core.takes.references import batch_references
from gate.core.takes.take import Take

SELECTION_RULE: Final = "corrected_if_valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was put to the panel: where the takes came from, and in which batches they were judged."""

    ts: str
    source: str
    slug_prefix: str | None
    seed: int | None
    batches: tuple[tuple[Take, ...], ...]
    models: tuple[str, ...]
    prompts: tuple[Prompt, ...]
    inactive: Choice = "skipped"
    deleted_pages: Choice = "skipped"
    evidence: Shown = "none"

    @property
    def takes(self) -> tuple[Take, ...]:
        """The whole sample, in the order it was judged."""
        return tuple(take for batch in self.batches for take in batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of it, and what it took."""

    conclusion: Conclusion
    cycles: tuple[BatchSlots, ...]
    account: Account
    corrections: tuple[Correction, ...] = ()
    unpriced: tuple[str, ...] = ()
    unfinished: tuple[tuple[int, Slot], ...] = ()
    """Batch and slot of a cycle that was interrupted."""
    further: Mapping[str, object] = field(default_factory=dict)
    """Keys of our own (snapshots, remarks, replayed calls), written last."""


def panel_receipt(asked: Asked, came: Came, rules: Rules) -> TakesReceipt:
    """The receipt. An inconclusive one has no scores, but where judges disagree too much to be believed."""
    result = came.conclusion.result
    cost = came.account.cost
    digests = fingerprints_of(asked, rules)
    several = len(asked.batches) > 1 or rules.cycles > 1
    return TakesReceipt(
        ts=asked.ts,
        rubric_version=rules.rubric.version,
        rubric_sha8=digests.rubric,
        corpus=ReceiptCorpus(
            source=asked.source,
            n_takes=len(asked.takes),
            slug_prefix=asked.slug_prefix,
            corpus_sha8=digests.corpus,
        ),
        prompt_sha8=digests.prompt,
        models_sha8=digests.models,
        models=asked.models,
        cycles_run=len(came.cycles),
        successes_per_cycle=tuple(
            aggregate(combined(cycle), rules.rubric).contributors for cycle in came.cycles
        ),
        verdict=result.verdict,
        scores=result.scores,
        overall_score=result.overall,
        cost_usd=None if cost is None else to_receipt(cost),
        improvements=result.improvements,
        errors=result.errors or _errors([slot for _, slot in came.unfinished]),
        verdict_message=result.message,
        protocol_version=2,
        correction_selection_rule=SELECTION_RULE,
        corrections=came.corrections or UNSET,
        seed=UNSET if asked.seed is None else asked.seed,
        takes=batch_references(asked.batches),
        batches=len(asked.batches),
        cycle_policy=rules.policy if several else UNSET,
        cycles=_cycles(came.cycles, rules),
        agreement=came.conclusion.agreement.dimensions,
        unpriced_models=came.unpriced or UNSET,
        unfinished=_unfinished(came) or UNSET,
        inactive=asked.inactive,
        deleted_pages=asked.deleted_pages,
        evidence=asked.evidence,
        others=_further(came, rules),
    )


def fingerprints_of(asked: Asked, rules: Rules) -> Fingerprints:
    """The four digests the receipt will have: two runs with the same ones asked the same."""
    return Fingerprints(
        corpus=_corpus_sha8(asked.takes, asked.slug_prefix),
        prompt=prompt_sha8("\n".join(prompt.text for prompt in asked.prompts)),
        models=models_sha8(asked.models),
        rubric=rubric_sha8(rules.rubric),
    )


def batch_corpora(asked: Asked) -> tuple[str, ...]:
    """The corpus_sha8 of every batch."""
    return tuple(_corpus_sha8(batch, asked.slug_prefix) for batch in asked.batches)


def row_fingerprints(asked: Asked, rules: Rules) -> dict[str, str]:
    """What the rows of a run state about it; a judge that sees pages, too, is asked by another prompt."""
    shown = "" if asked.evidence == "none" else f"+{asked.evidence}"
    return {
        "judge_model": ", ".join(asked.models),
        "judge_prompt_version": f"{rules.rubric.version}{shown}",
        "rubric_sha8": rubric_sha8(rules.rubric),
        "protocol_version": "2",
    }


def _corpus_sha8(takes: Sequence[Take], slug_prefix: str | None) -> str:
    """As the contract: a take's page stands in its text only when a prefix was asked for."""
    return corpus_sha8(takes_text_with_pages(takes) if slug_prefix else takes_text(takes))


def _cycles(cycles: Sequence[BatchSlots], rules: Rules) -> tuple[Cycle, ...]:
    return tuple(
        _cycle(number, batch, slots, rules)
        for number, batches in enumerate(cycles)
        for batch, slots in enumerate(batches)
    )


def _cycle(number: int, batch: int, slots: Sequence[Slot], rules: Rules) -> Cycle:
    result = aggregate(slots, rules.rubric)
    return Cycle(
        batch=batch,
        cycle=number,
        verdict=result.verdict,
        scores=result.scores,
        overall_score=result.overall,
        errors=result.errors,
    )


def _errors(slots: Sequence[Slot]) -> tuple[SlotError, ...]:
    return tuple(SlotError(model_id=slot.model, error=slot.error) for slot in slots if slot.error is not None)


def _unfinished(came: Came) -> tuple[UnfinishedReply, ...]:
    return tuple(
        UnfinishedReply(
            cycle=len(came.cycles),
            batch=batch,
            model_id=slot.model,
            scores=slot.scores,
            error=UNSET if slot.error is None else slot.error,
        )
        for batch, slot in came.unfinished
    )


def _further(came: Came, rules: Rules) -> dict[str, object]:
    """Our own keys: why it did not pass, alpha over all dimensions, calls charged at their bound."""
    said: dict[str, object] = {
        "reason": came.conclusion.reason,
        "agreement_alpha": came.conclusion.agreement.alpha,
        LIMITS: limits_document(rules.floor),
        "calls_charged_at_bound": came.account.charged or None,
        **came.further,
    }
    return {key: value for key, value in said.items() if value not in (None, (), [], {})}
