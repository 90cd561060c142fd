"""The quickstart's panel answers from its cassette: without keys, and it says so."""

from pathlib import Path

import pytest

from tests.program import gate

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart"


def test_the_example_replays_and_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = ("--pages", QUICKSTART / "brain", "--cassette", QUICKSTART / "panel.jsonl")
    done = gate(capsys, "takes-quality", "run", *source, "--receipts-dir", tmp_path, "--ledger", tmp_path)

    assert done.code == 0, f"{done.out}{done.err}: run examples/quickstart/make_panel.py again"
    assert "3 replies were replayed from a cassette; no model was asked" in done.out


def test_the_panel_is_a_suite_of_the_gate_too_and_its_comment_says_that_it_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "run", "--config", QUICKSTART / "takes-quality.yml", "--out", tmp_path)

    assert done.code == 0, f"{done.out}{done.err}: run examples/quickstart/make_panel.py again"
    assert "3 replies were played back from a cassette" in (tmp_path / "comment.md").read_text()
    assert gate(capsys, "verify", tmp_path / "receipt.json").code == 0
