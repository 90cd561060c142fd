"""A run that is stopped, and the comment that an earlier run left: real processes, real signals."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.github.fake_github import FakeGitHub, github
from tests.wiring.pull_requests import ACCEPTED_CONFIG, PullRequest, opened
from tests.workspaces import rows

GRACE = 5
"""Seconds that are left after SIGINT."""


def started(pull: PullRequest, **extra: str) -> subprocess.Popen[str]:
    environment = pull.environment(pull.runner_files(101), run_id=101, attempt=1, inputs={})
    return subprocess.Popen(
        [sys.executable, "-I", "-m", "gate.action"],
        cwd=pull.workspace,
        env=environment | extra,
        stdout=subprocess.PIPE,
        text=True,
    )


def stopped(pull: PullRequest, **extra: str) -> tuple[int, str, float]:
    """A run that is stopped while it compares: its exit code, its log, and how long it took to end."""
    running = started(pull, **extra)
    assert running.stdout is not None
    before = list(iter(running.stdout.readline, "comparing …\n"))
    running.send_signal(signal.SIGINT)
    began = time.monotonic()
    rest = running.communicate(timeout=60)[0]
    return running.returncode, "".join(before) + rest, time.monotonic() - began


def newer_commit(folder: Path, fake: FakeGitHub) -> tuple[PullRequest, str]:
    """A pull request with a judged commit, which is given back, and a newer one that takes long to judge."""
    pull = PullRequest(folder, fake)
    many = rows([number % 7 / 7 for number in range(60_000)])
    pull.main({"eval-gate.yml": ACCEPTED_CONFIG.encode(), "base.ndjson": many})
    pull.change({"rows/candidate.ndjson": rows([1] * 40)})
    pull.run(run_id=100)
    judged = pull.head
    pull.change({"rows/candidate.ndjson": many.replace(b"0.14", b"0.28")})
    return pull, judged


def test_a_stopped_run_is_told_as_not_judged_yet_before_the_older_verdict(tmp_path: Path) -> None:
    with github() as fake:
        pull, judged = newer_commit(tmp_path, fake)

        left, log, took = stopped(pull)

        assert left == 130, log
        (body,) = pull.comments()
        alert = body.split("\n", 1)[1]
        assert alert.startswith(
            f"> [!NOTE]\n> **Commit <code>{pull.head[:7]}</code> is not judged yet: its run was cancelled.**\n"
        )
        assert f"**What follows is about <code>{judged[:7]}</code>.**" in alert
        assert pull.receipt()["reason"] == "cancelled"
        assert took < GRACE


def test_a_github_that_never_answers_does_not_hold_a_stopped_run(tmp_path: Path) -> None:
    with github() as fake, socket.create_server(("127.0.0.1", 0)) as silent:
        pull, _ = newer_commit(tmp_path, fake)

        left, log, took = stopped(pull, GITHUB_API_URL=f"http://127.0.0.1:{silent.getsockname()[1]}")

        assert left == 130, log
        assert "GitHub could not be told" in log
        assert took < GRACE


def test_a_signal_while_an_error_is_told_ends_the_run_with_that_error(tmp_path: Path) -> None:
    with github() as fake, socket.create_server(("127.0.0.1", 0)) as silent:
        pull = opened(tmp_path, fake)
        pull.change({"eval-gate.yml": b"version: 9\n"})
        running = started(pull, GITHUB_API_URL=f"http://127.0.0.1:{silent.getsockname()[1]}")
        with silent.accept()[0]:
            running.send_signal(signal.SIGINT)
            log = running.communicate(timeout=GRACE)[0]

        assert running.returncode == 78
        assert "version" in log
        assert "the run was stopped meanwhile" in log
