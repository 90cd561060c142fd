"""A fork's pull request gets no secrets: what needs one is not measured, and nobody is blamed for it."""

from pathlib import Path

from tests.cli.test_suite_replay import SAME, published
from tests.github.fake_github import github
from tests.wiring.pull_requests import PullRequest

CONFIG = b"""version: 1
system: {kind: http, url: "http://127.0.0.1:9", token-env: SEARCH_TOKEN, attempts: 1, start-timeout: 0.1}
suites: [{suite: replay, against: c.ndjson}]
rules: [{metric: top1_stability, rule: threshold, at-least: 0}]
"""


def asked(folder: Path, config: bytes, *, fork: bool, **variables: str) -> tuple[int, str, str]:
    """A pull request's run: its exit code, its reason, and the log."""
    with github() as fake:
        pull = PullRequest(folder, fake)
        pull.main({"eval-gate.yml": config, "c.ndjson": published(*SAME)})
        pull.change({"README.md": b"hello"})
        pull.extra = variables
        ran = pull.run(payload=pull.from_a_fork() if fork else None)
        return ran.code, ran.outputs.get("reason", ""), ran.log


def test_a_fork_without_the_token_is_not_measured_and_says_why(tmp_path: Path) -> None:
    code, reason, log = asked(tmp_path, CONFIG, fork=True)

    assert (code, reason) == (2, "not_measured")
    assert "there is no SEARCH_TOKEN: a pull request from a fork" in log


def test_a_fork_that_has_what_is_needed_is_measured(tmp_path: Path) -> None:
    code, reason, _ = asked(tmp_path, CONFIG, fork=True, SEARCH_TOKEN="its own")  # noqa: S106 - none

    assert (code, reason) == (1, "suite_failed")  # nobody listens there


def test_elsewhere_a_missing_token_is_a_wrong_configuration(tmp_path: Path) -> None:
    code, _, log = asked(tmp_path, CONFIG, fork=False)

    assert (code, "the variable SEARCH_TOKEN holds no token" in log) == (78, True)
