import json
from typing import Any

import pytest

from gate.core.longmemeval.summary import failed_ids, summarise
from gate.core.records.run_info import run_info
from tests.core.longmemeval.factories import run


def row(name: str, **members: object) -> bytes:
    return json.dumps({"question_id": name, **members}).encode()


def hit(name: str, found: str, kind: str | None = "a", **members: object) -> bytes:
    """A row that found all, any or none of its gold sessions."""
    hits = {"recall_all_hit": found == "all", "recall_any_hit": found != "none"}
    return row(name, question_type=kind, **hits, **members)


def line(*rows: bytes, **of: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(summarise(run(*(f"q{n}" for n in range(len(rows))), **of), rows).line())
    return read


def test_recall_by_type_is_sorted_and_has_both_rates() -> None:
    found = line(hit("q0", "any", "b"), hit("q1", "all"), hit("q2", "none"))
    assert list(found["recall_by_type"]) == ["a", "b"]
    assert found["recall_by_type"]["a"] == {
        "total": 2, "all_hit": 1, "all_rate": 0.5, "any_hit": 1, "any_rate": 0.5,
    }  # fmt: skip
    assert found["aggregate"] == {
        "total": 3, "all_hit": 1, "all_rate": pytest.approx(1 / 3), "any_hit": 2, "any_rate": pytest.approx(2 / 3),
    }  # fmt: skip


def test_abstentions_errors_and_questions_without_gold_stay_outside_every_recall_denominator() -> None:
    found = line(
        hit("q0", "all", abstention=True),
        row("q1", error="timeout: none"),
        row("q2", question_type="a"),
        hit("q3", "all", None),
    )
    assert found["aggregate"]["total"] == 1
    assert list(found["recall_by_type"]) == ["unknown"]
    assert found["excluded_abstention"] == 1
    assert found["run_config"]["errors"] == 1
    assert found["legacy_rows"] == 0


def test_a_rate_over_nothing_is_null() -> None:
    assert line(row("q0", error="crash: gone"))["aggregate"]["all_rate"] is None
    assert line(row("q0", error="crash: gone"))["mean_distinct_sessions"] is None


def test_what_is_counted_over_all_rows() -> None:
    found = line(
        row("q0", distinct_sessions_in_top_k=2, gold_missing_from_haystack=["g", "h"], slug_collision=1),
        row("q1", distinct_sessions_in_top_k=5, search_meta={"degraded": ["vector_degraded"]}),
        row("q2", error="slug_collision: x", slug_collision=2),
    )
    assert found["mean_distinct_sessions"] == 3.5
    assert (found["gold_missing_from_haystack"], found["slug_collisions"]) == (2, 3)
    config = found["run_config"]
    assert (config["vector_degraded_rows"], config["reranker_skipped_rows"]) == (1, 0)


def test_a_run_that_has_asked_everything_is_complete() -> None:
    assert line(row("q0"))["complete"]
    partial = json.loads(summarise(run("q0", "q1"), [row("q0")]).line())
    assert (partial["complete"], partial["questions_run"], partial["questions_left"]) == (False, 1, 1)


def test_the_summary_states_what_makes_runs_comparable() -> None:
    prints = {"embedder": "e@3", "reader_model": "m", "reader_config_hash": "h"}
    stated = run_info(line(row("q0"), fingerprints=prints, limit=7)).fingerprints
    assert stated == {
        "dataset_sha256": "d" * 64, "k": "5", "retrieval_config_hash": "e" * 64, "reader_config_hash": "h",
        "reader_model": "m", "embedder": "e@3", "mode": "balanced",
    }  # fmt: skip
    assert line(row("q0"), limit=7)["run_config"]["limit"] == 7
    assert line(row("q0"))["run_config"]["embedder"] == "none"


def test_failed_questions_are_those_whose_row_is_an_error() -> None:
    assert failed_ids([row("q0"), row("q1", error="timeout: x")]) == {"q1"}


def test_answers_are_summed_up_only_where_something_judges_them() -> None:
    assert "qa_accuracy" not in line(hit("q0", "all"))
    found = line(
        hit("q0", "all", judge_correct=True),
        hit("q1", "none", judge_correct=False, abstention=True),
        hit("q2", "all", judge_correct=True, judge_error="timeout"),
        row("q3", error="crash: gone", judge_correct=True),
    )
    assert found["qa_accuracy"] == {
        "total_questions": 4, "judged": 2, "correct": 1, "judge_errors": 1, "accuracy": 0.25,
        "accuracy_headline": 0.25, "accuracy_excluding_errors": 0.5, "complete": False,
    }  # fmt: skip


def test_without_a_single_judgement_the_rate_over_the_judged_is_null() -> None:
    found = line(hit("q0", "all", judge_error="timeout"))
    assert (found["qa_accuracy"]["accuracy"], found["qa_accuracy"]["accuracy_excluding_errors"]) == (0, None)
