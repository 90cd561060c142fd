"""The example that retrieves: it passes as it is shipped, and fails when what is asked for is not there."""

import shutil
from pathlib import Path

import pytest

from tests.program import gate

EXAMPLE = Path(__file__).parents[2] / "examples" / "retrieval"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The example in a folder of its own, where nothing else is."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "example"))


def test_the_example_searches_and_passes(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = gate(capsys, "run", "--config", copy / "eval-gate.yml", "--out", copy / "out")

    assert done.code == 0, f"{done.out}{done.err}"
    assert "15 questions measured" in (copy / "out" / "comment.md").read_text()
    assert gate(capsys, "verify", copy / "out" / "receipt.json").code == 0


def test_without_the_pages_it_is_asked_about_it_fails(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for page in ("lamp", "log", "boat"):
        (copy / "handbook" / f"{page}.md").unlink()

    assert gate(capsys, "run", "--config", copy / "eval-gate.yml", "--out", copy / "out").code == 1
