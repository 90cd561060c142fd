import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import EvidenceError, ExitCode, UnavailableError
from gate.store.row_files import (
    BLOCK_BYTES,
    digest,
    read_rows,
    read_rows_with_digest,
    rows_bytes,
    write_rows,
)
from tests.rows import content, ndjson
from tests.tables import table

ROWS = ndjson({"question_id": "a", "m": 1}, {"question_id": "b", "m": 0})
READ = """
import os, sys
from pathlib import Path
from gate.errors import EvidenceError
from gate.store.row_files import read_rows
os.seteuid(65534)
try:
    read_rows(Path(sys.argv[1]), name="rows.ndjson")
except EvidenceError as error:
    print(error.message)
    sys.exit(error.exit_code)
"""


def refusal(path: Path) -> str:
    for read in (read_rows, read_rows_with_digest, digest):
        with pytest.raises(EvidenceError) as caught:
            read(path, name="rows.ndjson")
        assert caught.value.remedy
        assert caught.value.exit_code is ExitCode.DATA
    return caught.value.message


def test_rows_are_read_with_the_digest_of_exactly_what_was_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    data = b"\xef\xbb\xbf" + ROWS + b"\n"
    file.write_bytes(data)
    read, sha256, size = read_rows_with_digest(file, name="rows.ndjson")
    assert content(read) == content(read_rows(file, name="rows.ndjson"))
    assert (sha256, size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert digest(file, name="rows.ndjson") == (sha256, size)


def test_files_of_many_blocks_are_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    rows = [{"question_id": f"q{number}", "text": "x" * 999} for number in range(3 * BLOCK_BYTES // 1000)]
    file.write_bytes(ndjson(*rows))
    read, _, size = read_rows_with_digest(file, name="rows.ndjson")
    assert read.ids == tuple(row["question_id"] for row in rows)
    assert size == file.stat().st_size


def test_the_choices_reach_the_decoder(tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    file.write_bytes(ROWS + ROWS + b'{"torn')
    read = read_rows(file, name="rows.ndjson", duplicates="last-wins", required=frozenset({"m"}))
    assert (read.notes.duplicate_ids, read.notes.torn_lines) == (2, 1)
    with pytest.raises(EvidenceError, match="line 5"):
        read_rows(file, name="rows.ndjson")


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"")
    assert len(read_rows(tmp_path / "rows", name="rows")) == 0


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "missing") == "rows.ndjson: there is no such file"
    (tmp_path / "dangling").symlink_to("missing")
    assert refusal(tmp_path / "dangling") == "rows.ndjson: there is no such file"


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == "rows.ndjson: this is a directory"


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == "rows.ndjson: this is no regular file"


def test_an_endless_device_is_refused() -> None:
    assert refusal(Path("/dev/zero")) == "rows.ndjson: this is no regular file"


def test_a_file_as_a_folder_and_a_loop_of_links_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(ROWS)
    assert "cannot be read (Not a directory)" in refusal(tmp_path / "file" / "rows")
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be read (Too many levels of symbolic links)" in refusal(tmp_path / "loop")
    assert "cannot be read (File name too long)" in refusal(tmp_path / ("x" * 300))


def test_a_path_with_a_nul_cannot_be_read() -> None:
    assert refusal(Path("a\0b")) == "'rows.ndjson': a path cannot hold a NUL"


def test_a_file_without_permission_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    file.write_bytes(ROWS)
    file.chmod(0)
    if os.geteuid() != 0:
        assert refusal(file) == "rows.ndjson: cannot be read (Permission denied)"
        return
    done = subprocess.run(
        [sys.executable, "-c", READ, str(file)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (65, "rows.ndjson: cannot be read (Permission denied)\n")


def test_a_slim_copy_is_written_whole_and_reads_back_equal(tmp_path: Path) -> None:
    original = table(["a", "b"], types=["x", "y"], m=[0.1, None], errored=[1])
    write_rows(tmp_path / "rows" / "slim.ndjson", original)
    assert content(read_rows(tmp_path / "rows" / "slim.ndjson", name="slim")) == content(original)
    assert (tmp_path / "rows" / "slim.ndjson").read_bytes() == rows_bytes(original)


def test_a_slim_copy_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError):
        write_rows(tmp_path, table(1))
