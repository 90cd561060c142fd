"""The action's entry, in the image and on the runner: the only reader of the environment."""

import json
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from gate import __version__
from gate.errors import Cancelled, EvidenceError, ExitCode, GateError, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.report import Report
    from gate.github.inputs import Inputs

TOKEN_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Runner:
    """What the runner gives an action: variables, a workspace, a log, and our own randomness."""

    environment: Mapping[str, str]
    workspace: Path
    log: Callable[[str], None]
    draw: Callable[[], str] = lambda: secrets.token_hex(TOKEN_BYTES)

    def stage(self, name: str) -> None:
        """Progress, one line a stage."""
        self.log(f"{name} …\n")


def main() -> NoReturn:
    """Run one step of a workflow and leave with its exit code."""
    cancel_on_signals()
    sys.exit(act(Runner(os.environ, Path.cwd(), _write)))  # noqa: TID251 - the one place that reads it


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def act(runner: Runner) -> int:
    """The exit code of one step; whatever goes wrong becomes an annotation, nothing foreseen a traceback."""
    try:
        return _judge(runner)
    except GateError as error:
        _annotate(runner, error.message, remedy=error.remedy)
        return error.exit_code
    except Cancelled as stopped:
        _annotate(runner, "the run was cancelled; the receipt says what had been done", remedy="run it again")
        return stopped.exit_code
    except Exception:  # noqa: BLE001 - the last line of defence: anything unforeseen is our bug, and says so
        return _bug(runner)


def _judge(runner: Runner) -> int:
    from gate.github.inputs import read_inputs
    from gate.store.handover import first_missing, hand_back, output_below, owner_of

    inputs = read_inputs(runner.environment)
    _refuse_where_code_is_untrusted(runner)
    out = output_below(runner.workspace, inputs["out"])
    made = first_missing(out)
    try:
        report = _run(runner, inputs, out)
        _tell(runner, report, inputs["out"])
    finally:
        kept = hand_back(made, owner_of(runner.workspace))
        if kept:
            runner.log(f"{kept} files below {inputs['out']} could not be given to the workspace's owner\n")
    return report.exit_code


def _run(runner: Runner, inputs: "Inputs", out: Path) -> "Report":
    from gate.pipeline import run
    from gate.wiring import connect

    job = connect(
        _config(runner, inputs), out, clock=SystemClock(), progress=runner, overrides=inputs.overrides()
    )
    return run(job.plan, job.ports, tool_version=__version__)


def _config(runner: Runner, inputs: "Inputs") -> Path:
    root = runner.workspace.resolve()
    config = (root / inputs["config"]).resolve()
    if not config.is_relative_to(root):
        raise UsageError(
            f"config: {inputs['config']!r} leads outside the workspace",
            remedy="name a file of the checked-out repository",
        )
    return config


def _refuse_where_code_is_untrusted(runner: Runner) -> None:
    """No suites where the event brings foreign code together with secrets or a writing token."""
    event = runner.environment.get("GITHUB_EVENT_NAME", "")
    if not event:
        return
    from gate.github.event import context

    seen = context(event, _payload(runner.environment.get("GITHUB_EVENT_PATH", "")), runner.environment)
    if not seen.may_run_suites:
        raise UsageError(
            f"refused: {seen.suites_refused}", remedy="see the recipe for forks in the documentation"
        )


def _payload(path: str) -> Mapping[str, object]:
    try:
        payload = json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{path}: the event's payload cannot be read ({error})",
            remedy="run this as a step of a workflow, with GITHUB_EVENT_PATH as the runner sets it",
        ) from error
    return payload if isinstance(payload, dict) else {}


def _tell(runner: Runner, report: "Report", out: str) -> None:
    """Annotations, the log, the outputs and the job summary; the verdict is on disk already."""
    from gate.github.commands import annotations, quiet_foreign, unused_token
    from gate.github.remarks import outputs, remarks
    from gate.render.summary import summary
    from gate.render.terminal import terminal

    for line in annotations(remarks(report)):
        runner.log(f"{line}\n")
    shown = terminal(report)
    runner.log(quiet_foreign(shown, unused_token(runner.draw, shown)))
    _append_outputs(runner, outputs(report, out))
    _append(runner, "GITHUB_STEP_SUMMARY", summary(report))


def _append_outputs(runner: Runner, values: Mapping[str, str]) -> None:
    from gate.github.commands import output_entry, unused_token

    for name, value in values.items():
        entry = output_entry(name, value, delimiter=unused_token(runner.draw, value))
        _append(runner, "GITHUB_OUTPUT", entry)


def _append(runner: Runner, variable: str, text: str) -> None:
    """Add to one of the runner's files; without a runner there is none."""
    path = runner.environment.get(variable)
    if path:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(text if text.endswith("\n") else f"{text}\n")


def _annotate(runner: Runner, message: str, *, remedy: str) -> None:
    from gate.github.commands import annotation

    said = annotation("error", f"{message}\n→ {remedy}", title="Retrieval Quality Gate")
    runner.log(f"{said}\n")


def _bug(runner: Runner) -> int:
    import traceback

    from gate.github.commands import quiet_foreign, unused_token

    trace = traceback.format_exc()
    runner.log(quiet_foreign(trace, unused_token(runner.draw, trace)))
    _annotate(
        runner,
        "this is a bug in the gate, not in your data",
        remedy="please report it with the traceback in the log; nothing that was written is lost",
    )
    return ExitCode.BUG


if __name__ == "__main__":
    main()
