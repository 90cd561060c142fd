"""A drift watch as the action meets it: a checkout of the default branch, an event, a token, a GitHub that answers."""

import shutil
from pathlib import Path

import pytest

from gate.core.plan import BaselineRows, PlannedBaseline
from gate.errors import ExitCode
from gate.ports import NotHereError
from gate.wiring.drift import Look, watching
from tests import factories as make
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import ACTION_TOKEN, FORK_TOKEN, REPOSITORY, REPOSITORY_ID, Fault, Issue
from tests.repositories import commit, git
from tests.wiring.pull_requests import ACCEPTED_CONFIG, PullRequest, Ran, opened
from tests.workspaces import losing, rows

REPOSITORY_OF = {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"}
SCHEDULE: dict[str, object] = {"schedule": "23 4 * * *"}
WATCHED = ACCEPTED_CONFIG + "watch: {paths: ['src/']}\n"
FROM_PUSHES = WATCHED.replace("{rows: base.ndjson}", "{artifact: true}")
SAME, WORSE = rows([1] * 40), losing(20)


class Watch:
    """A repository that is watched, night after night."""

    def __init__(self, folder: Path, fake: FakeGitHub, *, config: str = WATCHED) -> None:
        self.fake = fake
        self.place = PullRequest(folder, fake, event="schedule")
        self.place.extra["GITHUB_WORKFLOW_REF"] = (
            f"{REPOSITORY}/.github/workflows/eval-drift.yml@refs/heads/main"
        )
        self.place.main(
            {
                "eval-gate.yml": config.encode(),
                "base.ndjson": SAME,
                "rows/candidate.ndjson": SAME,
                "src/a": b"1",
                "docs/a": b"1",
            }
        )
        self.place.merge = self.place.base
        self.night = 100

    def measures(self, data: bytes | None, **inputs: str) -> Ran:
        """One night: what the system's rows are (None = there are none), and the step."""
        self.night += 1
        return self._stepped(data, SCHEDULE, **inputs)

    def by_hand(self, data: bytes | None, branch: str = "main", **asked: str) -> Ran:
        """Somebody starts it for a branch, and answers what its workflow asks."""
        self.place.event = "workflow_dispatch"
        payload = {"ref": f"refs/heads/{branch}", "repository": REPOSITORY_OF, "inputs": asked}
        self.night += 1
        return self._stepped(data, payload)

    def _stepped(self, data: bytes | None, payload: dict[str, object], **inputs: str) -> Ran:
        path = self.place.workspace / "rows" / "candidate.ndjson"
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        return self.place.run(run_id=self.night, payload=payload, **{"command": "drift", **inputs})

    def since(self) -> dict[str, object]:
        """What the receipt says of the changes since the reference."""
        plan = self.place.receipt()["plan"]
        assert isinstance(plan, dict)
        found: dict[str, object] = plan["since"]
        return found

    @property
    def issue(self) -> Issue:
        (issue,) = self.fake.world.issues.values()
        return issue


def test_the_life_of_an_issue_from_the_first_drift_to_the_measured_pass(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        first = watch.measures(SAME)
        assert (first.code, fake.world.issues) == (0, {})
        assert "which files changed could not be told" not in first.summary
        assert "there is no open issue of this gate" in first.log

        drift = watch.measures(WORSE)
        assert (drift.code, drift.outputs["verdict"], drift.outputs["reason"]) == (1, "fail", "regression")
        assert drift.outputs["comment-url"] == f"https://github.example/{REPOSITORY}/issues/1"
        assert (watch.issue.title, watch.issue.state) == ("Drift: tests", "open")
        assert "**Drift: regression of <code>hit</code>" in watch.issue.body
        assert "actions/runs/102/attempts/1" in watch.issue.body
        assert "Drift: regression of hit" in drift.said("error")
        assert "**Drift: regression of" in drift.summary

        watch.measures(WORSE)
        assert "actions/runs/103" in watch.issue.body
        assert fake.world.bodies(1) == []

        lost = watch.measures(rows([1] * 3))
        assert (lost.code, watch.issue.state) == (2, "open")
        assert (
            "**Last attempt, <code>2026-11-30T12:00:00.000Z</code>:** Could not measure:" in watch.issue.body
        )
        assert "actions/runs/103" in watch.issue.body

        healed = watch.measures(SAME)
        assert (healed.code, watch.issue.state) == (0, "closed")
        assert fake.world.bodies(1)[0].startswith("No drift: no drop detected in <code>hit</code>")
        assert "issue closed, since nothing drifts any more" in healed.log

        watch.measures(WORSE)
        assert (watch.issue.state, len(fake.world.bodies(1))) == ("open", 2)
        assert fake.world.bodies(1)[1].startswith("**Drift again.**")


def test_a_step_that_ends_in_an_error_says_so_in_the_open_issue_and_changes_nothing_else(
    tmp_path: Path,
) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        assert watch.measures(None).code == ExitCode.DATA
        assert fake.world.issues == {}
        watch.measures(WORSE)
        assert watch.measures(b"not rows\n").code == ExitCode.DATA
        line = next(part for part in watch.issue.body.splitlines() if "Last attempt" in part)
        assert line.startswith(
            "> **Last attempt, <code>2026-11-30T12:00:00Z</code>:** Could not measure: exit code 65. "
        )
        assert line.endswith(f"https://github.com/{REPOSITORY}/actions/runs/103/attempts/1)")
        assert str(tmp_path) not in watch.issue.body
        assert (watch.issue.state, fake.world.bodies(1)) == ("open", [])
        assert "**Drift: regression of <code>hit</code>" in watch.issue.body
        watch.measures(SAME)
        assert (watch.issue.state, "Last attempt" in watch.issue.body) == ("closed", False)


def test_an_error_with_comments_off_or_on_another_branch_tells_no_issue(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        watch.measures(WORSE)
        before = watch.issue.body
        watch.measures(None, comment="off")
        assert watch.by_hand(None, "feature", **{"pr-number": "7"}).code == ExitCode.DATA
        assert (watch.issue.body, fake.world.bodies(7)) == (before, [])
        named = watch.measures(None, gate="no such/id")
        assert "no issue: the gate's id is not known" in named.log


def test_a_configuration_that_is_broken_is_told_in_the_issue_of_its_gate(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        watch.measures(WORSE)
        (watch.place.workspace / "eval-gate.yml").write_bytes((WATCHED + "ruels: []\n").encode())
        assert watch.measures(SAME).code == ExitCode.CONFIG
        assert "exit code 78. <code>eval-gate.yml:" in watch.issue.body


def test_an_inconclusive_run_that_the_policy_lets_through_closes_nothing(tmp_path: Path) -> None:
    config = WATCHED + "on-inconclusive: {default: pass}\n"
    with github() as fake:
        watch = Watch(tmp_path, fake, config=config)
        watch.measures(WORSE)
        done = watch.measures(rows([1] * 3))
        assert (done.code, done.outputs["verdict"], watch.issue.state) == (0, "inconclusive", "open")
        assert "Last attempt" in watch.issue.body


def test_an_advisory_watch_blocks_nothing_and_keeps_its_issue(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=WATCHED + "mode: advisory\n")
        assert watch.measures(WORSE).code == 0
        assert watch.issue.state == "open"
        assert watch.measures(SAME).code == 0
        assert watch.issue.state == "closed"


def test_a_narrowed_watch_can_open_and_never_closes(tmp_path: Path) -> None:
    two = WATCHED.replace(
        "  - {suite: rows, name: main",
        "  - {suite: rows, name: other, rows: base2.ndjson}\n  - {suite: rows, name: main",
    )
    with github() as fake:
        watch = Watch(tmp_path, fake, config=two)
        shutil.copy(watch.place.workspace / "base.ndjson", watch.place.workspace / "base2.ndjson")
        assert watch.measures(WORSE, suites="main").code == 1
        assert watch.issue.state == "open"
        assert watch.measures(SAME, suites="main").code == 2
        assert (watch.issue.state, "Last attempt" in watch.issue.body) == ("open", True)
        assert watch.measures(SAME).code == 0
        assert watch.issue.state == "closed"


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_a_change_is_not_watched_but_judged(event: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        group = {"head_ref": "x", "head_sha": pull.head, "base_ref": "refs/heads/main", "base_sha": pull.base}
        pull.event = event
        done = pull.run(command="drift", payload={**pull.payload(), "merge_group": group})
        assert done.code == ExitCode.USAGE
        assert "command: run" in done.said("error")
        assert not (pull.workspace / "gate-out").exists()
        assert fake.world.issues == {}


def test_a_watch_started_by_hand_always_measures(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        assert watch.by_hand(WORSE).code == 1
        assert watch.issue.state == "open"


def test_a_pull_request_named_by_hand_gets_no_comment_of_a_watch_and_no_word_of_its_owners(
    tmp_path: Path,
) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=WATCHED + "owners: [alice]\n")
        assert watch.by_hand(WORSE, **{"pr-number": "7"}).code == 1
        assert fake.world.bodies(7) == []
        assert not any("/issues/7/" in asked for asked in fake.reads)


def test_what_another_branch_measures_is_not_what_the_issue_speaks_of(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        done = watch.by_hand(WORSE, "feature")
        assert (done.code, fake.world.issues) == (1, {})
        assert "this run measured feature, and the issue speaks of main" in done.log


def pushed(watch: Watch, files: dict[str, bytes | None], measured: bytes) -> Ran:
    git(watch.place.workspace, "checkout", "-q", "main")
    before = git(watch.place.workspace, "rev-parse", "HEAD")
    after = commit(watch.place.workspace, files)
    watch.place.event, watch.place.merge = "push", after
    (watch.place.workspace / "rows" / "candidate.ndjson").write_bytes(measured)
    payload = {"ref": "refs/heads/main", "before": before, "after": after, "repository": REPOSITORY_OF}
    return watch.place.run(command="drift", payload=payload)


def test_a_push_that_touches_nothing_watched_is_not_measured_and_leaves_the_issue(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        watch.measures(WORSE)
        done = pushed(watch, {"docs/a": b"2"}, SAME)
        assert (done.code, done.outputs["reason"], watch.issue.state) == (0, "not_applicable", "open")
        assert "Not applicable" in done.summary
        assert watch.place.receipt()["plan"]["since"] is None  # type: ignore[index]
        assert "no issue: nothing watched has changed" in done.log


def test_a_push_that_touches_something_watched_is_measured(tmp_path: Path) -> None:
    with github() as fake:
        done = pushed(Watch(tmp_path, fake), {"src/a": b"2"}, WORSE)
        assert (done.code, done.outputs["reason"]) == (1, "regression")
        assert len(fake.world.issues) == 1


def test_without_the_permission_the_verdict_stands_and_the_yaml_is_told(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        fake.world.tokens[ACTION_TOKEN].permissions["issues"] = "read"
        done = watch.measures(WORSE)
        assert (done.code, done.outputs["verdict"]) == (1, "fail")
        assert "  issues: write" in done.said("warning")
        assert watch.measures(WORSE, publish="required").code == ExitCode.UNAVAILABLE
        assert watch.measures(WORSE, token=FORK_TOKEN).code == 1


def test_where_issues_are_disabled_the_verdict_stands(tmp_path: Path) -> None:
    with github() as fake:
        fake.world.has_issues = False
        watch = Watch(tmp_path, fake)
        done = watch.measures(WORSE)
        assert (done.code, "issues are disabled" in done.said("warning")) == (1, True)
        assert watch.measures(WORSE, publish="required").code == ExitCode.UNAVAILABLE


def test_an_unforeseen_answer_is_a_warning(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        fake.world.fails("/issues", Fault(200, '[{"number": "one", "body": 3}]'))
        done = watch.measures(WORSE)
        assert done.code == 1
        assert done.said("warning")


def test_comment_off_keeps_no_issue_and_asks_github_nothing(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        assert watch.measures(WORSE, comment="off").code == 1
        assert (fake.world.issues, fake.seen) == ({}, [])


def test_where_it_is_not_clear_whether_an_issue_is_wanted_none_is_touched(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        watch.measures(WORSE)
        before = watch.issue.body
        done = watch.measures(SAME, comment="of")
        assert (done.code, watch.issue.body) == (ExitCode.USAGE, before)
        assert "no issue: `comment: of` does not say whether one is wanted" in done.log


def test_the_legs_of_a_matrix_keep_an_issue_each(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        for leg in ("a", "b"):
            watch.measures(WORSE, matrix=f'{{"mode": "{leg}"}}')
        watch.measures(SAME, matrix='{"mode": "b"}')
        assert [(one.title, one.state) for one in fake.world.issues.values()] == [
            ("Drift: tests-a", "open"),
            ("Drift: tests-b", "closed"),
        ]


JUDGING = b"""\
on: {push: {branches: [main]}}
jobs:
  gate:
    steps:
      - uses: octo/retrieval-quality-gate@v1
        with: {config: eval-gate.yml}
"""


def uploaded(watch: Watch) -> None:
    """What the judging workflow measured on the last push of the default branch."""
    git(watch.place.workspace, "checkout", "-q", "main")
    sha = commit(watch.place.workspace, {".github/workflows/gate.yml": JUDGING})
    watch.place.base = watch.place.merge = sha
    (watch.place.workspace / "rows" / "candidate.ndjson").write_bytes(SAME)
    watch.place.event = "push"
    payload = {"ref": "refs/heads/main", "before": "0" * 40, "after": sha, "repository": REPOSITORY_OF}
    watch.place.run(run_id=50, payload=payload)
    watch.place.upload(run_id=50, event="push", sha=sha, branch="main")
    shutil.rmtree(watch.place.workspace / "gate-out")
    watch.place.event = "schedule"


def test_an_artifact_that_is_the_reference_is_the_judging_workflows(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=FROM_PUSHES)
        uploaded(watch)
        done = watch.measures(WORSE)
        assert (done.code, done.outputs["reason"]) == (1, "regression")
        since = watch.since()
        assert (since["commits"], since["changed"], since["unknown"]) == (0, 0, [])
        assert "which is this very commit: the cause lies outside the repository" in watch.issue.body


def test_a_watchs_own_runs_are_no_reference(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=FROM_PUSHES)
        uploaded(watch)
        watch.measures(WORSE)
        watch.place.upload(run_id=watch.night, event="schedule", sha=watch.place.base, branch="main")
        assert watch.measures(WORSE).code == 1
        watch.place.upload(run_id=watch.night + 1, event="push", sha=watch.place.base, branch="main")
        watch.night += 1
        done = watch.measures(WORSE)
        assert (done.code, done.outputs["reason"]) == (1, "regression")


def shallow(watch: Watch) -> None:
    """The checkout as actions/checkout makes it by default."""
    whole = watch.place.workspace.rename(watch.place.workspace.with_name("whole"))
    git(whole.parent, "clone", "-q", "--depth", "1", f"file://{whole}", str(watch.place.workspace))


def accepted(watch: Watch) -> str:
    """A reference that was measured, accepted and committed; then one watched file changed. Its commit."""
    workspace = watch.place.workspace
    watch.measures(SAME)
    from gate.store.accepted import accept
    from tests.wiring.pull_requests import TODAY

    accept(workspace / "gate-out" / "receipt.json", note="first", now=TODAY, root=workspace)
    reference = watch.place.base
    git(workspace, "checkout", "-q", "main")
    commit(workspace, {}, "accept")
    watch.place.base = watch.place.merge = commit(workspace, {"src/a": b"2"})
    return reference


def test_what_a_shallow_clone_cannot_tell_is_asked_of_github(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=WATCHED.replace("{rows: base.ndjson}", "{accepted: true}"))
        reference = accepted(watch)
        shallow(watch)
        fake.world.merge_bases[reference, watch.place.base] = reference
        fake.world.differing[reference, watch.place.base] = ["src/a", ".gate/x"]
        assert watch.measures(WORSE).code == 1
        assert (watch.since()["matched"], watch.since()["changed"]) == (["src/a"], 2)
        lines = [read for read in fake.reads if "/commits" in read]
        assert len(lines) == 2  # one for the plan, one for the watch


def test_what_nobody_can_tell_is_said_and_never_taken_for_unchanged(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=WATCHED.replace("{rows: base.ndjson}", "{accepted: true}"))
        accepted(watch)
        shallow(watch)
        assert watch.measures(WORSE).code == 1
        assert (watch.since()["matched"], watch.since()["changed"]) == ([], None)
        assert "`fetch-depth: 0`); GET /repos/" in watch.since()["unknown"][0]
        assert "Whether anything watched has changed since the reference cannot be told" in watch.issue.body


def test_where_the_files_since_one_of_two_references_are_unknown_none_are_listed() -> None:
    def changed(before: str, _: str) -> tuple[str, ...]:
        if before == make.HEAD:
            raise NotHereError("this clone does not hold it")
        return ("src/a",)

    rows_of = [
        BaselineRows(suite=suite, rows=make.file_ref(), commit=sha)
        for suite, sha in (("one", make.BASE), ("two", make.HEAD))
    ]
    baseline = PlannedBaseline(kind="accepted", source="x", rows=tuple(rows_of))
    since = watching(make.plan(baseline=baseline), ["src/"], Look(lambda *_: 1, changed)).since
    assert since is not None
    assert (since.changed, since.matched, since.watched) == (None, (), None)
    assert since.unknown == ("this clone does not hold it",)


def test_the_changes_of_the_work_tree_do_not_count_in_a_workflow(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake, config=WATCHED.replace("{rows: base.ndjson}", "{accepted: true}"))
        accepted(watch)
        (watch.place.workspace / "src" / "new").write_bytes(b"made by a step")
        watch.measures(SAME)
        assert (watch.since()["matched"], watch.since()["local"]) == (["src/a"], [])
        assert watch.since()["commits"] == 2


def test_outside_a_workflow_the_verdict_is_told_and_no_issue_is_looked_for(tmp_path: Path) -> None:
    with github() as fake:
        watch = Watch(tmp_path, fake)
        watch.place.event = ""
        done = watch.measures(WORSE)
        assert (done.code, "no issue: this is no workflow" in done.log) == (1, True)
        assert fake.seen == []
