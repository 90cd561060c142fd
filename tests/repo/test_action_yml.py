"""action.yml, its twin without a container, the Dockerfile and the code say the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.github.inputs import INPUTS, OUTPUTS

ROOT = Path(__file__).parents[2]
CONTAINER = yaml.safe_load((ROOT / "action.yml").read_text())
COMPOSITE = yaml.safe_load((ROOT / "composite/action.yml").read_text())
BOTH = pytest.mark.parametrize("action", [CONTAINER, COMPOSITE], ids=["container", "composite"])
INSTALLING = {"python", "wheel", "index-url", "extras"}
"""Inputs that say how the gate comes onto the runner; an image has it already."""
FILLED_IN = {"token": "${{ github.token }}", "matrix": "${{ toJSON(matrix) }}"}
"""Inputs whose defaults only GitHub knows."""


@BOTH
def test_every_input_is_declared_and_every_declared_input_is_read(action: dict[str, Any]) -> None:
    extra = INSTALLING if action is COMPOSITE else set()
    assert list(action["inputs"]) == [declared.name for declared in INPUTS] + [
        name for name in action["inputs"] if name in extra
    ]


@BOTH
def test_the_defaults_are_those_of_the_code(action: dict[str, Any]) -> None:
    declared = {name: told.get("default", "") for name, told in action["inputs"].items()}
    judging = {name: default for name, default in declared.items() if name not in INSTALLING}
    assert judging == {one.name: one.default for one in INPUTS} | FILLED_IN


@BOTH
def test_the_outputs_are_those_of_the_code(action: dict[str, Any]) -> None:
    assert tuple(action["outputs"]) == OUTPUTS


@BOTH
def test_everything_is_described_in_whole_sentences(action: dict[str, Any]) -> None:
    for name, told in [*action["inputs"].items(), *action["outputs"].items()]:
        assert told["description"].endswith("."), name


def test_the_twin_passes_each_input_on_by_name_and_none_through_a_shell() -> None:
    (step,) = COMPOSITE["runs"]["steps"]
    passed = {name: value for name, value in step["env"].items() if name.startswith("INPUT_")}
    assert passed == {
        f"INPUT_{one.name.upper().replace('-', '_')}": f"${{{{ inputs.{one.name} }}}}" for one in INPUTS
    }
    assert "${{" not in step["run"]


def test_the_twin_hands_each_output_on() -> None:
    for name, told in COMPOSITE["outputs"].items():
        assert told["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"


def test_the_checkout_builds_from_the_dockerfile() -> None:
    assert CONTAINER["runs"] == {"using": "docker", "image": "Dockerfile"}


def dockerfile(instruction: str) -> list[str]:
    return re.findall(rf"^{instruction}\s+(.*)$", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)


def test_the_image_starts_python_isolated_without_a_shell() -> None:
    (entry,) = dockerfile("ENTRYPOINT")
    assert json.loads(entry) == ["/opt/venv/bin/python", "-I", "-m", "gate.action"]


@pytest.mark.parametrize("instruction", ["USER", "WORKDIR", "CMD", "ADD"])
def test_the_image_leaves_to_the_runner_what_is_the_runners(instruction: str) -> None:
    assert dockerfile(instruction) == []


def test_the_image_needs_no_buildkit() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "--mount" not in text
    assert "<<" not in text
    assert "syntax=" not in text


def test_every_input_and_output_is_documented() -> None:
    told = (ROOT / "docs/github-action.md").read_text()
    assert [one.name for one in INPUTS if f"| `{one.name}` |" not in told] == []
    assert [name for name in OUTPUTS if f"`{name}`" not in told] == []
