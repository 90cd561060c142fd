"""One step of a workflow becomes a job: base, policy, watch list, fetched baseline, earlier attempts."""

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from gate.core.plan import Commits, FileRef, PolicyChange, PolicySource, Purpose, Request, metrics_asked_for
from gate.core.policy import judged_by_base
from gate.core.shards import Shard
from gate.core.watch import watched
from gate.core.wording import named
from gate.errors import ConfigError, GateError, UsageError
from gate.github import pulls
from gate.github.event import JUDGED_BY_BASE, Context
from gate.github.first_parents import ApiHistory
from gate.github.legs import gate_of_leg
from gate.ledgers.jsonl import JsonlLedger
from gate.ports import Clock, History, NotHereError, Ports, Progress, Tree
from gate.settings import Settings
from gate.settings.narrowing import NARROWING
from gate.store.base_files import BaseFiles
from gate.store.config_file import ConfigFile, parse_config, read_config
from gate.store.git_history import GitHistory
from gate.store.git_tree import GitTree
from gate.store.output_folder import OutputFolder, refuse_inputs
from gate.store.trees import FirstThatKnows
from gate.store.workspace import relative
from gate.store.workspace_files import RowFiles, WorkspaceFiles
from gate.suites.planning import World, make_plan
from gate.suites.sharding import own_request
from gate.wiring import Job
from gate.wiring.base_configs import Base, BaseConfig, gate_of, listed_by_github
from gate.wiring.fetching import Fetching, with_fetched
from gate.wiring.forge import Forge
from gate.wiring.panel_terms import check_panels, with_panels
from gate.wiring.shared_ledger import shared_ledger
from gate.wiring.suite_job import Surroundings
from gate.wiring.suite_runs import PlannedRuns

_WITHHELD: Final = "a pull request from a fork, or by Dependabot, gets no secrets"


@dataclass(frozen=True, slots=True)
class Step:
    """What the runner and the inputs say."""

    context: Context
    forge: Forge
    workspace: Path
    config: Path
    out: Path
    clock: Clock
    progress: Progress
    overrides: Mapping[str, str] = field(default_factory=dict)
    leg: str = ""
    """The name of this leg of a matrix job; the gate's id carries it, so that legs are gates of their own."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the system under test may be granted variables of."""
    purpose: Purpose = "gate"
    shard: Shard | None = None
    """Which part of a matrix is measured; None = the whole, which is judged."""


def prepare(step: Step) -> Job:
    """Decide everything, run nothing."""
    _refuse_narrowing(step)
    root = step.workspace.resolve()
    git = GitTree(root)
    commits = _commits(step, git)
    tree = FirstThatKnows([git, _ApiTree(step.forge)])
    settings, policy = _settings(step, root, commits, _Trees(git, tree, step.forge))
    settings = settings.model_copy(update={"gate": gate_of_leg(settings.gate, step.leg)})
    if step.purpose == "sweep":
        settings = settings.widened()
    history = history_from(step, root, commits.base or commits.head or "")
    request = _watching(step, settings, settings.request(), commits, git)
    request = replace(request, policy=replace(request.policy, policy=policy, purpose=step.purpose))
    if step.shard is not None:
        request = own_request(request, step.shard)
    elif request.policy.watch is None or request.policy.watch.applies:
        place = Fetching(step.context, step.forge, root, step.out, settings.gate, history, commits.base)
        request = with_fetched(request, place)
    request = with_panels(request, root)
    plan = make_plan(request, _world(step, root, commits, tree, history))
    refuse_inputs(step.out, root, plan)
    check_panels(plan, root, tree, step.environment)
    around = Surroundings(
        root=root,
        out=step.out,
        environment=step.environment,
        clock=step.clock,
        progress=step.progress,
        tree=tree,
        withheld=_WITHHELD if step.context.token_is_read_only else None,
    )
    rows = RowFiles(root, metrics_asked_for(plan), tree, step.out)
    ports = Ports(
        clock=step.clock,
        rows=rows,
        output=OutputFolder(step.out, root),
        progress=step.progress,
        suites=PlannedRuns(plan, around, step.shard),
        texts=rows,
    )
    return Job(plan, ports, around, owners=settings.owners, watch=settings.watch_patterns())


def _refuse_narrowing(step: Step) -> None:
    """UsageError where a change would say itself how much of it is measured, and against what."""
    given = [name for name in NARROWING if step.overrides.get(name)]
    if given and step.context.event in JUDGED_BY_BASE:
        raise UsageError(
            f"{named(given)}: under {step.context.event!r} the base's configuration says what is measured and what "
            "it is compared with, since a change could bring another workflow",
            remedy="write it into the configuration and merge that first; these inputs are for push, schedule and "
            "workflow_dispatch",
        )


@dataclass(frozen=True, slots=True)
class _Trees:
    """What commits hold: by the clone, and by GitHub where the clone cannot tell."""

    git: GitTree
    tree: Tree
    forge: Forge

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        try:
            return self.git.names(commit, folder)
        except NotHereError:
            return listed_by_github(self.forge.repository(), commit, folder)


class _ApiTree:
    """Files of commits, asked of GitHub."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge

    def read(self, commit: str, path: str) -> bytes | None:
        return pulls.content(self._forge.repository(), path, commit)


class _AnyHistory:
    """The clone's own line, and GitHub's where the clone does not tell."""

    def __init__(self, local: History, remote: Callable[[], History]) -> None:
        self._local = local
        self._remote = remote

    def head(self) -> str | None:
        return self._local.head()

    def distance(self, ancestor: str, descendant: str) -> int | None:
        found = self._local.distance(ancestor, descendant)
        if found is not None:
            return found
        try:
            return self._remote().distance(ancestor, descendant)
        except GateError:
            return None

    def elsewhere(self, commit: str, descendant: str) -> bool:
        return self._local.elsewhere(commit, descendant)


def _commits(step: Step, git: GitTree) -> Commits:
    """Head, base and tested merge: the base is the first parent of the merge that was checked out."""
    context = step.context
    local = GitHistory(step.workspace.resolve()).head()
    if context.event not in JUDGED_BY_BASE:
        return Commits(head=context.head_sha or local)
    tested = local or context.tested_sha
    base = context.base_sha if context.event == "merge_group" else _base(step, git, tested)
    return Commits(head=context.head_sha, base=base, tested=tested if tested != context.head_sha else None)


def _base(step: Step, git: GitTree, tested: str) -> str:
    head = step.context.head_sha or tested
    if tested != head:
        parents = _parents(step, git, tested)
        if len(parents) > 1 and parents[1] == head:
            return parents[0]
    return pulls.merge_base(step.forge.repository(), step.context.base_ref or "HEAD", head)


def _parents(step: Step, git: GitTree, tested: str) -> tuple[str, ...]:
    try:
        return git.parents(tested)
    except NotHereError:
        return pulls.parents(step.forge.repository(), tested)


def _settings(step: Step, root: Path, commits: Commits, trees: _Trees) -> tuple[Settings, PolicySource]:
    """On a change to be merged: the base's policy, what is measured from the change itself."""
    proposed = read_config(step.config)
    path = relative(root, step.config)
    own = FileRef(path=path, sha256=proposed.sha256, bytes=proposed.bytes)
    if commits.base is None:
        return Settings.from_file(proposed, overrides=step.overrides, source=own), PolicySource()
    data = trees.tree.read(commits.base, path)
    if data is not None:
        base = parse_config(data, name=f"{path} at {commits.base[:7]}")
        return _judged_by_base(step, base, proposed, path, commits.base)
    others = Base(trees.tree, trees.names, commits.base).configs(path)
    same = next((one for one in others if one.gates & _ids(step, proposed)), None)
    if same is not None:
        return _moved(step, same, proposed, path, commits.base)
    settings = Settings.from_file(proposed, overrides=step.overrides, source=own)
    known = tuple(one.shown for one in others)
    return settings, PolicySource(origin="introducing", commit=commits.base, others=known)


def _ids(step: Step, proposed: ConfigFile) -> frozenset[str]:
    """What the gate would be called, without its leg and with it."""
    gate = step.overrides.get("gate") or gate_of(proposed.document)
    return frozenset({gate, gate_of_leg(gate, step.leg)})


def _moved(
    step: Step, base: BaseConfig, proposed: ConfigFile, path: str, commit: str
) -> tuple[Settings, PolicySource]:
    """A gate that the base has under another file name is judged as the base says there."""
    if posixpath.dirname(base.path) != posixpath.dirname(path):
        raise ConfigError(
            f"{path}: the base has the configuration of this gate in another folder, {base.shown}, "
            "and a change cannot bring its own rules for it",
            remedy=f"go on naming {base.path}; to move it, first merge a copy at the new place and then name that; "
            "a new gate needs a `gate` id of its own",
        )
    settings, source = _judged_by_base(step, base.config, proposed, base.path, commit)
    moved = PolicyChange(place="config", base=base.path, proposed=path)
    return settings, replace(source, changes=(moved, *source.changes))


def _judged_by_base(
    step: Step, base: ConfigFile, proposed: ConfigFile, path: str, commit: str
) -> tuple[Settings, PolicySource]:
    Settings.from_file(proposed)
    Settings.from_file(base)
    deciding, changes = judged_by_base(_mapping(base), _mapping(proposed))
    merged = ConfigFile(
        name=base.name, document=deciding, sha256=base.sha256, bytes=base.bytes, lines={}, problems=()
    )
    source = FileRef(path=path, sha256=base.sha256, bytes=base.bytes, commit=commit)
    settings = Settings.from_file(merged, overrides=step.overrides, source=source)
    return settings, PolicySource(origin="base", commit=commit, changes=changes)


def _mapping(config: ConfigFile) -> Mapping[str, object]:
    return config.document if isinstance(config.document, dict) else {}


def history_from(step: Step, root: Path, start: str) -> History:
    """The clone's history; what it does not tell, GitHub's from a commit on, which is read once."""
    remote: list[History] = []

    def ask() -> History:
        if not remote:
            remote.append(ApiHistory(step.forge.repository(), start))
        return remote[0]

    return _AnyHistory(GitHistory(root), ask)


def _watching(step: Step, settings: Settings, request: Request, commits: Commits, git: GitTree) -> Request:
    """What of the change is watched; what cannot be told is judged in full."""
    if settings.watch is None or step.purpose == "sweep":
        return request
    seen = watched(settings.watch.patterns(), _changed(step, commits, git))
    return replace(request, policy=replace(request.policy, watch=seen))


def _changed(step: Step, commits: Commits, git: GitTree) -> tuple[str, ...] | None:
    before = commits.base or (step.context.base_sha if step.context.event == "push" else None)
    after = commits.measured
    if before is None or after is None:
        return None
    try:
        return git.changed(before, after)
    except NotHereError:
        return _listed(step)


def _listed(step: Step) -> tuple[str, ...] | None:
    if step.context.event != "pull_request" or step.context.pull_number is None:
        return None
    try:
        listed = pulls.changed_files(step.forge.repository(), step.context.pull_number)
    except GateError:
        return None
    return None if listed.truncated else listed.paths


def _world(step: Step, root: Path, commits: Commits, tree: Tree, history: History) -> World:
    disk = WorkspaceFiles(root, lambda path: JsonlLedger(path).read())
    head = commits.measured
    base = (
        disk
        if commits.base is None or head is None
        else BaseFiles(tree, base=commits.base, head=head, disk=disk)
    )
    return World(disk, base, history, step.clock.now(), commits, shared_ledger(step.environment))
