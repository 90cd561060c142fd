"""The parts of a suite, measured apart and joined, are the whole byte for byte."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gate.core.joining import join
from gate.core.parts import Part, PartFile, part_file
from gate.core.plan import BaselineRequest, FileRef, PlannedSystem, Request, SuiteRequest
from gate.core.records.qrels import JudgedQuery
from gate.core.records.suite_inputs import (
    BrainbenchRequest,
    LongMemEvalRequest,
    ReplayInputs,
    ReplayLimits,
    ReplayRequest,
    RetrievalInputs,
    RetrievalRequest,
)
from gate.core.records.system import Document, Flags
from gate.core.replay.captures import read_captures
from gate.core.replay.joined import objections_of_rows
from gate.core.replay.thresholds import Thresholds
from gate.core.shards import ALL, Shard
from gate.ports import SystemFailed
from gate.suites.joined_rows import no_lines, whole_lines
from gate.suites.replay import ReplayTask, replay
from gate.suites.retrieval import Setting, Task, measure
from gate.suites.sharding import own_request, part_of, splits
from tests import factories as make
from tests.core.replay.captures import lines, row
from tests.fakes import FixedClock, Stages
from tests.scripted_system import MemoryRows, Reply, ScriptedSystem, failed, reply

PAGES: Final = tuple(Document(id=name, text=name) for name in "abcd")
SOUND: Final = Flags(reranked=True)
REPLIES: Final[Mapping[str, Reply]] = {
    "fine": reply(("a", 3.0), ("b", 2.0), flags=SOUND),
    "elsewhere": reply(("c", 2.0), flags=SOUND),
    "upside down": reply(("b", 1.0), ("a", 2.0), flags=SOUND),
    "too long": reply(("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0), flags=SOUND),
    "fell open": reply(("a", 1.0), flags=Flags(reranked=False)),
    "slow": reply(("a", 1.0), latency_ms=900.0, flags=SOUND),
    "broken": failed("refused"),
}
PART: Final = Part(gate="g", suite="s", mode="balanced", shard=ALL, inputs_sha256="a" * 64, commit=None)
HELD: Final = Thresholds(jaccard=0.6, top1=0.7, latency_multiplier=2.0)
FILE: Final = FileRef(path="f", sha256="f" * 64, bytes=1)
ASKED: Final = RetrievalInputs(corpus=FILE, qrels=FILE, cuts=(1, 3), mode="balanced")

answers = st.dictionaries(
    st.text(min_size=1, max_size=3), st.sampled_from(sorted(REPLIES)), min_size=1, max_size=25
)


DOWN: Final = st.sampled_from([None, failed("crash")])
"""Whether the system breaks before the first question."""


def setting() -> Setting:
    return Setting(clock=FixedClock(), progress=Stages())


def parts(of: int, run: Callable[[Part | None], MemoryRows]) -> list[PartFile]:
    """What every job of a matrix has left."""
    found = []
    for number in range(1, of + 1):
        file = part_file(f"shard-{number}", b"".join(run(replace(PART, shard=Shard(number, of))).lines))
        assert file is not None
        found.append(file)
    return found


def retrieval(said: Mapping[str, str], down: SystemFailed | None, part: Part | None) -> MemoryRows:
    """Queries whose replies are named, asked whole or in part."""
    rows = MemoryRows()
    queries = tuple(JudgedQuery(id=name, text=name, grades={"a": 1}) for name in said)
    asked = Task(
        documents=PAGES, queries=queries, cuts=ASKED.cuts, mode="balanced", required=("reranker",), part=part
    )
    system = ScriptedSystem({name: REPLIES[kind] for name, kind in said.items()}, down=down)
    measure(asked, system, rows, setting())
    return rows


def replayed(said: Mapping[str, str], down: SystemFailed | None, part: Part | None) -> MemoryRows:
    """The same of captures, held to thresholds."""
    rows = MemoryRows()
    file = read_captures(captured(said))
    replies = {name: REPLIES[kind] for name, kind in zip(file.names(), said.values(), strict=True)}
    asked = ReplayTask(
        file=file, mode="balanced", documents=PAGES, required=("reranker",), thresholds=HELD, part=part
    )
    replay(asked, ScriptedSystem(replies, down=down), rows, setting())
    return rows


def captured(said: Mapping[str, str]) -> bytes:
    return lines(
        *(row(f"query {number}", id=number, retrieved_slugs=["a", "b"]) for number, _ in enumerate(said))
    )


@given(said=answers, of=st.integers(1, 6), down=DOWN)
def test_joined_retrieval_is_what_one_job_would_have_written(
    said: Mapping[str, str], of: int, down: SystemFailed | None
) -> None:
    joined = join(parts(of, lambda part: retrieval(said, down, part)), PART)
    assert b"".join(whole_lines(joined, ASKED)) == b"".join(retrieval(said, down, None).lines)


@given(said=answers, of=st.integers(1, 6), down=DOWN)
def test_a_joined_replay_is_held_to_the_same_as_one_job_would_have_been(
    said: Mapping[str, str], of: int, down: SystemFailed | None
) -> None:
    joined = join(parts(of, lambda part: replayed(said, down, part)), PART)
    asked = ReplayInputs(against=FILE, mode="balanced", limits=ReplayLimits(jaccard=0.6))
    against = objections_of_rows(joined.rows, joined.questions, read_captures(captured(said)), HELD)
    assert b"".join(whole_lines(joined, asked, against)) == b"".join(replayed(said, down, None).lines)


def test_a_part_of_a_replay_is_held_to_nothing() -> None:
    said = {str(number): "elsewhere" for number in range(6)}
    assert "objections" in replayed(said, None, None).stated[-1]
    assert all(not file.objections for file in parts(2, lambda part: replayed(said, None, part)))


def test_a_suite_of_which_nothing_was_left_says_why() -> None:
    first, last = (msgspec.json.decode(line) for line in no_lines("no job has left anything"))
    assert (first["questions"], last["objections"][0]["reason"]) == (0, "cancelled")
    assert last["objections"][0]["message"] == "no job has left anything"


def request(**overrides: object) -> Request:
    asked = {
        "found": RetrievalRequest(corpus="c", qrels="q", cuts=(5,), mode="balanced"),
        "remembered": LongMemEvalRequest(dataset="d", k=5, mode="balanced"),
        "again": ReplayRequest(against="a", mode="balanced"),
        "turns": BrainbenchRequest(result="r"),
        "there": None,
    }
    suites = tuple(SuiteRequest(suite=f"a-{name}", name=name, asked=each) for name, each in asked.items())
    before = BaselineRequest(kind="artifact", path="")
    return Request(policy=make.plan(**overrides), suites=suites, baseline=before, anchor=before)


def names(asked: Request) -> list[str]:
    return [suite.name for suite in asked.suites]


def test_a_job_plans_its_part_of_what_splits_and_the_first_one_all_of_what_does_not() -> None:
    first, second = (own_request(request(), Shard(number, 4)) for number in (1, 2))
    assert names(first) == ["found", "remembered", "again", "turns"]
    assert names(second) == ["found", "remembered", "again"]
    assert (second.baseline, second.anchor) == (None, None)
    left = "there: rows that lie there already are left to the merge job"
    assert first.policy.notes == ("turns: a-turns cannot be split, and is run whole here", left)
    assert second.policy.notes == ("turns: a-turns cannot be split, and is run whole by shard 1/4", left)


def test_gbrain_replays_a_whole_file_by_itself() -> None:
    gbrain = PlannedSystem(kind="gbrain")
    asked = own_request(request(system=gbrain), Shard(2, 2))
    assert names(asked) == ["found", "remembered"]
    assert not splits(ReplayInputs(against=FILE, mode="balanced"), gbrain)


def test_what_a_part_states_is_the_same_in_every_job_and_follows_from_what_is_asked() -> None:
    plan, suite = make.plan(), replace(make.plan().suites[0], inputs=ASKED)
    one, two = (part_of(plan, suite, Shard(number, 2)) for number in (1, 2))
    assert replace(one, shard=ALL) == replace(two, shard=ALL)
    assert (one.suite, one.mode, one.commit, one.whole) == (suite.name, "balanced", make.HEAD, False)
    for other in (
        part_of(plan, replace(suite, inputs=replace(ASKED, limit=3)), ALL),
        part_of(replace(plan, system=PlannedSystem(kind="reference")), suite, ALL),
        part_of(replace(plan, require=("vector",)), suite, ALL),
        part_of(replace(plan, show_text=True), suite, ALL),
    ):
        assert other.inputs_sha256 != one.inputs_sha256
    tested = replace(plan, commits=replace(plan.commits, tested="f" * 40))
    assert part_of(tested, suite, ALL).commit == "f" * 40
