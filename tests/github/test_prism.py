"""PyGithub, prism and the fake in one line: a third party holds both sides to GitHub's own description.

npm install @stoplight/prism-cli@5.14.2
PRISM_BIN=node_modules/.bin/prism python -m pytest tests/github/test_prism.py
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import pytest

from gate.core.drift import Deed, Finding
from gate.github import pulls
from gate.github.artifacts import RunFacts, Wanted, finished, run, runs, stored
from gate.github.checks import CheckAnnotation, CheckResult, begin, complete
from gate.github.client import Client
from gate.github.drift_issue import track
from gate.github.drift_note import DriftNote
from gate.github.failures import ForgeError
from gate.github.first_parents import ApiHistory
from gate.github.publish import Channels, publish
from tests import factories as make
from tests.github.contract import CUT
from tests.github.factories import talking
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import (
    REPOSITORY,
    REPOSITORY_ID,
    Artifact,
    Commit,
    Fault,
    Pull,
    WorkflowRun,
    World,
)
from tests.github.test_publish import RUN, context

PRISM = os.environ.get("PRISM_BIN", "")  # noqa: TID251  # tests read the environment where the gate must not
HEAD, BASE, MERGE = make.HEAD, "b" * 40, "d" * 40
PATIENCE_SECONDS = 60
LARGE = 1_100_000

pytestmark = pytest.mark.skipif(
    not PRISM, reason="PRISM_BIN names no prism binary (npm @stoplight/prism-cli)"
)


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD, merge_sha=MERGE, labels=("bug",), files=["a.py", "b.py"])
    made.commits = {MERGE: Commit(MERGE, (BASE, HEAD), pulls=(7,)), HEAD: Commit(HEAD), BASE: Commit(BASE)}
    made.merge_bases[BASE, HEAD] = BASE
    made.differing[BASE, HEAD] = ["src/a.py"]
    made.contents[BASE, "eval-gate.yml"] = b"version: 1\n"
    made.contents[BASE, "rows.ndjson"] = b"x" * LARGE
    made.collaborators["alice"] = "write"
    made.runs = [WorkflowRun(812, HEAD)]
    made.artifacts = [Artifact(9001, 812, "gate-out", b"")]
    return made


@contextmanager
def between(fake: FakeGitHub) -> Iterator[FakeGitHub]:
    """The fake as prism shows it: every request and answer that breaks the contract becomes an error."""
    port = _free_port()
    command = [PRISM, "proxy", "--errors", "--port", str(port), "--verboseLevel", "error", str(CUT), fake.url]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as prism:
        try:
            _wait_for(port, prism)
            yield replace(fake, url=f"http://127.0.0.1:{port}")
        finally:
            prism.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, prism: subprocess.Popen[bytes]) -> None:
    for _ in range(PATIENCE_SECONDS * 10):
        assert prism.poll() is None, "prism ended at once"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"prism does not answer after {PATIENCE_SECONDS} s")


def test_everything_we_ask_and_hear_keeps_githubs_contract() -> None:
    with github(world()) as fake, between(fake) as proxied, talking(proxied) as client:
        fake.world.chatter(7, 120)
        _publish_twice(client)
        _check(client)
        _ask(client)
        _keep_an_issue(client)
        assert [one.state for one in fake.world.issues.values()] == ["closed"]
        assert len([body for body in fake.world.bodies(7) if "retrieval-quality-gate" in body]) == 1
        assert [len(kept["annotations"]) for kept in fake.world.checks.values()] == [0, 60]


def _publish_twice(client: Client) -> None:
    first = publish(make.report(), context(), Channels(), lambda: client)
    failed = make.report(verdict="fail", reason="regression")
    second = publish(failed, context(run=replace(RUN, id=900)), Channels(check_run="on"), lambda: client)
    assert (first.warnings, second.warnings) == ((), ())
    assert first.comment is not None
    assert second.comment is not None
    assert (first.comment.action, second.comment.action) == ("created", "updated")


def _check(client: Client) -> None:
    remark = CheckAnnotation(path="eval-gate.yml", line=1, level="warning", message="m", title="t")
    said = CheckResult(conclusion="neutral", title="t", renditions=[lambda: "s"], annotations=(remark,) * 60)
    repository = client.repository(REPOSITORY)
    complete(begin(repository, name="many", head_sha=HEAD, details_url=RUN.url, external_id="x"), said)


def _ask(client: Client) -> None:
    repository = client.repository(REPOSITORY)
    assert pulls.facts(repository, 7).labels == ("bug",)
    assert pulls.merge_base(repository, BASE, HEAD) == BASE
    assert pulls.first_parent(repository, MERGE) == BASE
    assert pulls.changed_files(repository, 7).paths == ("a.py", "b.py")
    assert [pull.number for pull in pulls.of_commit(repository, MERGE)] == [7]
    assert pulls.content(repository, "eval-gate.yml", BASE) == b"version: 1\n"
    assert len(pulls.content(repository, "rows.ndjson", BASE) or b"") == LARGE
    assert pulls.changed_between(repository, BASE, HEAD) == ("src/a.py",)
    assert ApiHistory(repository, MERGE).distance(BASE, MERGE) == 1
    assert repository.default_branch == "main"
    assert pulls.permission(repository, "alice") == "write"
    assert [one.id for one in finished(repository, HEAD, REPOSITORY_ID, event="push")] == [812]
    assert [one.id for one in _runs(client)] == [812]
    assert run(repository, 812).head_sha == HEAD
    assert [one.id for one in stored(repository, 812, "gate-out")] == [9001]


def _keep_an_issue(client: Client) -> None:
    """The whole life of a drift watch's issue."""
    repository = client.repository(REPOSITORY)
    lives: tuple[tuple[Finding, str], ...] = (
        ("drift", "opened"),
        ("unmeasured", "noted"),
        ("clean", "closed"),
        ("drift", "reopened"),
        ("drift", "updated"),
        ("clean", "closed"),
    )
    remarks: Mapping[Deed, str] = {"reopen": "again", "close": "no longer", "announce": "something else"}
    for run_id, (found, action) in enumerate(lives, 1):
        note = DriftNote(
            gate="default",
            age=(run_id, 1),
            found=found,
            drifted=str(run_id),
            title="Drift: default",
            renditions=(lambda: "numbers",),
            attempt="> no",
            remarks=remarks,
        )
        assert track(repository, note, own_login=client.login).action == action


def _runs(client: Client) -> list[RunFacts]:
    wanted = Wanted(
        repository_id=REPOSITORY_ID,
        branch="main",
        workflow=".github/workflows/gate.yml",
        name="gate-out",
        files=lambda _: True,
    )
    return list(runs(client.repository(REPOSITORY), wanted))


def test_prism_notices_an_answer_that_breaks_the_contract() -> None:
    with github(world()) as fake, between(fake) as proxied, talking(proxied) as client:
        fake.world.fails("GET", Fault(200, '{"number": "seven"}'), times=9)
        with pytest.raises(ForgeError):
            pulls.facts(client.repository(REPOSITORY), 7)


def test_prism_notices_a_request_that_breaks_the_contract() -> None:
    with github(world()) as fake, between(fake) as proxied, talking(proxied) as client:
        path = f"/repos/{REPOSITORY}/issues/7/comments"
        with pytest.raises(ForgeError, match="422"):
            client.requester.requestJsonAndCheck("POST", path, input={"text": "no body"})
        assert fake.seen == []
