"""A job becomes a drift watch: its purpose, and what the repository has changed since the reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace as with_changes

from gate.core.drift import Changes, drifted_since, references
from gate.core.plan import Drifted, Plan, Request, SuiteRequest
from gate.errors import EvidenceError, GateError, UsageError
from gate.github import pulls
from gate.ports import Clock, NotHereError
from gate.store.git_history import GitHistory
from gate.store.git_tree import GitTree
from gate.store.work_tree import uncommitted
from gate.store.workspace import relative, workspace_of
from gate.wiring import Asked, Job

if TYPE_CHECKING:
    from gate.github.event import Context
    from gate.ports import Files
    from gate.wiring.workflow import Step

ON_PUSH: Final = "push"


@dataclass(frozen=True, slots=True)
class Look:
    """Who is asked what changed. `changed` gives the paths that differ between two commits, `local` those that no
    commit holds; both raise NotHereError, or any other GateError, where they cannot tell."""

    distance: Callable[[str, str], int | None]
    changed: Callable[[str, str], tuple[str, ...]]
    local: Callable[[], tuple[str, ...]] = tuple


def refuse_judged(context: "Context") -> None:
    """UsageError where a change is to be judged: that is what `run` does."""
    from gate.github.event import JUDGED_BY_BASE

    if context.event in JUDGED_BY_BASE:
        raise UsageError(
            f"`command: drift` watches a branch over time, and {context.event} is about one change",
            remedy="judge the change with `command: run`; watch for drift under `on: schedule`, "
            "`workflow_dispatch` or `push`",
        )


def watches(inputs: Mapping[str, str], context: "Context") -> bool:
    """Whether a step, by its inputs as they were given, is a drift watch where one may be."""
    if inputs.get("command") != "drift":
        return False
    from gate.github.event import JUDGED_BY_BASE

    return context.event not in JUDGED_BY_BASE


def watched_here(job: Job, config: Path) -> Job:
    """A drift watch from the command line: uncommitted and untracked files count, too."""
    root = workspace_of(config, Path.cwd())
    return replace(job, plan=watching(job.plan, job.watch, _look_here(root)))


def beside_the_gate(step: "Step") -> "Step":
    """The step as a drift watch or a sweep prepares it: an artifact that is the reference is one of the workflow that
    judges.

    The watch's own runs are no reference: what drifted yesterday would be today's normal.
    """
    if step.purpose == "gate":
        return step
    from gate.github.workflow_checks import judging_workflow
    from gate.wiring.own_workflows import known_in, uses_in

    root, own = step.workspace.resolve(), step.context.run
    found = uses_in(root, known_in(root, relative(root, step.config)))
    judging = judging_workflow(found, own.workflow) or own.workflow
    return replace(step, context=replace(step.context, run=replace(own, workflow=judging)))


def watched_step(job: Job, step: "Step") -> Job:
    """The job of a step of a workflow; of a drift watch, with what has changed, which GitHub is asked where the clone
    cannot tell. Only on a push the watch list decides whether there is anything to measure."""
    watch = job.plan.watch
    if step.purpose != "drift" or not (watch is None or watch.applies):
        return job
    plan = job.plan if step.context.event == ON_PUSH else with_changes(job.plan, watch=None)
    return replace(job, plan=watching(plan, job.watch, _look_from(step, plan)))


def changes_only(
    config: Path, asked: Asked, *, clock: Clock, environment: Mapping[str, str] = MappingProxyType({})
) -> Drifted:
    """What has changed since the reference, and nothing measured: rows need not be there yet."""
    from gate.settings import load_settings
    from gate.suites.planning import make_plan
    from gate.wiring import fetching_nothing, world_here

    root = workspace_of(config, Path.cwd())
    settings = load_settings(config, root, asked.overrides)
    world = world_here(root, clock, environment)
    plan = make_plan(_without_rows(fetching_nothing(settings.request()), world.files), world)
    return _since(plan, settings.watch_patterns(), _look_here(root))


def watching(plan: Plan, patterns: Sequence[str], look: Look) -> Plan:
    """The plan of a drift watch, which says what has changed."""
    return with_changes(plan, since=_since(plan, patterns, look))


def _since(plan: Plan, patterns: Sequence[str], look: Look) -> Drifted:
    head = plan.commits.measured
    found = references(plan, lambda commit: None if head is None else look.distance(commit, head))
    return drifted_since(found, patterns, _changes(found.commits, head, look))


def _changes(commits: Sequence[str], head: str | None, look: Look) -> Changes:
    unknown: list[str] = []
    local = _told(look.local, unknown) or ()
    if head is None:
        unknown.append("git names no commit here")
    if not commits or head is None:
        return Changes(local=local, unknown=tuple(unknown))
    lists = [_told(partial(look.changed, commit, head), unknown) for commit in commits]
    known = [paths for paths in lists if paths is not None]
    return Changes(
        commits=look.distance(commits[0], head),
        files=tuple(sorted({path for paths in known for path in paths})) if known == lists else None,
        local=local,
        unknown=tuple(unknown),
    )


def _told(ask: Callable[[], tuple[str, ...]], unknown: list[str]) -> tuple[str, ...] | None:
    try:
        return ask()
    except GateError as error:
        unknown.append(error.message)
        return None


def _look_here(root: Path) -> Look:
    git = GitTree(root)
    return Look(
        distance=GitHistory(root).distance,
        changed=partial(_by_git, git),
        local=lambda: uncommitted(root),
    )


def _look_from(step: "Step", plan: Plan) -> Look:
    from gate.wiring.workflow import history_from

    root = step.workspace.resolve()
    git = GitTree(root)

    def changed(before: str, after: str) -> tuple[str, ...]:
        try:
            return _by_git(git, before, after)
        except NotHereError as shallow:
            try:
                return pulls.changed_between(step.forge.repository(), before, after)
            except GateError as error:
                raise NotHereError(f"{shallow.message}; {error.message}") from error

    return Look(distance=history_from(step, root, plan.commits.measured or "").distance, changed=changed)


def _by_git(git: GitTree, before: str, after: str) -> tuple[str, ...]:
    try:
        return git.changed(git.resolved(before), after)
    except NotHereError as error:
        raise NotHereError(
            f"this clone does not hold both {before[:7]}, the reference, and {after[:7]} (a whole one may: "
            "`git fetch --unshallow`, in a workflow `fetch-depth: 0`)"
        ) from error


def _without_rows(request: Request, files: "Files") -> Request:
    return with_changes(request, suites=tuple(_only_named(suite, files) for suite in request.suites))


def _only_named(suite: SuiteRequest, files: "Files") -> SuiteRequest:
    """The suite with what it reads, where that is here: then the ledger's runs of its mode are found."""
    from gate.suites.pinning import pinned_inputs

    bare = with_changes(suite, rows=None, earlier=())
    try:
        if suite.asked is not None:
            pinned_inputs(suite.asked, files, files)
    except EvidenceError:
        return with_changes(bare, asked=None)
    return bare
