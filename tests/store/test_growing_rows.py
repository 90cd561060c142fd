import hashlib
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from gate.core.plan import FileRef
from gate.errors import UnavailableError
from gate.store.growing_rows import GrowingFile
from gate.store.row_files import read_rows

ROW = b'{"question_id":"q1","hit@1":1}\n'


def test_lines_are_on_disk_as_soon_as_they_are_written(tmp_path: Path) -> None:
    rows = GrowingFile(tmp_path / "deep/rows.ndjson", "rows.ndjson")
    rows.write(ROW)
    assert (tmp_path / "deep/rows.ndjson").read_bytes() == ROW


def test_the_finished_file_is_named_and_digested(tmp_path: Path) -> None:
    rows = GrowingFile(tmp_path / "rows.ndjson", "out/rows.ndjson")
    rows.write(ROW)
    rows.write(b"{}\n")

    done = FileRef(
        path="out/rows.ndjson", sha256=hashlib.sha256(ROW + b"{}\n").hexdigest(), bytes=len(ROW) + 3
    )
    assert rows.close() == done
    assert rows.close() == done
    with pytest.raises(ValueError, match="closed"):
        rows.write(ROW)


def test_an_older_file_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"keep me")
    (tmp_path / "rows.ndjson").symlink_to(precious)

    rows = GrowingFile(tmp_path / "rows.ndjson", "rows.ndjson")
    rows.write(ROW)
    rows.close()

    assert precious.read_bytes() == b"keep me"
    assert (tmp_path / "rows.ndjson").read_bytes() == ROW


def test_a_place_that_cannot_be_written_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnavailableError, match=r"rows\.ndjson: rows cannot be written"):
        GrowingFile(tmp_path / "file/rows.ndjson", "rows.ndjson")


FULL = """
import resource, signal, sys
from pathlib import Path
from gate.errors import UnavailableError
from gate.store.growing_rows import GrowingFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rows = GrowingFile(Path(sys.argv[1]), "rows.ndjson")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    for number in range(99):
        rows.write(b'{"question_id":"q%d","hit@1":1}\\n' % number)
except UnavailableError as error:
    rows.close()
    sys.exit(error.message)
"""


def test_a_full_disk_leaves_whole_lines_and_an_honest_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"

    done = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "rows.ndjson: rows cannot be written (File too large)" in done.stderr
    assert read_rows(path, name="rows").ids == ("q0", "q1", "q2")
    assert resource.getrlimit(resource.RLIMIT_FSIZE) != (100, 100)


def test_a_killed_writer_leaves_every_line_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    code = f"""
import os, signal
from pathlib import Path
from gate.store.growing_rows import GrowingFile
rows = GrowingFile(Path({str(path)!r}), "rows.ndjson")
for number in range(7):
    rows.write(b'{{"question_id":"q%d"}}\\n' % number)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)

    assert done.returncode == -9
    assert len(path.read_bytes().splitlines()) == 7
