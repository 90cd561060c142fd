"""`/gate accept` was commented: the stored receipt is acknowledged and said again; no suite runs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.core.report import Report
from gate.errors import ConfigError, GateError
from gate.github import artifacts, pulls
from gate.github.event import Context
from gate.github.publish import Channels, Published, publish, with_warning
from gate.settings import Settings
from gate.store.config_file import parse_config
from gate.wiring.fetching import wanted_file
from gate.wiring.publishing import Owners, settled, validated

if TYPE_CHECKING:
    from github.Repository import Repository
    from github.WorkflowRun import WorkflowRun

PREFIX = "gate-"


@dataclass(frozen=True, slots=True)
class Accepting:
    """A comment on a pull request, and whom to ask about it."""

    context: Context
    channels: Channels
    owners: Owners
    """Its logins are ignored: who may accept is read from the base's configuration."""


def apply_comment(asked: Accepting) -> Published:
    """Acknowledge every failing receipt of the pull request's head that an owner accepted, and say so.

    The jobs that failed are run again where the token allows it: only that turns a required check green.
    """
    context, number = asked.context, asked.context.pull_number
    if number is None or context.comment is None or "/gate" not in context.comment.body:
        return Published(said=("nothing to do: this comment is no `/gate accept` on a pull request",))
    repository = asked.owners.forge.repository()
    pull = pulls.facts(repository, number)
    on_head = replace(context, head_sha=pull.head_sha, base_ref=pull.base_ref)
    done = Published()
    for run, report in _stored(asked, repository, pull):
        done = _applied(done, asked, on_head, run, report)
    return done if done.said or done.warnings else _nothing(pull)


def _nothing(pull: pulls.PullFacts) -> Published:
    return Published(said=(f"no stored receipt of {pull.head_sha[:7]} has failed",))


def _stored(
    asked: Accepting, repository: "Repository", pull: pulls.PullFacts
) -> "Iterator[tuple[WorkflowRun, Report]]":
    """Every gate's newest receipt of this very head, from runs of this very pull request's repository."""
    client, _ = asked.owners.forge.opened()
    seen: set[str] = set()
    for run in repository.get_workflow_runs(event="pull_request", head_sha=pull.head_sha):
        facts = artifacts.run_facts(run)
        if facts.head_repository_id != pull.head_repository_id:
            continue
        newest_first = sorted(
            artifacts.stored_below(repository, run.id, PREFIX), key=lambda one: -one.attempt
        )
        for one in newest_first:
            if one.gate_name not in seen:
                seen.add(one.gate_name)
                yield run, validated(artifacts.fetched(client, repository, one, wanted_file))


def _applied(
    done: Published, asked: Accepting, on_head: Context, run: "WorkflowRun", report: Report
) -> Published:
    owners = replace(asked.owners, logins=_owners(asked, on_head, report))
    judged = settled(report, on_head, owners)
    if judged.acceptance is None:
        return replace(done, said=(*done.said, *_why(judged)))
    told = publish(judged, on_head, asked.channels, lambda: asked.owners.forge.opened()[0])
    said = (*done.said, f"{judged.gate}: accepted by {judged.acceptance.by}", *told.said)
    done = replace(done, said=said, warnings=(*done.warnings, *told.warnings), comment=told.comment)
    return _run_again(done, run)


def _why(report: Report) -> tuple[str, ...]:
    if report.verdict != "fail":
        return (f"{report.gate}: nothing to accept, the verdict is {report.verdict}",)
    return report.acceptance_notes or (f"{report.gate}: no acceptance of this head was found",)


def _owners(asked: Accepting, on_head: Context, report: Report) -> tuple[str, ...]:
    """Who may accept, by the configuration of the branch that the change would go to."""
    config = report.plan.config
    if config is None or on_head.base_ref is None:
        return ()
    data = pulls.content(asked.owners.forge.repository(), config.path, on_head.base_ref)
    if data is None:
        return ()
    try:
        return Settings.from_file(parse_config(data, name=config.path)).owners
    except ConfigError:
        return ()


def _run_again(done: Published, run: "WorkflowRun") -> Published:
    try:
        # PyGithub's own method takes a refusal for an answer
        run.requester.requestJsonAndCheck("POST", f"{run.url}/rerun-failed-jobs")
    except GateError as error:
        return with_warning(
            done,
            f"the failed jobs of run {run.id} could not be run again: {error.message}",
            "re-run them by hand, or give this workflow `actions: write`",
        )
    return replace(done, said=(*done.said, f"the failed jobs of run {run.id} run again"))
