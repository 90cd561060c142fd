"""Lines to and from a program, without ever waiting for ever: for a full pipe, for silence, for an endless line."""

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from typing import IO, Final, cast

from gate.core.records.system_messages import MAX_MESSAGE_BYTES

KEPT_ERRORS: Final = 8_192
"""Bytes of the end of a program's standard error that are kept to explain its end."""
TICK_SECONDS: Final = 1.0
_BLOCK: Final = 65_536


class HungUpError(Exception):
    """The program closed its output before it had answered."""


class TooLongError(Exception):
    """A line without an end."""


class Pipes:
    """The three pipes of a process that was started with all of them."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._input = cast("IO[bytes]", process.stdin)
        self._output = cast("IO[bytes]", process.stdout)
        self._error = cast("IO[bytes]", process.stderr)
        self._unread = bytearray()
        self._errors = bytearray()
        self._open = {self._output, self._error}
        for pipe in (self._input, self._output, self._error):
            os.set_blocking(pipe.fileno(), False)

    @property
    def errors(self) -> str:
        """The end of what was written to standard error."""
        return self._errors.decode(errors="replace")

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Write a line and read one, without its line feed.

        TimeoutError, HungUpError, TooLongError; more than one line at once is kept for the next exchange.
        """
        until = time.monotonic() + seconds
        unsent, seen = memoryview(line), 0
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            selector.register(self._input, selectors.EVENT_WRITE)
            while (end := self._unread.find(b"\n", seen)) < 0 or unsent:
                seen = len(self._unread) if end < 0 else end
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                for key, _ in selector.select(left):
                    if key.fileobj is self._input:
                        unsent = self._send(unsent, selector)
                    else:
                        self._receive(cast("IO[bytes]", key.fileobj), selector)
        answer = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return answer

    def rest(self, seconds: float, *, most: int, tick: Callable[[], None]) -> bytes:
        """Everything that is written until the output is closed; nothing more is sent. `tick` is called every second.

        TimeoutError, and TooLongError when it is more than `most` bytes.
        """
        until = time.monotonic() + seconds
        self._input.close()
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            while self._output in self._open:
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                ready = selector.select(min(left, TICK_SECONDS))
                tick()
                for key, _ in ready:
                    pipe = cast("IO[bytes]", key.fileobj)
                    if not self._read(pipe):
                        selector.unregister(pipe)
                        self._open.discard(pipe)
                if len(self._unread) > most:
                    raise TooLongError
        self.drain_errors()
        return bytes(self._unread)

    def drain_errors(self) -> None:
        """Take in what is left on standard error, as after an end; never waits."""
        while self._error in self._open and self._read(self._error):
            pass

    def close(self) -> None:
        """Close this side of the pipes."""
        for pipe in (self._input, self._output, self._error):
            try:
                pipe.close()
            except OSError:  # what was not sent is lost with the program
                continue

    def _send(self, unsent: memoryview, selector: selectors.BaseSelector) -> memoryview:
        try:
            unsent = unsent[os.write(self._input.fileno(), unsent[:_BLOCK]) :]
        except BrokenPipeError as error:
            self.drain_errors()
            raise HungUpError from error
        if not unsent:
            selector.unregister(self._input)
        return unsent

    def _receive(self, pipe: IO[bytes], selector: selectors.BaseSelector) -> None:
        if not self._read(pipe):
            selector.unregister(pipe)
            self._open.discard(pipe)
            if pipe is self._output:
                self.drain_errors()
                raise HungUpError
        if len(self._unread) > MAX_MESSAGE_BYTES:
            raise TooLongError

    def _read(self, pipe: IO[bytes]) -> int:
        """How many bytes were taken in now; 0 at the end, or where nothing waits."""
        try:
            data = os.read(pipe.fileno(), _BLOCK)
        except BlockingIOError:
            return 0
        if pipe is self._output:
            self._unread += data
        else:
            self._errors = (self._errors + data)[-KEPT_ERRORS:]
        return len(data)
