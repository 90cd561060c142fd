"""Artifacts of earlier runs: finding the baseline that the base branch produced, and opening it with care."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from gate.errors import EvidenceError
from gate.github.archives import Limits, unpacked
from gate.github.client import Client
from gate.github.download import download
from gate.github.failures import ExpiredError, MissingError
from gate.github.understanding import understood

if TYPE_CHECKING:
    from github.Repository import Repository
    from github.WorkflowRun import WorkflowRun

MOST_PACKED_BYTES: Final = 64 << 20
MOST_LISTED: Final = 300
"""Runs of the base branch that are looked through: three pages."""

Reason = Literal["expired", "missing", "unreadable", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run of a workflow, as the API describes it now."""

    id: int
    attempt: int
    head_sha: str
    head_branch: str
    head_repository: str | None
    head_repository_id: int | None
    event: str
    workflow: str
    actor: str
    url: str
    conclusion: str = ""
    """What GitHub says came of it; empty while it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One artifact; `attempt` is the one its name tells, 0 where it tells none."""

    id: int
    name: str
    attempt: int
    expired: bool

    @property
    def gate_name(self) -> str:
        """The name without the attempt: the same for all attempts of one gate."""
        return self.name.removesuffix(f"-attempt-{self.attempt}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Where a baseline may come from: pushes to `branch` of that very repository, by that very workflow.

    `workflow` is a path like `.github/workflows/gate.yml`, `name` the artifact's name without attempt suffix,
    `files` tells which names inside it are looked at, `behind` whether the base descends from a commit.
    """

    repository_id: int
    branch: str
    workflow: str
    name: str
    files: Callable[[str], bool]
    behind: Callable[[str], bool] = lambda _: True
    most_runs: int = 10
    """Of a commit that the base descends from; runs of others, such as newer ones, are not even opened."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A run that could have been the baseline, and why it is not."""

    run: RunFacts
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class Search:
    """The newest run with a usable artifact, its files, and the newer runs that were passed over."""

    run: RunFacts | None
    files: Mapping[str, bytes]
    passed_over: tuple[PassedOver, ...]


def artifact_name(name: str, attempt: int) -> str:
    """What an artifact of this attempt is called: names are used once per run, attempts included."""
    return f"{name}-attempt-{attempt}"


def newest(
    client: Client, repository: "Repository", wanted: Wanted, accept: Callable[[Mapping[str, bytes]], None]
) -> Search:
    """The newest run of `wanted` whose artifact `accept` takes, whatever its verdict.

    `accept` raises a GateError for files that are no complete receipt. Runs of forks, of other branches, events or
    workflows are never looked into, whatever the API lists. A ForgeError when GitHub cannot be asked.
    """
    passed: list[PassedOver] = []
    for run in runs(repository, wanted):
        tried = _tried(client, repository, run, wanted, accept)
        if not isinstance(tried, PassedOver):
            return Search(run, tried, tuple(passed))
        passed.append(tried)
    return Search(None, {}, tuple(passed))


def _tried(
    client: Client,
    repository: "Repository",
    run: RunFacts,
    wanted: Wanted,
    accept: Callable[[Mapping[str, bytes]], None],
) -> Mapping[str, bytes] | PassedOver:
    try:
        files = opened(client, repository, run, wanted.name, wanted.files)
    except ExpiredError as error:
        return PassedOver(run, "expired", error.message)
    except MissingError as error:
        return PassedOver(run, "missing", error.message)
    except EvidenceError as error:
        return PassedOver(run, "unreadable", error.message)
    try:
        accept(files)
    except EvidenceError as error:
        return PassedOver(run, "incomplete", error.message)
    return files


def runs(repository: "Repository", wanted: Wanted) -> Iterator[RunFacts]:
    """The finished runs that may hold a baseline, newest first, at most `wanted.most_runs` of `MOST_LISTED`."""
    workflow = repository.get_workflow(wanted.workflow.rsplit("/", maxsplit=1)[-1])
    listed = workflow.get_runs(branch=wanted.branch, event="push", status="completed")
    expected = (wanted.repository_id, wanted.branch, "push", wanted.workflow)
    found = (run_facts(run) for run in islice(listed, MOST_LISTED))
    fitting = (
        run for run in found if (run.head_repository_id, run.head_branch, run.event, run.workflow) == expected
    )
    return islice((run for run in fitting if wanted.behind(run.head_sha)), wanted.most_runs)


def opened(
    client: Client, repository: "Repository", run: RunFacts, name: str, files: Callable[[str], bool]
) -> Mapping[str, bytes]:
    """The files of this run's newest artifact of that name.

    MissingError when it has none, ExpiredError when it is past its retention, EvidenceError when it is not one that
    may be opened.
    """
    found = sorted(stored(repository, run.id, name), key=lambda one: (one.attempt, one.id))
    if not found:
        raise MissingError(
            f"run {run.id} has no artifact {name!r}", remedy="upload `gate-out/` at the end of the workflow"
        )
    return fetched(client, repository, found[-1], files)


def fetched(
    client: Client, repository: "Repository", one: Stored, files: Callable[[str], bool]
) -> Mapping[str, bytes]:
    """The wanted files inside one artifact; errors as in `opened`."""
    if one.expired:
        raise ExpiredError(
            f"the artifact {one.name!r} is past its retention",
            remedy="run the workflow on the default branch again, or accept a baseline (`gate baseline accept`)",
        )
    url = f"{repository.url}/actions/artifacts/{one.id}/zip"
    return unpacked(download(client.requester, url, most_bytes=MOST_PACKED_BYTES), files, Limits())


def stored(repository: "Repository", run_id: int, name: str) -> tuple[Stored, ...]:
    """The artifacts of a run that are called `name`, with or without an attempt suffix, in the API's order."""
    return _stored(repository, run_id, re.compile(rf"{re.escape(name)}(?:-attempt-(?P<attempt>\d{{1,6}}))?"))


def stored_below(repository: "Repository", run_id: int, prefix: str) -> tuple[Stored, ...]:
    """The artifacts of a run whose names begin with `prefix`: one for each gate that ran."""
    return _stored(
        repository, run_id, re.compile(rf"{re.escape(prefix)}.*?(?:-attempt-(?P<attempt>\d{{1,6}}))?")
    )


def run_facts(run: "WorkflowRun") -> RunFacts:
    """What matters of a run."""
    with understood("a workflow run"):
        return RunFacts(
            id=run.id,
            attempt=run.run_attempt or 1,
            head_sha=run.head_sha,
            head_branch=run.head_branch or "",
            head_repository=getattr(run.head_repository, "full_name", None),
            head_repository_id=getattr(run.head_repository, "id", None),  # null for a deleted fork
            event=run.event,
            workflow=run.path.split("@", maxsplit=1)[0],
            actor=getattr(run.actor, "login", ""),
            url=run.html_url,
            conclusion=run.conclusion or "",
        )


def finished(
    repository: "Repository", head_sha: str, head_repository_id: int | None, *, event: str
) -> tuple[RunFacts, ...]:
    """Of each workflow the newest finished run for a head of that very repository, newest first. One read."""
    newest_of: dict[str, RunFacts] = {}
    for one in repository.get_workflow_runs(event=event, head_sha=head_sha, status="completed"):
        facts = run_facts(one)
        if facts.head_repository_id is not None and facts.head_repository_id == head_repository_id:
            newest_of.setdefault(facts.workflow, facts)
    return tuple(newest_of.values())


def run(repository: "Repository", run_id: int) -> RunFacts:
    """One run, as it is now; MissingError when there is none. One read."""
    return run_facts(repository.get_workflow_run(run_id))


def _stored(repository: "Repository", run_id: int, pattern: re.Pattern[str]) -> tuple[Stored, ...]:
    from github.Artifact import Artifact
    from github.PaginatedList import PaginatedList

    # PyGithub's own way reads the run first, to learn this address
    address = f"{repository.url}/actions/runs/{run_id}/artifacts"
    listing = PaginatedList(Artifact, repository.requester, address, None, list_item="artifacts")
    with understood(f"the artifacts of run {run_id}"):
        return tuple(
            Stored(id=one.id, name=one.name, attempt=int(named["attempt"] or 0), expired=one.expired)
            for one in listing
            if (named := pattern.fullmatch(one.name))
        )
