"""`gate run --shard` in several jobs and `gate merge` in one: the verdict of a single run, or none."""

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.system import Query
from gate.core.report import Report
from gate.core.shards import Shard
from gate.store.receipts import read_any_receipt
from tests.cli.calls import Call, Shell
from tests.cli.test_run_suites import NAMES, with_collection
from tests.cli.test_run_takes_quality import Desk, answer, desk
from tests.cli.test_run_takes_quality import run as judged
from tests.cli.test_suite_replay import captured, published
from tests.core.brainbench.results import RESULT, real
from tests.core.replay.captures import lines as replay_lines
from tests.core.replay.captures import row as replay_row
from tests.core.replay.test_reported import report as replay_report
from tests.core.replay.test_reported import result
from tests.gbrain_runs import answers, stand_in, told
from tests.longmemeval_files import array, document
from tests.program import spawn
from tests.programs import open_folder
from tests.repositories import commit, repository
from tests.scripted_system import ScriptedSystem, failed, reply
from tests.systems.servers import served

__all__ = ["desk", "open_folder"]

UNREPEATABLE = ("latency_ms", "latency_delta_ms", "over_2x_latency")
SUITES = """\
  - {suite: longmemeval, name: remembered, dataset: lme.json, k: 3, limit: 20}
  - {suite: retrieval, name: found, corpus: docs, qrels: q.json, k: [1, 3], limit: 5}
  - {suite: replay, name: again, against: c.ndjson, corpus: docs}
"""
RULES = """\
  - {metric: recall_any@k, rule: threshold, at-least: 0.1}
  - {metric: hit@1, rule: threshold, at-least: 0.1}
"""


def config(*more: str, suites: str = SUITES, rules: str = RULES, system: str = "{kind: reference}") -> str:
    return "\n".join(["version: 1", f"system: {system}", f"suites:\n{suites}rules:\n{rules}", *more])


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A repository with something for every suite that asks one question after the other."""
    monkeypatch.chdir(tmp_path)
    here = with_collection(Shell(tmp_path, capsys))
    array(tmp_path / "lme.json", [document(number) for number in range(30)])
    walks = [captured(f"{name} walks", name) for name in NAMES]
    here.write("c.ndjson", published(*walks, jaccard=0.05, top1=0.05))
    here.write("eval-gate.yml", config())
    repository(tmp_path, {".gitignore": b"*\n"})
    return here


def legs(shell: Shell, of: int, *more: str, numbers: Iterable[int] | None = None) -> list[str]:
    """Every job of a matrix, or some; the folders they leave."""
    folders = []
    for number in numbers or range(1, of + 1):
        done = shell.gate("run", "--shard", f"{number}/{of}", "--out", f"job-{number}", *more)
        assert done.code == 0, done.err
        assert f"measured {number}/{of}, nothing is judged" in done.out
        folders.append(f"job-{number}")
    return folders


def merge(shell: Shell, folders: Iterable[str], *more: str) -> Call:
    return shell.gate("merge", *folders, "--config", "eval-gate.yml", *more)


def report(folder: Path, out: str = "gate-out") -> Report:
    return read_any_receipt(folder / out / "receipt.json", "receipt")


def lines(path: Path) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in json.loads(line).items() if key not in UNREPEATABLE}
        for line in path.read_text().splitlines()
    ]


def test_three_jobs_and_a_merge_are_one_run_row_by_row_and_word_by_word(shell: Shell) -> None:
    assert shell.gate("run", "--out", "whole").code == 0

    done = merge(shell, reversed(legs(shell, 3)))

    assert done.code == 0, done.err
    for suite in ("remembered", "found", "again"):
        name = f"rows/{suite}.ndjson"
        assert lines(shell.folder / "gate-out" / name) == lines(shell.folder / "whole" / name)
    assert not (shell.folder / "job-1/receipt.json").exists()
    one, other = report(shell.folder), report(shell.folder, "whole")
    assert one.plan_sha256 == other.plan_sha256
    assert [(each.rule, each.verdict, each.value) for each in one.outcomes] == [
        (each.rule, each.verdict, each.value) for each in other.outcomes
    ]
    assert [suite.candidate.questions for suite in one.suites] == [20, 5, 6]
    assert shell.gate("verify", "gate-out/receipt.json").code == 0
    assert shell.gate("validate", "gate-out/receipt.json", "job-1/rows/found.ndjson").code == 0


def test_every_part_states_what_a_merge_needs(shell: Shell) -> None:
    (folder,) = legs(shell, 4, numbers=[2])
    for suite, whole in (("remembered", 20), ("found", 5), ("again", 6)):
        first, *rest = lines(shell.folder / folder / "rows" / f"{suite}.ndjson")
        part = first["part"]
        own = [each for each in part["questions"] if Shard(2, 4).holds(each)]
        assert (part["suite"], part["mode"], part["shard"]) == (suite, "balanced", {"number": 2, "of": 4})
        assert (len(part["questions"]), first["questions"]) == (whole, len(own))
        assert [each["question_id"] for each in rest if "question_id" in each] == own
        assert len(part["inputs_sha256"]) == 64
        assert len(part["commit"]) == 40


def test_a_merge_fails_what_a_run_would_fail(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(rules="  - {metric: hit@1, rule: threshold, at-most: 0.1}\n"))
    assert merge(shell, legs(shell, 2)).code == 1
    assert report(shell.folder).reason == "threshold_missed"


def test_a_replay_is_held_to_its_thresholds_as_a_whole(shell: Shell) -> None:
    walks = [captured(f"{name} walks", "nobody") for name in NAMES]
    shell.write("c.ndjson", published(*walks, jaccard=0.9))
    assert merge(shell, legs(shell, 2)).code == 1
    (objected,) = [each for each in report(shell.folder).outcomes if "mean_jaccard" in each.rule]
    assert objected.message == "again: mean_jaccard@k is 0, the threshold is 0.9"


def test_a_shard_that_is_not_there_is_inconclusive_with_its_reason(shell: Shell) -> None:
    done = merge(shell, legs(shell, 3, numbers=[1, 3]))
    assert done.code == 2
    assert "remembered: shard 2/3 is missing" in done.err
    found = report(shell.folder)
    said = {each.message for each in found.outcomes if each.reason == "cancelled"}
    assert said == {f"{suite}: shard 2/3 is missing" for suite in ("remembered", "found", "again")}
    assert (found.verdict, found.reason) == ("inconclusive", "cancelled")
    comment = (shell.folder / "gate-out/comment.md").read_text()
    assert "questions left out: shard 2/3 is missing" in comment
    assert "Left out: nothing" not in comment


def test_no_shard_at_all_measured_nothing_and_leaves_a_receipt(shell: Shell) -> None:
    done = merge(shell, ["job-1", "job-2"])
    assert done.code == 2
    assert "job-1: no rows there" in done.err
    assert report(shell.folder).reason == "cancelled"
    said = [each.message for each in report(shell.folder).outcomes]
    assert "found: no sharded job has left any rows of it" in said


def _drop_last_row(data: list[str]) -> list[str]:
    return [*data[:-2], data[-1]]


def _double_a_row(data: list[str]) -> list[str]:
    return [*data[:2], data[1], *data[2:]]


def _cut_off(data: list[str]) -> list[str]:
    return data[:-1]


def _tear(data: list[str]) -> list[str]:
    return [*data[:-1], data[-1][:5]]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_drop_last_row, "is not finished: 1 question was not asked"),
        (_double_a_row, "has 1 question more than once"),
        (_cut_off, "was cut off, and does not say how it ended"),
        (_tear, "was cut off, and does not say how it ended"),
    ],
)
def test_a_part_that_is_not_as_it_was_written_never_passes(
    shell: Shell, broken: Callable[[list[str]], list[str]], said: str
) -> None:
    folders = legs(shell, 2)
    for suite in ("found", "again"):
        path = shell.folder / "job-1/rows" / f"{suite}.ndjson"
        path.write_text("".join(broken(path.read_text().splitlines(keepends=True))))
    assert merge(shell, folders).code == 2
    told_ = "\n".join(each.message for each in report(shell.folder).outcomes)
    assert f"found: shard 1/2 {said}" in told_
    assert f"again: shard 1/2 {said}" in told_


def test_garbage_is_no_part(shell: Shell) -> None:
    folders = legs(shell, 2)
    (shell.folder / "job-1/rows/found.ndjson").write_bytes(b"\xff\x00garbage")
    done = merge(shell, folders)
    assert done.code == 2
    assert "job-1/rows/found.ndjson: states no run that can be merged" in done.err
    assert "found: shard 1/2 is missing" in done.err


def test_shards_of_other_numbers_seeds_limits_or_commits_are_an_invalid_input(shell: Shell) -> None:
    folders = legs(shell, 2)
    legs(shell, 3, numbers=[2])
    done = merge(shell, folders)
    assert (done.code, "shards: 2 and 3" in done.err) == (65, True)

    legs(shell, 2, "--limit", "4", numbers=[2])
    done = merge(shell, folders)
    assert (done.code, "another choice of inputs, seed, selection or system" in done.err) == (65, True)

    legs(shell, 2, numbers=[2])
    shell.write("eval-gate.yml", config("stats: {seed: 7}"))
    assert merge(shell, folders).code == 65

    shell.write("eval-gate.yml", config())
    assert merge(shell, folders).code == 0
    commit(shell.folder, {".gitignore": b"*\n#\n"})
    done = merge(shell, folders)
    assert (done.code, "another commit" in done.err) == (65, True)
    assert "→ merge the shards of one run" in done.err


def test_a_narrowed_matrix_is_merged_by_the_same_flags_and_never_passes(shell: Shell) -> None:
    flags = ("--limit", "4")
    folders = legs(shell, 2, *flags)
    assert merge(shell, folders).code == 65
    assert merge(shell, folders, *flags).code == 2
    assert report(shell.folder).reason == "not_measured"
    assert [suite.candidate.questions for suite in report(shell.folder).suites] == [4, 4, 4]


def test_modes_that_are_added_are_measured_and_merged_under_their_own_names(shell: Shell) -> None:
    flags = ("--modes", "balanced,conservative", "--suites", "found")
    folders = legs(shell, 2, *flags)
    assert sorted(path.name for path in (shell.folder / "job-1/rows").iterdir()) == [
        "found-conservative.ndjson",
        "found.ndjson",
    ]
    assert merge(shell, folders, *flags).code == 2  # what was left out is not measured
    assert {suite.name for suite in report(shell.folder).suites} == {"found", "found-conservative"}


def test_a_shard_that_was_run_again_counts_by_the_rule_that_there_is(shell: Shell) -> None:
    legs(shell, 2)
    for number, attempt in ((1, 1), (2, 2), (2, 10)):
        shutil.copytree(shell.folder / f"job-{number}", shell.folder / f"shard-{number}-attempt-{attempt}")
    first = shell.folder / "shard-2-attempt-2/rows/found.ndjson"
    first.write_text("".join(first.read_text().splitlines(keepends=True)[:1]))
    done = merge(shell, ["shard-2-attempt-10", "shard-1-attempt-1", "shard-2-attempt-2"])
    assert done.code == 0
    assert "shard-2-attempt-2/rows/found.ndjson: shard 2/2 again, shard-2-attempt-10" in done.err


def test_what_is_inconclusive_for_a_missing_shard_re_derives_and_is_no_reference(shell: Shell) -> None:
    assert merge(shell, legs(shell, 3, numbers=[1, 3])).code == 2
    done = shell.gate("verify", "gate-out/receipt.json")
    assert (done.code, "verified: inconclusive (cancelled) re-derives" in done.out) == (0, True)
    done = shell.gate("baseline", "accept", "gate-out/receipt.json", "--note", "as it is")
    assert (done.code, "measured only a part" in done.err) == (65, True)


def test_a_merge_ends_with_the_place_of_its_receipt(shell: Shell) -> None:
    done = merge(shell, legs(shell, 2))
    assert done.out.rstrip().endswith("receipt: gate-out/receipt.json   comment: gate-out/comment.md")


def test_more_shards_than_questions_are_merged_all_the_same(shell: Shell) -> None:
    assert merge(shell, legs(shell, 12)).code == 0
    assert [suite.candidate.questions for suite in report(shell.folder).suites] == [20, 5, 6]


@pytest.mark.parametrize("text", ["0/4", "5/4", "a", "1/0", "1/1001", "1/2/3", "-1/2", ""])
def test_what_is_no_shard_is_one_clear_usage_error(shell: Shell, text: str) -> None:
    done = shell.gate("run", "--shard", text)
    assert (done.code, done.err.count("error:")) == (64, 1)
    assert "is no shard: write i/n, such as 1/4 for the first of four, n at most 1000" in done.err
    assert not (shell.folder / "gate-out").exists()


def test_parts_cannot_be_merged_into_the_folder_they_lie_in(shell: Shell) -> None:
    before = {path: path.read_bytes() for path in (shell.folder / legs(shell, 1)[0]).rglob("*.ndjson")}
    done = merge(shell, ["job-1"], "--out", "job-1")
    assert (done.code, "the merged rows would overwrite it" in done.err) == (64, True)
    assert all(path.read_bytes() == data for path, data in before.items())


def test_parts_without_a_configuration_are_not_judged(shell: Shell) -> None:
    folders = legs(shell, 1)
    (shell.folder / "eval-gate.yml").unlink()
    done = shell.gate("merge", *folders)
    assert (done.code, "name it with --config" in done.err) == (64, True)


def test_rows_of_a_suite_that_the_configuration_does_not_run_are_refused(shell: Shell) -> None:
    folders = legs(shell, 1)
    shell.write("eval-gate.yml", config(suites=SUITES.replace("name: found", "name: other")))
    done = merge(shell, folders)
    assert (done.code, "rows of 'found', which is no suite of this configuration" in done.err) == (65, True)


def test_the_shard_of_another_gate_never_stands_in_for_one_that_is_missing(shell: Shell) -> None:
    for number, gate in ((1, "found"), (2, "found-nightly")):
        shell.write("eval-gate.yml", config(f"gate: {gate}"))
        legs(shell, 2, numbers=[number])
    shell.write("eval-gate.yml", config("gate: found"))
    done = merge(shell, ["job-1", "job-2"])
    assert done.code == 2
    assert "3 files of rows of the gate 'found-nightly' left alone: this is found" in done.err
    assert "found: shard 2/2 is missing" in done.err


def test_rows_that_lie_there_are_left_to_the_merge(shell: Shell) -> None:
    shell.write(
        "eval-gate.yml", config(suites=f"{SUITES}  - {{suite: rows, name: mine, rows: mine.ndjson}}\n")
    )
    done = shell.gate("run", "--shard", "1/1", "--out", "job-1")
    assert (done.code, "mine: rows that lie there already are left to the merge job" in done.out) == (0, True)
    shell.write("mine.ndjson", '{"question_id": "a", "hit@1": 1}\n')
    assert merge(shell, ["job-1"]).code == 0
    assert [suite.name for suite in report(shell.folder).suites] == ["remembered", "found", "again", "mine"]


def test_an_earlier_verdict_in_the_folder_is_set_aside(shell: Shell) -> None:
    assert shell.gate("run", "--out", "job-1").code == 0
    legs(shell, 1)
    assert not (shell.folder / "job-1/receipt.json").exists()
    assert (shell.folder / "job-1/stale/receipt.json").exists()


def test_where_parts_cannot_be_merged_no_earlier_verdict_stays_in_the_folder(shell: Shell) -> None:
    folders = legs(shell, 2)
    assert merge(shell, folders).code == 0
    legs(shell, 3, numbers=[1])
    assert merge(shell, folders).code == 65
    assert not (shell.folder / "gate-out/receipt.json").exists()
    assert (shell.folder / "gate-out/stale/receipt.json").exists()


def test_a_leg_goes_on_where_it_was_stopped(shell: Shell) -> None:
    legs(shell, 2)
    path = shell.folder / "job-1/rows/remembered.ndjson"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    done = shell.gate("run", "--shard", "1/2", "--out", "job-1", "--resume")
    assert (done.code, "continued after 3 of " in done.err) == (0, True)
    assert merge(shell, ["job-1", "job-2"]).code == 0


def test_a_leg_as_json_is_one_object(shell: Shell) -> None:
    leg = shell.gate("run", "--shard", "2/2", "--json").document
    assert (leg["shard"], leg["exit_code"]) == ("2/2", 0)
    assert [suite["name"] for suite in leg["suites"]] == ["remembered", "found", "again"]


def over_http(shell: Shell, system: ScriptedSystem, call: Callable[[], Call], *more: str) -> Call:
    suites = "  - {suite: retrieval, name: found, corpus: docs, qrels: q.json, k: 3}\n"
    rules = "  - {metric: hit@3, rule: threshold, at-least: 0.1}\n"
    with served(system) as server:
        address = f'{{kind: http, url: "{server.url}", attempts: 1, timeout: 5}}'
        shell.write("eval-gate.yml", config(*more, suites=suites, rules=rules, system=address))
        return call()


def found(query: Query) -> Any:
    return reply((query.text, 1.0))


class Slow(ScriptedSystem):
    """It takes longer than there is time."""

    def search(self, query: Query) -> Any:
        time.sleep(2)
        return found(query)


def test_a_system_that_fails_in_one_job_fails_that_job_and_the_whole(shell: Shell) -> None:
    def matrix() -> Call:
        assert shell.gate("run", "--shard", "1/2", "--out", "job-1").code == 0
        system.down = failed("crash")
        broken = shell.gate("run", "--shard", "2/2", "--out", "job-2")
        assert broken.code == 1
        assert "suite_failed: " in broken.out
        return merge(shell, ["job-1", "job-2"])

    system = ScriptedSystem(found)
    assert over_http(shell, system, matrix).code == 1
    assert report(shell.folder).reason == "suite_failed"
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_system_that_does_not_answer_at_all_has_failed_every_question_of_every_job(shell: Shell) -> None:
    down = '{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}'
    shell.write("eval-gate.yml", config(system=down))
    assert shell.gate("run", "--out", "whole").code == 1
    for number in (1, 2):
        assert shell.gate("run", "--shard", f"{number}/2", "--out", f"job-{number}").code == 1
    assert merge(shell, ["job-1", "job-2"]).code == 1
    assert report(shell.folder).reason == "suite_failed"
    for suite in ("remembered", "found", "again"):
        name = f"rows/{suite}.ndjson"
        assert lines(shell.folder / "gate-out" / name) == lines(shell.folder / "whole" / name)


def test_a_job_whose_time_is_up_says_so_and_the_whole_is_inconclusive(shell: Shell) -> None:
    def matrix() -> Call:
        late = shell.gate("run", "--shard", "1/1", "--out", "job-1")
        assert (late.code, "deadline: " in late.out) == (2, True)
        return merge(shell, ["job-1"])

    assert over_http(shell, Slow(), matrix, "deadline: 1s").code == 2
    assert {each.reason for each in report(shell.folder).outcomes} >= {"deadline"}


def test_what_was_silently_missing_in_one_job_fails_the_whole(shell: Shell) -> None:
    def matrix() -> Call:
        assert shell.gate("run", "--shard", "1/1", "--out", "job-1").code == 1
        return merge(shell, ["job-1"])

    assert over_http(shell, ScriptedSystem(found), matrix, "require: [reranker]").code == 1
    assert report(shell.folder).reason == "reranker_fell_open"


def test_gbrain_asks_its_share_of_the_questions(
    open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(open_folder)
    shell = Shell(open_folder, capsys)
    array(open_folder / "lme.json", [document(number) for number in range(6)])
    system = stand_in(open_folder, answers([told(number) for number in range(6)]))
    suites = "  - {suite: longmemeval, name: remembered, dataset: lme.json}\n"
    shell.write(
        "eval-gate.yml", config(suites=suites, rules=RULES.splitlines(keepends=True)[0], system=system)
    )
    done = merge(shell, legs(shell, 9))  # some have nothing to ask, and learn nothing of gbrain
    assert done.code == 0, done.err
    assert report(shell.folder).suites[0].candidate.questions == 6


def test_gbrain_replays_all_of_a_file_in_the_first_job(
    open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(open_folder)
    shell = Shell(open_folder, capsys)
    shell.write("c.ndjson", replay_lines(replay_row("a"), replay_row("b")))
    asked = replay_report(result(query="a"), result(query="b", current_slugs=["people/b", "people/a"]))
    system = stand_in(open_folder, {"replay.json": json.dumps(asked)})
    suites = "  - {suite: replay, name: again, against: c.ndjson, thresholds: {top1: 0.9}}\n"
    rules = "  - {metric: top1_stability, rule: threshold, at-least: 0.1}\n"
    shell.write("eval-gate.yml", config(suites=suites, rules=rules, system=system))
    one, two = legs(shell, 2)
    assert not (shell.folder / two / "rows/again.ndjson").exists()
    assert merge(shell, [one, two]).code == 1
    assert report(shell.folder).reason == "threshold_missed"


def test_a_suite_that_cannot_be_split_is_run_whole_by_the_first_job_and_carried_through(shell: Shell) -> None:
    shell.write("r.json", real(RESULT))
    turns = "  - {suite: brainbench, name: turns, result: r.json}\n"
    leaks = "  - {metric: source_isolation_violations, rule: threshold, at-most: 0}\n"
    shell.write("eval-gate.yml", config(suites=SUITES + turns, rules=RULES + leaks))
    assert shell.gate("run", "--out", "whole").code == 0
    one, two = legs(shell, 2)
    assert not (shell.folder / two / "rows/turns.ndjson").exists()
    assert merge(shell, [one, two]).code == 0
    whole = (shell.folder / "whole/rows/turns.ndjson").read_bytes()
    assert (shell.folder / "gate-out/rows/turns.ndjson").read_bytes() == whole
    assert shell.gate("verify", "gate-out/receipt.json").code == 0

    (shell.folder / one / "rows/turns.ndjson").unlink()
    done = merge(shell, [one, two])
    assert done.code == 2
    assert "turns: no sharded job has left any rows of it" in done.err


def test_a_panel_is_asked_once_and_its_receipt_and_cost_go_through_the_merge(desk: Desk) -> None:
    desk.config()
    assert judged(desk, answer(8), arguments=("--shard", "1/2", "--out", "job-1")).code == 0
    silent = desk.gate("run", "--shard", "2/2", "--out", "job-2")
    assert (silent.code, "cannot be split, and is run whole by shard 1/2" in silent.out) == (0, True)
    done = desk.gate("merge", "job-1", "job-2", "--config", "eval-gate.yml")
    assert done.code == 0, done.err
    panel = desk.report().suites[0].panel
    assert panel is not None
    assert (panel.verdict, panel.run.calls) == ("pass", 3)
    (path,) = desk.kept()
    assert panel.receipt.path == f"gate-out/takes/{path.name}"
    assert desk.gate("verify", "gate-out/receipt.json").code == 0
    (original,) = (desk.folder / "job-1/takes").iterdir()
    assert path.read_bytes() == original.read_bytes()

    original.write_bytes(original.read_bytes() + b" ")
    again = desk.gate("merge", "job-1", "job-2", "--config", "eval-gate.yml")
    assert (again.code, "is not the receipt of the panel" in again.err) == (65, True)


def test_a_panel_that_fails_does_not_fail_its_job_but_the_merge(desk: Desk) -> None:
    desk.config()
    assert judged(desk, answer(3), arguments=("--shard", "1/1", "--out", "job-1")).code == 0
    assert desk.gate("merge", "job-1", "--config", "eval-gate.yml").code == 1
    assert desk.report().reason == "panel_fail"


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)])
@pytest.mark.parametrize("suite", ["found", "remembered", "again"])
def test_a_job_that_is_ended_from_outside_keeps_its_rows_and_never_passes(
    shell: Shell, suite: str, ending: signal.Signals, code: int
) -> None:
    wanted = next(line for line in SUITES.splitlines(keepends=True) if f"name: {suite}" in line)
    rule = "  - {metric: latency_ms, rule: threshold, at-most: 100000}\n"

    def endless(_: Query) -> Any:
        if len(system.asked) > 2:
            time.sleep(30)
        return reply()

    system = ScriptedSystem(endless)
    with served(system) as server:
        address = f'{{kind: http, url: "{server.url}", attempts: 1, timeout: 60, concurrency: 1}}'
        shell.write("eval-gate.yml", config(suites=wanted, rules=rule, system=address))
        process = spawn("run", "--shard", "1/1", "--out", "job-1", cwd=shell.folder)
        path, until = shell.folder / f"job-1/rows/{suite}.ndjson", time.monotonic() + 60
        while time.monotonic() < until and (not path.exists() or path.read_bytes().count(b"\n") < 3):
            time.sleep(0.02)
        process.send_signal(ending)
        process.communicate(timeout=60)
    assert process.returncode == code
    done = merge(shell, ["job-1"])
    assert done.code == 2
    assert f"{suite}: shard 1/1 is not finished: " in done.err
    assert report(shell.folder).suites[0].candidate.questions == 2
