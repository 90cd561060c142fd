"""A repository that has no gate yet: what it holds becomes a first configuration and two workflows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Literal

from gate.core.glossary import direction, lookup
from gate.core.plan import Better
from gate.core.records.ledger import COMPLETED, Ledger
from gate.core.wording import counted
from gate.errors import EvidenceError, UsageError
from gate.ledgers.jsonl import FILE_NAME, FOLDER, JsonlLedger
from gate.render.starter_config import (
    ARTIFACT_BASELINE,
    Findings,
    FoundBaseline,
    FoundMetric,
    FoundSuite,
    ledger_baseline,
    rows_baseline,
    starter_config,
)
from gate.store import starter_files
from gate.store.confinement import confine
from gate.store.git_facts import GitFacts, git_facts, tracked
from gate.store.own_action import own_action
from gate.store.presence import has_git
from gate.store.row_files import read_rows
from gate.store.starter_files import PLACEHOLDER, StarterFile, is_example
from gate.wiring.configured import Configured, configured
from gate.wiring.judged_files import judged_files

if TYPE_CHECKING:
    from gate.core.records.rows import RowTable

Part = Literal["workflows", "drift", "sweep"]
"""Workflows that belong together, by the option of `gate init` that writes them alone."""

LEDGER: Final = f"{FOLDER}/{FILE_NAME}"
CANDIDATE: Final = "rows/candidate.ndjson"
BASELINE: Final = "rows/baseline.ndjson"
WORKFLOWS: Final[Mapping[Part, tuple[str, ...]]] = {
    "workflows": starter_files.WORKFLOWS,
    "drift": (starter_files.DRIFT,),
    "sweep": (starter_files.SWEEP,),
}
_EXAMPLE_METRIC: Final = FoundMetric(name="recall@5", better="higher", unit="share")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Where the gate is wanted, and what only a person can know."""

    root: Path
    action: str | None = None
    better: Mapping[str, Better] = field(default_factory=dict)
    """Directions of metrics that the glossary does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What would be written, what it was made from, and what is left to do."""

    files: tuple[StarterFile, ...]
    found: tuple[str, ...]
    left: tuple[str, ...]
    unnamed: tuple[str, ...] = ()
    """The options that write the workflows whose action nobody has named."""

    @property
    def to_do(self) -> tuple[str, ...]:
        """What is left, the name of the action first."""
        return (*_to_name(self.unnamed), *self.left)


def adoption(wish: Wish) -> Adoption:
    """Everything decided, nothing written.

    UsageError when this is not the root of a repository, or no metric has a known direction; EvidenceError when
    rows that are there cannot be read.
    """
    git = _repository(wish.root)
    ledger = _ledger(wish.root)
    tables = _tables(wish.root, ledger)
    findings = _findings(wish, git, ledger, tables)
    files = [
        StarterFile(starter_files.CONFIG, starter_config(findings).encode()),
        *starter_files.workflows(action=_action(wish), branch=git.branch.name),
    ]
    if _nothing_measured(ledger, tables):
        files.append(starter_files.example_rows(CANDIDATE))
    return Adoption(
        files=tuple(files),
        found=(
            *_told(git, ledger, tables),
            *judged_files(wish.root, tracked(wish.root)),
            *_told_of_action(wish),
        ),
        left=tuple(_left(wish, findings, ledger, tables)),
        unnamed=_unnamed(wish, ["workflows"]),
    )


def workflows_alone(wish: Wish, parts: Sequence[Part]) -> Adoption:
    """The workflows of these parts, for a configuration that is there already; UsageError as in `adoption`."""
    git, config = _repository(wish.root), configured(wish.root)
    paths = [path for part in parts for path in WORKFLOWS[part]]
    return Adoption(
        files=starter_files.workflows(paths, action=_action(wish, config), branch=git.branch.name),
        found=(_told_of_branch(git), config.told, *_told_of_action(wish)),
        left=(*_to_configure(config), *(line for part in parts for line in _left_by(part, config))),
        unnamed=_unnamed(wish, parts),
    )


def _left_by(part: Part, config: Configured) -> tuple[str, ...]:
    match part:
        case "workflows":
            return _to_measure(config, _TO_MEASURE, starter_files.WORKFLOWS[0]), _TO_COMMIT
        case "drift":
            return _to_measure(config, _TO_MEASURE_DRIFT, starter_files.DRIFT), _TO_ACCEPT, _TO_WATCH
        case "sweep":
            return _TO_REACH, _TO_SWEEP


def _action(wish: Wish, config: Configured | None = None) -> str:
    """The action; on the runner, where a program has to be started that our image has not."""
    own = own_action()
    action = wish.action or (PLACEHOLDER if own is None else own.uses)
    on_runner = config is not None and config.program is not None
    return starter_files.composite(action) if on_runner else action


def _unnamed(wish: Wish, parts: Sequence[Part]) -> tuple[str, ...]:
    named = wish.action is not None or own_action() is not None
    return () if named else tuple(f"--{part}" for part in parts)


def _told_of_action(wish: Wish) -> Iterator[str]:
    own = own_action()
    if wish.action is None and own is not None:
        yield f"the action {own.uses} ({own.known_from})"


def _repository(root: Path) -> GitFacts:
    facts = git_facts(root)
    if facts is not None:
        return facts
    above = next((folder for folder in root.resolve().parents if has_git(folder)), None)
    if above is not None:
        raise UsageError(
            "this folder lies inside a repository, and workflows lie at its root", remedy=f"cd {above}"
        )
    raise UsageError(
        "this folder is no git repository", remedy="run `git init` first, or go to the repository"
    )


def _ledger(root: Path) -> Ledger:
    ledger = JsonlLedger(root / LEDGER).read()
    usable = any(record.status == COMPLETED and record.output for record in ledger.records)
    return ledger if usable else Ledger(missing=True)


def _tables(root: Path, ledger: Ledger) -> "Mapping[str, RowTable]":
    """The rows that will be judged, by their path."""
    names = sorted(path.relative_to(root).as_posix() for path in (root / "rows").glob("*.ndjson"))
    found = {name: read_rows(root / name, name=name) for name in _candidates(names, ledger)}
    return {name: table for name, table in found.items() if not is_example(table.fingerprints)}


def _candidates(names: Sequence[str], ledger: Ledger) -> Sequence[str]:
    """The file that is called so; else every file that is no baseline and that no recorded run wrote."""
    if CANDIDATE in names:
        return [CANDIDATE]
    recorded = {record.output for record in ledger.records}
    return [
        name for name in names if name not in recorded and not PurePosixPath(name).stem.startswith("baseline")
    ]


def _nothing_measured(ledger: Ledger, tables: "Mapping[str, RowTable]") -> bool:
    return not tables and ledger.missing


def _findings(wish: Wish, git: GitFacts, ledger: Ledger, tables: "Mapping[str, RowTable]") -> Findings:
    metrics = tuple(_metrics(wish, _measured(wish.root, ledger, tables)))
    if _nothing_measured(ledger, tables):
        suites: tuple[FoundSuite, ...] = (FoundSuite(name="example", rows=CANDIDATE),)
        metrics = (_EXAMPLE_METRIC,)
    elif tables:
        suites = tuple(_suite(path, table, ledger, len(tables)) for path, table in tables.items())
    else:
        suites = (FoundSuite(name=_only_suite(ledger) or "candidate", rows=CANDIDATE),)
    findings = Findings(
        suites=suites,
        baseline=_baseline(wish.root, ledger, tables),
        metrics=metrics,
        repository=git.name,
    )
    if not findings.judged:
        raise _directionless(metrics, tables)
    return findings


def _measured(root: Path, ledger: Ledger, tables: "Mapping[str, RowTable]") -> "Iterator[RowTable]":
    """The rows that metrics are taken from: those to judge, else those of the newest recorded run that are here."""
    yield from tables.values()
    if tables:
        return
    for record in reversed(ledger.records):
        if record.status == COMPLETED and record.output:
            try:
                yield read_rows(confine(root, record.output), name=record.output)
            except EvidenceError:
                continue
            return


def _metrics(wish: Wish, tables: "Iterator[RowTable]") -> Iterator[FoundMetric]:
    seen: set[str] = set()
    for table in tables:
        for column in table.metrics:
            name = _at_k(column, table)
            if name not in seen:
                seen.add(name)
                entry = lookup(name)
                unit = table.units.get(column) or (entry.unit if entry else None)
                yield FoundMetric(name=name, better=wish.better.get(name) or direction(name), unit=unit)


def _at_k(column: str, table: "RowTable") -> str:
    """A native metric by the cut it was measured at, where the rows say it."""
    k = table.fingerprints.get("k", "")
    return f"{column.removesuffix('@k')}@{k}" if column.endswith("@k") and k.isdecimal() else column


def _suite(path: str, table: "RowTable", ledger: Ledger, count: int) -> FoundSuite:
    recorded = _only_suite(ledger) if count == 1 else None
    return FoundSuite(
        name=(recorded or PurePosixPath(path).stem)[:100], rows=path, typed=table.types is not None
    )


def _only_suite(ledger: Ledger) -> str | None:
    """The suite of a ledger that knows one: a suite of that name is compared with its runs alone."""
    known = {record.suite for record in ledger.records if record.status == COMPLETED}
    return known.pop() if len(known) == 1 else None


def _baseline(root: Path, ledger: Ledger, tables: "Mapping[str, RowTable]") -> FoundBaseline:
    if not ledger.missing:
        return ledger_baseline(LEDGER, _mode(ledger, tables))
    if tables and (root / BASELINE).is_file():
        return rows_baseline(BASELINE)
    return ARTIFACT_BASELINE


def _mode(ledger: Ledger, tables: "Mapping[str, RowTable]") -> str | None:
    """The search mode the rows were measured in, where they say it and the ledger knows it."""
    stated = {table.fingerprints.get("mode") for table in tables.values()}
    recorded = {record.mode for record in ledger.records if record.status == COMPLETED}
    shared = [mode for mode in stated & recorded if mode is not None]
    return shared[0] if len(shared) == 1 else None


def _directionless(
    metrics: Sequence[FoundMetric], tables: "Mapping[str, RowTable]"
) -> UsageError | EvidenceError:
    where = ", ".join(tables) or LEDGER
    if not metrics:
        return EvidenceError(
            f"{where}: no row holds a number or a truth value to judge",
            remedy='write rows like {"question_id": "q-1", "recall@5": 0.8}',
        )
    names = [metric.name for metric in metrics]
    return UsageError(
        f"{where}: nothing says which direction of {', '.join(names[:10])} is better",
        remedy=f"say it for at least one of them: gate init --better '{names[0]}=higher'",
    )


def _told(git: GitFacts, ledger: Ledger, tables: "Mapping[str, RowTable]") -> Iterator[str]:
    yield _told_of_branch(git)
    if not ledger.missing:
        yield f"{LEDGER}: {len(ledger.records)} recorded runs"
    for path, table in tables.items():
        yield f"{path}: {counted(len(table), 'row')}, metrics {', '.join(table.metrics)}"
    if not tables:
        yield "no rows to judge: rows/*.ndjson has none"


def _told_of_branch(git: GitFacts) -> str:
    return f"default branch {git.branch.name} ({git.branch.known_from})"


def _left(wish: Wish, findings: Findings, ledger: Ledger, tables: "Mapping[str, RowTable]") -> Iterator[str]:
    if _nothing_measured(ledger, tables):
        yield f"{CANDIDATE} holds an invented example: make your evaluation write its rows there"
    yield _TO_MEASURE
    unknown = [metric.name for metric in findings.metrics if metric.better is None]
    if unknown:
        yield f"say in {starter_files.CONFIG} which direction is better: {', '.join(unknown[:10])}"
    if not ledger.missing and LEDGER not in tracked(wish.root):
        yield f"commit {LEDGER} and the rows it names: pull requests read them from the base branch"
    if not _ignored(wish.root):
        yield "add gate-out/ to .gitignore"
    yield _TO_COMMIT


def _to_name(options: Sequence[str]) -> Iterator[str]:
    if options:
        yield (
            "OWNER/REPO and v1 in the workflows stand for the repository that the action lies in and a version of it, "
            "which nothing here tells: replace them, or "
            f"`gate init {' '.join(options)} --force --action OWNER/REPO@REF`"
        )


def _to_configure(config: Configured) -> Iterator[str]:
    if config.missing:
        yield f"write {starter_files.CONFIG}: `gate init` makes a first one, from the rows that are here"


def _to_measure(config: Configured, steps: str, workflow: str) -> str:
    """What a workflow still lacks: the steps that write rows, or else what the suites are run with."""
    if config.brings_rows:
        return steps
    return (
        f"add the steps that bring what the suites need (programs, data) to {workflow}, where they need any"
    )


_TO_MEASURE: Final = f"add the steps that measure to {starter_files.WORKFLOWS[0]}, or commit the rows"
_TO_COMMIT: Final = (
    "commit, open a pull request: it is green and introduces the gate; `gate doctor` says what is missing"
)


_TO_REACH: Final = (
    f"start what is measured in {starter_files.SWEEP}, and hand it its secrets, where it needs any"
)
_TO_SWEEP: Final = (
    "commit; before a release start it by hand: the Actions tab, or `gh workflow run eval-sweep.yml`"
)
_TO_MEASURE_DRIFT: Final = (
    f"add the steps that measure to {starter_files.DRIFT}, the same as where changes are judged"
)
_TO_ACCEPT: Final = (
    "accept a reference, if the configuration names `baseline: {accepted: true}`: "
    "`gate baseline accept gate-out/receipt.json --note WHY`, and commit it"
)
_TO_WATCH: Final = "commit; it runs once a night on the default branch, or by hand, and keeps one issue"


def _ignored(root: Path) -> bool:
    try:
        lines = (root / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.strip().strip("/") == "gate-out" for line in lines)
