"""`/gate accept` was commented: the stored receipt is acknowledged and said again; no suite runs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.core.report import Report
from gate.errors import ConfigError, EvidenceError, GateError
from gate.github import artifacts, pulls
from gate.github.client import Client
from gate.github.event import Context, Run
from gate.github.failures import ExpiredError
from gate.github.publish import Channels, Published, publish, with_warning
from gate.github.publish_artifact import foreword
from gate.settings import Settings
from gate.store.config_file import parse_config
from gate.wiring.fetching import wanted_file
from gate.wiring.forge import Forge
from gate.wiring.held_to_base import held_to_base
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
    done, again = Published(), {}
    for run, attempt, report in _stored(asked, repository, pull):
        if report.plan.commits.head != pull.head_sha:
            done = replace(
                done, said=(*done.said, f"{report.gate}: run {run.id} left a receipt of another commit")
            )
            continue
        try:
            introduced = _introduced(asked, run, pull, report)
        except EvidenceError as error:
            done = with_warning(done, error.message, error.remedy)
            continue
        on_head = _of_run(context, run, attempt, pull)
        judged = settled_by_base(report, on_head, asked.owners)
        done = _told(done, introduced, on_head, judged)
        if judged.acceptance is not None:
            again[run.id] = run
    for run in again.values():
        done = _run_again(done, run)
    return done if done.said or done.warnings else _nothing(pull)


def _of_run(context: Context, run: "WorkflowRun", attempt: int, pull: pulls.PullFacts) -> Context:
    """As that run: what it measured is said again, and its own next attempt replaces that."""
    measured = Run(id=run.id, attempt=attempt, restated=context.run.id, url=run.html_url)
    return replace(context, run=measured, head_sha=pull.head_sha, base_ref=pull.base_ref)


def _introduced(asked: Accepting, run: "WorkflowRun", pull: pulls.PullFacts, report: Report) -> Accepting:
    """A fork's numbers are never said without saying whose they are; EvidenceError where its rules are its own."""
    if pull.head_repository_id == asked.context.repository_id:
        return asked
    rules = held_to_base(asked.owners.forge)(report, pull)
    said = "\n\n".join(filter(None, (foreword(run.html_url, is_fork=True), rules)))
    return replace(asked, channels=replace(asked.channels, foreword=said))


def _nothing(pull: pulls.PullFacts) -> Published:
    return Published(said=(f"no stored receipt of {pull.head_sha[:7]} has failed",))


def _stored(
    asked: Accepting, repository: "Repository", pull: pulls.PullFacts
) -> "Iterator[tuple[WorkflowRun, int, Report]]":
    """Every gate's newest receipt of this very head with its attempt, from runs of this pull request's repository."""
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
                yield run, max(one.attempt, 1), validated(_files(client, repository, one))


def _files(client: Client, repository: "Repository", stored: artifacts.Stored) -> Mapping[str, bytes]:
    try:
        return artifacts.fetched(client, repository, stored, wanted_file)
    except ExpiredError as error:
        raise ExpiredError(
            error.message, remedy="run the pull request's workflow again, and then comment once more"
        ) from error


def settled_by_base(report: Report, on_head: Context, owners: Owners) -> Report:
    """The report as it counts, accepted by whom the base's configuration names; the logins in `owners` are ignored."""
    return settled(report, on_head, replace(owners, logins=_owners(owners.forge, on_head, report)))


def settling(context: Context, owners: Owners) -> Callable[[Report, pulls.PullFacts], Report]:
    """The same for the pull request that a result turns out to be about."""

    def settle(report: Report, pull: pulls.PullFacts) -> Report:
        on_head = replace(context, pull_number=pull.number, head_sha=pull.head_sha, base_ref=pull.base_ref)
        return settled_by_base(report, on_head, owners)

    return settle


def _told(done: Published, asked: Accepting, on_head: Context, judged: Report) -> Published:
    """The comment says who accepted it, or why what was meant so does not count."""
    if judged.acceptance is None and not judged.acceptance_notes:
        return replace(done, said=(*done.said, _why(judged)))
    told = publish(judged, on_head, asked.channels, lambda: asked.owners.forge.opened()[0])
    by = () if judged.acceptance is None else (f"{judged.gate}: accepted by {judged.acceptance.by}",)
    said = (*done.said, *by, *judged.acceptance_notes, *told.said)
    return replace(done, said=said, warnings=(*done.warnings, *told.warnings), comment=told.comment)


def _why(judged: Report) -> str:
    if judged.verdict != "fail":
        return f"{judged.gate}: nothing to accept, the verdict is {judged.verdict}"
    return f"{judged.gate}: no acceptance of this head was found"


def _owners(forge: Forge, on_head: Context, report: Report) -> tuple[str, ...]:
    """Who may accept, by the configuration of the branch that the change would go to."""
    config = report.plan.config
    if config is None or on_head.base_ref is None:
        return ()
    data = pulls.content(forge.repository(), config.path, on_head.base_ref)
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
