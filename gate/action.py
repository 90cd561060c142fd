"""The action's entry, in the image and on the runner: the only reader of the environment."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, cast

from gate import __version__
from gate.errors import Cancelled, ExitCode, GateError, UsageError, denied
from gate.process import cancel_on_signals, start_lean
from gate.runner import Runner

if TYPE_CHECKING:
    from datetime import datetime

    from gate.core.plan import Purpose
    from gate.core.report import Report
    from gate.core.shards import Shard
    from gate.github.client import Client
    from gate.github.comment_choice import Mode, NotifyOn
    from gate.github.event import Context
    from gate.github.inputs import Inputs
    from gate.github.publish import Channels, Published
    from gate.wiring import Job
    from gate.wiring.forge import Forge
    from gate.wiring.merging import Merging
    from gate.wiring.sweep_step import Page
    from gate.wiring.workflow import Step

_SECRET_NAMES: Final = ("_API_KEY", "GATE_DATABASE_URL")
"""Endings of the variables that hold secrets of ours; GitHub hides only those it has handed out itself."""

_PURPOSES: Final[Mapping[str, "Purpose"]] = {"drift": "drift", "sweep": "sweep"}
GITHUB_SECONDS: Final = 120
"""How long one conversation with GitHub may take, waits included."""


def main() -> NoReturn:
    """Run one step of a workflow and leave with its exit code."""
    start_lean()
    cancel_on_signals()
    sys.exit(act(Runner(os.environ, Path.cwd(), _write)))  # noqa: TID251 - the one place that reads it


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def act(runner: Runner) -> int:
    """The exit code of one step; whatever goes wrong becomes an annotation, nothing foreseen a traceback."""
    try:
        return _step(runner)
    except GateError as error:
        return _refused(runner, error)
    except Cancelled as stopped:
        said = "the run was cancelled; what had been done is in the output folder"
        return _ended(runner, stopped.exit_code, said, "run it again")
    except Exception as error:  # noqa: BLE001 - the last line of defence: anything unforeseen is our bug, and says so
        closed = denied(error)
        return _bug(runner) if closed is None else _refused(runner, closed)


def _refused(runner: Runner, error: GateError) -> int:
    return _ended(runner, error.exit_code, error.message, error.remedy)


def _ended(runner: Runner, code: ExitCode, message: str, remedy: str) -> ExitCode:
    """Say the error, in the log and then in the comment, which else speaks of an older commit."""
    runner.error(message, remedy)
    try:
        _tell_comment(runner, code, message, remedy)
    except Exception as error:  # noqa: BLE001 - whatever it is, the error on its way is the one to tell
        runner.log(f"GitHub could not be told: {error!r}\n")
    return code


def _tell_comment(runner: Runner, code: ExitCode, message: str, remedy: str) -> None:
    from gate.core.records.redaction import secret_values
    from gate.github.inputs import Inputs, given_inputs
    from gate.wiring.unjudged import Ended, Place, tell_in_time

    inputs = Inputs(given_inputs(runner.environment))
    if inputs["shard"] and inputs["command"] == "run":
        return  # the job that merges is the one that judges, and tells
    place = Place(
        workspace=runner.workspace,
        inputs=inputs.given,
        context=runner.context,
        connect=lambda seen, seconds: _connect(runner, inputs, seen, seconds=seconds),
    )
    secrets = (*runner.masked, *secret_values(runner.environment))
    at = runner.clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")
    ended = Ended(code=code, message=message, remedy=remedy, at=at, secrets=secrets)
    runner.say(tell_in_time(ended, place))


def _step(runner: Runner) -> int:
    started = runner.clock.now()
    try:
        return _stepped(runner)
    except BaseException:
        _say_what_is_left(runner, started)
        raise


def _stepped(runner: Runner) -> int:
    from gate.github.inputs import read_inputs
    from gate.github.sharded import shard_of

    inputs = read_inputs(runner.environment)
    runner.mask(inputs["token"])
    for name, value in runner.environment.items():
        if name.endswith(_SECRET_NAMES):
            runner.mask(value)
    seen = runner.context()
    shard = shard_of(inputs["command"], inputs["shard"])
    if inputs["command"] == "publish":
        return _publish(runner, inputs, seen)
    if shard is not None:
        return _measure(runner, inputs, seen, shard)
    return _judge(runner, inputs, seen)


def _judge(runner: Runner, inputs: "Inputs", seen: "Context") -> int:
    with _output(runner, inputs, seen) as out:
        merged = _merge(runner, inputs, out) if inputs["command"] == "merge" else None
        report, published = _run(runner, inputs, seen, out, merged)
        _tell(runner, report, inputs["out"], seen, published)
    return _required(report.exit_code, published, inputs)


def _measure(runner: Runner, inputs: "Inputs", seen: "Context", shard: "Shard") -> int:
    """One job of a matrix: its rows are written, and nothing is judged or published."""
    from gate.github.sharded import shard_artifact
    from gate.github.summary import append
    from gate.render.leg import leg_summary, leg_text
    from gate.wiring.sharding import measured

    with _output(runner, inputs, seen) as out, closing(_forge(runner, inputs, seen)) as forge:
        step = replace(_step_of(runner, inputs, seen, out, forge), leg="", shard=shard)
        leg = measured(_prepared(runner, step), shard)
    runner.quietly(f"{leg_text(leg)}\n")
    if runner.summary is not None:
        append(runner.summary, [lambda: leg_summary(leg)])
    runner.outputs({"artifact-name": shard_artifact(leg.gate, shard, seen.run.attempt)})
    return leg.exit_code


@contextmanager
def _output(runner: Runner, inputs: "Inputs", seen: "Context") -> Iterator[Path]:
    """The folder to write to, which goes back to the workspace's owner whatever happens."""
    from gate.store.handover import first_missing, hand_back, output_below, owner_of
    from gate.store.output_folder import nothing_stale

    if not seen.may_run_suites:
        raise UsageError(
            f"refused: {seen.suites_refused}", remedy="see the recipe for forks in the documentation"
        )
    _refuse_on_a_change(inputs, seen)
    out = output_below(runner.workspace, inputs["out"])
    made = first_missing(out)
    try:
        with nothing_stale(out):
            yield out
    finally:
        kept = hand_back(made, owner_of(runner.workspace))
        if kept:
            runner.log(f"{kept} files below {inputs['out']} could not be given to the workspace's owner\n")


def _refuse_on_a_change(inputs: "Inputs", seen: "Context") -> None:
    """What is no judgement of a change has no place where one is judged."""
    if inputs["command"] == "drift":
        from gate.wiring.drift import refuse_judged

        refuse_judged(seen)
    if inputs["command"] == "sweep":
        from gate.wiring.sweep_step import refuse_sweep

        refuse_sweep(seen)


def _merge(runner: Runner, inputs: "Inputs", out: Path) -> "Merging":
    """Join the rows of the sharded jobs where the configuration looks for them; what is missing is in the rows too."""
    from gate.wiring.merging import merge_folders

    shards = runner.inside("shards", inputs["shards"])
    folders = sorted(folder for folder in shards.glob("*") if folder.is_dir())
    merging = merge_folders(folders or [shards], out)
    gaps = merging.fill_gaps(runner.config(inputs["config"]), runner.workspace, out)
    runner.warn((*merging.notes, *merging.missing, *gaps))
    return merging


def _run(
    runner: Runner, inputs: "Inputs", seen: "Context", out: Path, merged: "Merging | None"
) -> "tuple[Report, Published]":
    """Judge, let an owner's acceptance count, publish: in this order, so that red gates keep their evidence."""
    from gate.github.publish import publish
    from gate.pipeline import publish as rewrite
    from gate.wiring.drift import beside_the_gate, watched_step
    from gate.wiring.publishing import Owners, settled

    with closing(_forge(runner, inputs, seen)) as forge:
        step = _step_of(runner, inputs, seen, out, forge)
        job = watched_step(_prepared(runner, beside_the_gate(step)), step)
        if merged is not None:
            job = _with_merged(runner, job, merged)
        report, page = _measured(runner, job, step)
        judged = settled(report, seen, Owners(job.owners, runner.clock.now().date(), forge))
        if judged != report:
            rewrite(judged, job.ports.output)
    _claim(seen, out)
    channels = _channels(runner, inputs, page)
    return judged, publish(judged, seen, channels, lambda: _connect(runner, inputs, seen))


def _measured(runner: Runner, job: "Job", step: "Step") -> "tuple[Report, Page]":
    """The report, and what its job summary begins with where that is more than the verdict."""
    if step.purpose == "sweep":
        from gate.wiring.sweep_step import swept

        return swept(job, step, runner.quietly, tool_version=__version__)
    from gate.pipeline import run

    return run(job.plan, job.ports, tool_version=__version__), ()


def _step_of(runner: Runner, inputs: "Inputs", seen: "Context", out: Path, forge: "Forge") -> "Step":
    from gate.github.legs import leg
    from gate.wiring.workflow import Step

    return Step(
        context=seen,
        forge=forge,
        workspace=runner.workspace,
        config=runner.config(inputs["config"]),
        out=out,
        clock=runner.clock,
        progress=runner.progress(),
        overrides=inputs.overrides(),
        leg="" if inputs["gate"] else leg(inputs["matrix"]),
        environment=runner.environment,
        purpose=_PURPOSES.get(inputs["command"], "gate"),
    )


def _prepared(runner: Runner, step: "Step") -> "Job":
    """The step's job, its system's token hidden in the log from now on."""
    from gate.wiring.workflow import prepare

    job = prepare(step)
    runner.mask(runner.environment.get(job.plan.system.token_env or "", ""))
    return job


def _with_merged(runner: Runner, job: "Job", merging: "Merging") -> "Job":
    """The job, its suites standing already; what is missing or worth knowing is a warning."""
    from gate.wiring.merged_suites import joined_job

    merging.check_judged_by(job.plan)
    merged = joined_job(job, merging.parts)
    runner.warn((*merged.said, *merged.missing))
    return merged.job


def _claim(seen: "Context", out: Path) -> None:
    """What the publishing half of a fork's pull request checks against the API."""
    from gate.github.claim import FILE_NAME, claim_of, encoded
    from gate.store.atomic import write_atomic

    claimed = claim_of(seen)
    if claimed is not None:
        write_atomic(out / FILE_NAME, encoded(claimed))


def _publish(runner: Runner, inputs: "Inputs", seen: "Context") -> int:
    """The half that has the secrets: it posts what another run measured, and runs nothing of it."""
    from gate.github.publish import Published
    from gate.github.publish_artifact import Half, publish_artifact
    from gate.wiring.accepting import PREFIX, Accepting, apply_comment, settling
    from gate.wiring.held_to_base import held_to_base
    from gate.wiring.publishing import Owners, validated

    channels = _channels(runner, inputs)
    with closing(_forge(runner, inputs, seen)) as forge:
        owners = Owners((), runner.clock.now().date(), forge)
        if seen.event == "issue_comment":
            done = apply_comment(Accepting(seen, channels, owners))
        elif seen.event in {"workflow_run", "pull_request_target"}:
            half = Half(
                prefix=PREFIX, validate=validated, settle=settling(seen, owners), held=held_to_base(forge)
            )
            done = publish_artifact(seen, half, channels, forge.opened()[0])
        else:
            done = Published(
                said=(f"nothing to publish: `command: publish` has no use under {seen.event!r}",)
            )
    runner.say(done)
    return _required(ExitCode.PASS, done, inputs)


def _required(code: int, published: "Published", inputs: "Inputs") -> int:
    """A verdict stands whatever happens to its publishing, unless publishing is required."""
    if published.warnings and inputs["publish"] == "required":
        return ExitCode.UNAVAILABLE
    return code


def _forge(runner: Runner, inputs: "Inputs", seen: "Context") -> "Forge":
    from gate.wiring.forge import Forge

    return Forge(lambda: _connect(runner, inputs, seen), seen.repository)


def _connect(
    runner: Runner, inputs: "Inputs", seen: "Context", *, seconds: float = GITHUB_SECONDS
) -> "Client":
    from gate.github.client import connect
    from gate.github.timing import Timing

    timing = Timing.starting_now(runner.clock, runner.sleep, seconds=seconds)
    return connect(inputs["token"], seen.api_url, timing)


def _channels(runner: Runner, inputs: "Inputs", page: "Page" = ()) -> "Channels":
    """Where the result is wanted. A failure to publish is a warning here: `_required` decides what it costs."""
    from gate.github.comment_choice import Wish
    from gate.github.publish import Channels

    mode = "off" if inputs["command"] == "sweep" else inputs["comment"]
    return Channels(
        comment=Wish(mode=cast("Mode", mode), notify_on=cast("NotifyOn", inputs["notify-on"])),
        check_run="on" if inputs["check-run"] == "true" else "off",
        summary=runner.summary,
        page=page,
    )


def _tell(runner: Runner, report: "Report", out: str, seen: "Context", published: "Published") -> None:
    """Annotations, the log and the outputs; the verdict is on disk and on the pull request already."""
    from gate.github.commands import annotations
    from gate.github.remarks import outputs, remarks
    from gate.render.terminal import terminal

    for line in annotations(remarks(report)):
        runner.log(f"{line}\n")
    runner.quietly(terminal(report))
    runner.say(published)
    told = outputs(report, out, comment_url=published.comment_url, attempt=seen.run.attempt)
    runner.outputs(told)


def _say_what_is_left(runner: Runner, started: "datetime") -> None:
    """The outputs of a step that ends in an error; trouble with them must not hide that error."""
    from gate.github.inputs import given_inputs
    from gate.wiring.last_outputs import last_outputs

    attempt = runner.environment.get("GITHUB_RUN_ATTEMPT", "")
    try:
        told = last_outputs(
            runner.workspace,
            given_inputs(runner.environment),
            attempt=int(attempt) if attempt.isdecimal() else 1,
            started=started,
        )
        runner.outputs(told)
    except Exception as error:  # noqa: BLE001 - whatever it is, the error on its way is the one to tell
        runner.log(f"the step's outputs could not be written: {error!r}\n")


def _bug(runner: Runner) -> int:
    import traceback

    runner.quietly(traceback.format_exc())
    remedy = "please report it with the traceback in the log; nothing that was written is lost"
    return _ended(runner, ExitCode.BUG, "this is a bug in the gate, not in your data", remedy)


if __name__ == "__main__":
    main()
