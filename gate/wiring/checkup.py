"""`gate doctor`: everything the gate needs here, looked at one by one; nothing is changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from gate.core.plan import AskedSuite, BaselineRequest, PlannedBaseline, Request, SuiteRequest
from gate.core.wording import counted
from gate.errors import GateError
from gate.github.access import access_checks, newest_artifact
from gate.github.artifacts import Wanted
from gate.github.client import Client, connect
from gate.github.event import Context, context
from gate.github.reaching import reaching_checks
from gate.github.timing import Timing
from gate.github.workflow_checks import Known, Use, judging_workflow, workflow_checks
from gate.ledgers.jsonl import JsonlLedger
from gate.ports import Clock, Files
from gate.render.checklist import Check, missing, ok, unknown
from gate.settings import Settings, load_settings
from gate.store.git_facts import GitFacts, git_facts
from gate.store.git_history import GitHistory
from gate.store.json_file import read_json
from gate.store.presence import is_missing
from gate.store.row_files import read_rows
from gate.store.starter_files import is_example
from gate.store.workflow_files import workflow_files
from gate.store.workspace import relative, workspace_of
from gate.store.workspace_files import WorkspaceFiles
from gate.suites.pinning import pinned_inputs
from gate.suites.planning import World, make_plan
from gate.wiring.fetching import artifact_of
from gate.wiring.own_workflows import known_in, uses_in
from gate.wiring.program_files import program_checks
from gate.wiring.shared_ledger import shared_ledger

GITHUB_SECONDS: Final = 30
TOKENS: Final = ("GITHUB_TOKEN", "GH_TOKEN", "INPUT_TOKEN")


@dataclass(frozen=True)
class Patient:
    """What is looked at, and what with."""

    config: Path
    cwd: Path
    environment: Mapping[str, str]
    clock: Clock
    sleep: Callable[[float], None]

    @cached_property
    def root(self) -> Path:
        """The workspace."""
        return workspace_of(self.config, self.cwd)

    @cached_property
    def git(self) -> GitFacts | None:
        """What git knows."""
        return git_facts(self.root)

    @property
    def token(self) -> str:
        """The token that was handed over, if any."""
        return next((self.environment[name] for name in TOKENS if self.environment.get(name)), "")

    @property
    def in_a_workflow(self) -> bool:
        """Whether this is a step of a workflow."""
        return bool(self.environment.get("GITHUB_EVENT_NAME"))


def examine(patient: Patient) -> tuple[Check, ...]:
    """Every check, in the order in which a run would need what it looks at."""
    settings, checks = _configuration(patient)
    checks += _git(patient)
    found, known = _workflows(patient, settings)
    if settings is not None:
        asking = [use for use in found if not use.publishes]
        checks += reaching_checks(settings.system.planned(), asking)
        checks += program_checks(settings.system.planned(), patient.config.parent)
    seen, told = _event(patient)
    if settings is not None:
        checks += _measured(patient, settings, seen, found)
    checks += workflow_checks(found, known)
    checks += _unreadable(patient)
    checks += told
    checks += _token(patient, seen, found)
    checks += _server(patient)
    return tuple(checks)


def _configuration(patient: Patient) -> tuple[Settings | None, list[Check]]:
    try:
        settings = load_settings(patient.config, patient.root)
    except GateError as error:
        return None, [missing("configuration", error.message, error.remedy)]
    return settings, [ok("configuration", f"{relative(patient.root, patient.config)} is valid")]


def _git(patient: Patient) -> Iterator[Check]:
    facts = patient.git
    if facts is None:
        yield missing(
            "git", f"{patient.root} is no repository", "check the repository out (actions/checkout)"
        )
    elif facts.head is None:
        yield missing("git", "the repository has no commit", "commit something")
    elif facts.cut_off:
        depth = "with:\n  fetch-depth: 2 # for actions/checkout"
        told = "this clone is one commit deep"
        if patient.token or not patient.in_a_workflow:
            yield unknown("git", f"{told}: the base's files are read through the API", depth)
        else:
            yield missing("git", f"{told}, and without a token nothing else is known of the base", depth)
    else:
        yield ok("git", f"{facts.head[:7]}, default branch {facts.branch.name} ({facts.branch.known_from})")


def _workflows(patient: Patient, settings: Settings | None) -> tuple[tuple[Use, ...], Known]:
    needs_pushes = settings is not None and _asks_for_artifact(settings)
    known = replaced(known_in(patient.root, _shown(patient)), needs_pushes=needs_pushes)
    return uses_in(patient.root, known), known


def _shown(patient: Patient) -> str:
    try:
        return relative(patient.root, patient.config)
    except GateError:
        return str(patient.config)


def _asks_for_artifact(settings: Settings) -> bool:
    request = settings.request()
    return any(asked is not None and asked.kind == "artifact" for asked in (request.baseline, request.anchor))


def _unreadable(patient: Patient) -> Iterator[Check]:
    for file in workflow_files(patient.root):
        if file.problem:
            yield unknown("workflow", f"{file.path} {file.problem}", "correct it; it was not looked at")


def _event(patient: Patient) -> tuple[Context | None, list[Check]]:
    """What the event says, and whether suites may run under it."""
    env = patient.environment
    if not patient.in_a_workflow:
        told = "this is no workflow: event, token and permissions are known only there"
        return None, [unknown("event", told, "run `gate doctor` as a step of the workflow to see them")]
    name, path = env["GITHUB_EVENT_NAME"], env.get("GITHUB_EVENT_PATH", "")
    try:
        payload = read_json(Path(path), "the event's payload") if path else {}
        seen = context(name, payload if isinstance(payload, dict) else {}, env)
    except GateError as error:
        return None, [missing("event", f"{name}: {error.message}", error.remedy)]
    if seen.suites_refused:
        do = "judge under `on: pull_request`; `command: publish` is for this event"
        return seen, [missing("event", f"{name}: {seen.suites_refused}", do)]
    return seen, [ok("event", f"{name}, {_about(seen)}")]


def _about(seen: Context) -> str:
    return seen.why_no_pull_request or f"pull request #{seen.pull_number} of {seen.head_repository}"


def _token(patient: Patient, seen: Context | None, found: Sequence[Use]) -> Iterator[Check]:
    if not patient.in_a_workflow or seen is None:
        return
    if not patient.token:
        yield missing("token", "this step has no token", "env:\n  GITHUB_TOKEN: ${{ github.token }}")
        return
    try:
        with _connected(patient, seen) as client:
            yield from access_checks(client, seen, watches=_watched_by(found, seen.run.workflow))
    except GateError as error:
        yield missing("token", error.message, error.remedy)


def _watched_by(found: Sequence[Use], workflow_path: str) -> bool:
    """Whether a workflow watches for drift."""
    return any(use.watches and use.workflow.path == workflow_path for use in found)


def _connected(patient: Patient, seen: Context) -> Client:
    timing = Timing.starting_now(patient.clock, patient.sleep, seconds=GITHUB_SECONDS)
    return connect(patient.token, seen.api_url, timing)


def _server(patient: Patient) -> Iterator[Check]:
    """Elsewhere than on github.com neither the image nor every version of the artifact actions can be relied on."""
    api = patient.environment.get("GITHUB_API_URL", "")
    host = urlsplit(api).hostname if api else None if patient.git is None else patient.git.host
    if host is None or host.removeprefix("api.") == "github.com" or host.endswith(".ghe.com"):
        return
    yield unknown(
        "server",
        f"{host} is not github.com: its runners may not reach the image, and it may lack the newest artifact actions",
        "mirror the action's repository, use its `composite` with `index-url` or `wheel`, and take the version of\n"
        "actions/upload-artifact that your server's documentation names",
    )


# -- what is measured, and what it would be compared with -------------------------------------------------------


def _measured(
    patient: Patient, settings: Settings, seen: Context | None, found: Sequence[Use]
) -> Iterator[Check]:
    request = settings.request()
    files = WorkspaceFiles(patient.root, lambda path: JsonlLedger(path).read())
    here: list[SuiteRequest] = []
    for suite in request.suites:
        check = _rows(patient, suite) if suite.asked is None else _inputs(patient, suite, suite.asked, files)
        yield check
        here.append(suite if check.status == "ok" else replace(suite, rows=None, asked=None))
    request = replace(request, suites=tuple(here))
    database = shared_ledger(patient.environment)
    world = World(files, files, GitHistory(patient.root), patient.clock.now(), database=database)
    for role, asked in (("baseline", request.baseline), ("anchor", request.anchor)):
        if asked is None and role == "baseline":
            told = "the configuration names no baseline: `significant` rules cannot decide"
            yield missing(role, told, "baseline: {artifact: true}")
        elif asked is not None and asked.kind == "artifact":
            yield _fetched(role, asked, seen, _Search(patient, settings.gate, found))
        elif asked is not None:
            yield from _planned(role, asked, request, world)


def _inputs(patient: Patient, suite: SuiteRequest, asked: AskedSuite, files: Files) -> Check:
    """Whether everything is here that a suite reads which the gate runs itself."""
    try:
        pinned_inputs(asked, files, files)
    except GateError as error:
        told = f"suite {suite.name}: {error.message}"
        found = missing if patient.in_a_workflow else unknown
        return found("inputs", told, f"{error.remedy}; or a step before the gate has to bring it")
    return ok("inputs", f"suite {suite.name}: everything it reads is here")


def _rows(patient: Patient, suite: SuiteRequest) -> Check:
    path = suite.rows or ""
    if is_missing(patient.root / path):
        told = f"suite {suite.name}: {path} is not here"
        do = f"a step before the gate has to write it; `gate validate {path}` checks what it writes"
        return missing("rows", told, do) if patient.in_a_workflow else unknown("rows", told, do)
    try:
        table = read_rows(patient.root / path, name=path)
    except GateError as error:
        return missing("rows", error.message, error.remedy)
    if is_example(table.fingerprints):
        told = f"suite {suite.name}: {path} still holds the example that `gate init` wrote"
        return missing("rows", told, "make your evaluation write its rows there (docs/rows.md)")
    return ok("rows", f"suite {suite.name}: {counted(len(table), 'row')} in {path}")


def _planned(role: str, asked: BaselineRequest, request: Request, world: World) -> Iterator[Check]:
    """What this checkout would be compared with; on a pull request the base's files count, not these."""
    try:
        plan = make_plan(replace(request, baseline=asked, anchor=None), world)
    except GateError as error:
        yield missing(role, error.message, error.remedy)
        return
    planned = plan.baseline
    if planned is None:
        return
    yield from _problems(role, planned)
    for rows in planned.rows:
        yield ok(role, f"suite {rows.suite}: {planned.chosen}, {rows.rows.path}")


def _problems(role: str, planned: PlannedBaseline) -> Iterator[Check]:
    do = {
        "self_baseline": "name another file: rows compared with themselves decide nothing",
        "invalid_receipt": "fetch or accept the receipt again, together with its rows",
    }
    elsewhere = "commit it on the default branch, or name another baseline"
    if planned.kind == "database":
        elsewhere = (
            "name the database in GATE_DATABASE_URL, bring runs into it with `gate ledger import`,\n"
            "and have the rows that they name in the repository, or put there before the gate runs"
        )
    for problem in planned.problems:
        remedy = do.get(problem.reason, elsewhere)
        yield missing(role, f"{problem.reason}: {problem.message}", remedy)


@dataclass(frozen=True, slots=True)
class _Search:
    """Where a run's artifact is looked for."""

    patient: Patient
    gate: str
    found: Sequence[Use]

    def workflow(self, seen: Context) -> str:
        """The workflow whose runs count: this one, else the one that judges."""
        own = seen.run.workflow
        return own if own and not _watched_by(self.found, own) else judging_workflow(self.found, own) or own


def _fetched(role: str, asked: BaselineRequest, seen: Context | None, search: _Search) -> Check:
    name = asked.path or artifact_of(search.gate)
    if seen is None or not search.patient.token:
        told = f"the newest artifact {name} of the default branch, which only a workflow with a token can look for"
        return unknown(role, told)
    workflow_path = search.workflow(seen)
    try:
        with _connected(search.patient, seen) as client:
            repository = client.repository(seen.repository)
            wanted = Wanted(
                repository_id=seen.repository_id or repository.id,
                branch=seen.base_ref or seen.default_branch or repository.default_branch,
                workflow=workflow_path,
                name=name,
                files=lambda _: False,
            )
            newest = newest_artifact(repository, wanted)
    except GateError as error:
        return missing(role, f"{name} could not be looked for: {error.message}", error.remedy)
    if newest is None:
        told = f"no run on {wanted.branch} has uploaded {name} yet"
        return missing(role, told, f"let {workflow_path} run once on {wanted.branch}, by a push")
    return ok(role, newest)
