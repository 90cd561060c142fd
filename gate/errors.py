"""Exit codes and the few kinds of foreseen error.

GateError                 something foreseen went wrong; carries what to do next
├── UsageError      64    the command was called wrongly
├── EvidenceError   65    an input file is invalid
├── UnavailableError 69   a service or a resource could not be reached
└── ConfigError     78    the configuration is wrong
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process says to whoever started it; the table in docs/exit-codes.md is compared with this."""

    PASS = 0
    FAIL = 1
    INCONCLUSIVE = 2
    USAGE = 64
    DATA = 65
    UNAVAILABLE = 69
    BUG = 70
    CONFIG = 78
    INTERRUPTED = 130
    TERMINATED = 143


class GateError(Exception):
    """A foreseen failure: what happened, and what to do next."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class UsageError(GateError):
    """The command was called wrongly."""

    exit_code = ExitCode.USAGE


class EvidenceError(GateError):
    """An input file (rows, ledger, receipt) cannot be used as evidence."""

    exit_code = ExitCode.DATA


def denied(error: Exception) -> EvidenceError | None:
    """What is said of a file or folder that may not be looked at, wherever that came up; None of other errors."""
    if not isinstance(error, PermissionError) or error.filename is None:
        return None
    return EvidenceError(
        f"{error.filename}: {error.strerror or 'permission denied'}",
        remedy="check the permissions of the file and of every folder above it",
    )


class UnavailableError(GateError):
    """A service or a resource could not be reached."""

    exit_code = ExitCode.UNAVAILABLE


class ConfigError(GateError):
    """The configuration is wrong."""

    exit_code = ExitCode.CONFIG


class Cancelled(BaseException):
    """SIGINT or SIGTERM arrived; not an Exception, so that nothing on the way swallows it."""

    def __init__(self, exit_code: ExitCode, *, kept: tuple[str, ...] = ()) -> None:
        super().__init__(exit_code.name.lower())
        self.exit_code = exit_code
        self.kept = kept
        """What was kept of the work that was under way, in sentences."""
