"""Inputs that say what is measured: by hand and on a push, never where a change is judged by its base."""

import json
from pathlib import Path

import pytest

from tests.github.fake_github import github
from tests.github.fake_world import World
from tests.wiring.pull_requests import PullRequest
from tests.workspaces import CONFIG, rows

SECOND = "  - {suite: rows, name: second, rows: rows/second.ndjson}\n"
TWO_SUITES = CONFIG.replace("baseline:", SECOND + "baseline:", 1)
GIVEN = {"suites": "main", "modes": "balanced", "limit": "5", "baseline": "accepted"}
BY_HAND: dict[str, object] = {
    "ref": "refs/heads/main",
    "inputs": {},
    "repository": {"id": 1001, "full_name": "octo/search", "default_branch": "main"},
}


def two_suites(pull: PullRequest) -> None:
    pull.main(
        {
            "eval-gate.yml": TWO_SUITES.encode(),
            "rows/baseline.ndjson": rows([1] * 40),
            "rows/candidate.ndjson": rows([1] * 40),
            "rows/second.ndjson": rows([1] * 40),
        }
    )


@pytest.mark.parametrize("name", list(GIVEN))
def test_a_change_does_not_say_itself_what_is_measured_of_it(tmp_path: Path, name: str) -> None:
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        two_suites(pull)
        pull.change({"README.md": b"more\n"})
        ran = pull.run(**{name: GIVEN[name]})

    assert ran.code == 64
    assert f"`{name}`: under 'pull_request' the base's configuration says what is measured" in ran.said(
        "error"
    )
    assert "merge that first" in ran.said("error")


def test_all_of_them_are_refused_at_once(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        two_suites(pull)
        pull.change({"README.md": b"more\n"})

        assert "`suites`, `modes`, `limit`, `baseline`: under" in pull.run(**GIVEN).said("error")


def test_a_run_by_hand_may_measure_less_and_says_that_it_did(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        two_suites(pull)
        pull.event, pull.merge = "workflow_dispatch", pull.base
        ran = pull.run(payload=BY_HAND, suites="main")

    assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (2, "inconclusive", "not_measured")
    assert "second is left out: only main was asked for" in ran.summary
    suites = pull.receipt()["suites"]
    assert [suite["name"] for suite in suites] == ["main"]  # type: ignore[index,attr-defined]


def test_a_run_by_hand_may_be_compared_with_another_receipt(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        two_suites(pull)
        pull.event, pull.merge = "workflow_dispatch", pull.base
        pull.run(payload=BY_HAND)
        (pull.workspace / "gate-out").rename(pull.workspace / "release-1")
        (pull.workspace / "rows" / "candidate.ndjson").write_bytes(rows([0] * 12 + [1] * 28))
        ran = pull.run(payload=BY_HAND, run_id=101, baseline="release-1/receipt.json")

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["baseline"]["source"] == "release-1/receipt.json"  # type: ignore[index]


FETCHING = TWO_SUITES.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {artifact: true}")
OUT_OF_TIME = json.dumps({"kind": "run_info", "shortfalls": {"deadline": 3}}).encode() + b"\n"


@pytest.mark.parametrize(
    ("second", "inputs", "said"),
    [
        (rows([1] * 40), {"suites": "main"}, "second is left out"),
        (rows([1] * 37) + OUT_OF_TIME, {}, "second: the deadline came before 3 questions"),
    ],
    ids=["left out", "out of time"],
)
def test_what_measured_only_a_part_is_no_baseline_for_pull_requests(
    tmp_path: Path, second: bytes, inputs: dict[str, str], said: str
) -> None:
    world = World()
    with github(world) as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main(
            {
                "eval-gate.yml": FETCHING.encode(),
                "rows/candidate.ndjson": rows([1] * 40),
                "rows/second.ndjson": second,
            }
        )
        pull.event, pull.merge = "push", pull.base
        pushed = {**BY_HAND, "before": "0" * 40, "after": pull.base}
        pull.run(run_id=50, payload=pushed, **inputs)
        pull.upload(run_id=50, event="push", sha=pull.base, branch="main")
        pull.event = "pull_request"
        pull.change({"rows/second.ndjson": rows([1] * 40)})
        ran = pull.run()

    assert (ran.code, ran.outputs["reason"]) == (2, "no_baseline")
    assert f"it measured only a part: {said}" in ran.log
