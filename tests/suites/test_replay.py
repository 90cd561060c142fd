"""Replaying captured queries: a row each, errored ones kept as errors, skipped ones counted."""

import json
from pathlib import Path

import pytest

from gate.core.records.row_decoder import decode_rows
from gate.core.records.system import Capabilities, Document, Flags, Query
from gate.core.replay.captures import read_captures
from gate.core.replay.stability import breaches
from gate.core.replay.thresholds import Thresholds
from gate.errors import Cancelled, ConfigError, ExitCode
from gate.process import SystemClock
from gate.suites.execute import Bounds
from gate.suites.replay import METRICS, Replayed, ReplayTask, replay
from gate.suites.retrieval import Setting
from tests.core.replay.captures import lines, row
from tests.fakes import Stages
from tests.scripted_system import MemoryRows, Reply, ScriptedSystem, failed, reply

BASELINE = Path(__file__).parents[3] / "shared" / "data" / "gbrain" / "v0.41-launch.baseline.ndjson"

SAME = reply(("people/a", 2.0), ("people/b", 1.0), latency_ms=20.0)


def task(*rows: dict[str, object], **overrides: object) -> ReplayTask:
    file = read_captures(lines(*(rows or (row(), row("other", id=8)))))
    return ReplayTask(file=file, mode="balanced", **overrides)  # type: ignore[arg-type]  # typed by the tests


def run(
    asked: ReplayTask, system: ScriptedSystem, bounds: Bounds | None = None
) -> tuple[Replayed, MemoryRows]:
    rows = MemoryRows()
    setting = Setting(clock=SystemClock(), progress=Stages(), bounds=bounds or Bounds())
    return replay(asked, system, rows, setting), rows


def test_each_capture_gets_a_row_that_says_how_far_it_moved() -> None:
    done, rows = run(
        task(), ScriptedSystem({"7": SAME, "8": reply(("people/b", 2.0), ("people/c", 1.0), latency_ms=50.0)})
    )
    assert rows.rows["7"] == {
        "question_id": "7",
        "question_type": "query",
        "cluster_id": rows.rows["7"]["cluster_id"],
        "content_hash": rows.rows["7"]["content_hash"],
        "jaccard": 1.0,
        "jaccard@k": 1.0,
        "top1_stability": 1.0,
        "over_2x_latency": 0.0,
        "latency_ms": 20.0,
        "latency_delta_ms": 0.0,
        "retrieved": ["people/a", "people/b"],
    }
    moved = rows.rows["8"]
    assert (moved["top1_stability"], moved["over_2x_latency"], moved["latency_delta_ms"]) == (0.0, 1.0, 30.0)
    assert moved["jaccard"] == pytest.approx(1 / 3)
    assert (done.summary.rows_replayed, done.summary.rows_over_2x_latency) == (2, 1)
    assert done.summary.latency_ratio == pytest.approx(35 / 20)


def test_no_question_is_written_unless_it_may_be_shown() -> None:
    _, rows = run(task(), ScriptedSystem())
    assert b"widget" not in b"".join(rows.lines)
    _, rows = run(task(show_text=True), ScriptedSystem())
    assert rows.rows["7"]["query"] == "who runs widget-co"


def test_the_rows_are_read_back_as_the_gate_reads_rows() -> None:
    _, rows = run(task(), ScriptedSystem({"7": SAME, "8": failed("timeout")}))
    table = decode_rows(iter(rows.lines), name="rows")
    assert table.ids == ("7", "8")
    assert set(METRICS) == set(table.metrics)
    assert table.errored.tolist() == [False, True]
    assert table.fingerprints["k"] == "captured"


def test_an_errored_query_is_an_error_and_counts_against_the_thresholds() -> None:
    done, rows = run(task(), ScriptedSystem({"7": SAME, "8": failed("crash")}))
    assert rows.rows["8"]["error"] == "crash: it broke"
    assert "jaccard" not in rows.rows["8"]
    assert (done.summary.mean_jaccard_at_k, done.summary.counted_mean_jaccard_at_k) == (1.0, 0.5)
    assert [each.metric for each in breaches(done.summary, Thresholds())] == [
        "mean_jaccard@k",
        "top1_stability_rate",
    ]


def test_a_blank_query_is_skipped_and_counted() -> None:
    system = ScriptedSystem()
    done, rows = run(task(row(" "), row(id=8)), system)
    assert [each.id for each in system.asked] == ["8"]
    assert (done.summary.rows_skipped, done.notes) == (1, ("1 captures skipped: empty query",))
    assert rows.objects[0]["questions"] == 1


def test_as_many_pages_are_asked_for_as_the_limits_say() -> None:
    system = ScriptedSystem()
    run(task(row(retrieved_slugs=[str(n) for n in range(30)]), row(id=8)), system)
    assert [each.k for each in system.asked] == [30, 20]
    system = ScriptedSystem()
    _, rows = run(task(compare_limit=3, limit=1), system)
    assert [each.k for each in system.asked] == [3]
    assert rows.stated[0]["fingerprints"]["k"] == "3"  # type: ignore[index]  # a mapping, as written


def test_both_tools_are_asked_alike_and_that_is_said() -> None:
    done, _ = run(task(row(), row(id=8, tool_name="search")), ScriptedSystem())
    assert done.notes[0].startswith("captures of `search` and of `query` are asked alike")


def test_a_system_with_its_own_documents_is_not_reset() -> None:
    system = ScriptedSystem()
    run(task(), system)
    assert system.calls == ["capabilities"]


def test_a_corpus_is_handed_over_first() -> None:
    system = ScriptedSystem()
    run(task(documents=(Document(id="people/a", text="a"),)), system)
    assert system.calls == ["capabilities", "reset", "ingest"]


def test_a_system_that_fails_before_the_first_query_has_failed_them_all() -> None:
    system = ScriptedSystem(down=failed("crash"))
    done, rows = run(task(documents=(Document(id="a", text="a"),)), system)
    assert done.shortfalls == {"suite_failed": 2}
    assert [each["error"] for each in rows.rows.values()] == ["crash: before the first query: it broke"] * 2
    assert breaches(done.summary, Thresholds())


def test_a_mode_that_the_system_has_not_is_a_wrong_configuration() -> None:
    with pytest.raises(ConfigError, match="has no mode 'balanced'"):
        run(task(), ScriptedSystem(said=Capabilities(name="other", modes=("hybrid",))))


def test_what_a_run_insists_on_and_did_not_get_is_counted() -> None:
    fell = reply(("people/a", 1.0), flags=Flags(reranked=False))
    done, rows = run(task(required=("reranker",)), ScriptedSystem({"7": fell, "8": fell}))
    assert done.shortfalls == {"reranker_fell_open": 2}
    assert rows.objects[-1]["shortfalls"] == {"reranker_fell_open": 2}


def test_at_the_deadline_what_was_not_asked_is_said() -> None:
    done, rows = run(task(), ScriptedSystem(), Bounds(deadline=0.0))
    assert done.shortfalls == {"deadline": 2}
    assert rows.rows == {}
    assert done.summary.mean_jaccard is None


def test_a_cancelled_replay_keeps_what_it_had() -> None:
    def stop(query: Query) -> Reply:
        if query.id == "8":
            raise Cancelled(ExitCode.INTERRUPTED)
        return SAME

    rows = MemoryRows()
    with pytest.raises(Cancelled):
        replay(task(), ScriptedSystem(stop), rows, Setting(clock=SystemClock(), progress=Stages()))
    assert list(rows.rows) == ["7"]
    assert decode_rows(rows.lines, name="rows").shortfalls == {"cancelled": 1}


def test_two_runs_write_the_same_bytes() -> None:
    replies = {"7": SAME, "8": reply(("people/c", 1.0))}
    first, second = run(task(), ScriptedSystem(replies))[1], run(task(), ScriptedSystem(replies))[1]
    assert first.lines == second.lines


def test_the_published_baseline_replayed_as_it_was_holds() -> None:
    if not BASELINE.exists():
        pytest.skip(f"no shared data at {BASELINE}")
    file = read_captures(BASELINE.read_bytes())
    known = {
        name: reply(*((slug, -n) for n, slug in enumerate(each.slugs)), latency_ms=each.latency_ms)
        for name, each in zip(file.names(), file.captures, strict=True)
    }
    done, rows = run(ReplayTask(file=file, mode="balanced"), ScriptedSystem(known))
    assert len(rows.rows) == 12
    assert breaches(done.summary, Thresholds()) == ()
    assert done.summary.latency_ratio == 1.0
    assert json.loads(rows.lines[0])["questions"] == 12


def test_a_page_that_was_never_handed_over_is_an_error_and_no_answer_that_moved() -> None:
    system = ScriptedSystem(replies=lambda _: reply(("people/x", 1.0)))
    done, rows = run(task(row(), documents=(Document(id="people/a", text="a"),)), system)
    assert done.summary.rows_errored == 1
    assert str(rows.rows["7"]["error"]).startswith("unknown_id: 1 of 1 hits")
    done, _ = run(task(row()), system)
    assert done.summary.rows_errored == 0  # its own documents are its own affair
