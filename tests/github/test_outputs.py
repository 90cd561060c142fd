from pathlib import Path

import pytest

from gate.errors import UnavailableError
from gate.github.outputs import append
from tests.github.runner_rules import read_command_file

DELIMITER = "Qm3x7Lr9Tz5Kd2Wp8Hs4"


def draw() -> str:
    return DELIMITER


def test_every_output_is_read_back_by_the_runner(tmp_path: Path) -> None:
    file = tmp_path / "output"
    file.write_text("earlier=1\n", encoding="utf-8")
    values = {
        "verdict": "fail",
        "reason": "",
        "comment-url": "https://x.example/#1",
        "regressed": "a\nb<<EOF\n::set-env::",
    }
    append(file, values, draw=draw)
    assert read_command_file(file.read_text(encoding="utf-8")) == {"earlier": "1", **values}


def test_outputs_that_cannot_be_written_say_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="output"):
        append(tmp_path / "missing" / "output", {"verdict": "pass"}, draw=draw)
