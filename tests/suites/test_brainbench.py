"""Every replayed turn becomes a row with what it got right, and nothing where there was nothing to get right."""

import math

from gate.core.brainbench.decision import Baselines, decide
from gate.core.brainbench.result import Result, baseline_of, read_result
from gate.core.records.row_decoder import decode_rows
from gate.suites.brainbench import METRICS, SCORES, write_rows
from tests.core.brainbench.results import RESULT, real, result, turn_object
from tests.scripted_system import MemoryRows


def written(found: Result) -> MemoryRows:
    rows = MemoryRows()
    write_rows(found, decide(found, Baselines()), rows)
    return rows


def test_the_real_result_becomes_a_row_a_turn_whose_means_are_the_cell_s_rates() -> None:
    table = decode_rows(iter(written(read_result(real(RESULT))).lines), name="rows")
    assert len(table) == 804
    assert set(table.metrics) == set(METRICS)
    assert table.applies_to == {name: int(table.metrics[name].present.sum()) for name in SCORES}
    fails = table.metrics["know_to_ask_failure_rate"]
    assert math.fsum(fails.values[fails.present]) == 0
    assert table.types is not None
    assert "codex/push" in table.types


def test_a_turn_says_what_it_got_right() -> None:
    turns = [
        turn_object(1, injected_slugs=[]),
        turn_object(2, gold={"should_retrieve": False}),
        turn_object(
            3,
            suite="push",
            injected_slugs=["a", "x"],
            gold={"should_retrieve": True, "gold_slugs": ["a", "b"]},
            cross_source_slugs=["x"],
        ),
        turn_object(4, suite="push", injected_slugs=[], gold={"should_retrieve": False}),
        turn_object(5, suite="continuity"),
        turn_object(6, gold=None),
    ]
    rows = list(written(result(turn_rows=turns)).rows.values())
    scores = [{name: row[name] for name in METRICS[:4] if name in row} for row in rows]
    assert scores == [
        {"know_to_ask_failure_rate": 1.0},
        {"false_fire_rate": 1.0},
        {"push_precision": 0.5, "push_recall": 0.5},
        {},
        {},
        {},
    ]
    assert rows[0]["question_id"] == "codex/know-to-ask/kta-001#1"
    assert rows[0]["cluster_id"] == "kta-001"
    assert [row["source_isolation_violations"] for row in rows] == [0, 0, 1, 0, 0, 0]
    assert "content_hash" not in rows[5]


def test_repeats_and_failed_fixtures_are_told() -> None:
    rows = MemoryRows()
    twice = result(
        turn_rows=[turn_object(), turn_object()], seed_failures=[{"fixture_id": "f", "error": "secret"}]
    )
    assert write_rows(twice, decide(twice, Baselines()), rows) == 1
    last = rows.objects[-1]
    assert (last["shortfalls"], rows.objects[0]["questions"]) == ({}, 1)
    assert last["notes"] == [
        "1 turns were there more than once: the first counts",
        "no baseline was named: nothing but leaks and floors was judged",
        "1 fixtures could not be set up: f",
    ]
    (held,) = decode_rows(iter(rows.lines), name="rows").objections
    assert (held.reason, "1 fixtures could not be set up" in held.message) == ("not_measured", True)
    assert b"secret" not in b"".join(rows.lines)


def test_a_run_that_holds_says_nothing_against_itself() -> None:
    found = read_result(real(RESULT))
    same = baseline_of(found)
    rows = MemoryRows()
    write_rows(found, decide(found, Baselines(asked=True, base=same, committed=same)), rows)
    assert "question_id" in rows.objects[-1]
