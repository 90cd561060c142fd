import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.core.records.ledger import read_ledger
from gate.core.records.pruning import Pruning
from gate.errors import EvidenceError, ExitCode, UnavailableError
from gate.ledgers.jsonl import JsonlLedger
from tests.run_factories import ledger_bytes, new_record, run_object

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from pathlib import Path
from gate.ledgers.jsonl import JsonlLedger
from tests.run_factories import new_record
ledger, name, count, size = JsonlLedger(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for number in range(count):
    ledger.append(new_record(f"{name}-{number}", params={"padding": "x" * size}))
    print(f"{name}-{number}", flush=True)
"""


def writer(path: Path, name: str, *, count: int, size: int = 200) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), name, str(count), str(size)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_missing_file_is_an_empty_ledger_that_says_so(tmp_path: Path) -> None:
    found = JsonlLedger(tmp_path / "none.jsonl").read()

    assert (found.records, found.missing) == ((), True)


def test_a_record_appended_is_read_back_and_folders_are_made(tmp_path: Path) -> None:
    ledger = JsonlLedger(tmp_path / "a" / "b" / "eval-results.jsonl")

    ledger.append(new_record("one"))
    ledger.append(new_record("two", params={"key": "sk-0123456789"}))

    found = ledger.read()
    assert [record.run_id for record in found.records] == ["one", "two"]
    assert found.skips == ()
    assert found.records[1].params == {"key": "<redacted>"}


def test_a_torn_last_line_is_ended_before_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger_bytes(run_object("one")) + b'{"run_id":"torn')

    JsonlLedger(path).append(new_record("two"))

    found = JsonlLedger(path).read()
    assert [record.run_id for record in found.records] == ["one", "two"]
    assert found.skipped["torn"] == 1


def test_a_whole_last_line_without_newline_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger_bytes(run_object("one")).rstrip(b"\n"))

    JsonlLedger(path).append(new_record("two"))

    assert [record.run_id for record in JsonlLedger(path).read().records] == ["one", "two"]


def test_what_stands_in_the_ledger_already_is_never_touched(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    before = b"\xef\xbb\xbf" + ledger_bytes(run_object("one"), b"\xff", b"", b"{").replace(b"\n", b"\r\n")
    path.write_bytes(before)

    JsonlLedger(path).append(new_record("two"))

    assert path.read_bytes().startswith(before)


def test_an_invalid_record_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"

    with pytest.raises(EvidenceError, match="mode") as caught:
        JsonlLedger(path).append(new_record("one", mode="fast"))

    assert not path.exists()
    assert "run-record.v3" in caught.value.remedy


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a regular file"):
        JsonlLedger(tmp_path).read()
    with pytest.raises(UnavailableError, match="cannot be written"):
        JsonlLedger(tmp_path).append(new_record())


def test_a_pipe_is_no_ledger_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(EvidenceError, match="not a regular file"):
        JsonlLedger(tmp_path / "pipe").read()


def test_a_file_nobody_may_read_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")

    with pytest.raises(EvidenceError, match="Permission denied"):
        JsonlLedger(path).read()


def test_a_path_below_a_file_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(EvidenceError, match="cannot be read"):
        JsonlLedger(tmp_path / "file" / "ledger.jsonl").read()
    with pytest.raises(UnavailableError, match="cannot be written"):
        JsonlLedger(tmp_path / "file" / "ledger.jsonl").append(new_record())


def test_a_nul_in_the_path_is_an_input_error() -> None:
    with pytest.raises(EvidenceError, match="cannot be read"):
        JsonlLedger(Path("a\0b.jsonl")).read()


def test_eight_processes_append_fifty_records_each_and_none_is_lost_or_mixed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    writers = [writer(path, f"w{number}", count=50) for number in range(8)]
    for process in writers:
        process.communicate(timeout=120)

    found = JsonlLedger(path).read()

    assert [process.returncode for process in writers] == [0] * 8
    assert found.skips == ()
    assert sorted(record.run_id for record in found.records) == sorted(
        f"w{writer}-{number}" for writer in range(8) for number in range(50)
    )
    for one in range(8):
        own = [record.run_id for record in found.records if record.run_id.startswith(f"w{one}-")]
        assert own == [f"w{one}-{number}" for number in range(50)]


def test_a_writer_killed_at_any_moment_loses_nothing_it_had_reported_and_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    reported: list[str] = []
    for round_number in range(6):
        process = writer(path, f"r{round_number}", count=10_000, size=50_000)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.005 * round_number)
        process.send_signal(signal.SIGKILL)
        reported += [first.strip(), *process.communicate()[0].split()]
    JsonlLedger(path).append(new_record("last"))

    found = JsonlLedger(path).read()

    ids = [record.run_id for record in found.records]
    assert set(reported) <= set(ids)
    assert ids[-1] == "last"
    assert len(ids) == len(set(ids))
    assert len(found.skips) == found.skipped["torn"] <= 6


FULL = """
import resource, sys
from pathlib import Path
from gate.errors import UnavailableError
from gate.ledgers.jsonl import JsonlLedger
from tests.run_factories import new_record
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    JsonlLedger(Path(sys.argv[1])).append(new_record("big", params={"padding": "x" * 5000}))
except UnavailableError as error:
    print(error.message)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize("room", [0, 1, 3000])
def test_on_a_full_disk_nothing_of_the_record_stays_and_the_error_is_clear(tmp_path: Path, room: int) -> None:
    path = tmp_path / "ledger.jsonl"
    before = ledger_bytes(run_object("one"))
    path.write_bytes(before)

    command = [sys.executable, "-c", FULL, str(path), str(len(before) + room)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.UNAVAILABLE, done.stderr
    assert "cannot be written" in done.stdout
    assert path.read_bytes() == before


def test_a_new_ledger_honours_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    before = os.umask(0o027)
    try:
        JsonlLedger(path).append(new_record())
    finally:
        os.umask(before)

    assert path.stat().st_mode & 0o777 == 0o640


def test_many_megabytes_in_one_line_are_read(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger_bytes(run_object("one", params={"x": "y" * 20_000_000}), run_object("two")))

    assert len(JsonlLedger(path).read().records) == 2


def test_the_line_on_disk_is_one_json_object(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    JsonlLedger(path).append(new_record())

    assert json.loads(path.read_bytes())["schema_version"] == 3
    assert len(read_ledger(path.read_bytes()).records) == 1


def dated(run_id: str, day: int) -> dict[str, object]:
    return run_object(run_id, ran_at=f"2026-10-{day:02}T00:00:00Z")


def test_pruned_runs_are_gone_and_every_other_line_stays_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    stays = (b"\xff\r", b"", b'{"other": 1}', b'{"run_id":  "spaced", "suite": "s", "mode": "m"}')
    kept = ledger_bytes(*stays, dated("new", 9)) + b'{"run_id":"torn'
    path.write_bytes(ledger_bytes(dated("a", 1), *stays, dated("b", 2), dated("new", 9)) + b'{"run_id":"torn')
    path.chmod(0o640)

    found = JsonlLedger(path).prune(Pruning(newest=1))

    assert [record.run_id for record in found.going] == ["a", "b"]
    assert path.read_bytes() == kept
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["ledger.jsonl"]


def test_a_last_run_without_newline_can_go_too(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger_bytes(dated("new", 9), dated("old", 1)).rstrip(b"\n"))

    JsonlLedger(path).prune(Pruning(newest=1))

    assert path.read_bytes() == ledger_bytes(dated("new", 9))


def test_a_link_to_a_ledger_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "ledger.jsonl", tmp_path / "link.jsonl"
    path.write_bytes(ledger_bytes(dated("old", 1), dated("new", 9)))
    link.symlink_to(path)

    JsonlLedger(link).prune(Pruning(newest=1))

    assert link.is_symlink()
    assert path.read_bytes() == ledger_bytes(dated("new", 9))


def test_nothing_to_prune_touches_nothing_and_a_missing_ledger_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger_bytes(dated("new", 9)))
    before = path.stat().st_ino

    assert JsonlLedger(path).prune(Pruning(newest=5)).going == ()
    assert path.stat().st_ino == before
    with pytest.raises(EvidenceError, match="no such ledger"):
        JsonlLedger(tmp_path / "none.jsonl").prune(Pruning(newest=5))
    assert not (tmp_path / "none.jsonl").exists()


def test_runs_recorded_while_others_are_pruned_are_never_lost(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    JsonlLedger(path).append(new_record("first"))
    writers = [writer(path, f"w{number}", count=60) for number in range(2)]
    october = datetime(2026, 10, 15, tzinfo=UTC)
    pruned = 0
    while any(process.poll() is None for process in writers):
        JsonlLedger(path).append(new_record("old", ran_at="2026-10-01T00:00:00Z"))
        pruned += len(JsonlLedger(path).prune(Pruning(before=october)).going)
    for process in writers:
        process.communicate(timeout=60)

    ids = [record.run_id for record in JsonlLedger(path).read().records]
    assert pruned > 0
    assert "old" not in ids
    assert len(ids) == 121
    for one in range(2):
        assert [each for each in ids if each.startswith(f"w{one}-")] == [f"w{one}-{n}" for n in range(60)]


PRUNE_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from gate.core.records.pruning import Pruning
from gate.errors import UnavailableError
from gate.ledgers.jsonl import JsonlLedger
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
try:
    JsonlLedger(Path(sys.argv[1])).prune(Pruning(newest=1))
except UnavailableError as error:
    print(error.message)
    sys.exit(error.exit_code)
"""


def test_on_a_full_disk_a_ledger_stays_as_it_was_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    before = ledger_bytes(dated("old", 1), dated("new", 9))
    path.write_bytes(before)

    command = [sys.executable, "-c", PRUNE_WITHOUT_ROOM, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.UNAVAILABLE, done.stderr
    assert "cannot be pruned" in done.stdout
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["ledger.jsonl"]
