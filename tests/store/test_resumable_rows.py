import resource
import signal
from pathlib import Path

import pytest

from gate.errors import EvidenceError, UnavailableError, UsageError
from gate.store.resumable_rows import ResumableFile, rows_there


def test_lines_stay_when_the_file_is_opened_again(tmp_path: Path) -> None:
    first = ResumableFile(tmp_path / "new" / "rows.ndjson")
    first.write(b"one\n")
    first.close()
    first.close()
    again = ResumableFile(tmp_path / "new" / "rows.ndjson")
    assert again.read() == b"one\n"
    again.write(b"two\n")
    assert again.read() == b"one\ntwo\n"
    again.restart(4)
    again.write(b"three\n")
    assert again.read() == b"one\nthree\n"
    again.restart()
    assert again.read() == b""
    again.close()


def test_two_runs_cannot_write_one_file(tmp_path: Path) -> None:
    first = ResumableFile(tmp_path / "rows.ndjson")
    with pytest.raises(UsageError, match="another run is writing"):
        ResumableFile(tmp_path / "rows.ndjson")
    first.close()
    ResumableFile(tmp_path / "rows.ndjson").close()


def test_a_finished_file_is_replaced_whole_and_described(tmp_path: Path) -> None:
    file = ResumableFile(tmp_path / "rows.ndjson")
    file.write(b"b\n")
    kept = file.finish([b"a\n", b"b\n"], "rows/rows.ndjson")
    assert (tmp_path / "rows.ndjson").read_bytes() == b"a\nb\n"
    # printf 'a\nb\n' | sha256sum
    assert kept.sha256 == "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2"
    assert (kept.path, kept.bytes) == ("rows/rows.ndjson", 4)
    with pytest.raises(ValueError, match="is closed"):
        file.write(b"c\n")


def test_every_second_the_lines_are_safe_on_disk(tmp_path: Path) -> None:
    moments = iter([0.0, 0.5, 1.5])
    file = ResumableFile(tmp_path / "rows.ndjson", monotonic=lambda: next(moments))
    file.write(b"one\n")
    file.write(b"two\n")
    file.close()
    assert next(moments, None) is None


def test_a_full_disk_is_told_and_leaves_no_half_line(tmp_path: Path) -> None:
    file = ResumableFile(tmp_path / "rows.ndjson")
    file.write(b"one\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6, before[1]))
    try:
        with pytest.raises(UnavailableError, match="rows cannot be written"):
            file.write(b"a longer line\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert file.read() == b"one\n"
    file.close()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for path in (tmp_path / "file" / "rows", tmp_path, tmp_path / "link", tmp_path / "a\0b"):
        with pytest.raises(UnavailableError, match="rows cannot be written"):
            ResumableFile(path)


def test_rows_are_looked_at_without_touching_them(tmp_path: Path) -> None:
    assert rows_there(tmp_path / "none") is None
    (tmp_path / "rows").write_bytes(b"x")
    assert rows_there(tmp_path / "rows") == b"x"
    with pytest.raises(EvidenceError, match="cannot be read"):
        rows_there(tmp_path)
