"""This repository's own workflows do what `gate init` writes for others."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.github.workflow_checks import Known, uses, workflow_checks
from gate.github.workflow_shape import workflow

ROOT = Path(__file__).parents[2]
FOLDER = ".github/workflows"
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
KNOWN = Known(config="examples/quickstart/eval-gate.yml", is_own_repository=True, needs_pushes=True)
PAIRS = pytest.mark.parametrize(
    ("own", "written"), [("gate.yml", "eval-gate.yml"), ("publish.yml", "eval-gate-publish.yml")]
)


def texts_only(text: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # BaseLoader makes texts only
    return document


def ours(name: str) -> dict[str, Any]:
    return texts_only((ROOT / FOLDER / name).read_text())


def theirs(name: str) -> dict[str, Any]:
    return texts_only(files("gate").joinpath("data", "workflows", name).read_text())


def test_the_doctor_finds_nothing_missing_in_them() -> None:
    flows = [workflow(f"{FOLDER}/{name}", ours(name)) for name in ("gate.yml", "publish.yml")]

    assert [check for check in workflow_checks(uses(flows, KNOWN), KNOWN) if check.status != "ok"] == []


def test_the_doctor_finds_nothing_missing_in_the_readme() -> None:
    example = next(text for text in BLOCK.findall((ROOT / "README.md").read_text()) if "jobs:" in text)
    named = texts_only(example.replace("OWNER/REPO", "octo/retrieval-quality-gate"))
    known = Known()
    found = uses([workflow(f"{FOLDER}/gate.yml", named)], known)

    told = workflow_checks(found, known)

    assert [check for check in told if check.status == "missing"] == []
    assert [check.about for check in told if "one commit deep" in check.said] == []


@PAIRS
def test_events_and_permissions_are_the_same(own: str, written: str) -> None:
    mine, other = ours(own), theirs(written)

    assert set(mine["on"]) == set(other["on"])
    assert mine["permissions"] == other["permissions"] == {}
    assert list(mine["jobs"]) == list(other["jobs"])
    for name, job in mine["jobs"].items():
        assert job["permissions"] == other["jobs"][name]["permissions"]
        assert job.get("if") == other["jobs"][name].get("if")


@PAIRS
def test_what_cancels_what_is_the_same(own: str, written: str) -> None:
    mine, other = ours(own)["concurrency"], theirs(written)["concurrency"]

    assert mine["cancel-in-progress"] == other["cancel-in-progress"]
    assert mine["group"].split("${{")[1] == other["group"].split("${{")[1]


@pytest.mark.parametrize("path", sorted((ROOT / FOLDER).glob("*.yml")), ids=lambda path: path.name)
def test_every_workflow_grants_nothing_at_the_top_and_checks_out_without_credentials(path: Path) -> None:
    flow = workflow(path.name, ours(path.name))

    assert flow.permissions is not None
    assert not flow.permissions.allow("contents: read")
    for job in flow.jobs:
        for step in job.steps:
            pinned = step.uses.startswith("./") or len(step.uses.split("@")[1]) == 40
            assert pinned, step.uses
            if step.action == "actions/checkout":
                assert step.given["persist-credentials"] == "false"
