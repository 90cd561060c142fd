"""`gate baseline publish`: captured queries become a baseline that verifies itself."""

from pathlib import Path

import pytest

from gate.core.replay.captures import read_captures
from tests.core.replay.captures import lines, row
from tests.program import gate

Printed = pytest.CaptureFixture[str]


def captures(folder: Path, data: bytes = lines(row())) -> Path:
    path = folder / "captures.ndjson"
    path.write_bytes(data)
    return path


def test_a_baseline_is_written_under_the_file_s_own_name(tmp_path: Path, capsys: Printed) -> None:
    target = tmp_path / "v1.baseline.ndjson"
    done = gate(capsys, "baseline", "publish", "--from", captures(tmp_path), "--to", target)
    assert done.code == 0
    assert "1 queries" in done.out
    header = read_captures(target.read_bytes()).header
    assert header is not None
    assert (header.label, header.row_count, header.thresholds.top1) == ("v1", 1, 0.8)


def test_thresholds_and_label_are_written_as_told(tmp_path: Path, capsys: Printed) -> None:
    target = tmp_path / "v1.ndjson"
    options = ["--label", "first", "--threshold-jaccard", "0.5", "--threshold-latency-multiplier", "3"]
    assert (
        gate(capsys, "baseline", "publish", "--from", captures(tmp_path), "--to", target, *options).code == 0
    )
    header = read_captures(target.read_bytes()).header
    assert header is not None
    assert (header.label, header.thresholds.jaccard, header.thresholds.latency_multiplier) == (
        "first",
        0.5,
        3,
    )


@pytest.mark.parametrize(
    "option",
    [
        ("--threshold-jaccard", "nan"),
        ("--threshold-top1", "1.5"),
        ("--threshold-latency-multiplier", "inf"),
        ("--threshold-latency-multiplier", "fast"),
    ],
)
def test_a_threshold_that_could_never_be_missed_is_wrong_usage(
    tmp_path: Path, capsys: Printed, option: tuple[str, str]
) -> None:
    target = tmp_path / "v1.ndjson"
    done = gate(capsys, "baseline", "publish", "--from", captures(tmp_path), "--to", target, *option)
    assert done.code == 64
    assert not target.exists()


def test_a_baseline_that_is_there_is_overwritten_only_by_force(tmp_path: Path, capsys: Printed) -> None:
    target = tmp_path / "v1.ndjson"
    target.write_text("kept")
    call: list[str | Path] = ["baseline", "publish", "--from", captures(tmp_path), "--to", target]
    done = gate(capsys, *call)
    assert (done.code, target.read_text()) == (64, "kept")
    assert "--force" in done.err
    assert gate(capsys, *call, "--force").code == 0
    assert target.read_text() != "kept"


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "no captured query"), (b"{\n", "line 1"), (lines(row(), row()), "more than once")],
)
def test_captures_that_make_no_baseline_are_invalid_input(
    tmp_path: Path, capsys: Printed, data: bytes, said: str
) -> None:
    target = tmp_path / "v1.ndjson"
    done = gate(capsys, "baseline", "publish", "--from", captures(tmp_path, data), "--to", target)
    assert done.code == 65
    assert said in done.err
    assert not target.exists()


def test_a_missing_file_is_named(tmp_path: Path, capsys: Printed) -> None:
    done = gate(capsys, "baseline", "publish", "--from", tmp_path / "no", "--to", tmp_path / "x")
    assert (done.code, "no: cannot be read" in done.err) == (65, True)
