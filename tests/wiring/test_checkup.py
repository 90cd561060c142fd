import json
import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from gate.render.checklist import Check
from gate.wiring.checkup import Patient, examine
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import (
    ACTION_TOKEN,
    REPOSITORY,
    REPOSITORY_ID,
    Artifact,
    Pull,
    WorkflowRun,
    World,
)
from tests.repositories import commit, git, repository
from tests.wiring.pull_requests import Clock
from tests.workspaces import CONFIG, rows, workspace

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "examples" / "quickstart"


def adopted(folder: Path, config: str = CONFIG, files: Mapping[str, bytes] | None = None) -> Path:
    """A repository with a configuration, rows and both workflows."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for name in ("eval-gate.yml", "eval-gate-publish.yml"):
        text = (ROOT / "gate" / "data" / "workflows" / name).read_text()
        (workflows / name).write_text(text.replace("OWNER/REPO", "octo/retrieval-quality-gate"))
    made = workspace(folder, config=config, files=files)
    repository(folder, {"README.md": b"hello\n"})
    return made


def found(config: Path, environment: Mapping[str, str] | None = None) -> list[Check]:
    return list(examine(Patient(config, config.parent, environment or {}, Clock(), lambda _: None)))


def about(checks: list[Check], name: str) -> Check:
    (one,) = [check for check in checks if check.about == name]
    return one


def statuses(checks: list[Check]) -> dict[str, set[str]]:
    told: dict[str, set[str]] = {}
    for check in checks:
        told.setdefault(check.about, set()).add(check.status)
    return told


def test_a_repository_that_has_everything_lacks_nothing(tmp_path: Path) -> None:
    checks = found(adopted(tmp_path))

    assert [check for check in checks if check.status == "missing"] == []
    assert about(checks, "rows").said == "suite main: 40 rows in rows/candidate.ndjson"
    assert "rows/baseline.ndjson" in about(checks, "baseline").said
    assert "recipe a" in about(checks, "recipe").said
    assert about(checks, "event").status == "unknown"


def test_a_system_that_the_workflow_s_way_of_running_the_gate_cannot_reach_is_told(tmp_path: Path) -> None:
    asking = CONFIG.replace("gate: tests\n", "gate: tests\nsystem: {kind: http, url: 'http://search:8080'}\n")

    told = [check for check in found(adopted(tmp_path, asking)) if check.about == "recipe"]

    assert [one.status for one in told] == ["ok", "missing"]
    assert "the job has no service `search`" in told[1].said


def test_an_empty_folder_lacks_nearly_everything_and_nothing_is_made(tmp_path: Path) -> None:
    told = statuses(found(tmp_path / "eval-gate.yml"))

    assert told == {
        "configuration": {"missing"},
        "git": {"missing"},
        "event": {"unknown"},
        "workflow": {"missing"},
    }
    assert list(tmp_path.iterdir()) == []


def test_every_problem_of_the_configuration_is_told(tmp_path: Path) -> None:
    checks = found(adopted(tmp_path, CONFIG.replace("gate: tests", "gatee: tests\nmod: x")))

    said = about(checks, "configuration").said
    assert "gatee" in said
    assert "mod" in said


def test_rows_that_are_not_there_are_the_workflow_s_task(tmp_path: Path) -> None:
    config = adopted(tmp_path)
    (tmp_path / "rows" / "candidate.ndjson").unlink()

    checks = found(config)

    assert about(checks, "rows").status == "unknown"
    assert about(checks, "baseline").status == "ok"
    assert about(found(config, {"GITHUB_EVENT_NAME": "push"}), "rows").status == "missing"


def test_rows_that_cannot_be_read_are_missing(tmp_path: Path) -> None:
    config = adopted(tmp_path)
    (tmp_path / "rows" / "candidate.ndjson").write_bytes(b"{\n")

    assert about(found(config), "rows").status == "missing"


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        ("{rows: rows/gone.ndjson}", "no such file"),
        ("{rows: rows/candidate.ndjson}", "self_baseline"),
        ("{receipt: gone.json}", "no_baseline"),
        ("{ledger: gone.jsonl}", "does not exist"),
        ("{accepted: true}", "no_baseline"),
    ],
)
def test_why_there_is_no_baseline_is_what_a_run_would_say(baseline: str, words: str, tmp_path: Path) -> None:
    config = CONFIG.replace("{rows: rows/baseline.ndjson}", baseline)

    told = about(found(adopted(tmp_path, config)), "baseline")

    assert told.status == "missing"
    assert words in told.said


def test_a_configuration_without_a_baseline_is_told(tmp_path: Path) -> None:
    config = CONFIG.replace("baseline: {rows: rows/baseline.ndjson}\n", "")

    assert about(found(adopted(tmp_path, config)), "baseline").status == "missing"


def test_an_anchor_is_looked_for_too(tmp_path: Path) -> None:
    checks = found(adopted(tmp_path, CONFIG + "anchor: {rows: rows/gone.ndjson}\n"))

    assert about(checks, "baseline").status == "ok"
    assert about(checks, "anchor").status == "missing"


def test_a_clone_of_one_commit_says_how_to_get_the_base(tmp_path: Path) -> None:
    (tmp_path / "upstream").mkdir()
    config = adopted(tmp_path / "upstream")
    commit(config.parent, {"a": b"1"})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{config.parent}", "clone")
    shallow = tmp_path / "clone" / "eval-gate.yml"

    assert about(found(shallow), "git").status == "unknown"
    told = about(found(shallow, {"GITHUB_EVENT_NAME": "push"}), "git")
    assert (told.status, "fetch-depth: 2" in told.do) == ("missing", True)


def test_a_repository_without_a_commit_is_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert about(found(workspace(tmp_path)), "git").said == "the repository has no commit"


def test_a_workflow_that_is_no_yaml_was_not_looked_at(tmp_path: Path) -> None:
    config = adopted(tmp_path)
    (tmp_path / ".github" / "workflows" / "z.yml").write_text("a: [")

    assert about(found(config), "workflow").status == "unknown"


@pytest.mark.parametrize(
    ("api", "remote", "told"),
    [
        ("https://api.github.com", "git@ghe.example.org:o/r.git", False),
        ("https://api.acme.ghe.com", "", False),
        ("https://ghe.example.org/api/v3", "", True),
        ("", "git@ghe.example.org:o/r.git", True),
        ("", "git@github.com:o/r.git", False),
        ("", "", False),
    ],
)
def test_elsewhere_than_on_github_com_mirrors_are_needed(
    tmp_path: Path, *, api: str, remote: str, told: bool
) -> None:
    config = adopted(tmp_path)
    if remote:
        git(tmp_path, "remote", "add", "origin", remote)

    checks = found(config, {"GITHUB_API_URL": api})

    assert [check.status for check in checks if check.about == "server"] == (["unknown"] if told else [])


# -- inside a workflow -------------------------------------------------------------------------------------------


def environment(folder: Path, fake: FakeGitHub, event: str = "pull_request", **more: str) -> dict[str, str]:
    """What the runner sets for a step, with an event about pull request 7."""
    repository_of = {"id": REPOSITORY_ID, "full_name": REPOSITORY, "default_branch": "main"}
    side = {"sha": "a" * 40, "ref": "feature", "repo": repository_of}
    base = {"sha": "b" * 40, "ref": "main", "repo": repository_of}
    pull = {"number": 7, "head": side, "base": base}
    payload = {"number": 7, "repository": repository_of, "pull_request": pull}
    path = folder.parent / "event.json"
    path.write_text(json.dumps(payload))
    return {
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_REPOSITORY_ID": str(REPOSITORY_ID),
        "GITHUB_RUN_ID": "100",
        "GITHUB_API_URL": fake.url,
        "GITHUB_TOKEN": ACTION_TOKEN,
        "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/gate.yml@refs/pull/7/merge",
        **more,
    }


def known_world() -> World:
    world = World()
    world.pulls[7] = Pull(7, "a" * 40)
    world.runs = [WorkflowRun(100, "a" * 40, event="pull_request"), WorkflowRun(50, "b" * 40)]
    return world


def place(tmp_path: Path, config: str = CONFIG) -> Path:
    (tmp_path / "repository").mkdir()
    return adopted(tmp_path / "repository", config)


def test_a_step_of_a_workflow_also_knows_event_and_token(tmp_path: Path) -> None:
    with github(known_world()) as fake:
        config = place(tmp_path)

        checks = found(config, environment(config.parent, fake))

        assert about(checks, "event").said == f"pull_request, pull request #7 of {REPOSITORY}"
        assert statuses(checks)["token"] == {"ok", "unknown"}
        assert fake.writes == []


def test_without_a_token_the_yaml_to_add_is_told(tmp_path: Path) -> None:
    with github(known_world()) as fake:
        config = place(tmp_path)

        told = about(found(config, environment(config.parent, fake, GITHUB_TOKEN="")), "token")

        assert (told.status, "github.token" in told.do) == ("missing", True)


def test_an_event_with_secrets_is_refused(tmp_path: Path) -> None:
    with github(known_world()) as fake:
        config = place(tmp_path)

        told = about(found(config, environment(config.parent, fake, "pull_request_target")), "event")

        assert told.status == "missing"


def test_an_event_that_is_none_is_told(tmp_path: Path) -> None:
    with github(known_world()) as fake:
        config = place(tmp_path)
        given = environment(config.parent, fake, GITHUB_EVENT_PATH=str(tmp_path / "gone.json"))

        assert about(found(config, given), "event").status == "missing"
        assert about(found(config, given | {"GITHUB_EVENT_PATH": ""}), "event").status == "missing"


def test_a_repository_that_is_none_is_told(tmp_path: Path) -> None:
    with github(known_world()) as fake:
        config = place(tmp_path)

        told = about(found(config, environment(config.parent, fake, GITHUB_REPOSITORY="nothing")), "token")

        assert told.status == "missing"


FETCHING = CONFIG.replace("{rows: rows/baseline.ndjson}", "{artifact: true}")


@pytest.mark.parametrize(("uploaded", "status"), [(True, "ok"), (False, "missing")])
def test_the_artifact_of_the_default_branch_is_looked_for(
    tmp_path: Path, *, uploaded: bool, status: str
) -> None:
    world = known_world()
    if uploaded:
        world.artifacts = [Artifact(1, 50, "gate-tests-attempt-1", b"")]
    with github(world) as fake:
        config = place(tmp_path, FETCHING)

        told = about(found(config, environment(config.parent, fake)), "baseline")

        assert told.status == status
        assert "gate-tests" in told.said


def test_a_watch_looks_for_the_artifact_of_the_workflow_that_judges(tmp_path: Path) -> None:
    world = known_world()
    world.runs[1].workflow = "eval-gate.yml"
    world.artifacts = [Artifact(1, 50, "gate-tests-attempt-1", b"")]
    with github(world) as fake:
        config = place(tmp_path, FETCHING)
        watch = files("gate").joinpath("data", "workflows", "eval-drift.yml").read_text()
        (config.parent / ".github" / "workflows" / "eval-drift.yml").write_text(watch)
        reference = f"{REPOSITORY}/.github/workflows/eval-drift.yml@refs/heads/main"

        checks = found(config, environment(config.parent, fake, GITHUB_WORKFLOW_REF=reference))

        assert about(checks, "baseline").status == "ok"
        assert any("issues: write" in one.said for one in checks if one.about == "token")


def test_an_artifact_that_cannot_be_looked_for_is_missing_and_elsewhere_unknown(tmp_path: Path) -> None:
    world = known_world()
    world.tokens[ACTION_TOKEN].permissions.pop("actions")
    with github(world) as fake:
        config = place(tmp_path, FETCHING)

        told = about(found(config, environment(config.parent, fake)), "baseline")

        assert (told.status, "actions: read" in told.do) == ("missing", True)
        assert about(found(config), "baseline").status == "unknown"


def test_the_quickstart_is_in_order(tmp_path: Path) -> None:
    shutil.copytree(QUICKSTART, tmp_path / "examples" / "quickstart")
    git(tmp_path, "init", "-q")
    commit(tmp_path, {"b": rows([1])})

    told = statuses(found(tmp_path / "examples" / "quickstart" / "eval-gate.yml"))

    assert (told["configuration"], told["rows"], told["baseline"]) == ({"ok"}, {"ok"}, {"ok"})


ASKING = """version: 1
system: {kind: reference}
suites: [{suite: longmemeval, dataset: lme.json}]
rules: [{metric: recall_all@5, rule: threshold, at-least: 0.5}]
"""


def test_what_a_suite_reads_that_the_gate_runs_is_looked_for(tmp_path: Path) -> None:
    config = adopted(tmp_path, config=ASKING)
    absent = about(found(config), "inputs")
    assert (absent.status, absent.said) == (
        "unknown",
        "suite longmemeval: lme.json: there is no such dataset",
    )
    assert "gate dataset fetch" in absent.do

    (tmp_path / "lme.json").write_text("[]")

    assert about(found(config), "inputs").said == "suite longmemeval: everything it reads is here"


@pytest.mark.parametrize(
    ("words", "lacking"),
    [
        ("python3, serch.py", ["serch.py"]),
        ("python3, tools/search.py", ["tools/search.py"]),
        ("./run", ["./run"]),
        ("tools/run, ../data", ["tools/run", "../data"]),
        ("python3, search.py", []),
        ("python3, -m, search, --model, org/model, --in=x.py, /opt/a.py, 'http://a/b.js'", []),
    ],
)
def test_a_file_that_a_program_is_started_with_has_to_be_there(
    tmp_path: Path, words: str, lacking: list[str]
) -> None:
    asking = CONFIG.replace("gate: tests\n", f"gate: tests\nsystem: {{kind: command, run: [{words}]}}\n")
    config = adopted(tmp_path, asking)
    (tmp_path / "search.py").write_text("")

    told = [check for check in found(config) if check.about == "system"]

    assert [(one.status, one.said.split("'")[1]) for one in told] == [("missing", name) for name in lacking]
