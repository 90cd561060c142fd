import json

import pytest

from gate.cli.console import Bar, Events, Silence, progress_on_stderr
from gate.process import LoggedProgress
from tests.fakes import FixedClock


def test_a_bar_is_drawn_over_itself_and_its_last_state_stays(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FixedClock()
    bar = Bar(clock)

    bar.stage("asking")
    for done in range(5):
        bar.step(done, 4)
    bar.stage("comparing")

    said = capsys.readouterr().err
    assert said.startswith("asking …\n\r░░")
    assert said.endswith("4 of 4 (100 %), 3.2 a second\ncomparing …\n")
    assert said.count("\n") == 3


def test_a_bar_is_not_drawn_faster_than_anybody_can_look(capsys: pytest.CaptureFixture[str]) -> None:
    class Standing(FixedClock):
        def monotonic(self) -> float:
            return self._seconds

    bar = Bar(Standing())
    for done in range(1000):
        bar.step(done, 10_000)
    assert capsys.readouterr().err == ""


def test_a_stage_ends_a_bar_that_was_left_open(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar(FixedClock())
    bar.step(1, 4)
    bar.stage("comparing")
    assert capsys.readouterr().err.endswith(" left\ncomparing …\n")


def test_a_program_reads_events_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FixedClock()
    events = Events(clock)

    events.stage("asking")
    events.step(1, 9)
    clock.wait(5)
    events.step(5, 9)
    events.step(9, 9)

    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told == [
        {"event": "stage", "at": "2026-11-30T12:00:00.000Z", "stage": "asking"},
        {"event": "progress", "at": "2026-11-30T12:00:05.000Z", "stage": "asking", "done": 5, "total": 9},
        {"event": "progress", "at": "2026-11-30T12:00:05.000Z", "stage": "asking", "done": 9, "total": 9},
    ]


def test_silence_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Silence().stage("asking")
    Silence().step(1, 2)
    assert capsys.readouterr() == ("", "")


def test_what_is_no_terminal_gets_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress = progress_on_stderr(FixedClock())
    assert isinstance(progress, LoggedProgress)
    progress.stage("asking")
    assert capsys.readouterr().err == "asking …\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    assert isinstance(progress_on_stderr(FixedClock()), Bar)
