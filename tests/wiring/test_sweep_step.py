"""`command: sweep`: by hand, on a schedule and on a push; never where a change is judged by its base."""

import json
from pathlib import Path

import pytest

from gate.core.records.ledger import read_ledger
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import REPOSITORY, World
from tests.repositories import commit
from tests.wiring.pull_requests import PullRequest
from tests.wiring.test_narrowing import BY_HAND

NAMES = ("alice", "bob", "carol", "dora")
QUERIES = {
    "version": 1,
    "queries": [{"id": f"q-{name}", "query": name, "relevant": [name]} for name in NAMES],
}
CONFIG = """\
version: 1
gate: tests
system: {kind: reference}
suites: [{suite: retrieval, corpus: docs, qrels: q.json, k: 3}]
rules: [{metric: recall@3, rule: threshold, at-least: 0.9}]
"""
FILES = {f"docs/{name}.md": f"{name} walks by the river".encode() for name in NAMES}


def repository(
    tmp_path: Path, fake: FakeGitHub, more: str = "", event: str = "workflow_dispatch"
) -> PullRequest:
    pull = PullRequest(tmp_path, fake)
    pull.main({"eval-gate.yml": (CONFIG + more).encode(), "q.json": json.dumps(QUERIES).encode(), **FILES})
    pull.event, pull.merge = event, pull.base
    return pull


def test_a_sweep_by_hand_measures_every_mode_and_its_page_is_the_job_summary(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = repository(tmp_path, fake)
        ran = pull.run(payload=BY_HAND, command="sweep")
        assert pull.comments() == []

    assert (ran.code, ran.outputs["verdict"], ran.outputs["comment-url"]) == (0, "pass", "")
    out = pull.workspace / "gate-out"
    page = (out / "release.md").read_text()
    assert ran.summary.startswith(page.rstrip("\n"))
    assert "<summary>Everything that was measured</summary>" in ran.summary
    records = read_ledger((out / "eval-results.jsonl").read_bytes()).records
    assert sorted(record.mode for record in records) == ["balanced", "conservative", "tokenmax"]
    assert all((pull.workspace / str(record.output)).exists() for record in records)
    assert "together, as far as it is known: 0.000 USD" in ran.log
    assert ran.said("notice").startswith("Passed: all 3 limits hold.")


def test_the_inputs_of_a_narrower_sweep_are_in_its_commands(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = repository(tmp_path, fake)
        given = {"modes": "balanced, tokenmax", "limit": "3", "seed": "7"}
        ran = pull.run(payload=BY_HAND, command="sweep", **given)

    assert (ran.code, ran.outputs["reason"]) == (2, "not_measured")
    assert (
        "gate sweep --config eval-gate.yml --out gate-out --modes 'balanced, tokenmax' --limit 3\n"
        in ran.summary
    )
    assert "# with the inputs seed: 7 of the action\n" in ran.summary


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_a_change_is_never_swept(tmp_path: Path, event: str) -> None:
    with github(World()) as fake:
        pull = repository(tmp_path, fake)
        pull.change({"README.md": b"more\n"})
        pull.event = event
        payload = None if event == "pull_request" else merge_group(pull)
        ran = pull.run(payload=payload, command="sweep")

    assert ran.code == 64
    assert "judge changes with `command: run`" in ran.said("error")
    assert not (pull.workspace / "gate-out").exists()


def merge_group(pull: PullRequest) -> dict[str, object]:
    group = {
        "head_sha": pull.merge,
        "base_sha": pull.base,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-7-" + "a" * 40,
        "base_ref": "refs/heads/main",
    }
    return {"action": "checks_requested", "merge_group": group, "repository": BY_HAND["repository"]}


def test_a_push_is_swept_whole_whatever_is_watched(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = repository(tmp_path, fake, 'watch: {paths: ["elsewhere/**"]}\n', event="push")
        pushed = {**BY_HAND, "before": "0" * 40, "after": pull.base}
        ran = pull.run(payload=pushed, command="sweep")

    assert (ran.code, ran.outputs["reason"]) == (0, "")
    assert len(pull.receipt()["suites"]) == 3  # type: ignore[arg-type]


def test_a_sweep_over_the_budget_is_an_outcome_and_nothing_is_run(tmp_path: Path) -> None:
    service = CONFIG.replace(
        "{kind: reference}", '{kind: http, url: "http://127.0.0.1:9", start-timeout: 0.1, attempts: 1}'
    )
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": service.encode(), "q.json": json.dumps(QUERIES).encode(), **FILES})
        pull.event, pull.merge = "schedule", pull.base
        payload = {"schedule": "0 4 * * 1", "repository": BY_HAND["repository"]}
        ran = pull.run(payload=payload, command="sweep", **{"budget-usd": "0.5"})

    assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (
        2,
        "inconclusive",
        "budget_exhausted",
    )
    assert "the sweep may cost 0.515 USD, and the budget is 0.5 USD" in ran.summary
    assert pull.receipt()["complete"] is False
    assert not (pull.workspace / "gate-out/eval-results.jsonl").exists()


def test_an_artifact_that_a_sweep_is_compared_with_is_one_of_the_workflow_that_judges(tmp_path: Path) -> None:
    judging = """\
on: {push: , pull_request: }
jobs: {gate: {steps: [{uses: octo/retrieval-quality-gate@v1, with: {config: eval-gate.yml}}]}}
"""
    with github(World()) as fake:
        pull = repository(tmp_path, fake, event="push")
        pull.base = pull.merge = commit(pull.workspace, {".github/workflows/gate.yml": judging.encode()})
        pushed = {**BY_HAND, "before": "0" * 40, "after": pull.base}
        pull.run(run_id=50, payload=pushed)
        pull.upload(run_id=50, event="push", sha=pull.base, branch="main")
        pull.event = "workflow_dispatch"
        pull.extra["GITHUB_WORKFLOW_REF"] = f"{REPOSITORY}/.github/workflows/eval-sweep.yml@refs/heads/main"
        ran = pull.run(payload=BY_HAND, command="sweep", baseline="artifact")

    compared = {suite["name"]: suite["baseline"] is not None for suite in pull.receipt()["suites"]}  # type: ignore[index,attr-defined]
    assert compared == {"retrieval": True, "retrieval-conservative": False, "retrieval-tokenmax": False}
    assert ran.outputs["reason"] == "no_baseline"  # of the modes that the gate does not measure
