import json
from pathlib import Path

import pytest

from gate.cli import invoke
from tests.program import gate
from tests.repositories import repository
from tests.workspaces import rows


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A repository right after `gate init`."""
    repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    gate(capsys, "init", "--action", "octo/retrieval-quality-gate@v1")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_example_that_init_wrote_is_not_taken_for_a_measurement(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = gate(capsys, "doctor")

    assert done.code == 78
    assert "✗ rows" in done.out
    assert "still holds the example" in done.out


def test_with_rows_of_one_s_own_nothing_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rows" / "candidate.ndjson").write_bytes(rows([1] * 40, **{"recall@5": 1}))
    before = sorted(path for path in folder.rglob("*") if ".git/" not in str(path))

    done = gate(capsys, "doctor")

    assert done.code == 0, done.out
    assert "nothing is missing" in done.out
    assert sorted(path for path in folder.rglob("*") if ".git/" not in str(path)) == before


def test_a_placeholder_for_the_action_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate(capsys, "init", "--force", "--action", "OWNER/REPO@v1")

    done = gate(capsys, "doctor")

    assert "✗ action" in done.out
    assert "--action OWNER/REPO@REF" in done.out
    assert "OWNER/REPO@v1" in (folder / ".github" / "workflows" / "eval-gate.yml").read_text()


@pytest.mark.usefixtures("folder")
def test_programs_read_json(capsys: pytest.CaptureFixture[str]) -> None:
    done = gate(capsys, "doctor", "--json")
    document = json.loads(done.out)

    assert done.code == 78
    assert document["ok"] is False
    assert {check["status"] for check in document["checks"]} == {"ok", "missing", "unknown"}


@pytest.mark.usefixtures("folder")
def test_the_environment_is_the_command_line_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    code = invoke(["doctor"], {"GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "octo/search"})

    said = capsys.readouterr().out
    assert code == 78
    assert "✗ token" in said
    assert "✓ event" in said


def test_another_configuration_is_looked_at_where_it_lies(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "other").mkdir()

    done = gate(capsys, "doctor", "--config", "other/eval-gate.yml")

    assert done.code == 78
    assert "other/eval-gate.yml" in done.out
