"""Foreign programs: started with nothing but what they are granted, and ended with everything they started."""

import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gate.core.records.redaction import secret_values, without
from gate.errors import ConfigError
from gate.ports import SystemFailed
from gate.systems.pipes import HungUpError, Pipes, TooLongError

UIDS: Final = range(61_184, 65_520)
"""The numbers of systemd's dynamic users: nobody's files belong to them, and containers know them too."""

MOST_ERRORS: Final = 4_096
"""How much of the end of its standard error is told, in characters."""

_MARK: Final = "GATE_SYSTEM"
_KILL_ROUNDS: Final = 200
_PR_SET_DUMPABLE: Final = 4

_FORBIDDEN: Final = frozenset(
    {"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", _MARK}
)
_FORBIDDEN_PREFIXES: Final = ("ACTIONS_", "INPUT_", "GITHUB_STEP_")
_SHORTEST_SECRET: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to start and where; `environment` is all it sees besides a HOME and a TMPDIR of its own."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def granted(names: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables a program may see: PATH and those named, as far as they are set.

    ConfigError for what would let it act as the workflow: its tokens, the runner's services and files of
    commands, the action's inputs, under whichever name.
    """
    secrets_of_ours = {
        value for name, value in environment.items() if _forbidden(name) and len(value) >= _SHORTEST_SECRET
    }
    for name in names:
        if _forbidden(name) or environment.get(name) in secrets_of_ours:
            raise ConfigError(
                f"the variable {name} is never handed to a system under test",
                remedy="give the system a key of its own, not one of the workflow's",
            )
    return {name: environment[name] for name in ("PATH", *names) if name in environment}


def _forbidden(name: str) -> bool:
    return name in _FORBIDDEN or name.startswith(_FORBIDDEN_PREFIXES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A program that ended by itself; `code` below 0 is the signal that ended it. `errors` is the end of its log."""

    code: int
    output: bytes
    errors: str


def _nothing() -> None:
    """Nobody waits for a sign of life."""


class Program:
    """A running program that answers a line with a line; not thread-safe.

    It leads a session of its own. Where the gate is root, it runs as a user who owns nothing but a temporary
    folder; it can then neither read the gate's environment nor write the gate's files.
    """

    def __init__(self, command: Command) -> None:
        """Start it; SystemFailed "crash" when it cannot be started."""
        self._name = Path(command.argv[0]).name
        self._secrets = secret_values(command.environment)
        self._mark = secrets.token_hex(16)
        self._uid = _unused_uid() if os.geteuid() == 0 else None
        self._home = Path(tempfile.mkdtemp(prefix="gate-system-"))
        try:
            self._process = self._started(command)
        except OSError as error:
            shutil.rmtree(self._home, ignore_errors=True)
            raise SystemFailed(
                "crash",
                f"{self._name!a} cannot be started ({error.strerror or error})",
                remedy="check the command, and that every user may read and execute its files",
            ) from error
        self._pipes = Pipes(self._process)

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        """The end of what it wrote to standard error, without secrets; it may repeat what it was asked.

        More is kept than is told, so that no half of a secret stands at its beginning.
        """
        return without(self._pipes.errors, self._secrets)[-MOST_ERRORS:]

    def exchange(self, line: bytes, *, seconds: float) -> bytes:
        """Send a line, wait for a line; whatever goes wrong is a SystemFailed, and the program dead."""
        try:
            return self._pipes.exchange(line, seconds)
        except TimeoutError as error:
            raise self._failed(self._too_slow(seconds)) from error
        except HungUpError as error:
            raise self._failed(self._ended()) from error
        except TooLongError as error:
            raise self._failed(
                SystemFailed(
                    "garbage",
                    f"{self._name!a} wrote a line without an end",
                    remedy="answer each line with one line of JSON",
                )
            ) from error
        except BaseException:  # a cancellation: nothing may outlive it
            self.kill()
            raise

    def finish(self, *, seconds: float, most: int, tick: Callable[[], None] = _nothing) -> "Finished":
        """Wait for its end, then end whatever it left behind. It is sent nothing; `most` bytes may come back.

        `tick` is called about every second.

        SystemFailed "timeout" and "garbage" (too much output) kill it; an exit code other than 0 is no failure.
        """
        until = time.monotonic() + seconds
        try:
            output = self._pipes.rest(seconds, most=most, tick=tick)
            code = self._process.wait(timeout=max(until - time.monotonic(), 1))
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            raise self._failed(self._too_slow(seconds)) from error
        except TooLongError as error:
            message = f"{self._name!a} wrote more than {most:,} bytes"
            raise self._failed(SystemFailed("garbage", message, remedy="write logs to a file")) from error
        finally:
            self.kill()
        return Finished(code=code, output=output, errors=self.errors)

    def _too_slow(self, seconds: float) -> SystemFailed:
        return SystemFailed(
            "timeout",
            f"{self._name!a} did not answer within {seconds:g} s",
            remedy="give it more time (`timeout`), or find out what it waits for",
        )

    def hang_up(self) -> None:
        """End it at once; safe while another thread is in `exchange`, which then fails."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End it and everything it started, and remove its temporary folder; may be called again."""
        self.hang_up()
        self._process.wait()
        self._pipes.close()
        for _ in range(_KILL_ROUNDS):
            if not _kill_descendants(self._mark, self._uid):
                break
            time.sleep(0.005)
        shutil.rmtree(self._home, ignore_errors=True)

    def _started(self, command: Command) -> subprocess.Popen[bytes]:
        if self._uid is not None:
            os.chown(self._home, self._uid, self._uid)
        else:
            _hide_own_environment()
        environment = {
            "LANG": "C.UTF-8",
            "HOME": str(self._home),
            "TMPDIR": str(self._home),
            _MARK: self._mark,
        }
        return subprocess.Popen(  # noqa: S603 - what the configuration names, without a shell
            command.argv,
            cwd=command.folder,
            env={**environment, **command.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            user=self._uid,
            group=self._uid,
            extra_groups=None if self._uid is None else [],
        )

    def _failed(self, error: SystemFailed) -> SystemFailed:
        self.kill()
        error.detail = self.errors.strip() or None
        return error

    def _ended(self) -> SystemFailed:
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            how = "closed its output"
        else:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return SystemFailed(
            "crash",
            f"{self._name!a} {how} before it had answered",
            remedy="see what it wrote to standard error",
        )


def _unused_uid() -> int:
    taken = {uid for _, uid in _processes()}
    return secrets.choice([uid for uid in UIDS if uid not in taken])


def _kill_descendants(mark: str, uid: int | None) -> bool:
    """Kill what left the session: by its user, or by the mark in its environment; whether there was any."""
    found = [
        process
        for process, owner in _processes()
        if owner == uid or (uid is None and _carries(process, mark))
    ]
    for process in found:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return bool(found)


def _processes() -> Iterator[tuple[int, int]]:
    """Every process that still runs and its real user, where the system tells."""
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                yield from _running(entry.name)


def _running(process: str) -> Iterator[tuple[int, int]]:
    """The process and its user; nothing when it has ended, and be it that nobody has buried it yet."""
    with suppress(OSError, ValueError, KeyError):
        lines = Path("/proc", process, "status").read_text().splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        if not status["State"].startswith("Z"):
            yield int(process), int(status["Uid"].split()[0])


def _carries(process: int, mark: str) -> bool:
    try:
        return f"{_MARK}={mark}".encode() in Path("/proc", str(process), "environ").read_bytes()
    except OSError:
        return False


def _hide_own_environment() -> None:
    """Other processes of the same user may no longer read this one's memory and environment (Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
