"""What earlier runs uploaded: the baseline of the base branch, and earlier attempts of this very run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from gate.core.plan import BaselineProblem, BaselineRequest, Request, SuiteRequest
from gate.errors import EvidenceError, GateError
from gate.github import artifacts
from gate.github.client import Client
from gate.github.event import Context
from gate.github.failures import MissingError, PermissionDeniedError
from gate.ports import History
from gate.store.atomic import write_atomic
from gate.store.receipts import receipt_of
from gate.store.workspace import relative

if TYPE_CHECKING:
    from github.Repository import Repository

    from gate.wiring.forge import Forge

RECEIPT: Final = "receipt.json"


@dataclass(frozen=True, slots=True)
class Fetching:
    """Where artifacts come from and where they are put."""

    context: Context
    forge: "Forge"
    root: Path
    out: Path
    gate: str
    history: History
    base: str | None


def with_fetched(request: Request, place: Fetching) -> Request:
    """The request with every baseline that had to be fetched, and with this run's earlier attempts."""
    request = replace(
        request,
        baseline=_fetched_baseline(request.baseline, place, "baseline"),
        anchor=_fetched_baseline(request.anchor, place, "anchor"),
    )
    return _with_attempts(request, place) if place.context.run.attempt > 1 else request


def wanted_file(name: str) -> bool:
    """The files of an artifact that are looked at: the receipt, and rows in their folder."""
    folder, _, file = name.rpartition("/")
    return name == RECEIPT or (folder == "rows" and file.endswith(".ndjson"))


def artifact_of(gate: str) -> str:
    """What this gate's workflow calls its artifact."""
    return f"gate-{gate}"


def _fetched_baseline(asked: BaselineRequest | None, place: Fetching, role: str) -> BaselineRequest | None:
    if asked is None or asked.kind != "artifact":
        return asked
    name = asked.path or artifact_of(place.gate)
    behind = _Behind(place)
    try:
        client, repository = place.forge.opened()
        wanted = _wanted(place, repository, name, behind)
        search = artifacts.newest(client, repository, wanted, lambda files: _usable(files, place))
    except GateError as error:
        return replace(asked, path=name, problem=_unfetched(error, name))
    if search.run is None:
        return replace(asked, path=name, problem=_nothing(search, name, behind))
    return replace(asked, path=_kept(place, role, search.files))


def _unfetched(error: GateError, name: str) -> BaselineProblem:
    """What could not be fetched and why; where a permission is missing, the line of YAML to add."""
    message = f"the artifact {name} of the base branch's runs could not be fetched: {error.message}"
    if isinstance(error, PermissionDeniedError):
        message += f"; add `{error.permission}` under `permissions:` of the job that runs the gate"
    return BaselineProblem(reason="no_baseline", message=message)


class _Behind:
    """Whether the base descends from a commit; which ones it does not is kept."""

    def __init__(self, place: Fetching) -> None:
        self._history = place.history
        self.base = place.base
        self.strangers: list[str] = []

    def __call__(self, commit: str) -> bool:
        if self.base is None or self._history.distance(commit, self.base) is not None:
            return True
        self.strangers.append(commit)
        return False

    def told(self) -> str:
        """The newest of those that it does not descend from, and how many more there are."""
        newest = f"{self.strangers[0][:7]} is not among the nearest first-parent ancestors of {(self.base or '')[:7]}"
        others = len(self.strangers) - 1
        return newest + (f", nor are {others} more" if others else "")


def _wanted(place: Fetching, repository: "Repository", name: str, behind: _Behind) -> artifacts.Wanted:
    context = place.context
    return artifacts.Wanted(
        repository_id=context.repository_id or 0,
        # a schedule's payload names no branch
        branch=context.base_ref or context.default_branch or repository.default_branch,
        workflow=context.run.workflow,
        name=name,
        files=wanted_file,
        behind=behind,
    )


def _usable(files: Mapping[str, bytes], place: Fetching) -> None:
    """EvidenceError unless the files hold a finished receipt of a commit that the base descends from."""
    if RECEIPT not in files:
        raise EvidenceError("it holds no receipt", remedy="upload the whole output folder")
    report = receipt_of(files[RECEIPT], RECEIPT)
    commit = report.plan.commits.head
    if report.gate != place.gate:
        raise EvidenceError(f"it is the receipt of the gate {report.gate}", remedy="name the right artifact")
    partial = (*report.left_out, *report.cut_short)
    if partial:
        raise EvidenceError(f"it measured only a part: {partial[0]}", remedy="let the gate run whole")
    if report.plan.purpose == "drift":
        raise EvidenceError(
            "it is what a drift watch measured: yesterday's drift would be today's normal",
            remedy="let the gate run on the base branch",
        )
    if place.base is None or commit is None:
        return
    if place.history.distance(commit, place.base) is None:
        raise EvidenceError(
            f"{commit[:7]} is not among the nearest first-parent ancestors of {place.base[:7]}",
            remedy="wait for the base branch's own run, or accept a baseline",
        )


def _nothing(search: artifacts.Search, name: str, behind: _Behind) -> BaselineProblem:
    """Why no run on the base branch gives a baseline; expired only where that is the whole story."""
    reasons = {passed.reason for passed in search.passed_over}
    told = [f"run {passed.run.id}: {passed.message}" for passed in search.passed_over[:3]]
    if behind.strangers:
        told.append(behind.told())
    if reasons == {"expired"}:
        return BaselineProblem(
            reason="baseline_expired", message=f"every artifact {name} has expired ({'; '.join(told)})"
        )
    message = f"no run on the base branch has a usable artifact {name}"
    return BaselineProblem(
        reason="no_baseline", message=f"{message} ({'; '.join(told)})" if told else message
    )


def _kept(place: Fetching, role: str, files: Mapping[str, bytes]) -> str:
    """Write fetched files below the output folder; the workspace-relative path of the receipt."""
    folder = place.out / "fetched" / role
    for name, data in files.items():
        write_atomic(folder / name, data)
    return relative(place.root, folder / RECEIPT)


def _with_attempts(request: Request, place: Fetching) -> Request:
    """Earlier attempts' rows, so that they are pooled as repeats: the last lucky pass alone never wins."""
    run = place.context.run
    found: list[Mapping[str, bytes]] = []
    notes: list[str] = []
    for attempt in range(1, run.attempt):
        try:
            client, repository = place.forge.opened()
            found.append(_attempt(client, repository, place, attempt))
        except GateError as error:
            notes.append(f"attempt {attempt} of this run could not be pooled: {error.message}")
    places = [_kept(place, f"attempt-{number}", files) for number, files in enumerate(found, start=1)]
    suites = tuple(_with_earlier(suite, places, found) for suite in request.suites)
    pooled = f"{len(found) + 1} attempts of this run are pooled as repeats" if found else ""
    policy = replace(request.policy, notes=tuple(note for note in (pooled, *notes) if note))
    return replace(request, suites=suites, policy=policy)


def _attempt(client: Client, repository: "Repository", place: Fetching, attempt: int) -> Mapping[str, bytes]:
    name = artifact_of(place.gate)
    run = place.context.run.id
    stored = [one for one in artifacts.stored(repository, run, name) if one.attempt == attempt]
    if not stored:
        raise MissingError(
            f"it uploaded no artifact {name}", remedy="upload the output folder with `if: always()`"
        )
    return artifacts.fetched(client, repository, stored[-1], wanted_file)


def _with_earlier(suite: SuiteRequest, receipts: list[str], found: list[Mapping[str, bytes]]) -> SuiteRequest:
    name = f"rows/{suite.name}.candidate.ndjson"
    earlier = tuple(
        receipt.removesuffix(RECEIPT) + name
        for receipt, files in zip(receipts, found, strict=True)
        if name in files
    )
    return replace(suite, earlier=earlier)
