"""What a fork says about the rules that judged it is held against the base's own configuration."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from gate.core.assemble import Circumstances
from gate.core.plan import Plan, PolicySource, Watched
from gate.core.receipt import plan_digest, receipt_bytes, sealed
from gate.core.report import Report
from gate.pipeline import derive
from gate.store.git_tree import GitTree
from gate.store.receipts import read_receipt
from gate.store.workspace_files import RowFiles
from gate.suites.evidence import copies_named_by, from_copies
from tests.github.fake_github import FakeGitHub, github
from tests.wiring.pull_requests import ACCEPTED_CONFIG, FORK, NUMBER, PullRequest, opened
from tests.wiring.test_fork import measured, publish
from tests.workspaces import rows

LAX = ACCEPTED_CONFIG.replace("rule: significant", "rule: threshold, at-least: 0")
BASE = "main", "eval-gate.yml"


def forged(pull: PullRequest, change: Callable[[Plan], Plan], gate: str = "tests") -> None:
    """The uploaded receipt with another plan, consistent in itself: it follows from its rows."""
    file = pull.workspace / "gate-out" / "receipt.json"
    report = read_receipt(file, "receipt.json")
    plan = change(report.plan)
    source = RowFiles(pull.workspace, frozenset(), GitTree(pull.workspace), pull.workspace / "gate-out")
    copies = copies_named_by(report)
    facts = Circumstances(report.tool_version, report.created_at, report.durations_ms, copies)
    again: Report = derive(plan, from_copies(replace(report, plan=plan), source), facts)
    file.write_bytes(receipt_bytes(sealed(replace(again, plan_sha256=plan_digest(plan)))))
    pull.fake.world.artifacts.clear()
    pull.upload(run_id=100, name=f"gate-{gate}")
    pull.fake.world.runs[-1].head_repository = FORK


def lax(plan: Plan) -> Plan:
    """As a threshold that everything reaches would judge it, said to be the base's word."""
    rule = replace(plan.rules[0], rule="threshold", at_least=0.0)
    return replace(plan, rules=(rule,))


def unwatched(plan: Plan, pattern: str) -> Plan:
    """As if nothing that this pattern watches had changed, so that nothing is measured."""
    watch = Watched(patterns=(pattern,), changed=1, matched=())
    return replace(plan, watch=watch, suites=(), baseline=None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lax, "differs in: rules"),
        (lambda plan: replace(plan, mode="advisory"), "differs in: mode"),
        (
            lambda plan: unwatched(plan, "src/**"),
            "differs in: watch",
        ),
        (lambda plan: replace(plan, config=None), "names no configuration"),
        (
            lambda plan: replace(plan, config=replace(plan.config, path="../../issues")),
            "names no configuration",
        ),
        (lambda plan: replace(plan, gate="other"), "is of another"),
    ],
    ids=["rules", "mode", "watch", "no config", "a config elsewhere", "another gate"],
)
def test_a_receipt_by_other_rules_is_refused_and_the_log_says_which(
    change: Callable[[Plan], Plan], said: str, tmp_path: Path
) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        forged(pull, change)

        log = publish(pull)

        assert pull.comments() == []
        assert said in log
        assert "it is not published" in log


def test_the_same_receipt_unforged_is_posted(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        forged(pull, lambda plan: replace(plan, mode="blocking"))

        publish(pull)

        (comment,) = pull.comments()
        assert "Regression" in comment
        assert "own rules" not in comment


def test_the_rules_that_the_base_had_when_the_pull_request_was_tested_are_its_rules_too(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.contents[pull.base, "eval-gate.yml"] = ACCEPTED_CONFIG.encode()
        fake.world.contents[BASE] = LAX.encode()

        publish(pull)

        assert "Regression" in pull.comments()[0]


def test_a_base_whose_configuration_is_broken_vouches_for_nothing(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.contents[BASE] = b"version: 1\nruels: []\n"

        assert "no valid configuration" in publish(pull)
        assert pull.comments() == []


def of_fork(folder: Path, fake: FakeGitHub, config: str, **files: bytes) -> PullRequest:
    """A fork's pull request that brings `own.yml`, judged by it in its own run."""
    pull = opened(folder, fake, losses=40) if files.pop("gated", b"") else PullRequest(folder, fake)
    if not pull.base:
        pull.main({"base.ndjson": rows([1] * 40)})
    pull.change({"own.yml": config.encode(), "rows/candidate.ndjson": rows([0] * 40)})
    pull.run(payload=pull.from_a_fork(), config="own.yml")
    pull.upload(run_id=100)
    fake.world.runs[0].head_repository = FORK
    pull.extra = {}
    return pull


def test_a_fork_that_brings_a_gate_of_its_own_beside_the_base_s_is_refused(tmp_path: Path) -> None:
    with github() as fake:
        pull = of_fork(tmp_path, fake, LAX.replace("gate: tests", "gate: fresh"), gated=b"yes")
        fake.world.contents[BASE] = ACCEPTED_CONFIG.encode()

        log = publish(pull)

        assert pull.comments() == []
        assert "was judged by own.yml, which the base does not have" in log
        assert "eval-gate.yml (gate tests)" in log


def test_a_fork_that_brings_the_first_gate_is_posted_as_judged_by_its_own_rules(tmp_path: Path) -> None:
    with github() as fake:
        pull = of_fork(tmp_path, fake, LAX)

        publish(pull)

        (comment,) = pull.comments()
        assert "Judged by the contributor's own rules" in comment
        assert "Introducing the gate" in comment
        assert "Passed" not in comment


def test_the_first_gate_may_not_call_itself_the_base_s(tmp_path: Path) -> None:
    with github() as fake:
        pull = of_fork(tmp_path, fake, LAX)
        forged(pull, lambda plan: replace(plan, policy=PolicySource(origin="base")))

        assert "the base has no such file" in publish(pull)
        assert pull.comments() == []


WATCHING = ACCEPTED_CONFIG + "watch: {paths: [rows/]}\n"


def test_a_fork_cannot_say_that_nothing_watched_changed_when_it_did(tmp_path: Path) -> None:
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.contents[BASE] = WATCHING.encode()
        fake.world.pulls[NUMBER].files = ["README.md", "rows/candidate.ndjson"]
        forged(pull, lambda plan: unwatched(plan, "rows/"))

        assert "rows/candidate.ndjson did" in publish(pull)
        assert pull.comments() == []


@pytest.mark.parametrize(("gate", "posted"), [("tests-big", 1), ("tests-slow", 0)])
def test_a_leg_is_the_gate_s_own_unless_the_base_has_a_gate_of_that_name(
    gate: str, posted: int, tmp_path: Path
) -> None:
    slow = ACCEPTED_CONFIG.replace("gate: tests", "gate: tests-slow")
    with github() as fake:
        pull = measured(tmp_path, fake)
        fake.world.contents["main", ".github/workflows"] = ["gate.yml"]
        fake.world.contents["main", ".github/workflows/gate.yml"] = b"with: {config: slow.yml}\n"
        fake.world.contents["main", "slow.yml"] = slow.encode()
        forged(pull, lambda plan: replace(plan, gate=gate), gate)

        publish(pull)

        assert len(pull.comments()) == posted
