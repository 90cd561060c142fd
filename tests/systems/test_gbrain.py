"""gbrain's own commands, driven through a program that takes its command lines and gives its outputs."""

import json
import shutil
from pathlib import Path

import pytest

from gate.core.brainbench.recount import contradictions
from gate.core.records.row_decoder import decode_rows
from gate.core.records.system import Query
from gate.core.replay.captures import read_captures
from gate.core.replay.reported import objections
from gate.core.replay.stability import breaches
from gate.core.replay.thresholds import Thresholds
from gate.errors import ConfigError
from gate.ports import SystemFailed
from gate.process import SystemClock
from gate.suites.replay import ReplayTask, replay
from gate.suites.retrieval import Setting
from gate.systems.gbrain import GateCall, Gbrain, LongMemEvalCall, ReplayedSystem
from gate.systems.process import Command
from tests.core.brainbench.results import DATA, real, result_object
from tests.core.replay.captures import lines, row
from tests.core.replay.test_reported import gate as gate_object
from tests.core.replay.test_reported import report, result
from tests.fakes import Stages
from tests.programs import ROOT, everybodys_python, open_folder
from tests.scripted_system import MemoryRows

__all__ = ["open_folder"]


def gbrain(folder: Path, seconds: float = 30, **files: str | bytes) -> Gbrain:
    """A stand-in in a folder, with these files beside it (`_` stands for the dot)."""
    program = folder / "gbrain.py"
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", program)
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name.replace("_", ".")).write_bytes(data)
    command = Command(argv=(everybodys_python(), "-I", str(program)), folder=folder)
    return Gbrain(command, seconds=seconds)


def dataset(folder: Path) -> Path:
    path = folder / "dataset.jsonl"
    path.write_text("{}\n")
    return path


def test_longmemeval_s_rows_come_back_as_gbrain_wrote_them(open_folder: Path) -> None:
    written = real(DATA / "outputs" / "lme-nightly-balanced.jsonl")
    system = gbrain(open_folder, rows_jsonl=written)
    call = LongMemEvalCall(
        dataset=dataset(open_folder), mode="balanced", top_k=5, options=("--retrieval-only",)
    )
    made = system.longmemeval(call)
    assert (made.data, made.code) == (written, 0)
    assert len(decode_rows(iter([made.data]), name="rows")) == 10  # and a line that sums them up


def test_rows_are_kept_when_gbrain_thinks_little_of_them(open_folder: Path) -> None:
    system = gbrain(open_folder, rows_jsonl="{}\n", code="1")
    made = system.longmemeval(LongMemEvalCall(dataset=dataset(open_folder), mode="tokenmax", top_k=5))
    assert (made.data, made.code) == (b"{}\n", 1)


def test_the_question_ids_are_handed_on(open_folder: Path) -> None:
    system = gbrain(open_folder, answers_jsonl='{"question_id":"q1"}\n{"question_id":"q2"}\n')
    call = LongMemEvalCall(dataset=dataset(open_folder), mode="balanced", top_k=5, questions=("q2",))
    assert system.longmemeval(call).data == b'{"question_id":"q2"}\n'


def test_of_a_command_that_is_too_slow_the_rows_so_far_come_back(open_folder: Path) -> None:
    system = gbrain(open_folder, answers_jsonl='{"question_id":"q1"}\n', hang="", seconds=1)
    made = system.longmemeval(LongMemEvalCall(dataset=dataset(open_folder), mode="balanced", top_k=5))
    assert made.data == b'{"question_id":"q1"}\n'
    assert isinstance(made.ended, SystemFailed)
    assert made.ended.kind == "timeout"


def test_a_command_that_takes_long_gives_signs_of_life(open_folder: Path) -> None:
    gbrain(open_folder, answers_jsonl='{"question_id":"q1"}\n', hang="")
    told: list[int] = []
    command = Command(argv=(everybodys_python(), "-I", str(open_folder / "gbrain.py")), folder=open_folder)
    system = Gbrain(command, seconds=2.5, alive=told.append)
    system.longmemeval(LongMemEvalCall(dataset=dataset(open_folder), mode="balanced", top_k=5))
    assert told[-1] == 1
    assert len(told) >= 2


def test_a_command_that_is_too_slow_for_a_single_row_has_failed(open_folder: Path) -> None:
    system = gbrain(open_folder, hang="", seconds=0.2)
    with pytest.raises(SystemFailed, match="did not answer within"):
        system.longmemeval(LongMemEvalCall(dataset=dataset(open_folder), mode="balanced", top_k=5))


def test_the_real_brainbench_result_comes_back_whole(open_folder: Path) -> None:
    system = gbrain(open_folder, brainbench_json=real(DATA / "outputs" / "brainbench-out.json"))
    found = system.brainbench(["--seed", "42"])
    assert (len(found.cells), len(found.turn_rows)) == (12, 804)
    assert contradictions(found) == ()


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({"code": "2"}, "crash", "ended with exit code 2 and left no result"),
        ({"brainbench_json": "[]"}, "garbage", "the result of eval brainbench cannot be used"),
        ({"brainbench_json": '{"cells": []}'}, "garbage", "missing required field `receipt`"),
    ],
)
def test_a_result_that_is_none_is_a_failed_system(
    open_folder: Path, files: dict[str, str], kind: str, said: str
) -> None:
    with pytest.raises(SystemFailed, match=said) as failed:
        gbrain(open_folder, **files).brainbench()
    assert failed.value.kind == kind


def test_a_link_in_place_of_a_result_is_not_followed(open_folder: Path) -> None:
    secret = open_folder / "secret.json"
    secret.write_text(json.dumps(result_object()))
    system = gbrain(open_folder)
    (open_folder / "brainbench.json").symlink_to(secret)
    with pytest.raises(SystemFailed, match="left no result"):
        system.brainbench()


def test_an_unknown_option_ends_it_and_its_own_words_stay_a_detail(open_folder: Path) -> None:
    with pytest.raises(SystemFailed, match="left no result") as failed:
        gbrain(open_folder, brainbench_json="{}").brainbench(["--no-such-flag"])
    assert "--no-such-flag" not in failed.value.message
    assert "unknown flag --no-such-flag" in (failed.value.detail or "")


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    nowhere = Gbrain(Command(argv=("/no/such/gbrain",), folder=tmp_path), seconds=5)
    with pytest.raises(SystemFailed, match="cannot be started"):
        nowhere.brainbench()


def test_a_replay_is_judged_by_our_own_figures(open_folder: Path) -> None:
    file = read_captures(lines(row(), row("other", id=8)))
    results = [
        result(),
        result(id=8, query="other", errored=True, error_message="who runs?", current_slugs=[]),
    ]
    path = open_folder / "captures.ndjson"
    path.write_bytes(lines(row(), row("other", id=8)))
    system = gbrain(open_folder, replay_json=json.dumps(report(*results), indent=2))
    reported = system.replay(file, path, mode="balanced", limit=2, compare_limit=3)
    rows = MemoryRows()
    setting = Setting(clock=SystemClock(), progress=Stages())
    task = ReplayTask(file=file, mode="balanced", compare_limit=3)
    done = replay(task, ReplayedSystem(file.names(), reported), rows, setting)
    assert (rows.rows["7"]["jaccard@k"], rows.rows["7"]["latency_ms"]) == (1.0, 21.0)
    assert rows.rows["8"]["error"] == "refused: gbrain answered with an error"
    assert len(breaches(done.summary, Thresholds())) == 2


def test_a_replay_of_other_queries_is_garbage(open_folder: Path) -> None:
    file = read_captures(lines(row("something else")))
    system = gbrain(open_folder, replay_json=json.dumps(report()))
    with pytest.raises(SystemFailed, match="is not about the capture"):
        system.replay(file, open_folder / "x", mode=None, limit=None, compare_limit=None)


def test_a_replay_has_no_documents_to_give_and_no_answers() -> None:
    system = ReplayedSystem((), ())
    for refused in (
        system.reset,
        lambda: system.ingest(()),
        lambda: system.answer(Query(id="q", text="q", k=1, mode="balanced"), ()),
    ):
        with pytest.raises(SystemFailed):
            refused()
    system.close()


def test_gbrain_s_own_gate_is_asked_and_its_word_weighed(open_folder: Path) -> None:
    system = gbrain(open_folder, gate_json=json.dumps(gate_object()))
    call = GateCall(baseline=open_folder / "b", qrels=open_folder / "q", k=10)
    assert objections(system.gate(call)) == ()


def test_a_gate_needs_something_to_judge_by_and_a_report(open_folder: Path) -> None:
    with pytest.raises(ConfigError, match="needs a baseline or qrels"):
        gbrain(open_folder).gate(GateCall())
    with pytest.raises(SystemFailed, match="cannot be used"):
        gbrain(open_folder, gate_json='{"status":"error"}').gate(GateCall(qrels=open_folder / "q"))
