"""Recipes of docs/recipes.md that a workflow puts together, as the action meets them."""

import shutil
from pathlib import Path

from tests.github.fake_github import github
from tests.wiring.pull_requests import PullRequest
from tests.workspaces import CONFIG, rows

RESTORED = CONFIG.replace("{rows: rows/baseline.ndjson}", "{receipt: gate-baseline/receipt.json}")
IGNORED = b"gate-out/\ngate-baseline/\n"


def measured_on_main(pull: PullRequest) -> None:
    """A push to main, whose output folder the workflow keeps in its cache."""
    pull.main(
        {"eval-gate.yml": RESTORED.encode(), "rows/candidate.ndjson": rows([1] * 40), ".gitignore": IGNORED}
    )
    pull.event, pull.merge = "push", pull.base
    push: dict[str, object] = {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": pull.base,
        "repository": {"id": 1001, "full_name": "octo/search", "default_branch": "main"},
    }
    assert pull.run(run_id=50, payload=push).outputs["reason"] == "no_baseline"
    shutil.copytree(pull.workspace / "gate-out", pull.workspace / "gate-baseline")
    shutil.rmtree(pull.workspace / "gate-out")
    pull.event = "pull_request"


def test_an_output_folder_that_the_cache_restores_is_a_baseline(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        measured_on_main(pull)
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")


def test_one_that_the_pull_request_commits_is_not(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        measured_on_main(pull)
        planted = {
            path.relative_to(pull.workspace).as_posix(): path.read_bytes()
            for path in (pull.workspace / "gate-baseline").rglob("*")
            if path.is_file()
        }
        pull.change({".gitignore": b"gate-out/\n", "rows/candidate.ndjson": rows([1] * 40), **planted})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (2, "no_baseline")
