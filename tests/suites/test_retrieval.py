from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from gate.core.metrics import metric_names
from gate.core.records.qrels import JudgedQuery
from gate.core.records.row_decoder import decode_rows
from gate.core.records.system import Capabilities, Document, Flags, Hit, Query, SearchReply, Usage
from gate.errors import Cancelled, ConfigError, EvidenceError, ExitCode
from gate.process import SystemClock
from gate.suites.execute import Bounds
from gate.suites.guards import Feature
from gate.suites.retrieval import Measured, Setting, Task, measure
from gate.systems.reference import ReferenceSystem
from tests.fakes import Stages
from tests.scripted_system import MemoryRows, ScriptedSystem, failed, reply

PAGES = tuple(Document(id=name, text=f"page {name}") for name in ("a", "b", "c", "d"))


def query(
    name: str, grades: dict[str, int] | None = None, kind: str | None = None, top1: str | None = None
) -> JudgedQuery:
    return JudgedQuery(
        id=name, text=f"private words of {name}", grades=grades or {"a": 1}, type=kind, expected_top1=top1
    )


def task(
    *queries: JudgedQuery,
    cuts: tuple[int, ...] = (1, 3),
    required: tuple[Feature, ...] = (),
    show_text: bool = False,
    documents: tuple[Document, ...] = PAGES,
) -> Task:
    return Task(
        documents=documents,
        queries=queries or (query("q1"), query("q2")),
        cuts=cuts,
        mode="balanced",
        required=required,
        fingerprints={"corpus_sha256": "c" * 64},
        show_text=show_text,
    )


@dataclass
class Ran:
    """A run and what it wrote."""

    measured: Measured
    rows: MemoryRows


def run(
    asked: Task, system: ScriptedSystem | ReferenceSystem, bounds: Bounds | None = None, width: int = 1
) -> Ran:
    rows = MemoryRows()
    setting = Setting(clock=SystemClock(), progress=Stages(), width=width, bounds=bounds or Bounds())
    return Ran(measure(asked, system, rows, setting), rows)


def test_each_query_gets_a_row_with_every_metric_its_gold_rank_and_ids_alone() -> None:
    asked = task(query("q1", {"b": 1, "c": 2}, kind="who"))

    ran = run(asked, ScriptedSystem({"q1": reply(("a", 3.0), ("b", 2.0), ("d", 1.0))}))

    (row,) = ran.rows.rows.values()
    assert {name: row[name] for name in ("precision@3", "recall@3", "hit@1", "mrr", "map")} == {
        "precision@3": pytest.approx(1 / 3),
        "recall@3": 0.5,
        "hit@1": 0.0,
        "mrr": 0.5,
        "map": 0.25,
    }
    assert set(metric_names((1, 3))) < row.keys()
    assert (row["question_type"], row["gold_rank"], row["retrieved"]) == ("who", 2, ["a", "b", "d"])
    assert row["latency_ms"] == 5.0
    assert row["content_hash"] == asked.queries[0].content_hash()
    assert "private" not in b"".join(ran.rows.lines).decode()


def test_text_is_written_only_where_it_may_be_shown() -> None:
    ran = run(
        task(query("q1"), show_text=True), ScriptedSystem({"q1": failed("refused", detail="own words")})
    )
    assert ran.rows.rows["q1"]["query"] == "private words of q1"
    assert ran.rows.rows["q1"]["error"] == "refused: it broke: own words"


def test_the_systems_own_words_stay_out_of_rows() -> None:
    ran = run(task(query("q1")), ScriptedSystem({"q1": failed("refused", detail="private words of q1")}))
    assert ran.rows.rows["q1"]["error"] == "refused: it broke"


def test_the_first_line_states_what_the_rows_were_made_with() -> None:
    said = Capabilities(name="mine", version="7", fingerprints={"embedder": "e5"})

    ran = run(task(cuts=(1, 2)), ScriptedSystem(said=said))

    assert ran.rows.objects[0] == {
        "kind": "run_info",
        "metrics": [*metric_names((1, 2)), "latency_ms", "cost_usd", "delivered_tokens"],
        "fingerprints": {
            "corpus_sha256": "c" * 64,
            "embedder": "e5",
            "k": "2",
            "mode": "balanced",
            "system": "mine",
            "system_version": "7",
        },
        "units": {"cost_usd": "usd", "delivered_tokens": "tokens", "latency_ms": "ms"},
        "questions": 2,
        "notes": [],
    }


def test_the_rows_are_read_back_as_the_gate_reads_rows() -> None:
    ran = run(task(), ScriptedSystem({"q1": reply(("a", 1.0)), "q2": failed("timeout")}))

    table = decode_rows(ran.rows.lines, name="rows")

    assert table.ids == ("q1", "q2")
    assert table.errored.tolist() == [False, True]
    assert table.metrics["hit@1"].present.tolist() == [True, False]
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [1, -1]
    assert table.fingerprints["system"] == "scripted"


def test_the_corpus_is_handed_over_once_to_an_emptied_system() -> None:
    system = ScriptedSystem()
    run(task(), system)
    assert system.calls == ["capabilities", "reset", "ingest"]
    assert tuple(system.documents) == PAGES
    assert system.asked[0] == Query(id="q1", text="private words of q1", k=3, mode="balanced")


def test_a_failed_query_is_an_errored_row_and_never_a_zero() -> None:
    ran = run(task(), ScriptedSystem({"q1": reply(("a", 1.0)), "q2": failed("garbage")}))

    assert ran.rows.rows["q2"] == {
        "question_id": "q2",
        "content_hash": query("q2").content_hash(),
        "error": "garbage: it broke",
    }
    assert (ran.measured.errored, ran.measured.means()["hit@1"]) == (1, 1.0)


def test_a_query_that_finds_nothing_is_measured_as_zero() -> None:
    ran = run(task(query("q1")), ScriptedSystem({"q1": reply()}))
    row = ran.rows.rows["q1"]
    assert (row["hit@1"], row["gold_rank"], row["retrieved"]) == (0.0, 0, [])


def test_a_document_that_was_never_handed_over_makes_the_row_an_error() -> None:
    ran = run(task(query("q1")), ScriptedSystem({"q1": reply(("a", 2.0), ("stranger", 1.0))}))
    assert ran.rows.rows["q1"]["error"] == (
        "unknown_id: 1 of 2 hits name documents that are not in the corpus"
    )


def test_several_chunks_of_a_page_are_one_page() -> None:
    found = SearchReply(
        hits=(
            Hit(doc_id="b", score=1.0, rank=3, chunk_id="b#1"),
            Hit(doc_id="b", score=9.0, rank=1, chunk_id="b#0"),
            Hit(doc_id="a", score=2.0, rank=2),
        )
    )
    ran = run(task(query("q1", {"a": 1, "b": 1})), ScriptedSystem({"q1": found}))
    row = ran.rows.rows["q1"]
    assert (row["retrieved"], row["precision@3"], row["recall@3"]) == (["b", "a"], pytest.approx(2 / 3), 1.0)


def test_the_default_source_goes_without_saying_in_hits_too() -> None:
    ran = run(task(query("q1")), ScriptedSystem({"q1": reply(("default::a", 1.0))}))
    assert ran.rows.rows["q1"]["hit@1"] == 1.0


def test_hits_are_ordered_by_score_whatever_their_ranks_say_and_it_is_noted() -> None:
    system = ScriptedSystem({"q1": reply(("b", 1.0), ("a", 2.0)), "q2": reply(("a", 2.0), ("b", 1.0))})

    ran = run(task(), system)

    assert ran.rows.rows["q1"]["retrieved"] == ["a", "b"]
    assert ran.measured.notes == ("1 replies whose ranks contradict their scores: ordered by score",)
    assert ran.rows.stated[-1]["notes"] == list(ran.measured.notes)


def test_more_hits_than_were_asked_for_are_cut_and_it_is_noted() -> None:
    found = reply(("d", 4.0), ("c", 3.0), ("b", 2.0), ("a", 1.0))
    ran = run(task(query("q1")), ScriptedSystem({"q1": found}))
    assert ran.rows.rows["q1"]["retrieved"] == ["d", "c", "b"]
    assert ran.rows.rows["q1"]["mrr"] == 0.0
    assert "1 replies with more than 3 hits: cut" in ran.measured.notes


def test_costs_and_tokens_are_kept_where_the_system_knows_them() -> None:
    told = replace(reply(("a", 1.0)), usage=Usage(cost_usd=0.002), delivered_tokens=120)
    ran = run(task(), ScriptedSystem({"q1": told, "q2": reply(("a", 1.0))}))
    assert (ran.rows.rows["q1"]["cost_usd"], ran.rows.rows["q1"]["delivered_tokens"]) == (0.002, 120)
    assert "cost_usd" not in ran.rows.rows["q2"]


def test_a_time_the_system_does_not_tell_is_measured_from_outside() -> None:
    ran = run(task(query("q1")), ScriptedSystem({"q1": reply(("a", 1.0), latency_ms=None)}))
    measured = ran.rows.rows["q1"]["latency_ms"]
    assert isinstance(measured, float)
    assert measured >= 0


def test_an_expected_first_place_is_a_metric_of_the_queries_that_expect_one() -> None:
    queries = (query("q1", top1="a"), query("q2", {"a": 1, "b": 1}, top1="a"), query("q3"))
    system = ScriptedSystem(
        {name: reply(("b", 2.0), ("a", 1.0)) for name in ("q2", "q3")} | {"q1": reply(("a", 1.0))}
    )

    ran = run(task(*queries), system)

    assert [ran.rows.rows[name].get("expected_top1_hit") for name in ("q1", "q2", "q3")] == [1.0, 0.0, None]
    assert ran.measured.means()["expected_top1_hit"] == 0.5


@pytest.mark.parametrize("feature", ["reranker", "vector", "expansion"])
def test_replies_without_what_was_required_are_counted_under_their_reason(feature: Feature) -> None:
    reason = {"reranker": "reranker_fell_open", "vector": "vector_degraded", "expansion": "expansion_failed"}[
        feature
    ]
    full = Flags(vector_enabled=True, reranked=True, expansion_applied=True)
    system = ScriptedSystem({"q1": reply(("a", 1.0), flags=full), "q2": reply(("a", 1.0))})

    ran = run(task(required=(feature,)), system)

    assert ran.measured.shortfalls == {reason: 1}
    assert ran.rows.stated[-1]["shortfalls"] == {reason: 1}


def test_a_run_without_shortfalls_and_oddities_ends_with_its_last_row() -> None:
    ran = run(task(), ScriptedSystem())
    assert "question_id" in ran.rows.objects[-1]


def test_a_system_that_fails_before_the_first_query_has_failed_them_all() -> None:
    ran = run(task(), ScriptedSystem(down=failed("crash", "it ended with code 1")))

    assert [row["error"] for row in ran.rows.rows.values()] == [
        "crash: before the first query: it ended with code 1"
    ] * 2
    assert ran.measured.shortfalls == {"suite_failed": 2}
    assert ran.rows.stated[-1]["shortfalls"] == {"suite_failed": 2}
    assert ran.rows.stated[-1]["notes"] == ["before the first query: it ended with code 1"]
    assert ran.measured.errored == 2
    assert "system" in ran.rows.objects[0]["fingerprints"]  # type: ignore[operator]  # an object


def test_a_system_that_does_not_even_say_what_it_is_has_failed_likewise() -> None:
    class Mute(ScriptedSystem):
        def capabilities(self) -> Capabilities:
            raise failed("timeout")

    ran = run(task(), Mute())

    assert ran.measured.shortfalls == {"suite_failed": 2}
    assert "system" not in ran.rows.objects[0]["fingerprints"]  # type: ignore[operator]  # an object


def test_a_mode_the_system_has_not_is_a_mistake_of_the_configuration() -> None:
    with pytest.raises(ConfigError, match="'scripted' has no mode 'balanced'") as caught:
        run(task(), ScriptedSystem(said=Capabilities(name="scripted", modes=("fast", "slow"))))
    assert "fast, slow" in caught.value.remedy


def test_judgements_of_another_corpus_are_refused() -> None:
    with pytest.raises(EvidenceError, match="none of the 2 relevant documents is in the corpus"):
        run(task(query("q1", {"x": 1, "y": 2, "a": 0})), ScriptedSystem())


def test_what_a_reader_must_know_is_noted() -> None:
    queries = (query("q1", {"a": 1, "gone": 1}), query("q2", {"a": 0}))
    said = Capabilities(name="scripted", max_k=2)

    ran = run(task(*queries, cuts=(4,)), ScriptedSystem(said=said))

    assert ran.measured.notes == (
        "1 relevant documents are not in the corpus: recall cannot reach 1",
        "no metrics, because no document is relevant: 1 query",
        "k = 4 reaches all 4 documents: recall and hit say nothing about the order",
        "k = 4, but the system returns at most 2 hits",
    )
    assert ran.rows.objects[0]["notes"] == list(ran.measured.notes)
    assert ran.measured.metrics["q2"] is None
    assert "hit@4" not in ran.rows.rows["q2"]


def test_k_below_the_size_of_the_corpus_needs_no_warning() -> None:
    assert run(task(cuts=(3,)), ScriptedSystem()).measured.notes == ()


def test_a_used_up_budget_is_said_with_what_was_not_asked() -> None:
    money = iter([True, False, False, False])

    ran = run(task(), ScriptedSystem(), Bounds(affordable=lambda: next(money)))

    assert list(ran.rows.rows) == ["q1"]
    assert ran.measured.shortfalls == {"budget_exhausted": 1}
    assert ran.rows.stated[-1]["shortfalls"] == {"budget_exhausted": 1}


def test_a_passed_deadline_is_said() -> None:
    ran = run(task(), ScriptedSystem(), Bounds(deadline=0.0))
    assert ran.rows.rows == {}
    assert ran.measured.shortfalls == {"deadline": 2}


def test_a_cancelled_run_keeps_its_rows_and_says_so() -> None:
    class Impatient(Stages):
        def step(self, done: int, total: int) -> None:
            super().step(done, total)
            if done == 2:
                raise Cancelled(ExitCode.INTERRUPTED)

    rows = MemoryRows()
    queries = [query(f"q{number}") for number in range(40)]
    with pytest.raises(Cancelled):
        measure(task(*queries), ScriptedSystem(), rows, Setting(clock=SystemClock(), progress=Impatient()))

    kept = len(rows.rows)
    assert kept >= 2
    assert decode_rows(rows.lines, name="rows").shortfalls == {"cancelled": 40 - kept}


def test_more_at_once_than_the_system_takes_is_never_asked_and_the_order_stays() -> None:
    queries = [query(f"q{number}") for number in range(30)]
    system = ScriptedSystem(said=Capabilities(name="scripted", concurrency=4))
    ran = run(task(*queries), system, width=16)
    assert list(ran.rows.rows) == [asked.id for asked in queries]


def test_a_run_that_answered_nothing_has_no_means() -> None:
    assert run(task(), ScriptedSystem(down=failed("crash"))).measured.means() == {}


def test_two_runs_on_the_reference_system_differ_in_nothing_but_time() -> None:
    pages = tuple(Document(id=f"p{n}", text=f"wing {'flow ' * (n % 5)} tail {n % 3}") for n in range(40))
    queries = [
        JudgedQuery(id=f"q{n}", text=f"flow tail {n}", grades={f"p{n}": 1, f"p{n + 1}": 2}) for n in range(20)
    ]

    def lines() -> list[dict[str, object]]:
        objects = run(task(*queries, documents=pages), ReferenceSystem()).rows.objects
        return [{name: value for name, value in line.items() if name != "latency_ms"} for line in objects]

    assert lines() == lines()
