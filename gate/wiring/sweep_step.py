"""`command: sweep` of the action: the sweep of one step, and where it is refused."""

from collections.abc import Callable

from gate.core.report import Report
from gate.errors import UsageError
from gate.github.event import JUDGED_BY_BASE, Context
from gate.render.release_page import renditions
from gate.wiring import Job
from gate.wiring.sweeping import Wanted, estimate_lines, refused, sweep, sweeping
from gate.wiring.workflow import Step

Page = tuple[Callable[[], str], ...]
"""What a job summary begins with, the fullest rendition first."""


def refuse_sweep(context: Context) -> None:
    """UsageError on a change that is to be merged: it would be measured in modes that its base does not name."""
    if context.event in JUDGED_BY_BASE:
        raise UsageError(
            f"`command: sweep` is no command for {context.event!r}: a sweep measures what is there, in more modes than "
            "the configuration of a change's base names",
            remedy="judge changes with `command: run`; sweep on workflow_dispatch, schedule or push",
        )


def swept(job: Job, step: Step, say: Callable[[str], None], *, tool_version: str) -> tuple[Report, Page]:
    """Say what it may cost, then measure, or write the receipt of a sweep that costs too much to be begun."""
    asked = sweeping(job, Wanted(overrides=step.overrides))
    say("\n".join(estimate_lines(asked)) + "\n")
    if asked.over_budget is not None:
        return refused(asked, asked.over_budget, tool_version=tool_version), ()
    done = sweep(asked, tool_version=tool_version)
    return done.report, renditions(done.report, done.release)
