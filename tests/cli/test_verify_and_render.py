import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.core.receipt import digest, laid_out
from tests.program import gate
from tests.workspaces import losing, workspace


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A workspace in which the gate has run and failed."""
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, candidate=losing(12))
    assert gate(capsys, "run").code == 1
    return tmp_path / "gate-out"


def test_a_finished_run_verifies_whatever_its_verdict(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "verify", finished / "receipt.json")

    assert (done.code, done.err) == (0, "")
    assert "fail (regression)" in done.out


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "name",
    [
        "gate-out/receipt.json",
        "gate-out/rows/main.candidate.ndjson",
        "gate-out/rows/main.baseline.ndjson",
        "rows/candidate.ndjson",
        "rows/baseline.ndjson",
        "eval-gate.yml",
    ],
)
@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_any_changed_byte_is_found(
    name: str, where: float, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = finished.parent / name
    flip(path, int(path.stat().st_size * where))

    done = gate(capsys, "verify", finished / "receipt.json")

    assert done.code == 65
    assert done.err.count("error: ") == 1


@pytest.mark.parametrize(
    "change", [{"verdict": "pass"}, {"exit_code": 0}, {"outcomes": []}, {"regressed": []}]
)
def test_a_receipt_that_was_edited_and_sealed_again_does_not_re_derive(
    change: dict[str, object], finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = finished / "receipt.json"
    document = json.loads(path.read_text()) | change
    path.write_bytes(laid_out(document | {"receipt-sha256": digest(document)}))

    done = gate(capsys, "verify", path)

    assert done.code == 65
    assert "does not re-derive" in done.err


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data.replace(b"\n  ", b"\n ", 1),
        lambda data: data.replace(b": ", b":", 1),
        lambda data: data.replace(b"\n", b"\r\n"),
    ],
    ids=["a line feed more", "an indent less", "a space less", "other line ends"],
)
def test_white_space_is_made_of_bytes_too(
    change: Callable[[bytes], bytes], finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = finished / "receipt.json"
    path.write_bytes(change(path.read_bytes()))

    done = gate(capsys, "verify", path)

    assert done.code == 65
    assert "not one byte more or less" in done.err


def test_a_receipt_verifies_elsewhere_from_its_own_copies(
    finished: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "artifact"
    shutil.move(finished, elsewhere)
    shutil.rmtree(finished.parent / "rows")

    done = gate(capsys, "verify", elsewhere / "receipt.json")

    assert done.code == 0
    assert "only its copy was checked" in done.err


def test_missing_copies_are_an_error(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(finished / "rows")

    assert gate(capsys, "verify", finished / "receipt.json").code == 65


@pytest.mark.parametrize(
    ("form", "name"),
    [("comment", "comment.md"), ("summary", "summary.md"), ("json", "report.json"), ("junit", "junit.xml")],
)
def test_render_gives_what_the_run_wrote_byte_for_byte(
    form: str, name: str, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = gate(capsys, "render", finished / "receipt.json", "--as", form)

    assert done.out == (finished / name).read_text()


def test_render_gives_what_the_run_printed(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = gate(capsys, "run").out

    again = gate(capsys, "render", finished / "receipt.json", "--as", "terminal").out

    assert again in printed


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"kind": "gate-receipt"}', b"\xff\xfe"])
@pytest.mark.parametrize("command", ["verify", "render"])
def test_what_is_no_receipt_is_one_clear_error(
    command: str, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(data)

    done = gate(capsys, command, path)

    assert done.code == 65
    assert done.err.count("error: ") == 1
    assert "Traceback" not in done.err


def test_a_receipt_of_another_version_says_what_to_do(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = finished / "receipt.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 2}))

    done = gate(capsys, "verify", path)

    assert done.code == 65
    assert "version 2" in done.err


def test_a_missing_receipt_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(capsys, "verify", tmp_path / "none.json").code == 65
