"""Clones that are one commit deep, as actions/checkout leaves them: what the base has is asked of GitHub."""

import shutil
import subprocess
from pathlib import Path

from gate.store.accepted import accept
from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, REPOSITORY_ID, Commit, World
from tests.repositories import commit, git
from tests.run_factories import ledger_bytes, run_object
from tests.wiring.pull_requests import ACCEPTED_CONFIG, TODAY, PullRequest, opened
from tests.workspaces import CONFIG, rows

CONFIG_LINE = "baseline: {rows: rows/baseline.ndjson}"
FETCHING = CONFIG.replace(CONFIG_LINE, "baseline: {artifact: true}")
ACCEPTED = CONFIG.replace(CONFIG_LINE, "baseline: {accepted: true}")
LEDGER = CONFIG.replace(CONFIG_LINE, "baseline: {ledger: runs.jsonl}")


def shallow(pull: PullRequest) -> None:
    """What actions/checkout leaves behind by default; the rest of the repository is only known to GitHub."""
    for name in git(pull.workspace, "ls-tree", "-r", "--name-only", pull.base).splitlines():
        shown = subprocess.run(
            ["git", "show", f"{pull.base}:{name}"], cwd=pull.workspace, check=True, capture_output=True
        )
        pull.fake.world.contents[pull.base, name] = shown.stdout
    git(pull.workspace, "branch", "-f", "tested", pull.merge)
    source = f"file://{pull.workspace}"
    git(pull.folder, "clone", "-q", "--depth", "1", "--branch", "tested", source, "shallow")
    shutil.rmtree(pull.workspace)
    shutil.move(pull.folder / "shallow", pull.workspace)
    assert git(pull.workspace, "rev-list", "--count", "HEAD") == "1"


def pushed(pull: PullRequest) -> None:
    """Main's own run on the commit it is at."""
    pull.event, pull.merge = "push", pull.base
    repository = {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"}
    event = {"ref": "refs/heads/main", "before": "0" * 40, "after": pull.base, "repository": repository}
    pull.run(run_id=50, payload=event)
    pull.event = "pull_request"


def advanced(pull: PullRequest, *files: dict[str, bytes | None]) -> None:
    """Main moves on, a commit for each change."""
    git(pull.workspace, "checkout", "-q", "main")
    for change in files:
        before, pull.base = pull.base, commit(pull.workspace, change)
        pull.fake.world.commits[pull.base] = Commit(pull.base, (before,))


def chosen(pull: PullRequest) -> str:
    return str(pull.receipt()["plan"]["baseline"]["chosen"])  # type: ignore[index]


def test_the_base_s_files_are_read_through_the_api(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.change({"eval-gate.yml": (ACCEPTED_CONFIG + "mode: advisory\n").encode()})
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["commits"]["base"] == pull.base  # type: ignore[index]


def test_without_a_token_it_is_said_what_to_do(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        shallow(pull)
        pull.extra = {"INPUT_TOKEN": ""}

        ran = pull.run()

        assert ran.code == 69
        assert "fetch-depth" in ran.said("error")


def test_rows_of_more_than_a_mebibyte_are_a_baseline_too(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        large = rows([1] * 400, note="x" * 3_000)
        assert len(large) > 1_048_576
        pull.main({"eval-gate.yml": ACCEPTED_CONFIG.encode(), "base.ndjson": large})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 388)})
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")


def test_the_newest_run_lies_some_commits_back_and_its_distance_is_told(tmp_path: Path) -> None:
    with github(World()) as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": FETCHING.encode(), "rows/candidate.ndjson": rows([1] * 40)})
        pushed(pull)
        pull.upload(run_id=50, event="push", sha=pull.base, branch="main")
        advanced(pull, {"README.md": b"one\n"}, {"README.md": b"two\n"})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert chosen(pull).endswith("2 commits back")


def test_main_may_have_moved_on_by_any_number_of_runs_since(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": FETCHING.encode(), "rows/candidate.ndjson": rows([1] * 40)})
        pushed(pull)
        pull.upload(run_id=50, event="push", sha=pull.base, branch="main")
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})
        for number in range(51, 70):
            pull.upload(run_id=number, event="push", sha=f"{number:040x}", branch="main")
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert chosen(pull).endswith("0 commits back")
        assert sum("/zip" in read for read in fake.reads) == 1


def test_an_accepted_baseline_is_read_with_its_rows(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": ACCEPTED.encode(), "rows/candidate.ndjson": rows([1] * 40)})
        pushed(pull)
        receipt = pull.workspace / "gate-out" / "receipt.json"
        accept(receipt, note="the first", now=TODAY, root=pull.workspace)
        advanced(pull, {})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert "the accepted baseline" in chosen(pull)


def test_the_nearest_run_of_a_ledger_is_found_along_the_first_parents(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": LEDGER.encode(), "near.ndjson": rows([1] * 40)})
        far = run_object("far", commit=pull.base[:7], params={"output": "far.ndjson"})
        advanced(pull, {"far.ndjson": rows([0] * 40)})
        near = run_object("near", commit=pull.base[:7], params={"output": "near.ndjson"})
        advanced(pull, {"runs.jsonl": ledger_bytes(near, far)})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})
        shallow(pull)

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["baseline"]["rows"][0]["rows"]["path"] == "near.ndjson"  # type: ignore[index]
