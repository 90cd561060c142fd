"""The joined parts of sharded jobs stand in for running a plan's suites: nothing is asked again."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.core.findings import KeptPanel
from gate.core.joining import Joined, PartError, join
from gate.core.parts import PartFile
from gate.core.plan import FileRef, PlannedSuite, metrics_asked_for
from gate.core.records.objections import Objection
from gate.core.records.suite_inputs import ReplayInputs
from gate.core.replay.joined import objections_of_rows
from gate.core.shards import ALL
from gate.core.wording import counted
from gate.errors import EvidenceError, UsageError
from gate.ports import Ran
from gate.store.atomic import write_atomic, write_atomic_blocks
from gate.store.capture_files import read_capture_file
from gate.store.row_files import read_rows
from gate.store.takes_receipts import takes_receipt_of
from gate.store.workspace import relative_or
from gate.suites.joined_rows import NO_ROWS, no_lines, whole_lines
from gate.suites.sharding import part_of
from gate.wiring import Job
from gate.wiring.pinned_bytes import pinned_path
from gate.wiring.replaying import Limits, chosen_thresholds
from gate.wiring.suite_job import rows_place

Parts = Mapping[str, Sequence[PartFile]]
"""The files that jobs have left, by the suite's name."""


@dataclass(frozen=True, slots=True)
class MergedJob:
    """A job whose suites are joined instead of run; `said` is worth knowing, `missing` what is not there."""

    job: Job
    said: tuple[str, ...]
    missing: tuple[str, ...]


def joined_job(job: Job, parts: Parts) -> MergedJob:
    """Join what belongs to every suite the plan would run; a suite of which there is nothing is not measured.

    EvidenceError for parts of another run, of other inputs, or of a suite that the plan does not have.
    """
    plan = job.plan
    if plan.watch is not None and not plan.watch.applies:
        return MergedJob(job, (), ())
    asked = [suite for suite in plan.suites if suite.inputs is not None and suite.anchored is None]
    alone = _left_alone(plan.gate, parts)
    parts = {name: [file for file in files if file.part.gate == plan.gate] for name, files in parts.items()}
    _refuse_strangers(job, parts)
    _refuse_overwriting(job, parts)
    done = {suite.name: _Joining(job, suite).of(parts.get(suite.name, ())) for suite in asked}
    ports = replace(job.ports, suites=_Joined({name: each.ran for name, each in done.items()}))
    return MergedJob(
        replace(job, ports=ports),
        (*alone, *(said for each in done.values() for said in each.said)),
        tuple(f"{name}: {missing}" for name, each in done.items() for missing in each.missing),
    )


def _left_alone(gate: str, parts: Parts) -> tuple[str, ...]:
    """How many files there are of other gates: several may share a run, and their ids a beginning."""
    others = Counter(file.part.gate for files in parts.values() for file in files)
    del others[gate]
    return tuple(
        f"{counted(number, 'file of rows', 'files of rows')} of the gate {other!a} left alone: this is {gate}"
        for other, number in sorted(others.items())
    )


def _refuse_strangers(job: Job, parts: Parts) -> None:
    known = {suite.name for suite in job.plan.suites} | {left.suite for left in job.plan.left_out}
    strangers = sorted(name for name, files in parts.items() if files and name not in known)
    if strangers:
        raise EvidenceError(
            f"{parts[strangers[0]][0].name}: rows of {strangers[0]!a}, which is no suite of this configuration",
            remedy="measure and merge by the same configuration and the same inputs",
        )


def _refuse_overwriting(job: Job, parts: Parts) -> None:
    """UsageError where a part lies at the very place that the whole would be written to."""
    for suite in job.plan.suites:
        target = rows_place(job.around, suite)[0].resolve()
        for file in parts.get(suite.name, ()):
            if Path(file.name).resolve() == target:
                raise UsageError(
                    f"{file.name}: is a part, and the merged rows would overwrite it",
                    remedy="choose another output folder than those of the shards",
                )


class _Joined:
    """Implements SuiteRuns: everything is there already."""

    def __init__(self, ran: Mapping[str, Ran]) -> None:
        self._ran = ran

    def run(self, suite: PlannedSuite) -> Ran:
        return self._ran[suite.name]


@dataclass(frozen=True, slots=True)
class _Done:
    ran: Ran
    said: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class _Joining:
    """One suite of the plan: its files become the file that one job would have written."""

    def __init__(self, job: Job, suite: PlannedSuite) -> None:
        self._job = job
        self._suite = suite
        self._path, self._name = rows_place(job.around, suite)

    def of(self, files: Sequence[PartFile]) -> _Done:
        if not files:
            return _Done(self._ran(no_lines(NO_ROWS), None), missing=(NO_ROWS,))
        joined = self._joined(files)
        if part_of(self._job.plan, self._suite, ALL).whole and joined.only is None:
            why = "; ".join(joined.missing)
            return _Done(self._ran(no_lines(why), None), joined.said, joined.missing)
        lines = whole_lines(joined, self._suite.inputs, self._against(joined))
        panel = None if joined.only is None else self._panel(joined.only)
        return _Done(self._ran(lines, panel), joined.said, joined.missing)

    def _joined(self, files: Sequence[PartFile]) -> Joined:
        try:
            return join(files, part_of(self._job.plan, self._suite, ALL))
        except PartError as error:
            raise EvidenceError(
                str(error),
                remedy="merge the shards of one run: the same commit, configuration, inputs and number of shards",
            ) from error

    def _ran(self, lines: Sequence[bytes], panel: KeptPanel | None) -> Ran:
        write_atomic_blocks(self._path, lines)
        digest = hashlib.sha256(b"".join(lines)).hexdigest()
        rows = FileRef(path=self._name, sha256=digest, bytes=sum(map(len, lines)))
        table = read_rows(self._path, name=self._name, required=metrics_asked_for(self._job.plan))
        return Ran(rows, table, panel)

    def _against(self, joined: Joined) -> tuple[Objection, ...]:
        """What a replay is held to as a whole; one that did not go to its end is not judged by it."""
        inputs, around = self._suite.inputs, self._job.around
        if not isinstance(inputs, ReplayInputs) or joined.only is not None or not joined.complete:
            return ()
        with pinned_path(inputs.against, around.root, around.tree) as path:
            captured = read_capture_file(path)
        held = inputs.limits
        limits = Limits(jaccard=held.jaccard, top1=held.top1, latency_multiplier=held.latency_multiplier)
        thresholds = chosen_thresholds(limits, captured)
        if thresholds is None:
            return ()
        return objections_of_rows(joined.rows, joined.questions, captured.file, thresholds)

    def _panel(self, file: PartFile) -> KeptPanel | None:
        """The receipt of the panel, copied beside the merged rows; its cost goes with it."""
        from gate.wiring.run_takes_quality import FOLDER

        stated = file.part.panel
        if stated is None:
            return None
        name = Path(stated.path).name
        source = Path(file.name).parent.parent / FOLDER / name
        data = source.read_bytes() if source.is_file() else b""
        if hashlib.sha256(data).hexdigest() != stated.sha256:
            raise EvidenceError(
                f"{source}: is not the receipt of the panel that {file.name} states",
                remedy="upload and download the whole output folder of the sharded job",
            )
        target = self._job.around.out / FOLDER / name
        write_atomic(target, data)
        path = relative_or(self._job.around.root, target, f"{FOLDER}/{name}")
        return KeptPanel(
            FileRef(path=path, sha256=stated.sha256, bytes=len(data)), takes_receipt_of(data, str(source))
        )
