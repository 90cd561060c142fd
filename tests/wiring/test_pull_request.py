import json
from pathlib import Path

import pytest

from gate.pipeline import differences
from gate.store.git_tree import GitTree
from gate.store.receipts import read_receipt
from gate.store.workspace_files import RowFiles
from tests.github.fake_github import github
from tests.github.fake_world import ACTION_TOKEN, FORK_TOKEN, Commit, Fault, World
from tests.repositories import commit, git
from tests.wiring.pull_requests import ACCEPTED_CONFIG, NUMBER, PullRequest, opened
from tests.workspaces import CONFIG, rows


def test_a_regression_is_commented_once_and_fails_the_job(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)

        ran = pull.run()

        assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (1, "fail", "regression")
        (comment,) = pull.comments()
        assert "Regression" in comment
        assert ran.outputs["comment-url"]
        assert "Regression" in ran.summary
        assert ran.outputs["artifact-name"] == "gate-tests-attempt-1"


def test_the_base_is_the_first_parent_of_the_tested_merge(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        pull.run()

        commits = pull.receipt()["plan"]["commits"]  # type: ignore[index]
        assert commits == {"head": pull.head, "base": pull.base, "tested": pull.merge}


def test_a_second_push_edits_the_same_comment(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        pull.change({"rows/candidate.ndjson": rows([1] * 40)})

        pull.run(run_id=101)

        (comment,) = pull.comments()
        assert "Passed" in comment


def test_without_a_baseline_on_main_a_pull_request_cannot_bring_its_own(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": ACCEPTED_CONFIG.encode()})
        pull.change({"rows/candidate.ndjson": rows([1] * 40), "base.ndjson": rows([1] * 40)})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (2, "no_baseline")


def test_the_rules_of_the_base_decide_and_the_difference_is_shown(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        softer = ACCEPTED_CONFIG.replace("rule: significant", "rule: threshold, at-least: 0.1")
        pull.change({"eval-gate.yml": softer.encode()})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        policy = pull.receipt()["plan"]["policy"]  # type: ignore[index]
        assert policy["origin"] == "base"
        assert [change["place"] for change in policy["changes"]] == ["rules", "rules"]
        assert "at-least" in pull.comments()[0]


def test_a_link_in_place_of_the_config_does_not_escape_the_base_s_policy(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.change({"soft.yml": (ACCEPTED_CONFIG + "mode: advisory\n").encode(), "eval-gate.yml": None})
        git(pull.workspace, "checkout", "-q", pull.head)
        (pull.workspace / "eval-gate.yml").symlink_to("soft.yml")
        pull.head = commit(pull.workspace, {})
        pull.change({})

        ran = pull.run()

        assert ran.code == 64
        assert "symbolic link" in ran.said("error")


def test_advisory_mode_in_the_pull_request_does_not_soften_the_base(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.change({"eval-gate.yml": (ACCEPTED_CONFIG + "mode: advisory\n").encode()})

        assert pull.run().code == 1


def test_the_pull_request_that_adds_the_config_introduces_the_gate_and_is_green(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"README.md": b"hello\n"})
        pull.change({"eval-gate.yml": ACCEPTED_CONFIG.encode(), "rows/candidate.ndjson": rows([1] * 40)})

        ran = pull.run()

        assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (0, "pass", "introducing")
        assert "ntroduc" in pull.comments()[0]


WATCHING = ACCEPTED_CONFIG + "watch: {paths: [src/]}\n"


def test_a_change_that_touches_nothing_watched_reports_and_runs_nothing(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": WATCHING.encode()})
        pull.change({"docs/a.md": b"words\n"})

        ran = pull.run()

        assert (ran.code, ran.outputs["verdict"], ran.outputs["reason"]) == (0, "pass", "not_applicable")


def test_what_is_not_applicable_does_not_say_that_the_config_names_no_baseline(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=WATCHING)
        pull.run()

        (comment,) = pull.comments()
        assert "no baseline in the config" not in comment
        assert "nothing compared" in comment


def test_a_change_that_touches_something_watched_is_judged(tmp_path: Path) -> None:
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        pull.main({"eval-gate.yml": WATCHING.encode(), "base.ndjson": rows([1] * 40)})
        pull.change({"src/a.py": b"x\n", "rows/candidate.ndjson": rows([0] * 40)})

        assert pull.run().code == 1


def test_the_head_itself_may_be_checked_out_and_then_the_merge_base_counts(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        git(pull.workspace, "checkout", "-q", pull.head)
        fake.world.merge_bases[("main", pull.head)] = pull.base

        ran = pull.run()

        assert ran.code == 1
        commits = pull.receipt()["plan"]["commits"]  # type: ignore[index]
        assert (commits["base"], commits["tested"]) == (pull.base, None)


def test_a_read_only_token_still_gives_the_verdict_and_says_where_the_comment_went(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.extra = {"INPUT_TOKEN": FORK_TOKEN}

        ran = pull.run()

        assert ran.code == 1
        assert pull.comments() == []
        assert "pull-requests: write" in ran.said("warning")
        assert json.loads((pull.workspace / "gate-out" / "claim.json").read_text())["pull"] == NUMBER


@pytest.mark.parametrize(("publish", "code"), [("best-effort", 0), ("required", 69)])
def test_publishing_never_changes_the_verdict_unless_it_is_required(
    publish: str, code: int, tmp_path: Path
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        fake.world.fails(
            "POST", Fault(status=403, body='{"message": "Resource not accessible by integration"}'), times=9
        )

        ran = pull.run(publish=publish)

        assert ran.code == code
        assert ran.outputs["verdict"] == "pass"


def test_comments_can_be_off(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)

        assert pull.run(comment="off").code == 1
        assert pull.comments() == []


def test_the_legs_of_a_matrix_job_have_comments_of_their_own(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        ids = [
            pull.run(run_id=100 + number, matrix=json.dumps({"mode": mode})).outputs["artifact-name"]
            for number, mode in enumerate(("balanced", "tokenmax"))
        ]

        assert ids == ["gate-tests-balanced-attempt-1", "gate-tests-tokenmax-attempt-1"]
        assert len(pull.comments()) == 2


def test_suites_are_refused_where_foreign_code_meets_secrets(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        pull.event = "pull_request_target"

        ran = pull.run()

        assert ran.code == 64
        assert "refused" in ran.said("error")


def test_a_push_to_main_is_judged_by_its_own_rules_and_comments_nowhere(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.event = "push"
        payload: dict[str, object] = {
            "ref": "refs/heads/main",
            "before": pull.base,
            "after": pull.merge,
            "repository": {"id": 1001, "full_name": "octo/search", "default_branch": "main"},
        }

        ran = pull.run(payload=payload)

        assert ran.code == 1
        assert pull.comments() == []
        assert "not a pull request" in ran.log


# -- baselines that earlier runs uploaded -----------------------------------------------------------------------

FETCHING = CONFIG.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {artifact: true}")


def produced(folder: Path, world: World, *, values: list[int], change: bool = True) -> PullRequest:
    """Main's own run uploads its output folder; then somebody opens a pull request."""
    with github(world) as fake:
        pull = PullRequest(folder, fake)
        pull.main({"eval-gate.yml": FETCHING.encode(), "rows/candidate.ndjson": rows(values)})
        pull.event, pull.merge = "push", pull.base
        pull.run(
            run_id=50,
            payload={
                "ref": "refs/heads/main",
                "before": "0" * 40,
                "after": pull.base,
                "repository": {"id": 1001, "full_name": "octo/search", "default_branch": "main"},
            },
        )
        pull.upload(run_id=50, event="push", sha=pull.base, branch="main")
        if change:
            pull.event = "pull_request"
            pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28)})
    return pull


def test_the_newest_run_on_the_base_branch_is_the_baseline_whatever_its_verdict(tmp_path: Path) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40)
    with github(world) as fake:
        pull.fake = fake
        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        chosen = pull.receipt()["plan"]["baseline"]["chosen"]  # type: ignore[index]
        assert chosen.startswith("the newest run on the base branch")
        assert chosen.endswith("0 commits back")


def test_a_scheduled_run_knows_the_default_branch_from_the_api(tmp_path: Path) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40, change=False)
    world.default_branch = "trunk"
    world.runs[0].branch = "trunk"
    (pull.workspace / "rows" / "candidate.ndjson").write_bytes(rows([0] * 12 + [1] * 28))
    with github(world) as fake:
        pull.fake, pull.event = fake, "schedule"
        ran = pull.run(payload={"schedule": "0 4 * * *"})

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert "this is a scheduled run" in ran.log


def test_a_fork_s_branch_named_main_cannot_plant_a_baseline(tmp_path: Path) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40)
    world.runs[0].head_repository = (666, "mallory/search")
    with github(world) as fake:
        pull.fake = fake

        assert pull.run().outputs["reason"] == "no_baseline"


def test_a_missing_permission_is_named_with_what_could_not_be_fetched_and_the_line_to_add(
    tmp_path: Path,
) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40)
    world.tokens[ACTION_TOKEN].permissions.pop("actions")
    with github(world) as fake:
        pull.fake = fake

        ran = pull.run()

        assert ran.outputs["reason"] == "no_baseline"
        for text in (ran.log, ran.summary, pull.comments()[0]):
            said = " ".join(text.split())
            assert "gate-tests of the base branch's runs could not be fetched" in said
            assert "actions: read" in said
        assert "add `actions: read` under `permissions:`" in json.dumps(pull.receipt())


def test_an_expired_artifact_has_its_own_reason(tmp_path: Path) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40)
    world.artifacts[0].expired = True
    with github(world) as fake:
        pull.fake = fake
        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (2, "baseline_expired")


def test_a_run_that_the_base_does_not_descend_from_is_passed_over(tmp_path: Path) -> None:
    world = World()
    pull = produced(tmp_path, world, values=[1] * 40, change=False)
    with github(world) as fake:
        pull.fake = fake
        git(pull.workspace, "checkout", "-q", "--orphan", "other")
        other = commit(pull.workspace, {"README.md": b"another history\n"})
        git(pull.workspace, "branch", "-f", "main", other)
        pull.base = other
        world.commits[other] = Commit(other)
        pull.event = "pull_request"
        pull.change({"rows/candidate.ndjson": rows([1] * 40)})
        ran = pull.run()

        assert ran.outputs["reason"] == "no_baseline"
        assert "not among the nearest first-parent ancestors" in json.dumps(pull.receipt())


def test_attempts_of_one_run_are_pooled_and_the_last_lucky_one_never_wins_alone(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=24)
        assert pull.run(attempt=1).code == 1
        pull.upload(run_id=100, attempt=1)
        (pull.workspace / "rows" / "candidate.ndjson").write_bytes(rows([1] * 40))

        ran = pull.run(attempt=2)

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["suites"][0]["candidate"]["repeats"] == 40  # type: ignore[index]
        assert "2 attempts of this run are pooled" in json.dumps(pull.receipt())
        (comment,) = pull.comments()
        for text in (comment, ran.summary, ran.log):
            assert "attempt 1: 40.0" in text
            assert "attempt 2: 100.0" in text
            assert "measured once" not in text
        receipt = read_receipt(pull.workspace / "gate-out" / "receipt.json", "receipt.json")
        kept = RowFiles(pull.workspace, frozenset(), GitTree(pull.workspace), pull.workspace / "gate-out")
        assert differences(receipt, kept) == ()


def test_an_attempt_that_uploaded_nothing_is_noted(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        ran = pull.run(attempt=2)

        assert ran.code == 0
        assert "attempt 1 of this run could not be pooled" in json.dumps(pull.receipt()["notes"])
