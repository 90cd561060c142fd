import json

from msgspec import UNSET

from gate.core.judging.batches import BatchSlots
from gate.core.judging.budget import Account
from gate.core.judging.conclusion import Rules, Stopped, conclude
from gate.core.judging.panel_receipt import Asked, Came, batch_corpora, panel_receipt, row_fingerprints
from gate.core.judging.prompt import judge_prompt
from gate.core.judging.rubric import rubric_sha8
from gate.core.records.takes_receipt import (
    DIMENSIONS,
    Correction,
    TakesReceipt,
    takes_receipt,
    takes_receipt_bytes,
)
from gate.core.takes.fingerprint import corpus_sha8, prompt_sha8
from gate.core.takes.take import Take
from tests.core.judging.factories import answered, failed, rubric, take
from tests.takes_factories import golden

MODELS = ("openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-2.0-flash")
TAKES = (take(1), take(2, source=None))
GOOD: BatchSlots = ((answered(MODELS[0], 9), answered(MODELS[1], 7), failed(MODELS[2])),)


def asked(**overrides: object) -> Asked:
    batches = overrides.get("batches", (TAKES,))
    members: dict[str, object] = {
        "ts": "2026-11-30T12:00:00.000Z",
        "source": "fs",
        "slug_prefix": None,
        "seed": 42,
        "batches": batches,
        "models": MODELS,
        "prompts": tuple(judge_prompt(rubric(), batch) for batch in batches),  # type: ignore[attr-defined]  # batches of takes
    }
    return Asked(**members | overrides)  # type: ignore[arg-type]  # a test's overrides


def receipt(cycles: tuple[BatchSlots, ...] = (GOOD,), **overrides: object) -> TakesReceipt:
    rules = Rules(rubric=rubric(), cycles=overrides.pop("planned", 1))  # type: ignore[arg-type]  # a test's overrides
    put = overrides.pop("asked", asked())
    stopped = overrides.pop("stopped", None)
    members: dict[str, object] = {
        "conclusion": conclude(cycles, rules, stopped),  # type: ignore[arg-type]  # a test's overrides
        "cycles": cycles,
        "account": Account(spent=0.01344),
    }
    return panel_receipt(put, Came(**members | overrides), rules)  # type: ignore[arg-type]  # a test's overrides


def test_a_receipt_reads_back_as_it_was_written() -> None:
    written = receipt()

    assert takes_receipt(json.loads(takes_receipt_bytes(written))) == written


def test_it_says_what_was_judged_by_whom_and_how() -> None:
    found = receipt()

    assert (found.verdict, found.overall_score, found.cost_usd) == ("pass", 8, 0.0134)
    assert found.verdict_message.startswith("PASS: every dim mean >=7 and min >=5 across 2/3 models.")
    assert (found.rubric_version, found.rubric_sha8) == ("gate-1", rubric_sha8(rubric()))
    assert found.corpus.n_takes == 2
    assert found.models_sha8 == "8b36fee4"
    assert (found.protocol_version, found.seed, found.batches, found.cycle_policy) == (2, 42, 1, UNSET)
    assert [error.error for error in found.errors] == ["provider_error: it was down"]
    assert found.successes_per_cycle == (2,)


def test_the_corpus_has_gbrains_fingerprint_for_the_same_takes() -> None:
    (case,) = [each for each in golden("corpus") if not any(row["slug"] for row in each["rows"])]

    found = receipt(asked=asked(batches=(tuple(map(_take, case["rows"])),)))

    assert found.corpus.corpus_sha8 == case["corpus_sha8"]


def _take(row: dict[str, object]) -> Take:
    told = {name: row[name] for name in ("claim", "kind", "holder", "source")}
    return take(1, **told | {"weight": str(row["weight"]), "since": row["since_date"]})


def test_pages_are_part_of_the_corpus_only_when_a_prefix_was_asked_for() -> None:
    assert receipt(asked=asked(slug_prefix="people/")).corpus.corpus_sha8 != receipt().corpus.corpus_sha8
    assert receipt(asked=asked(slug_prefix="")).corpus.corpus_sha8 == receipt().corpus.corpus_sha8


def test_the_prompts_digest_is_that_of_the_one_prompt() -> None:
    assert receipt().prompt_sha8 == prompt_sha8(judge_prompt(rubric(), TAKES).text)


def test_every_cycle_and_batch_is_kept() -> None:
    low = ((answered(MODELS[0], 6), answered(MODELS[1], 6), answered(MODELS[2], 6)),)
    two: tuple[BatchSlots, ...] = (low + GOOD, GOOD + GOOD)

    found = receipt(two, planned=2, asked=asked(batches=((take(1),), (take(2),))))

    assert found.cycles is not UNSET
    assert [(each.cycle, each.batch, each.verdict) for each in found.cycles] == [
        (0, 0, "fail"),
        (0, 1, "pass"),
        (1, 0, "pass"),
        (1, 1, "pass"),
    ]
    assert (found.cycles_run, found.cycle_policy, found.batches) == (2, "last", 2)
    assert found.agreement is not UNSET
    assert found.agreement["accuracy"].units == 4
    assert "agreement_alpha" in found.others
    assert found.takes is not UNSET
    assert [each.row for each in found.takes] == [1, 2]


def test_an_unknown_cost_is_null_and_names_the_models() -> None:
    found = receipt(account=Account(unknown=1), unpriced=(MODELS[0],))

    assert found.cost_usd is None
    assert found.unpriced_models == (MODELS[0],)


def test_a_cancelled_run_says_so_and_what_its_last_cycle_had_got() -> None:
    stopped = Stopped(cause="cancelled", detail="the run was cancelled")

    found = receipt((), stopped=stopped, unfinished=((0, answered(MODELS[0], 9)), (1, failed(MODELS[1]))))

    assert (found.verdict, found.scores, found.overall_score, found.cycles_run) == (
        "inconclusive",
        {},
        None,
        0,
    )
    assert found.others["reason"] == "cancelled"
    assert [error.model_id for error in found.errors] == [MODELS[1]]
    assert takes_receipt_bytes(found)
    assert found.unfinished is not UNSET
    first, second = found.unfinished
    assert (first.cycle, first.batch, first.model_id, first.error) == (0, 0, MODELS[0], UNSET)
    assert set(first.scores.values()) == {9}
    assert (second.batch, dict(second.scores), second.error) == (1, {}, failed(MODELS[1]).error)


def test_judges_that_see_pages_are_asked_by_another_prompt_in_rows_and_receipt() -> None:
    judged_by = Rules(rubric=rubric(), cycles=1)
    shown = asked(evidence="excerpt", inactive="included", deleted_pages="included")

    found = receipt(asked=shown)

    assert (found.evidence, found.inactive, found.deleted_pages) == ("excerpt", "included", "included")
    assert row_fingerprints(shown, judged_by)["judge_prompt_version"] == f"{rubric().version}+excerpt"
    assert row_fingerprints(asked(), judged_by)["judge_prompt_version"] == rubric().version


def test_corrections_and_further_keys_are_written_when_there_are_any() -> None:
    correction = Correction(cycle=0, model_id=MODELS[0], first_error="parse_failed: x", corrected="valid")

    found = receipt(corrections=(correction,), further={"replayed_calls": 3, "remarks": ()})

    assert found.corrections == (correction,)
    assert found.correction_selection_rule == "corrected_if_valid"
    assert found.others == {"replayed_calls": 3}
    assert receipt().corrections is UNSET


def test_rows_state_the_judges_and_the_rubric_and_batches_their_corpus() -> None:
    put = asked(batches=((take(1),), (take(2),)), seed=None)

    assert row_fingerprints(put, Rules(rubric=rubric(), cycles=1)) == {
        "judge_model": ", ".join(MODELS),
        "judge_prompt_version": "gate-1",
        "rubric_sha8": rubric_sha8(rubric()),
        "protocol_version": "2",
    }
    first, second = batch_corpora(put)
    assert first == second  # the same words on two rows
    assert receipt(asked=put).seed is UNSET
    assert first == corpus_sha8(
        "- fact | holder=world | weight=1 | since=2019-03 | src=company registry\n  Founded Lumen Forge"
    )


def test_scores_stand_in_the_contracts_order() -> None:
    assert tuple(receipt().scores) == DIMENSIONS
