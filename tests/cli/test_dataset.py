import hashlib
from pathlib import Path

import pytest

from tests.cli.calls import Shell
from tests.longmemeval_files import array, document


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def test_fetch_prints_where_the_dataset_lies(shell: Shell) -> None:
    source = shell.write("source.json", b"[]")
    sha256 = hashlib.sha256(b"[]").hexdigest()
    call = shell.gate("dataset", "fetch", str(source), "--sha256", sha256, "--cache", "kept")
    assert call.code == 0
    assert Path(call.out.strip()).read_bytes() == b"[]"
    assert call.out.strip() == f"kept/{sha256}/source.json"


def test_fetch_refuses_other_bytes_and_needs_a_digest(shell: Shell) -> None:
    source = shell.write("source.json", b"[]")
    call = shell.gate("dataset", "fetch", str(source), "--sha256", "0" * 64, "--cache", "kept")
    assert (call.code, call.out) == (65, "")
    assert "not 0000" in call.err
    assert shell.gate("dataset", "fetch", str(source)).code == 64


def test_split_lists_ids_that_the_suite_takes(shell: Shell) -> None:
    array(shell.folder / "data.json", [document(number) for number in range(60)])
    listed = shell.gate("dataset", "split", "data.json", "--name", "dev40")
    assert len(listed.out.split()) == 40
    shell.write("ids.txt", listed.out)
    call = shell.gate("suite", "longmemeval", "data.json", "--question-ids", "ids.txt", "--output", "rows")
    assert call.code == 0
