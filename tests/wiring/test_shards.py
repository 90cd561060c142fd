"""A matrix of jobs measures a pull request's parts, one job merges them: one verdict, one comment."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_run_suites import NAMES
from tests.cli.test_suite_replay import captured, published
from tests.core.part_files import part_bytes
from tests.github.fake_github import github
from tests.wiring.pull_requests import FORK, PullRequest, Ran
from tests.wiring.test_fork import publish
from tests.wiring.test_withheld import CONFIG as WITH_SECRET

RULES = "rules:\n  - {metric: hit@1, rule: threshold, at-least: 0.5}\n"
CONFIG = f"""\
version: 1
gate: search
system: {{kind: reference}}
suites:
  - {{suite: retrieval, name: found, corpus: docs, qrels: q.json, k: [1, 3]}}
  - {{suite: replay, name: again, against: c.ndjson, corpus: docs}}
{RULES}"""
MATRIX = json.dumps({"shard": 2})


def collection() -> dict[str, bytes | None]:
    queries = [{"id": f"q-{name}", "query": name, "relevant": [name]} for name in NAMES]
    return {
        **{f"docs/{name}.md": f"{name} walks by the river".encode() for name in NAMES},
        "q.json": json.dumps({"version": 1, "queries": queries}).encode(),
        "c.ndjson": published(*(captured(f"{name} walks", name) for name in NAMES), jaccard=0.05),
    }


@pytest.fixture
def pull(tmp_path: Path) -> Iterator[PullRequest]:
    with github() as fake:
        found = PullRequest(tmp_path, fake)
        found.main({"eval-gate.yml": CONFIG.encode(), **collection()})
        found.change({"README.md": b"hello"})
        yield found


def measured(
    pull: PullRequest, number: int, *, attempt: int = 1, payload: dict[str, object] | None = None
) -> Ran:
    """One job of the matrix, and what its upload and the merge's download do with its folder."""
    ran = pull.run(attempt=attempt, payload=payload, shard=f"{number}/2", matrix=MATRIX)
    out = pull.workspace / "gate-out"
    if out.exists() and ran.outputs.get("artifact-name"):
        target = pull.workspace / "gate-shards" / ran.outputs["artifact-name"]
        shutil.rmtree(target, ignore_errors=True)
        shutil.move(out, target)
    return ran


def merged(pull: PullRequest, *, attempt: int = 1, payload: dict[str, object] | None = None) -> Ran:
    return pull.run(attempt=attempt, payload=payload, command="merge")


def test_jobs_measure_and_judge_nothing(pull: PullRequest) -> None:
    ran = measured(pull, 2)
    assert ran.code == 0
    assert "measured 2/2, nothing is judged" in ran.log
    assert "### search: measured 2/2, nothing is judged" in ran.summary
    assert ran.outputs == {"artifact-name": "shard-search-2-of-2-attempt-1"}
    assert (pull.comments(), pull.fake.world.checks) == ([], {})
    folder = pull.workspace / "gate-shards" / "shard-search-2-of-2-attempt-1"
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert files == ["rows/again.ndjson", "rows/found.ndjson"]


def test_the_merge_is_the_gate_with_its_comment_and_its_own_name(pull: PullRequest) -> None:
    measured(pull, 1)
    measured(pull, 2)
    ran = merged(pull)
    assert (ran.code, ran.outputs["verdict"]) == (0, "pass")
    assert ran.outputs["artifact-name"] == "gate-search-attempt-1"
    (comment,) = pull.comments()
    assert "search" in comment
    receipt = pull.receipt()
    assert (receipt["gate"], [suite["name"] for suite in receipt["suites"]]) == ("search", ["found", "again"])  # type: ignore[attr-defined]
    assert receipt["plan"]["policy"]["origin"] == "base"  # type: ignore[index]


def test_the_rules_of_the_base_judge_the_parts_that_a_change_has_measured(pull: PullRequest) -> None:
    loose = CONFIG.replace("at-least: 0.5", "at-least: 0")
    worse = {f"docs/{name}.md": b"nobody walks by the river" for name in NAMES}
    pull.change({"eval-gate.yml": loose.encode(), **worse})
    measured(pull, 1)
    measured(pull, 2)
    ran = merged(pull)
    assert (ran.code, ran.outputs["reason"]) == (1, "threshold_missed")


def test_a_job_that_left_nothing_makes_the_gate_inconclusive_and_the_comment_says_which(
    pull: PullRequest,
) -> None:
    measured(pull, 1)
    ran = merged(pull)
    assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (2, "inconclusive", "cancelled")
    assert "found: shard 2/2 is missing" in ran.said("warning")
    (comment,) = pull.comments()
    assert "shard 2/2 is missing" in comment


def test_no_job_left_anything(pull: PullRequest) -> None:
    ran = merged(pull)
    assert (ran.code, ran.outputs["reason"]) == (2, "cancelled")
    assert "no sharded job has left any rows" in pull.comments()[0]


def test_an_attempt_that_is_repeated_counts(pull: PullRequest) -> None:
    measured(pull, 1)
    first = measured(pull, 2)
    rows = pull.workspace / "gate-shards" / first.outputs["artifact-name"] / "rows" / "found.ndjson"
    rows.write_text("".join(rows.read_text().splitlines(keepends=True)[:2]))
    second = measured(pull, 2, attempt=2)
    assert second.outputs["artifact-name"] == "shard-search-2-of-2-attempt-2"
    ran = merged(pull, attempt=2)
    assert ran.code == 0
    assert "shard 2/2 again" in ran.said("warning")


def test_a_shard_that_was_missing_in_one_attempt_is_made_good_by_the_next(pull: PullRequest) -> None:
    measured(pull, 1)
    assert merged(pull).code == 2
    pull.upload(run_id=100, name="gate-search")
    measured(pull, 2, attempt=2)
    ran = merged(pull, attempt=2)
    assert (ran.code, ran.outputs["verdict"]) == (0, "pass")
    assert "2 attempts of this run are pooled as repeats" in pull.comments()[0]


def test_shards_of_another_commit_are_an_invalid_input(pull: PullRequest) -> None:
    measured(pull, 1)
    pull.change({"README.md": b"pushed meanwhile"})
    measured(pull, 2)
    ran = merged(pull)
    assert ran.code == 65
    assert "another commit" in ran.said("error")


def test_where_nothing_watched_has_changed_no_job_measures_and_the_gate_passes(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        watching = f'{CONFIG}watch: {{paths: ["docs/**"]}}\n'
        pull.main({"eval-gate.yml": watching.encode(), **collection()})
        pull.change({"README.md": b"hello"})
        ran = measured(pull, 1)
        assert (ran.code, "nothing that is watched has changed" in ran.log) == (0, True)
        ran = merged(pull)
        assert (ran.code, ran.outputs["reason"]) == (0, "not_applicable")
        # a job that could not tell what has changed has measured in full
        rows = pull.workspace / "gate-shards" / "shard-1" / "rows"
        rows.mkdir(parents=True)
        (rows / "docs.ndjson").write_bytes(part_bytes(1))
        assert merged(pull).code == 0


@pytest.mark.parametrize("command", ["publish", "merge", "sweep", "drift"])
def test_a_shard_goes_with_no_other_command(pull: PullRequest, command: str) -> None:
    ran = pull.run(command=command, shard="1/2")
    assert ran.code == 64
    assert f"`shard: 1/2` goes with `command: run`, not with `command: {command}`" in ran.said("error")


@pytest.mark.parametrize("text", ["0/4", "5/4", "a", "1/0", "1/1001"])
def test_what_is_no_shard_is_one_usage_error_and_names_no_artifact(pull: PullRequest, text: str) -> None:
    ran = pull.run(shard=text)
    assert (ran.code, ran.outputs) == (64, {})
    assert f"{text!r} is no shard" in ran.said("error")


def test_a_job_that_ends_in_an_error_names_its_artifact_and_leaves_the_comment_alone(
    pull: PullRequest,
) -> None:
    pull.change({"q.json": b"nonsense"})
    ran = pull.run(shard="1/2", matrix=MATRIX)
    assert ran.code == 65
    assert ran.outputs == {"artifact-name": "shard-search-1-of-2-attempt-1"}
    assert pull.comments() == []
    assert pull.run().code == 65
    assert len(pull.comments()) == 1  # a job that judges tells it


def test_a_narrowed_matrix_is_refused_on_a_pull_request(pull: PullRequest) -> None:
    assert pull.run(shard="1/2", limit="3").code == 64


@pytest.mark.parametrize(("there", "said"), [((1,), "shard 2/2 is missing"), ((), "left any rows")])
def test_a_fork_s_pull_request_is_told_that_its_shards_are_missing(
    there: tuple[int, ...], said: str, pull: PullRequest
) -> None:
    payload = pull.from_a_fork()
    for number in there:
        measured(pull, number, payload=payload)
    assert merged(pull, payload=payload).code == 2
    assert pull.comments() == []
    pull.upload(run_id=100, name="gate-search")
    pull.fake.world.runs[0].head_repository = FORK
    pull.fake.world.contents["main", "eval-gate.yml"] = CONFIG.encode()
    pull.extra = {}
    publish(pull)
    (comment,) = pull.comments()
    assert "The numbers come from the contributor's run" in comment
    assert "Cannot tell" in comment
    assert said in comment


def test_a_fork_without_the_secrets_is_not_measured_by_any_job_and_the_merge_says_why(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": WITH_SECRET, **collection()})
        pull.change({"README.md": b"hello"})
        payload = pull.from_a_fork()
        for number in (1, 2):
            ran = pull.run(shard=f"{number}/2", payload=payload)
            assert (ran.code, "there is no SEARCH_TOKEN: a pull request from a fork" in ran.log) == (0, True)
            shutil.move(pull.workspace / "gate-out", pull.workspace / "gate-shards" / str(number))
        ran = pull.run(command="merge", payload=payload)
        assert (ran.code, ran.outputs["reason"]) == (2, "not_measured")
        assert "there is no SEARCH_TOKEN" in ran.log
