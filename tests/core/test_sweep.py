"""A sweep knows what it will run and what that may cost before anything is run."""

import math

import pytest

from gate.core.sweep import Caps, Estimate, SweepRun, estimate, fix_of, over_caps, sweep_runs

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
