"""A run against the base's baseline: the contract's rules, one by one, and on the real files."""

from msgspec.structs import replace

from gate.core.brainbench.comparison import first_landing, judge
from gate.core.brainbench.result import baseline_of, read_baseline, read_result
from tests.core.brainbench.results import BASELINE, RESULT, baseline, pushed, real

OTHER_FIXTURES = {"fixtures_hash": "b" * 64}
BASE = baseline(justification="as it was")


def test_the_real_run_holds_against_the_real_baseline() -> None:
    base = read_baseline(real(BASELINE))
    seen = judge(base, baseline_of(read_result(real(RESULT))), committed=base)
    assert (seen.verdict, seen.mode, seen.breaches, seen.notes) == ("pass", "same-hash", (), ())


def test_one_more_missed_page_of_the_real_baseline_is_a_regression() -> None:
    base = read_baseline(real(BASELINE))
    counts = dict(base.counts)
    counts["openclaw/push"] = replace(counts["openclaw/push"], gold_failed=10)
    seen = judge(base, replace(base, counts=counts))
    assert seen.verdict == "regression"
    assert [(each.cell, each.metric, each.detail) for each in seen.breaches] == [
        ("openclaw/push", "gold_failed", "1 more pieces of gold missed")
    ]


def test_better_is_no_breach() -> None:
    seen = judge(BASE, baseline(**pushed(failed=2)))
    assert (seen.verdict, seen.breaches) == ("pass", ())


def test_worse_is_a_regression_named_by_count_and_metric() -> None:
    seen = judge(BASE, baseline(**pushed(failed=6)))
    assert seen.verdict == "regression"
    assert [(each.metric, each.baseline, each.current) for each in seen.breaches] == [
        ("gold_failed", 5, 6),
        ("push_recall", 0.5, 0.4),
    ]


def test_a_metric_for_which_less_is_better_may_not_rise() -> None:
    base = baseline(**pushed(false_fire_rate=0.01))
    assert judge(base, baseline(**pushed(false_fire_rate=0.0101))).verdict == "regression"
    assert judge(base, baseline(**pushed(false_fire_rate=0))).verdict == "pass"


def test_what_is_not_gated_may_move() -> None:
    base = baseline(**pushed(avg_injected_tokens=10))
    assert judge(base, baseline(**pushed(avg_injected_tokens=99))).breaches == ()


def test_a_leak_is_a_regression_and_no_reason_makes_it_one_less() -> None:
    leaking = pushed(source_isolation_violations=1)
    base = baseline(**leaking)  # even where the base leaks already
    committed = baseline(**leaking, justification="we know")
    seen = judge(base, baseline(**leaking), committed=committed, allowed="we know")
    assert seen.verdict == "regression"
    assert seen.notes == ("a leak into another source is never justified",)


def test_other_settings_are_inconclusive_even_with_a_leak() -> None:
    settings = {"include_holdout": True, "llm": False, "harnesses": ["codex"], "suites": ["push"]}
    seen = judge(BASE, baseline(**pushed(source_isolation_violations=1), config=settings))
    assert seen.verdict == "inconclusive"
    assert [each.metric for each in seen.breaches] == ["source_isolation_violations"]


def test_a_missing_cell_is_a_breach_and_a_new_one_is_told() -> None:
    cells = {"codex/continuity": {"continuity_rate": 1}}
    seen = judge(
        BASE, baseline(cells=cells, counts={"codex/continuity": {"gold_total": 1, "gold_failed": 0}})
    )
    assert seen.verdict == "regression"
    assert [(each.cell, each.current, each.detail) for each in seen.breaches] == [
        ("codex/push", None, "the cell is missing")
    ]
    assert seen.notes == ("codex/continuity: new, there is nothing to compare it with",)


def test_a_metric_that_is_gone_is_told() -> None:
    cells = {"codex/push": {"push_recall": 0.5}}
    seen = judge(BASE, baseline(cells=cells))
    assert (seen.verdict, seen.notes) == ("pass", ("codex/push: no longer measured: push_precision",))


def test_the_same_fixtures_hold_the_same_gold() -> None:
    more = judge(BASE, baseline(**pushed(failed=5, total=11)))
    assert [each.detail for each in more.breaches] == ["the same fixtures gave another amount of gold"]
    fewer = judge(BASE, baseline(**pushed(failed=4, total=9)))
    assert [each.metric for each in fewer.breaches] == ["gold_total"]


def test_a_reason_on_the_command_line_lets_a_regression_pass_and_is_kept() -> None:
    seen = judge(BASE, baseline(**pushed(failed=6)), allowed=" slower index ")
    assert (seen.verdict, seen.notes) == ("pass", ("allowed: slower index",))
    assert seen.breaches
    assert judge(BASE, baseline(**pushed(failed=6)), allowed=" ").verdict == "regression"


def test_the_base_s_own_justification_answers_for_nothing_new() -> None:
    assert judge(BASE, baseline(**pushed(failed=6)), committed=BASE).verdict == "regression"


def test_a_changed_baseline_must_be_this_run() -> None:
    committed = baseline(**pushed(failed=7), justification="new index")
    seen = judge(BASE, baseline(**pushed(failed=6)), committed=committed)
    assert (seen.verdict, seen.notes) == (
        "inconclusive",
        ("the committed baseline is not what this run measured",),
    )


def test_a_changed_baseline_that_is_this_run_answers_with_its_justification() -> None:
    run = baseline(**pushed(failed=6))
    seen = judge(BASE, run, committed=baseline(**pushed(failed=6), justification="new index"))
    assert (seen.verdict, seen.notes) == ("pass", ("justified by the committed baseline: new index",))
    assert judge(BASE, run, committed=run).verdict == "regression"


def test_other_fixtures_need_a_committed_baseline_that_is_this_run() -> None:
    run = baseline(**pushed(failed=5, total=12), **OTHER_FIXTURES)
    alone = judge(BASE, run)
    assert (alone.verdict, alone.mode) == ("inconclusive", "corpus-bless")
    assert alone.notes == ("other fixtures, and no committed baseline speaks for them",)
    assert judge(BASE, run, committed=BASE).verdict == "inconclusive"
    assert judge(BASE, run, committed=run).verdict == "pass"


def test_other_fixtures_may_miss_more_but_not_hold_less() -> None:
    run = baseline(**pushed(failed=6, total=12), **OTHER_FIXTURES)
    assert judge(BASE, run, committed=run).verdict == "pass"
    less = baseline(**pushed(failed=1, total=4), **OTHER_FIXTURES)
    seen = judge(BASE, less, committed=less)
    assert (seen.verdict, [each.detail for each in seen.breaches]) == (
        "regression",
        ["the fixtures hold less gold"],
    )
    blessed = replace(less, justification="cut on purpose")
    assert judge(BASE, less, committed=blessed).verdict == "pass"


def test_the_first_baseline_must_be_this_run_and_must_not_leak() -> None:
    run = baseline()
    assert first_landing(run, BASE).verdict == "pass"
    assert first_landing(baseline(**pushed(failed=4)), BASE).verdict == "inconclusive"
    leaking = baseline(**pushed(source_isolation_violations=2))
    assert first_landing(leaking, leaking).verdict == "regression"
