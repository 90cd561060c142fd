import json

from gate.core.longmemeval.record import facts_of
from gate.core.longmemeval.summary import summarise
from gate.core.plan import FileRef
from gate.core.records.new_record import record_line
from gate.core.records.run_records import Occasion, run_record
from tests.core.longmemeval.factories import run
from tests.fakes import NOON

ROWS = FileRef(path="out/rows.ndjson", sha256="f" * 64, bytes=9)


def recorded(error: str | None = None) -> dict[str, object]:
    summary = summarise(run("q1", limit=1), [b'{"question_id":"q1","recall_all_hit":true}'])
    occasion = Occasion(commit="c" * 40, seed=42, started=NOON, duration_ms=7, dataset_commit="a" * 40)
    digests = {"questions_sha256": "1" * 64, "answer_key_sha256": "2" * 64}
    facts = facts_of(summary, ROWS, occasion, error=error, digests=digests, knobs={"limit": 25})
    read: dict[str, object] = json.loads(record_line(run_record(facts)))
    return read


def test_a_record_has_the_run_config_the_seed_and_the_rows_with_their_digest() -> None:
    found = recorded()
    assert (found["suite"], found["mode"], found["seed"], found["limit"]) == (
        "longmemeval",
        "balanced",
        42,
        1,
    )
    assert (found["status"], found["duration_ms"]) == ("completed", 7)
    params = found["params"]
    assert isinstance(params, dict)
    assert (params["output"], params["output_sha256"]) == ("out/rows.ndjson", "f" * 64)
    assert (params["topK"], params["dataset_sha256"], params["questions_run"]) == (5, "d" * 64, 1)
    assert (params["questions_sha256"], params["answer_key_sha256"]) == ("1" * 64, "2" * 64)
    assert (params["knobs"], params["dataset_commit"]) == ({"limit": 25}, "a" * 40)
    assert params["aggregate"] == {"total": 1, "all_hit": 1, "all_rate": 1, "any_hit": 0, "any_rate": 0}
    assert str(found["run_id"]).startswith("ccccccccc-longmemeval-balanced-")


def test_a_run_that_is_not_what_was_asked_for_is_recorded_as_failed() -> None:
    assert recorded("deadline: 3 left")["status"] == "failed"
    assert recorded("deadline: 3 left")["error"] == "deadline: 3 left"


def test_what_was_measured_stands_among_the_metrics_and_what_was_not_does_not() -> None:
    assert recorded()["metrics"] == {"recall_all@k": 1, "recall_any@k": 0}
    judged = summarise(run("q1"), [b'{"question_id":"q1","judge_correct":true}'])
    occasion = Occasion(commit=None, seed=42, started=NOON, duration_ms=7)
    facts = facts_of(judged, ROWS, occasion, error=None, digests={}, knobs={})
    line = json.loads(record_line(run_record(facts)))
    assert line["metrics"] == {"qa_accuracy": 1}
    assert line["params"]["qa_accuracy"]["accuracy_headline"] == 1
