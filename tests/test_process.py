"""This process: its clock, and the signals that ask it to stop."""

import os
import signal
import threading
from datetime import UTC

import pytest

from gate.errors import Cancelled, ExitCode
from gate.process import LoggedProgress, SystemClock, cancel_on_signals, within
from tests.fakes import FixedClock


def test_the_clock_knows_its_time_zone_and_never_runs_backwards() -> None:
    clock = SystemClock()
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
def test_the_first_signal_cancels_and_the_next_one_kills(number: signal.Signals, code: ExitCode) -> None:
    cancel_on_signals()
    with pytest.raises(Cancelled) as stopped:
        os.kill(os.getpid(), number)
    assert stopped.value.exit_code == code
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_log_is_told_of_a_stage_at_once_and_of_its_progress_every_half_minute() -> None:
    clock, said = FixedClock(), list[str]()
    progress = LoggedProgress(said.append, clock)

    progress.stage("asking")
    for done in range(100):
        progress.step(done, 100)
        clock.wait(1)

    assert said[0] == "asking …"
    assert len(said) == 1 + 125 // 31  # each look at the clock takes a quarter of a second
    assert said[1].startswith("24 of 100 (24 %), ")


def test_work_that_is_done_in_time_gives_what_it_gives_and_raises_what_it_raises() -> None:
    assert within(60, lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 / 0)


def test_nobody_waits_for_work_that_takes_longer() -> None:
    end = threading.Event()
    try:
        assert within(0.01, lambda: end.wait(60)) is None
    finally:
        end.set()
