from pathlib import Path

import pytest

from gate.store.workflow_files import LARGEST, holds_the_action, workflow_files

ROOT = Path(__file__).parents[2]


def put(folder: Path, name: str, text: str) -> None:
    path = folder / ".github" / "workflows" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_everything_in_a_workflow_stays_text(tmp_path: Path) -> None:
    put(tmp_path, "b.yml", "on: {push: }\njobs: {a: {if: true, timeout-minutes: 010}}\n")
    put(tmp_path, "a.yaml", "on: push\n")
    put(tmp_path, "notes.txt", "no workflow")

    first, second = workflow_files(tmp_path)

    assert (first.path, first.document) == (".github/workflows/a.yaml", {"on": "push"})
    assert second.document == {"on": {"push": ""}, "jobs": {"a": {"if": "true", "timeout-minutes": "010"}}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "is not YAML"),
        ("- a\n", "is no workflow"),
        ("", "is no workflow"),
        ("a: b\n" * (LARGEST // 5 + 1), "is larger"),
        ("[" * 20_000, "is not YAML"),
    ],
)
def test_what_is_no_workflow_says_why(text: str, why: str, tmp_path: Path) -> None:
    put(tmp_path, "x.yml", text)

    (file,) = workflow_files(tmp_path)

    assert file.document == {}
    assert why in file.problem


def test_a_link_to_nowhere_says_why(tmp_path: Path) -> None:
    put(tmp_path, "x.yml", "")
    (tmp_path / ".github/workflows/y.yml").symlink_to(tmp_path / "gone")

    assert "cannot be read" in workflow_files(tmp_path)[1].problem


def test_a_repository_without_workflows_has_none(tmp_path: Path) -> None:
    assert workflow_files(tmp_path) == ()


def test_the_action_s_own_repository_is_known(tmp_path: Path) -> None:
    assert holds_the_action(ROOT)
    assert not holds_the_action(tmp_path)
    (tmp_path / "action.yml").write_text("name: Another\n")
    assert not holds_the_action(tmp_path)
