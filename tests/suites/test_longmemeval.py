import json
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from gate.core.longmemeval.haystack import slug_of
from gate.core.longmemeval.question import Question
from gate.core.longmemeval.run import Run
from gate.core.records.system import Capabilities, Flags, Hit, Query, SearchReply
from gate.errors import Cancelled, ConfigError, ExitCode
from gate.process import SystemClock
from gate.suites.execute import Bounds, Ended
from gate.suites.guards import Feature
from gate.suites.longmemeval import Task, ask, check_suitable
from gate.suites.retrieval import Setting
from gate.systems.reference import ReferenceSystem
from tests.core.longmemeval.factories import question, run
from tests.fakes import Stages
from tests.scripted_system import ScriptedSystem, failed, reply


@dataclass
class Asked:
    """A run over questions in memory, and the rows it wrote."""

    questions: dict[str, Question]
    of: Run
    lines: list[bytes] = field(default_factory=list)

    def take(self, question_id: str) -> Question:
        return self.questions[question_id]

    def ask(
        self,
        *systems: Any,
        bounds: Bounds | None = None,
        required: tuple[Feature, ...] = (),
        write: Any = None,
    ) -> Ended:
        task = Task(
            run=self.of,
            todo=[each.listed() for each in self.questions.values()],
            questions=self,
            required=required,
        )
        setting = Setting(clock=SystemClock(), progress=Stages(), bounds=bounds or Bounds())
        return ask(task, systems, write or self.lines.append, setting)

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        return {row["question_id"]: row for row in map(json.loads, self.lines)}


def asked(*questions: Question, show_text: bool = False, answers: bool = False) -> Asked:
    questions = questions or tuple(question(f"q{number}") for number in range(4))
    names = [each.id for each in questions]
    return Asked({each.id: each for each in questions}, run(*names, show_text=show_text, answers=answers))


def gold_first(query: Query) -> SearchReply:
    return reply((slug_of(f"{query.id}-s0"), 1.0))


def test_every_question_meets_a_system_that_holds_its_own_sessions_and_nothing_else() -> None:
    held: dict[str, list[str]] = {}
    system = ScriptedSystem()

    def look(query: Query) -> SearchReply:
        held[query.id] = [document.text for document in system.documents]
        return gold_first(query)

    system.replies = look
    found = asked()
    assert found.ask(system).stopped is None
    assert held == {f"q{number}": [f"user: words of {n}" for n in range(3)] for number in range(4)}
    assert [row["recall_all_hit"] for row in found.rows.values()] == [True] * 4
    assert system.calls == ["reset", "ingest"] * 4


def test_rows_come_in_the_order_of_the_questions_however_many_systems_there_are() -> None:
    found = asked(*(question(f"q{number}") for number in range(25)))
    found.ask(*(ReferenceSystem() for _ in range(4)))
    assert list(found.rows) == [f"q{number}" for number in range(25)]


def test_two_runs_give_the_same_orderings() -> None:
    one, other = asked(), asked()
    one.ask(ReferenceSystem())
    other.ask(ReferenceSystem(), ReferenceSystem())
    for name, row in one.rows.items():
        assert row["retrieved"] == other.rows[name]["retrieved"]


def test_one_questions_failure_is_its_row_and_not_the_end() -> None:
    found = asked()
    replies = {"q0": reply((slug_of("q0-s0"), 1.0)), "q1": failed("garbage", "no message", "words of q1")}
    found.ask(ScriptedSystem(replies=replies))
    assert found.rows["q1"]["error"] == "garbage: no message"
    assert "recall_all_hit" not in found.rows["q1"]
    assert found.rows["q2"]["recall_any_hit"] is False


def test_a_systems_own_words_are_kept_only_with_the_text() -> None:
    found = asked(question("q1"), show_text=True)
    found.ask(ScriptedSystem(replies={"q1": failed("refused", "it refused", "your question is odd")}))
    assert found.rows["q1"]["error"] == "refused: it refused: your question is odd"


def test_hits_from_another_haystack_are_an_error() -> None:
    found = asked(question("q1"))
    found.ask(ScriptedSystem(replies={"q1": reply((slug_of("q0-s0"), 1.0))}))
    assert found.rows["q1"]["error"].startswith("unknown_id: 1 of 1 hits")


def test_a_collision_on_gold_is_an_error_and_the_system_is_not_asked() -> None:
    turns = [[{"role": "user", "content": word}] for word in ("a", "b")]
    clash = question("q1", haystack_sessions=turns, haystack_session_ids=["s", "s"], answer_session_ids=["s"])
    found, system = asked(clash), ScriptedSystem()
    found.ask(system)
    assert found.rows["q1"]["error"].startswith("slug_collision")
    assert found.rows["q1"]["slug_collision_gold"] == 1
    assert system.asked == []


def test_a_system_that_cannot_take_the_sessions_in_fails_the_question() -> None:
    found = asked(question("q1"))
    found.ask(ScriptedSystem(down=failed("crash", "it ended")))
    assert found.rows["q1"]["error"] == "crash: it ended"


def test_answers_are_asked_for_only_where_the_run_says_so() -> None:
    answered = asked(question("q1"), show_text=True, answers=True)
    answered.ask(ScriptedSystem(replies=gold_first))
    assert answered.rows["q1"]["hypothesis"] == "q1 from 1"
    silent = asked(question("q1"))
    silent.ask(ScriptedSystem(replies=gold_first))
    assert silent.rows["q1"]["retrieval_only"] is True


def test_latency_is_the_systems_own_or_measured_from_outside() -> None:
    own = asked(question("q1"))
    own.ask(ScriptedSystem(replies=gold_first))
    assert own.rows["q1"]["latency_ms"] == 5.0
    measured = asked(question("q1"))
    measured.ask(ScriptedSystem(replies=lambda _: SearchReply(hits=())))
    assert measured.rows["q1"]["latency_ms"] >= 0


def test_what_was_required_and_silently_missing_is_marked_in_the_row() -> None:
    found = asked(question("q1"))
    off = Flags(vector_enabled=True, reranked=False)
    found.ask(
        ScriptedSystem(replies=lambda query: reply((slug_of(f"{query.id}-s0"), 1.0), flags=off)),
        required=("reranker", "vector"),
    )
    assert found.rows["q1"]["search_meta"]["degraded"] == ["reranker_fell_open"]


def test_a_deadline_stops_asking_and_keeps_what_is_done() -> None:
    found = asked()
    ended = found.ask(ScriptedSystem(replies=gold_first), bounds=Bounds(deadline=0.0))
    assert (ended.stopped, ended.kept + ended.left) == ("deadline", 4)


def test_rows_that_had_ended_are_written_when_the_run_is_cancelled() -> None:
    found = asked()
    lines: list[bytes] = []

    def write(line: bytes) -> None:
        lines.append(line)
        if len(lines) == 2:
            raise Cancelled(ExitCode.TERMINATED)

    with pytest.raises(Cancelled):
        found.ask(ScriptedSystem(replies=gold_first), write=write)
    assert [json.loads(line)["question_id"] for line in lines[:2]] == ["q0", "q1"]
    assert len({json.loads(line)["question_id"] for line in lines}) == len(lines)


def test_no_system_has_two_questions_at_once() -> None:
    busy = threading.Lock()
    system = ScriptedSystem()

    def look(query: Query) -> SearchReply:
        assert busy.acquire(blocking=False)
        busy.release()
        return gold_first(query)

    system.replies = look
    found = asked(*(question(f"q{number}") for number in range(20)))
    found.ask(system, ScriptedSystem(replies=gold_first))
    assert not [row for row in found.rows.values() if "error" in row]


def test_long_sessions_and_hits_out_of_order_change_nothing() -> None:
    huge = question(
        "q1", haystack_sessions=[[{"role": "user", "content": "x" * 10_000_000}]],
        haystack_session_ids=["a"], answer_session_ids=["a"],
    )  # fmt: skip
    found = asked(huge)
    hits = tuple(Hit(doc_id=slug_of("a"), score=1.0, rank=rank) for rank in (3, 1, 1, 2))
    found.ask(ScriptedSystem(replies=lambda _: SearchReply(hits=hits)))
    assert found.rows["q1"]["distinct_sessions_in_top_k"] == 1
    assert [hit["rank"] for hit in found.rows["q1"]["retrieved"]] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("mode", "k", "answers", "said"),
    [("none", 5, False, "no mode 'none'"), ("balanced", 11, False, "at most 10"), ("balanced", 5, True, "not answer")],
)  # fmt: skip
def test_a_system_that_cannot_do_what_is_asked_is_refused_first(
    mode: str, k: int, answers: bool, said: str  # noqa: FBT001 - a column of the table
) -> None:  # fmt: skip
    with pytest.raises(ConfigError, match=said):
        check_suitable(Capabilities(name="s", max_k=10), mode=mode, k=k, answers=answers)


def test_a_suitable_system_is_not_refused() -> None:
    check_suitable(Capabilities(name="s", answers=True), mode="balanced", k=500, answers=True)
