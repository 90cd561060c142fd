"""A sweep knows what it will run and what that may cost before anything is run."""

import math

import pytest

from gate.core.plan import FileRef, Plan, PlannedSuite, PlannedSystem, SuiteInputs
from gate.core.records.panel_terms import PanelTerms, TakesAsked, TakesInputs
from gate.core.records.suite_inputs import BrainbenchInputs, LongMemEvalInputs, ReplayInputs
from gate.core.sweep import (
    Caps,
    Estimate,
    SweepRun,
    estimate,
    families,
    fix_of,
    guessed,
    over_caps,
    planned_cost,
    sweep_runs,
)

MODES = ("conservative", "balanced", "tokenmax")


def test_every_suite_runs_in_every_mode_and_one_without_modes_runs_once() -> None:
    assert sweep_runs(("brainbench", "replay"), ("balanced", "tokenmax", "balanced")) == (
        SweepRun("replay", "balanced"),
        SweepRun("replay", "tokenmax"),
        SweepRun("brainbench", "n/a"),
    )


def test_a_suite_that_runs_once_costs_once() -> None:
    cost = estimate(sweep_runs(("brainbench",), MODES), limit=None, answers=True)
    assert cost.per_suite == {"brainbench:n/a": pytest.approx(0.005)}
    assert cost.answer_usd == 0


def test_the_contract_s_figures_are_reached_for_the_modes() -> None:
    cost = estimate(sweep_runs(("longmemeval",), MODES), limit=None, answers=True)
    assert cost.retrieval_usd == pytest.approx(0.515)  # 3 x 500 x 0.00001, and 500 x 0.001 for tokenmax
    assert cost.answer_usd == pytest.approx(22.5)  # 3 x 500 x 0.015
    assert cost.total_usd == pytest.approx(sum(cost.per_suite.values()))
    assert estimate(sweep_runs(("longmemeval",), MODES), limit=None, answers=False).answer_usd == 0


def test_a_limit_is_what_is_counted() -> None:
    runs = sweep_runs(("longmemeval",), ("balanced",))
    assert estimate(runs, limit=10, answers=True).answer_usd == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("retrieval", "answers", "named"),
    [(5, 20, []), (5.1, 20, ["retrieval"]), (5, 20.1, ["answers"]), (math.nan, 21, ["retrieval", "answers"])],
)
def test_what_is_not_certainly_within_its_cap_is_over_it(
    retrieval: float, answers: float, named: list[str]
) -> None:
    cost = Estimate(retrieval_usd=retrieval, answer_usd=answers, per_suite={})
    assert [each.split()[0] for each in over_caps(cost, Caps())] == named


def test_every_suite_has_a_command_that_wires_it() -> None:
    (command,) = fix_of(("longmemeval",))
    assert command == "gate run-all --suites longmemeval --dataset <dataset.json>"


def suite(name: str, inputs: SuiteInputs | None = None, anchored: str | None = None) -> PlannedSuite:
    return PlannedSuite(suite="any", name=name, inputs=inputs, anchored=anchored)


def longmemeval(mode: str = "balanced", **more: object) -> LongMemEvalInputs:
    return LongMemEvalInputs(dataset=FILE, k=5, mode=mode, **more)  # type: ignore[arg-type]  # keywords


def plan(*suites: PlannedSuite, kind: str = "http") -> Plan:
    return Plan(suites=suites, system=PlannedSystem(kind=kind))  # type: ignore[arg-type]  # a literal


FILE = FileRef(path="file", sha256="0" * 64, bytes=1)


def test_a_plan_costs_what_its_suites_ask_and_limits_and_answers_count() -> None:
    cost = planned_cost(
        plan(
            suite("m", longmemeval(limit=10, reader="on")),
            suite("m-tokenmax", longmemeval("tokenmax")),
            suite("b", BrainbenchInputs()),
        )
    )
    assert cost.per_suite == {
        "m": pytest.approx(10 * 0.00001 + 10 * 0.015),
        "m-tokenmax": pytest.approx(500 * 0.00001 + 500 * 0.001),
        "b": pytest.approx(0.005),
    }
    assert cost.answer_usd == pytest.approx(0.15)


def test_how_many_questions_there_are_is_guessed_where_no_limit_says_it() -> None:
    suites = (
        suite("m", longmemeval(limit=10)),
        suite("m-tokenmax", longmemeval("tokenmax")),
        suite("brought"),
    )
    assert guessed(plan(*suites)) == {"m-tokenmax"}
    assert guessed(plan(*suites, kind="reference")) == frozenset()


def test_what_asks_nobody_who_is_paid_costs_nothing() -> None:
    free = (
        suite("brought"),
        suite("old", longmemeval(), anchored="m"),
        suite("panel", TakesInputs(takes=TakesAsked(), panel=PanelTerms(models=("a:b",)))),
        suite("read", BrainbenchInputs(result=FILE)),
    )
    assert planned_cost(plan(*free)).per_suite == {}
    assert planned_cost(plan(suite("m", longmemeval()), kind="reference")).total_usd == 0


def test_a_suite_has_one_name_in_all_its_modes_and_is_taken_for_no_other() -> None:
    replay = ReplayInputs(against=FILE, mode="balanced")
    found = families(
        plan(
            suite("m", longmemeval()),
            suite("m-tokenmax", longmemeval("tokenmax")),
            suite("docs", replay),
            suite("docs-balanced", replay),
            suite("brought"),
        )
    )
    assert found == {
        "m": "m",
        "m-tokenmax": "m",
        "docs": "docs",
        "docs-balanced": "docs-balanced",
        "brought": "brought",
    }


def test_a_suite_that_is_itself_named_like_a_mode_has_all_its_modes_in_one_place() -> None:
    found = families(
        plan(
            suite("m-balanced", longmemeval()),
            suite("m-balanced-conservative", longmemeval("conservative")),
            suite("m-balanced-tokenmax", longmemeval("tokenmax")),
        )
    )
    assert set(found.values()) == {"m-balanced"}


def test_rows_that_were_brought_belong_to_the_suite_they_are_named_after_where_they_say_their_mode() -> None:
    planned = plan(suite("qa-balanced"), suite("qa-tokenmax"), suite("qa-deep"))
    found = families(planned, {"qa-balanced": "balanced", "qa-tokenmax": "tokenmax"})
    assert found == {"qa-balanced": "qa", "qa-tokenmax": "qa", "qa-deep": "qa-deep"}
