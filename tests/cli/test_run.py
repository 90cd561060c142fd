import json
import os
import resource
import signal
import stat
import time
from pathlib import Path

import pytest

from tests.program import Done, gate, spawn
from tests.workspaces import CONFIG, losing, rows, workspace


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def receipt(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "gate-out" / "receipt.json").read_text())
    return found


def test_the_exit_code_is_the_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace(folder)
    assert gate(capsys, "run").code == 0

    workspace(folder, candidate=losing(12))
    assert gate(capsys, "run").code == 1

    workspace(folder, candidate=losing(3, 3), baseline=rows([1] * 3))
    assert gate(capsys, "run").code == 2


def test_everything_lies_below_the_output_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace(folder)

    gate(capsys, "run", "--out", "elsewhere/deep")

    found = sorted(
        str(path.relative_to(folder / "elsewhere/deep")) for path in (folder / "elsewhere").rglob("*.*")
    )
    assert found == [
        "comment.md",
        "junit.xml",
        "receipt.json",
        "report.json",
        "rows/main.baseline.ndjson",
        "rows/main.candidate.ndjson",
        "summary.md",
    ]


def test_json_prints_one_object_and_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace(folder, candidate=losing(12))

    done = gate(capsys, "run", "--json")

    assert json.loads(done.out)["verdict"] == "fail"
    assert done.err == ""
    assert done.out == (folder / "gate-out" / "report.json").read_text()


def test_two_runs_of_the_same_files_differ_in_nothing_but_time(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder, candidate=losing(12))
    timed = ("created_at", "durations_ms", "receipt-sha256")

    receipts = []
    for _ in range(2):
        gate(capsys, "run")
        receipts.append({key: value for key, value in receipt(folder).items() if key not in timed})

    assert receipts[0] == receipts[1]


def test_advisory_says_what_would_have_happened_and_exits_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder, config=CONFIG + "mode: advisory\n", candidate=losing(12))

    done = gate(capsys, "run")

    assert done.code == 0
    assert receipt(folder)["verdict"] == "fail"
    assert "would have" in done.out.lower()


def test_no_text_of_a_question_is_ever_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "who leaked the merger"
    workspace(
        folder,
        baseline=rows([1] * 40, question=question, hypothesis=question),
        candidate=rows([0] * 40, question=question, hypothesis=question),
        config=CONFIG.replace("metric: hit, rule: significant", "metric: hit, rule: threshold, at-least: 0"),
    )

    gate(capsys, "run")

    assert not [path for path in (folder / "gate-out").rglob("*.*") if question in path.read_text()]


def test_the_words_of_changed_questions_are_shown_where_the_config_asks_for_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worded = [
        json.dumps({"question_id": f"q{n:03d}", "hit": int(n >= 12), "question": f"what about {n}?"})
        for n in range(40)
    ]
    workspace(folder, config=CONFIG + "show-text: true\n", candidate="\n".join(worded).encode() + b"\n")

    done = gate(capsys, "run")

    assert "what about 0?" in done.out
    assert "what about 0?" in (folder / "gate-out" / "comment.md").read_text()
    assert "what about 30?" not in (folder / "gate-out" / "receipt.json").read_text()
    assert gate(capsys, "verify", "gate-out/receipt.json").code == 0


BAD_ROWS = {
    "empty": (b"", 2),
    "invalid json": (
        b'{"question_id": "a", "hit": 1}\n{"question_id": \n{"question_id": "b", "hit": 1}\n',
        65,
    ),
    "no id": (b'{"hit": 1}\n', 65),
    "NaN": (b'{"question_id": "a", "hit": NaN}\n', 65),
    "Infinity": (b'{"question_id": "a", "hit": Infinity}\n', 65),
    "1e999": (b'{"question_id": "a", "hit": 1e999}\n', 65),
    "text for a number": (b'{"question_id": "a", "hit": "1"}\n', 65),
    "5,000 digits": (b'{"question_id": "a", "hit": ' + b"9" * 5000 + b"}\n", 65),
    "deep nesting": (b'{"question_id": "a", "hit": 1, "x": ' + b"[" * 100_000 + b"}\n", 65),
    "duplicate ids": (b'{"question_id": "a", "hit": 1}\n{"question_id": "a", "hit": 1}\n', 65),
    "no common ids": (b'{"question_id": "z", "hit": 1}\n', 2),
    "invalid utf-8": (b'{"question_id": "\xff\xfe", "hit": 1}\n', 65),
    "binary": (bytes(range(256)) * 40, 65),
}


@pytest.mark.parametrize(("data", "code"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_bad_rows_have_one_clear_error_and_never_pass(
    data: bytes, code: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder, candidate=data)

    done = gate(capsys, "run")

    assert done.code == code
    assert "Traceback" not in done.out + done.err
    if code == 65:
        assert done.err.count("error: ") == 1
        assert "rows/candidate.ndjson" in done.err
        assert "→" in done.err


def test_a_byte_order_mark_and_windows_line_ends_are_fine(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    windows = b"\xef\xbb\xbf" + rows([1] * 40).replace(b"\n", b"\r\n")
    workspace(folder, candidate=windows)

    assert gate(capsys, "run").code == 0


def test_a_line_of_20_megabytes_is_read_or_refused_but_never_crashes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = json.dumps({"question_id": "q999", "hit": 1, "note": "x" * 20_000_000}).encode() + b"\n"
    workspace(folder, baseline=rows([1] * 40), candidate=rows([1] * 40) + long)

    done = gate(capsys, "run")

    assert done.code in (0, 65)
    assert "Traceback" not in done.err


@pytest.mark.parametrize("kind", ["missing", "directory", "fifo"])
def test_what_is_no_file_is_refused(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace(folder)
    path = folder / "rows" / "candidate.ndjson"
    path.unlink()
    if kind == "directory":
        path.mkdir()
    if kind == "fifo":
        os.mkfifo(path)

    done = gate(capsys, "run")

    assert done.code == 65
    assert done.err.count("error: ") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace(folder)
    (folder / "rows" / "candidate.ndjson").chmod(0)

    assert gate(capsys, "run").code == 65


def test_a_missing_baseline_is_inconclusive_and_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder)
    (folder / "rows" / "baseline.ndjson").unlink()

    assert gate(capsys, "run").code == 2
    assert receipt(folder)["reason"] == "no_baseline"


@pytest.mark.usefixtures("folder")
def test_a_missing_config_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    done = gate(capsys, "run")

    assert done.code == 78
    assert "eval-gate.yml" in done.err
    assert "→" in done.err


def test_every_problem_of_a_config_is_told_at_once_with_the_nearest_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(
        folder, config=CONFIG.replace("gate: tests", "gatee: tests").replace("metric: hit", "metrc: hit")
    )

    done = gate(capsys, "run")

    assert done.code == 78
    assert "gatee" in done.err
    assert "metrc" in done.err
    assert "did you mean" in done.err


def test_usage_errors_are_64_because_2_means_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(capsys, "run", "--nope").code == 64
    assert gate(capsys, "rum").code == 64
    assert "Did you mean 'run'" in gate(capsys, "rum").err


def test_an_output_folder_that_cannot_be_made_fails_before_any_work(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder)
    (folder / "gate-out").write_text("a file is in the way")

    done = gate(capsys, "run")

    assert done.code == 69
    assert "reading rows" not in done.err


def limited(folder: Path) -> Done:
    """A run that may write no file larger than 2,000 bytes: what a full disk looks like."""
    process = spawn("run", cwd=folder)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (2_000, 2_000))
    out, err = process.communicate(timeout=60)
    return Done(process.returncode, out, err)


def test_a_full_disk_is_one_clear_error_and_no_half_written_file(folder: Path) -> None:
    workspace(folder)

    done = limited(folder)

    assert done.code == 69
    assert done.err.count("error: ") == 1
    assert not (folder / "gate-out" / "receipt.json").exists()
    assert not list((folder / "gate-out").rglob("*.tmp*"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_a_receipt_that_says_cancelled(
    number: signal.Signals, code: int, folder: Path
) -> None:
    big = rows([index % 7 / 7 for index in range(60_000)])
    workspace(folder, baseline=big, candidate=rows([index % 5 / 5 for index in range(60_000)]))
    process = spawn("run", cwd=folder)
    assert process.stderr is not None
    assert any("comparing" in line for line in process.stderr), "it ended before it compared"
    time.sleep(0.3)
    process.send_signal(number)
    process.wait(timeout=30)

    assert process.returncode == code
    assert receipt(folder)["reason"] == "cancelled"
    process.communicate()


def test_a_reader_who_leaves_early_does_not_change_the_verdict(folder: Path) -> None:
    workspace(folder, candidate=losing(12))
    process = spawn("run", cwd=folder)
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=60)

    assert process.returncode == 1
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def test_files_are_readable_by_whoever_the_umask_lets(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace(folder)
    before = os.umask(0o022)
    try:
        gate(capsys, "run")
    finally:
        os.umask(before)

    assert stat.S_IMODE((folder / "gate-out" / "receipt.json").stat().st_mode) == 0o644


def test_a_baseline_that_only_the_action_fetches_is_missing_here_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    workspace(
        tmp_path,
        config=CONFIG.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {artifact: true}"),
    )

    done = gate(capsys, "run")

    assert done.code == 2
    assert "which only the action fetches" in done.out
