"""Suites that judge their own run, on a pull request: held to what the base has, not to what the change brings."""

from pathlib import Path

from tests.cli.test_suite_brainbench import committed, written
from tests.cli.test_suite_replay import MOVED, SAME, published
from tests.github.fake_github import github
from tests.wiring.pull_requests import PullRequest

PAGES = {
    "docs/people/alice.md": b"Alice founded the widget company in spring.",
    "docs/people/bob.md": b"Bob sells gadgets and repairs bicycles.",
}
REPLAY = b"""version: 1
system: {kind: reference}
suites: [{suite: replay, against: c.ndjson, corpus: docs, thresholds: {jaccard: 0.9, top1: 0.9}}]
rules: [{metric: top1_stability, rule: threshold, at-least: 0}]
"""
BRAINBENCH = b"""version: 1
suites: [{suite: brainbench, result: result.json, baseline: main.json}]
rules: [{metric: latency_ms, rule: threshold, at-most: 10000}]
on-inconclusive: {default: fail, not_measured: pass}
"""


def outcomes(pull: PullRequest) -> list[str]:
    report: list[dict[str, str]] = pull.receipt()["outcomes"]  # type: ignore[assignment]
    return [each["reason"] for each in report if each["reason"]]


def test_captures_that_the_change_rewrites_do_not_count(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": REPLAY, "c.ndjson": published(*SAME, MOVED), **PAGES})
        pull.change({"c.ndjson": published(*SAME)})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "threshold_missed")
        suites = pull.receipt()["plan"]["suites"]  # type: ignore[index]
        assert suites[0]["inputs"]["against"]["commit"] == pull.base


def test_thresholds_that_the_change_lowers_do_not_count_and_are_shown(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": REPLAY, "c.ndjson": published(*SAME, MOVED), **PAGES})
        pull.change({"eval-gate.yml": REPLAY.replace(b"0.9", b"0.1")})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "threshold_missed")
        policy = pull.receipt()["plan"]["policy"]  # type: ignore[index]
        assert [change["place"] for change in policy["changes"]] == [
            "suites.replay.thresholds.jaccard",
            "suites.replay.thresholds.top1",
        ]
        assert "suites.replay.thresholds.jaccard" in pull.comments()[0]


def test_captures_that_only_the_change_has_are_its_own(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"README.md": b"hello", **PAGES})
        pull.change({"eval-gate.yml": REPLAY, "c.ndjson": published(*SAME)})

        assert (pull.run().code, outcomes(pull)) == (0, [])


def test_figures_that_the_change_commits_must_be_its_own_and_no_worse_than_the_base_s(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": BRAINBENCH, "main.json": committed(written()).encode()})
        pull.change({"main.json": committed(written(failed=3)).encode()})
        (pull.workspace / "result.json").write_bytes(written(failed=3))

        assert pull.run().code == 1
        assert "regression" in outcomes(pull)
        inputs = pull.receipt()["plan"]["suites"][0]["inputs"]  # type: ignore[index]
        assert (inputs["base"]["commit"], inputs["committed"]["commit"]) == (pull.base, None)


def test_figures_that_the_change_deletes_are_no_pass(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": BRAINBENCH, "main.json": committed(written()).encode()})
        pull.change({"main.json": None})
        (pull.workspace / "result.json").write_bytes(written())

        assert pull.run().code == 2
        assert "incomparable" in outcomes(pull)


def test_the_first_figures_must_be_what_the_run_measured(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": BRAINBENCH})
        pull.change({"main.json": committed(written()).encode()})
        (pull.workspace / "result.json").write_bytes(written())

        pull.run()

        assert "incomparable" not in outcomes(pull)
        (pull.workspace / "result.json").write_bytes(written(failed=2))
        pull.run(run_id=101)
        assert "incomparable" in outcomes(pull)
