from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.store.workspace import relative, workspace_of


def test_the_workspace_is_the_repository_that_holds_the_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    config = tmp_path / "services" / "a" / "eval-gate.yml"

    assert workspace_of(config, Path("/")) == tmp_path.resolve()


def test_without_a_repository_it_is_the_working_folder(tmp_path: Path) -> None:
    assert workspace_of(tmp_path / "a" / "eval-gate.yml", tmp_path) == tmp_path.resolve()


def test_a_file_outside_the_working_folder_is_its_own_workspace(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    found = workspace_of(tmp_path / "a" / "eval-gate.yml", tmp_path / "elsewhere")

    assert found == (tmp_path / "a").resolve()


def test_paths_are_written_relative_with_forward_slashes(tmp_path: Path) -> None:
    root = tmp_path.resolve()

    assert relative(root, tmp_path / "a" / "b.ndjson") == "a/b.ndjson"
    assert relative(root, tmp_path / "a" / ".." / "b.ndjson") == "b.ndjson"


def test_a_path_outside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="outside the workspace"):
        relative(tmp_path.resolve(), tmp_path / ".." / "secret")


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "outside")

    with pytest.raises(ConfigError):
        relative(inside.resolve(), inside / "link")
