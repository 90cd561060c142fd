"""The command line: one file per command, imported when it is called, because start-up is a feature."""

import gc
import os
import signal
import sys
from collections.abc import Mapping
from errno import EIO, ENOSPC, EPIPE
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn, cast

import click

from gate import __version__
from gate.errors import Cancelled, ExitCode, GateError, denied

COMMANDS: Final[Mapping[str, str]] = {
    "run": "Run the gate: rows, comparison, verdict, receipt, comment.",
    "drift": "Measure now, and compare with the last accepted reference.",
    "plan": "Show what a run would do, with digests, for free.",
    "compare": "Compare the runs of a ledger, or two files of rows.",
    "validate": "Say which contract a file follows, and where it does not.",
    "render": "Show a receipt again: comment, summary, terminal, json or junit.",
    "verify": "Re-derive a receipt's verdict from its files, offline.",
    "init": "Write a first configuration and the workflows into this repository.",
    "doctor": "Say what is missing, and what to do about it; nothing is changed.",
    "suite": "Run a suite against the system under test: rows, one a question.",
    "takes-quality": "A panel of judges scores takes: run, replay, trend, regress.",
    "merge": "Join the rows of sharded jobs into one run, and judge it.",
    "dataset": "Fetch a dataset by its digest; list the questions of a split.",
    "serve-reference": "Serve the built-in system over HTTP, as any tested service answers.",
    "run-all": "Run every suite in every mode and record each.",
    "sweep": "Before a release: run every suite in every search mode, record and compare them.",
    "import": "Turn results of other tools (TREC, BEIR, promptfoo) into rows.",
    "ledger": "Show, export, import or prune the runs of a ledger.",
    "baseline": "Accept a run as the baseline, or list what is accepted.",
}
"""Name and one line of help; the command itself lives in gate.cli.NAME and is imported when it is needed."""

NO_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType({})


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it.

    `known` has a line of help for each; `modules` says where they live, `{}` being the name of the command.
    """

    def __init__(
        self,
        *args: Any,
        known: Mapping[str, str] = COMMANDS,
        modules: str = "gate.cli.{}",
        **attributes: Any,
    ) -> None:  # the rest is click's
        super().__init__(*args, **attributes)
        self._known = known
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command, in the order of a working day."""
        return list(self._known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import one command; None when there is no such command."""
        if cmd_name not in self._known:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(self._modules.format(f"{name}_" if iskeyword(name) else name))
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """The list of commands, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._known.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; a misspelt one is answered with the nearest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self._known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"{error.message}{hint}", ctx) from error


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="gate")
def program() -> None:
    """A gate for pull requests: rows in, verdict out.

    Exit codes: 0 pass, 1 fail, 2 inconclusive, 64 usage, 65 an input file is invalid,
    69 a service or resource could not be reached, 70 a bug in the gate, 78 configuration.
    """


def main() -> NoReturn:
    """Run the program and leave with its exit code; nothing foreseen ends in a traceback."""
    from gate.process import start_lean

    start_lean()
    _open_closed_streams()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = invoke(sys.argv[1:], os.environ)  # noqa: TID251 - the entry; commands get it as a mapping
    gc.freeze()  # a process that ends has nothing to collect
    sys.exit(code)


def _open_closed_streams() -> None:
    """A caller that closed our output wants to hear nothing; a file of ours must not take its place."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for as long as we live


def invoke(arguments: list[str], environment: Mapping[str, str] = NO_ENVIRONMENT) -> int:
    """The exit code of one call; click's own usage errors become 64, since 2 means INCONCLUSIVE here.

    A command that asks about its surroundings takes `environment` with `click.pass_obj`.
    """
    try:
        code = program.main(arguments, prog_name="gate", standalone_mode=False, obj=environment)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _usage(error)
    except GateError as error:
        return _refused(error)
    except Cancelled as stopped:
        return _said(f"cancelled ({stopped.exit_code.name.lower()})", stopped.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _said("interrupted", ExitCode.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last line of defence: anything unforeseen is our bug, and says so
        return _unforeseen(error)
    return int(code or 0)


def _unforeseen(error: Exception) -> int:
    closed = denied(error)
    if closed is not None:
        return _refused(closed)
    return _unsaid() if _is_about_output(error) else _bug()


def _refused(error: GateError) -> ExitCode:
    from gate.ports import SystemFailed

    if isinstance(error, SystemFailed) and error.detail:
        from gate.cli.console import overheard

        overheard(error.detail)
    return _said(f"error: {error.message}\n  → {error.remedy}", error.exit_code)


def _said(text: str, code: ExitCode) -> ExitCode:
    from gate.cli.console import complain

    complain(text)
    return code


def _is_about_output(error: Exception) -> bool:
    """An error of writing that names no file: it can only be our own output, where it goes is full or gone."""
    return isinstance(error, OSError) and error.filename is None and error.errno in (ENOSPC, EIO, EPIPE)


def _usage(error: click.ClickException) -> int:
    error.show()
    return ExitCode.USAGE


def _unsaid() -> int:
    """What was to be printed could not be: never a PASS, and no second error at exit."""
    from gate.cli.console import complain, say_no_more

    say_no_more()
    complain(
        "error: standard output cannot be written\n  → free some space where it goes to, or send it elsewhere"
    )
    return ExitCode.UNAVAILABLE


def _bug() -> int:
    import traceback

    from gate.cli.console import complain

    complain(
        f"{traceback.format_exc()}error: this is a bug in the gate, not in your data\n"
        "  → please report it with the traceback above; nothing that was written is lost"
    )
    return ExitCode.BUG
