"""Settings become ports: the only module that names concrete adapters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gate.core.plan import BaselineProblem, BaselineRequest, Plan, Purpose, Request, metrics_asked_for
from gate.core.records.ledger import Ledger
from gate.core.report import Report
from gate.core.shards import Shard
from gate.ledgers.jsonl import JsonlLedger
from gate.ports import Clock, Ports, Progress, RowSource
from gate.store.git_history import GitHistory
from gate.store.git_tree import GitTree
from gate.store.output_folder import OutputFolder, refuse_inputs
from gate.store.receipt_evidence import KeptRows, check_sources
from gate.store.receipts import finished, read_any_receipt, refuse_other_layout
from gate.store.workspace import relative, workspace_of
from gate.store.workspace_files import RowFiles, WorkspaceFiles
from gate.suites.planning import World, make_plan
from gate.suites.sharding import own_request
from gate.wiring.shared_ledger import shared_ledger

if TYPE_CHECKING:
    from gate.wiring.suite_job import Surroundings


@dataclass(frozen=True, slots=True)
class Job:
    """One run, ready to start."""

    plan: Plan
    ports: Ports
    around: "Surroundings"
    """Where its suites run."""
    owners: tuple[str, ...] = ()
    """Who may accept a failing verdict."""
    watch: tuple[str, ...] = ()
    """The patterns of the configuration's watch list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for beside the configuration: its keys and inputs said otherwise, and what the run is for."""

    overrides: Mapping[str, str] = field(default_factory=dict)
    purpose: Purpose = "gate"
    resume: bool = False
    """Whether rows of an earlier, stopped run are gone on with."""
    shard: Shard | None = None
    """Which part of a matrix is measured; None = the whole, which is judged."""


def connect(
    config: Path,
    out: Path,
    *,
    clock: Clock,
    progress: Progress,
    asked: Asked = Asked(),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Job:
    """Read the configuration, merge what was asked beside it, make the plan and choose every adapter.

    `environment` is what the system under test may be granted variables of, and names the shared ledger.
    """
    from gate.settings import load_settings
    from gate.wiring.panel_terms import check_panels, with_panels
    from gate.wiring.suite_job import Surroundings
    from gate.wiring.suite_runs import PlannedRuns

    root = workspace_of(config, Path.cwd())
    settings = load_settings(config, root, asked.overrides)
    request = (settings.widened() if asked.purpose == "sweep" else settings).request()
    request = replace(request, policy=replace(request.policy, purpose=asked.purpose))
    if asked.shard is not None:
        request = own_request(request, asked.shard)
    world = world_here(root, clock, environment)
    plan = make_plan(with_panels(fetching_nothing(request), root), world)
    refuse_inputs(out, root, plan)
    tree = GitTree(root)
    check_panels(plan, root, tree, environment)
    around = Surroundings(
        root=root,
        out=out,
        environment=environment,
        clock=clock,
        progress=progress,
        tree=tree,
        resume=asked.resume,
    )
    rows = RowFiles(root, metrics_asked_for(plan), tree, out)
    ports = Ports(
        clock=clock,
        rows=rows,
        output=OutputFolder(out, root),
        progress=progress,
        suites=PlannedRuns(plan, around, asked.shard),
        texts=rows,
    )
    return Job(plan, ports, around, owners=settings.owners, watch=settings.watch_patterns())


def world_here(root: Path, clock: Clock, environment: Mapping[str, str]) -> World:
    """What a plan is made from where no change is judged: the workspace is the base, too."""
    files = WorkspaceFiles(root, _ledger)
    return World(files, files, GitHistory(root), clock.now(), database=shared_ledger(environment))


def fetching_nothing(request: Request) -> Request:
    """The request with what only the action can fetch told as missing."""
    return replace(request, baseline=_here(request.baseline), anchor=_here(request.anchor))


def _here(asked: BaselineRequest | None) -> BaselineRequest | None:
    if asked is None or asked.kind != "artifact":
        return asked
    problem = BaselineProblem(
        reason="no_baseline",
        message="it is an artifact of another workflow run, which only the action fetches",
    )
    return replace(asked, problem=problem)


def reopen(receipt: Path, cwd: Path) -> tuple[Report, RowSource, tuple[str, ...]]:
    """A finished run's receipt, its rows wherever they lie now, and remarks on what could not be checked."""
    root = workspace_of(receipt, cwd)
    report = finished(read_any_receipt(receipt, str(receipt)), str(receipt))
    refuse_other_layout(receipt, str(receipt))
    files = WorkspaceFiles(root, _ledger)
    rows = RowFiles(root, metrics_asked_for(report.plan))
    kept = KeptRows(files, rows, relative(root, receipt))
    return report, kept, check_sources(report.plan, files, GitTree(root))


def _ledger(path: Path) -> Ledger:
    return JsonlLedger(path).read()
