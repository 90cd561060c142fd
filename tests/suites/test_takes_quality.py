import json
import threading
from dataclasses import dataclass

import pytest
from msgspec import UNSET

from gate.core.chat import ChatRequest, ModelFailure, Outcome
from gate.core.judging.reliability import Floor
from gate.core.pricing import PriceTable
from gate.core.records.takes_receipt import Correction
from gate.errors import Cancelled, ConfigError, ExitCode
from gate.ports import ChatModel
from gate.providers.retry import Patience, Retrying
from gate.suites.takes_quality import run_panel
from tests.core.judging.factories import take
from tests.suites.judges import (
    DOWN,
    LACKING,
    MODELS,
    SHIPPED,
    Scripted,
    Ticking,
    gives,
    judges,
    panel,
    plan,
    said,
)

GPT, OPUS, GEMINI = MODELS
LACKING_ERROR = "incomplete_scores: missing dim(s) [kind_classification, signal_density]"


def test_three_complete_replies_are_a_verdict() -> None:
    models = panel(gives(9, 7, 8, 7, 8), gives(7, 7, 7, 8, 7), gives(7, 7, 7, 7, 6))

    run = run_panel(plan(), judges(models))

    assert run.conclusion.result.message == (
        "PASS: every dim mean >=7 and min >=5 across 3/3 models. Overall 7.3/10."
    )
    assert run.account.cost == pytest.approx(3 * 0.55)
    assert (run.stopped, run.interrupted, run.corrections) == (None, None, ())


def test_every_judge_reads_the_same_prompt_with_schema_and_cap() -> None:
    models = panel(gives(8), gives(8), gives(8))

    run = run_panel(plan(), judges(models))

    (request,) = {json.dumps((each.prompt, each.system)) for m in models.values() for each in m.asked}
    assert json.loads(request) == [run.prompts[0].text, run.prompts[0].system]
    first = models[GPT].asked[0]
    assert (first.max_tokens, first.timeout) == (2000, 120)
    assert first.schema is not None


def test_all_judges_are_asked_at_the_same_time() -> None:
    together = threading.Barrier(6, timeout=10)

    def waits(_: ChatRequest) -> Outcome:
        together.wait()
        return gives(8)

    run = run_panel(plan(batches=2), judges(panel(waits, waits, waits)))

    assert run.conclusion.result.verdict == "pass"


def test_one_judge_that_is_down_does_not_end_the_panel() -> None:
    run = run_panel(plan(), judges(panel(gives(8), DOWN, gives(8))))

    assert run.conclusion.result.verdict == "pass"
    assert [(e.model_id, e.error) for e in run.conclusion.result.errors] == [
        (OPUS, "provider_error: HTTP 500: sorry")
    ]


def test_what_nobody_foresaw_is_an_error_of_one_slot_and_charged_its_bound() -> None:
    run = run_panel(plan(), judges(panel(gives(8), gives(8), KeyError("x"))))

    assert run.conclusion.result.errors[0].error == "allSettled_rejected: KeyError: 'x'"
    assert run.account.charged == 1


def test_a_malformed_reply_is_asked_for_once_more_and_a_valid_one_replaces_it() -> None:
    models = panel(gives(8), [LACKING, gives(9)], gives(8))

    run = run_panel(plan(), judges(models))

    assert run.corrections == (
        Correction(cycle=0, model_id=OPUS, first_error=LACKING_ERROR, corrected="valid"),
    )
    assert list(run.conclusion.result.scores["accuracy"].scores) == [8, 9, 8]
    first, second = models[OPUS].asked
    assert second.prompt.startswith(first.prompt)
    assert "missing dim(s) [kind_classification, signal_density]" in second.prompt
    assert run.account.cost == pytest.approx(4 * 0.55)


def test_a_second_malformed_reply_leaves_the_first_error_and_is_not_asked_for_again() -> None:
    models = panel(gives(8), [LACKING, said("sorry"), gives(9)], gives(8))

    run = run_panel(plan(), judges(models))

    assert run.corrections == (
        Correction(
            cycle=0,
            model_id=OPUS,
            first_error=LACKING_ERROR,
            corrected="invalid",
            corrected_error="parse_failed: there is no JSON object in the reply",
        ),
    )
    assert run.conclusion.result.errors[0].error == LACKING_ERROR
    assert len(models[OPUS].asked) == 2


def test_a_correction_that_gets_no_reply_is_told() -> None:
    run = run_panel(plan(), judges(panel(gives(8), [LACKING, DOWN], gives(8))))

    (correction,) = run.corrections
    assert (correction.corrected, correction.corrected_error) == (None, "provider_error: HTTP 500: sorry")
    assert correction.skipped_reason is UNSET


def test_providers_errors_and_low_scores_are_not_corrected() -> None:
    models = panel(gives(2), DOWN, gives(3))

    run = run_panel(plan(), judges(models))

    assert run.corrections == ()
    assert [len(model.asked) for model in models.values()] == [1, 1, 1]


def test_a_correction_the_budget_has_nothing_left_for_is_skipped_and_told() -> None:
    run = run_panel(plan(cap=6.5), judges(panel(*[[LACKING, gives(8)]] * 3)))

    assert [each.corrected for each in run.corrections] == ["valid", "valid", None]
    assert run.corrections[2].skipped_reason == "budget"
    assert run.conclusion.result.verdict == "pass"
    assert run.account.spent <= 6.5


def test_a_fail_is_tried_again_until_it_passes_or_the_cycles_are_used_up() -> None:
    tried = run_panel(plan(cycles=3), judges(panel([gives(5), gives(8)], gives(7), gives(7))))
    never = run_panel(plan(cycles=3), judges(panel(gives(6), gives(6), gives(6))))

    assert (len(tried.cycles), tried.conclusion.result.verdict) == (2, "pass")
    assert (len(never.cycles), never.conclusion.reason) == (3, "panel_fail")
    assert [cycle[0][0].scores["accuracy"] for cycle in tried.cycles] == [5, 8]


def test_a_pass_and_an_inconclusive_end_the_cycles_at_once() -> None:
    for judge in (gives(8), DOWN):
        assert len(run_panel(plan(cycles=3), judges(panel(judge, judge, judge))).cycles) == 1


def test_median_runs_every_cycle() -> None:
    models = panel(*[[gives(6), gives(9), gives(7)]] * 3)

    run = run_panel(plan(cycles=3, policy="median"), judges(models))

    assert len(run.cycles) == 3
    assert run.conclusion.result.scores["accuracy"].mean == 7


def test_a_budget_of_nothing_makes_no_call_and_says_so() -> None:
    models = panel(gives(8), gives(8), gives(8))

    run = run_panel(plan(cap=0), judges(models))

    assert all(model.asked == [] for model in models.values())
    assert run.conclusion.reason == "budget_exhausted"
    assert run.conclusion.result.message == (
        "INCONCLUSIVE: a budget of $0 allows no model call (0 of 1 cycle ran)."
    )
    assert run.account.cost == 0


def test_a_cycle_that_could_break_the_budget_does_not_start() -> None:
    models = panel(gives(6), gives(6), gives(6))

    first = run_panel(plan(cap=6), judges(models))
    second = run_panel(plan(cap=6.5, cycles=3), judges(models))

    assert first.cycles == ()
    assert "could cost $6." in first.conclusion.result.message
    assert len(second.cycles) == 1
    assert (second.conclusion.result.verdict, second.conclusion.reason) == ("fail", "panel_fail")
    assert second.stopped is not None


def test_a_model_without_a_price_is_refused_under_a_budget_before_any_call() -> None:
    models = panel(gives(8), gives(8), gives(8))

    with pytest.raises(ConfigError, match=r"no price is known for openai:gpt-5\.2, ") as caught:
        run_panel(plan(cap=5, prices=PriceTable([])), judges(models))

    assert "prices.json" in caught.value.remedy
    assert all(model.asked == [] for model in models.values())


def test_without_a_budget_an_unknown_cost_is_unknown() -> None:
    run = run_panel(plan(prices=PriceTable([])), judges(panel(gives(8), gives(8), gives(8))))

    assert run.unpriced == MODELS
    assert run.account.cost is None
    assert run.projected_usd is None


def test_a_lost_reply_and_one_without_usage_are_charged_their_bounds() -> None:
    lost = ModelFailure(kind="timeout", message="no reply", lost=True)
    silent = said(gives(8).text, usage=None)

    run = run_panel(plan(), judges(panel(gives(8), lost, silent)))

    assert run.account.charged == 2
    assert run.account.spent == pytest.approx(0.55 + 2 * 2, abs=0.2)


def test_every_try_is_paid_for_and_none_starts_that_the_budget_cannot_bear() -> None:
    lost = ModelFailure(kind="timeout", message="no reply", lost=True)
    models = panel(gives(8), lost, gives(8))
    stop = threading.Event()

    def patience(model: ChatModel) -> ChatModel:
        return Retrying(model, Patience(first_pause=0), Ticking(), lambda _: stop.is_set())

    run = run_panel(plan(cap=6.5), judges(models, patience=patience, stop=stop))

    assert len(models[OPUS].asked) < 4
    assert run.account.spent + run.account.reserved <= 6.5
    assert "not asked: it could cost $2." in run.conclusion.result.errors[0].error


def test_what_a_cassette_says_costs_nothing_and_is_counted() -> None:
    replayed = said(gives(8).text, replayed=True)

    run = run_panel(plan(), judges(panel(replayed, replayed, replayed)))

    assert run.replayed == 3
    assert run.account.cost == 0


def test_snapshots_and_what_a_model_did_not_take_are_told_once() -> None:
    answer = said(
        gives(8).text, model="gpt-5.2-2026-01-01", remarks=("temperature is not taken by this model",)
    )

    run = run_panel(plan(batches=2), judges(panel(answer, gives(8), gives(8))))

    assert run.snapshots == ((GPT, "gpt-5.2-2026-01-01"),)
    assert run.remarks == (f"{GPT}: temperature is not taken by this model",)


def test_batches_are_judged_apart_and_averaged() -> None:
    def by_batch(request: ChatRequest) -> Outcome:
        return gives(9) if '"row":1,' in request.prompt else gives(7)

    run = run_panel(plan(batches=2), judges(panel(by_batch, by_batch, by_batch)))

    (cycle,) = run.cycles
    assert [batch[0].scores["accuracy"] for batch in cycle] == [9, 7]
    assert list(run.conclusion.result.scores["accuracy"].scores) == [8, 8, 8]
    assert run.conclusion.agreement.dimensions["accuracy"].alpha == 1
    assert len(run.prompts) == 2


def test_a_correction_says_which_batch_it_belongs_to() -> None:
    def second_lacks(request: ChatRequest) -> Outcome:
        lacks = '"row":3,' in request.prompt and "# Correction" not in request.prompt
        return LACKING if lacks else gives(8)

    run = run_panel(plan(batches=2), judges(panel(gives(8), second_lacks, gives(8))))

    assert [(each.batch, each.corrected) for each in run.corrections] == [(1, "valid")]


def test_judges_who_disagree_beyond_the_floor_are_inconclusive() -> None:
    floor = Floor(range_at_most=3)

    run = run_panel(plan(floor=floor), judges(panel(gives(10), gives(5), gives(10))))

    assert run.conclusion.reason == "judge_unreliable"


def test_a_misnamed_or_retired_model_is_refused_before_any_call() -> None:
    for name in ("gpt-5.2", "google:gemini-1.5-pro"):
        with pytest.raises(ConfigError):
            run_panel(plan(models=(name,), roster=SHIPPED), judges({}))


def test_a_model_its_provider_does_not_know_ends_the_run_with_what_to_choose() -> None:
    unknown = ModelFailure(kind="unknown_model", message="HTTP 404: no such model")

    with pytest.raises(
        ConfigError, match=r"google:gemini-2\.0-flash: the provider knows no such model"
    ) as caught:
        run_panel(plan(), judges(panel(gives(8), gives(8), unknown)))

    assert "choose google:gemini-3.5-flash" in caught.value.remedy
    assert "; its other calls cost $" in caught.value.message
    with pytest.raises(ConfigError, match="what its other calls cost is unknown"):
        run_panel(plan(prices=PriceTable([])), judges(panel(gives(8), gives(8), unknown)))


def test_a_judge_that_never_ends_is_not_waited_for() -> None:
    released = threading.Event()

    def hangs(_: ChatRequest) -> Outcome:
        released.wait(30)
        return gives(8)

    run = run_panel(plan(), judges(panel(gives(8), hangs, gives(8)), call_seconds=0.2))
    released.set()

    assert run.conclusion.result.verdict == "pass"
    assert run.conclusion.result.errors[0].error == "provider_error: not waited for any longer"
    assert run.account.charged == 1


def test_the_deadline_of_the_run_ends_it_in_the_middle_of_a_cycle() -> None:
    released = threading.Event()

    def hangs(_: ChatRequest) -> Outcome:
        released.wait(30)
        return gives(8)

    run = run_panel(plan(deadline_seconds=0.2), judges(panel(gives(8), hangs, gives(8))))
    released.set()

    assert run.conclusion.reason == "deadline"
    assert run.cycles == ()
    assert len(run.unfinished) == 3


@dataclass
class Interrupting(Ticking):
    """A clock at whose n-th look by the main thread somebody presses Ctrl-C."""

    looks: int = 10**6

    def monotonic(self) -> float:
        if threading.current_thread() is threading.main_thread():
            self.looks -= 1
            if self.looks == 0:
                raise Cancelled(ExitCode.INTERRUPTED)
        return self.seconds


@pytest.mark.parametrize("looks", [1, 2, 5])
def test_a_cancelled_run_is_told_truthfully(looks: int) -> None:
    clock, stop = Interrupting(), threading.Event()

    def interrupts(_: ChatRequest) -> Outcome:
        clock.looks = looks
        stop.wait(5)
        return gives(8)

    models = panel([gives(6), interrupts], gives(6), gives(6))

    run = run_panel(plan(cycles=3), judges(models, clock=clock, stop=stop))

    assert run.interrupted == ExitCode.INTERRUPTED
    assert (run.conclusion.result.verdict, run.conclusion.reason) == ("inconclusive", "cancelled")
    assert len(run.cycles) == 1
    assert run.account.reserved == 0
    assert run.account.charged == 1
    assert stop.is_set()


def test_a_correction_that_was_cancelled_is_told_as_aborted() -> None:
    clock, stop = Interrupting(), threading.Event()

    def interrupts(_: ChatRequest) -> Outcome:
        clock.looks = 1
        stop.wait(5)
        return gives(8)

    run = run_panel(plan(), judges(panel(gives(8), [LACKING, interrupts], gives(8)), clock=clock, stop=stop))

    assert [each.skipped_reason for each in run.corrections] == ["aborted"]
    assert {slot.model for _, slot in run.unfinished} == set(MODELS)


def test_nothing_is_asked_after_the_run_is_over() -> None:
    stop, released = threading.Event(), threading.Event()
    lost = ModelFailure(kind="timeout", message="no reply", lost=True)
    first_try = threading.Event()

    def slow(_: ChatRequest) -> Outcome:
        first_try.set()
        released.wait(5)
        return lost

    script = Scripted([slow, gives(8)])
    done = threading.Event()

    class Told:
        def __init__(self, model: ChatModel) -> None:
            self._retrying = Retrying(model, Patience(first_pause=0), Ticking(), stop.wait)

        def complete(self, request: ChatRequest) -> Outcome:
            outcome = self._retrying.complete(request)
            if first_try.is_set():
                done.set()
            return outcome

    models = {GPT: Scripted([gives(8)]), OPUS: Scripted([gives(8)]), GEMINI: script}
    run = run_panel(plan(), judges(models, patience=Told, call_seconds=0.2, stop=stop))
    released.set()

    assert done.wait(5)
    assert len(script.asked) == 1
    assert run.account.charged == 1


def test_pages_are_shown_to_the_judges_when_there_are_any() -> None:
    from gate.core.judging.prompt import Evidence

    models = panel(gives(8), gives(8), gives(8))
    evidence = Evidence({("default", "people/ada-quill"): "Ada founded it."})

    run = run_panel(plan(batches=1, evidence=evidence), judges(models))

    assert "Ada founded it." in models[GPT].asked[0].prompt
    assert run.prompts[0].pages_missing == 0


def test_the_plan_is_over_the_takes_it_names() -> None:
    assert plan().batches == ((take(1), take(2)),)
