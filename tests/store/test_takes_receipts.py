import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.takes_receipt import takes_receipt, takes_receipt_bytes
from gate.errors import EvidenceError, ExitCode, UnavailableError
from gate.store.takes_receipts import keep_takes_receipt, kept_takes_receipts, read_takes_receipt
from tests.takes_factories import inconclusive_document, receipt, receipt_document

ROOT = Path(__file__).parents[2]
NAME = "takes-quality-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd"


def keep(folder: Path, number: int) -> None:
    """What each of several processes does at once."""
    keep_takes_receipt(folder, receipt(verdictMessage=str(number)))


def test_a_receipt_that_was_kept_is_read_back(tmp_path: Path) -> None:
    path = keep_takes_receipt(tmp_path / "a" / "b", receipt())

    assert path == tmp_path / "a" / "b" / f"{NAME}.json"
    assert read_takes_receipt(path, path.name) == receipt()
    assert path.read_bytes() == takes_receipt_bytes(receipt())


def test_repeats_get_names_of_their_own_and_the_first_stays(tmp_path: Path) -> None:
    for number in range(3):
        keep(tmp_path, number)

    names = [path.name for path in kept_takes_receipts(tmp_path)]
    assert names == [f"{NAME}-2.json", f"{NAME}-3.json", f"{NAME}.json"]
    assert read_takes_receipt(tmp_path / f"{NAME}.json", "first").verdict_message == "0"


def test_processes_that_write_at_once_overwrite_nobodys_receipt(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    processes = [context.Process(target=keep, args=(tmp_path, number)) for number in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    said = {read_takes_receipt(path, path.name).verdict_message for path in kept_takes_receipts(tmp_path)}
    assert said == {"0", "1", "2", "3", "4", "5"}


def test_other_files_are_no_receipts_and_a_missing_folder_has_none(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")

    assert list(kept_takes_receipts(tmp_path)) == []
    assert list(kept_takes_receipts(tmp_path / "none")) == []


def test_a_folder_that_cannot_be_is_said_to_be_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UnavailableError, match="cannot be written") as caught:
        keep_takes_receipt(tmp_path / "file" / "receipts", receipt())

    assert "--receipts-dir" in caught.value.remedy


FULL = """
import resource, sys
from pathlib import Path
from gate.errors import UnavailableError
from gate.store.takes_receipts import keep_takes_receipt
from tests.takes_factories import receipt
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    keep_takes_receipt(Path(sys.argv[1]), receipt())
except UnavailableError as error:
    sys.exit(error.exit_code)
"""


def test_on_a_full_disk_no_empty_file_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.UNAVAILABLE, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (receipt_document(schema_version=2), "receipt version 2 is not known"),
        (receipt_document(verdict="fine"), 'verdict: expected one of "pass", "fail", "inconclusive"'),
        (receipt_document(scores={}), "scores: missing key `accuracy` \\(and 4 more\\)"),
        (receipt_document(cycles_run=1.0), "cycles_run"),
        ({"schema_version": 1}, "missing key"),
        ([], "no valid takes-quality receipt: expected a takes-quality receipt"),
    ],
)
def test_what_is_no_receipt_is_refused_with_file_and_place(tmp_path: Path, document: Any, said: str) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(document))

    with pytest.raises(EvidenceError, match=rf"receipt\.json: .*{said}"):
        read_takes_receipt(path, "receipt.json")


def test_a_file_that_is_missing_or_torn_is_refused(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_bytes(takes_receipt_bytes(takes_receipt(inconclusive_document()))[:-9])

    with pytest.raises(EvidenceError, match=r"torn\.json: line"):
        read_takes_receipt(tmp_path / "torn.json", "torn.json")
    with pytest.raises(EvidenceError, match="cannot be read"):
        read_takes_receipt(tmp_path / "none.json", "none.json")


def test_a_kept_receipt_honours_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = keep_takes_receipt(tmp_path, receipt())
    finally:
        os.umask(before)

    assert path.stat().st_mode & 0o777 == 0o640
