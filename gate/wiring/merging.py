"""The folders of sharded jobs become one folder of whole rows."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.core.longmemeval.merge import MergeError, Part, merge
from gate.core.longmemeval.row_file import file_name, finished_lines, kept_of
from gate.core.longmemeval.summary import Summary
from gate.core.parts import PartFile, part_file
from gate.core.plan import Plan
from gate.errors import ConfigError, EvidenceError, ExitCode, GateError, UsageError
from gate.store.atomic import write_atomic_blocks
from gate.store.config_file import read_config
from gate.store.output_folder import move_aside
from gate.store.resumable_rows import rows_there
from gate.suites.joined_rows import NO_ROWS, no_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRows:
    """One whole run that was written to `path`; `missing` names the shards that are not in it."""

    path: Path
    sha256: str
    summary: Summary
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """What the folders hold: whole runs, joined; and by suite the parts that a configuration's own suites have left."""

    runs: tuple[MergedRows, ...]
    notes: tuple[str, ...]
    parts: Mapping[str, Sequence[PartFile]]

    @property
    def missing(self) -> tuple[str, ...]:
        """The shards that are not there or not finished, in words."""
        return tuple(missing for run in self.runs for missing in run.missing)

    def check_judged_by(self, plan: Plan) -> None:
        """ConfigError when a run is judged by no suite of the plan: what is missing in it would go unnoticed."""
        if plan.watch is not None and not plan.watch.applies:
            return  # nothing is judged, and the report says so
        judged = {suite.rows.sha256 for suite in plan.suites if suite.rows is not None}
        for run in self.runs:
            if run.sha256 not in judged:
                raise ConfigError(
                    f"no suite of the configuration judges the merged rows {run.path}",
                    remedy="name them: `suites: [{suite: rows, name: longmemeval, rows: "
                    + f"{run.path}"
                    + "}]`",
                )

    def check_anything(self) -> None:
        """Without a configuration: NoShardsError when there is nothing to merge, UsageError when it must be judged."""
        if self.parts:
            raise UsageError(
                "these rows are judged by the configuration they were measured by",
                remedy="name it with --config",
            )
        if not self.runs:
            raise NoShardsError(
                f"inconclusive: no shard was found ({'; '.join(self.notes)})",
                remedy="see why the sharded jobs left no rows, and run them again",
            )

    def fill_gaps(self, config: Path, root: Path, out: Path) -> tuple[str, ...]:
        """Rows that the configuration reads below OUT/rows/, and no job has left: what stands there now says so.

        They are named. What an earlier merge has written there is set aside. ConfigError when the configuration judges
        nothing that could be merged.
        """
        suites = tuple(_suites(config))
        read = [root / str(suite.get("rows")) for suite in suites if suite.get("suite") == "rows"]
        below = {path.resolve(): path for path in read if path.resolve().parent == (out / "rows").resolve()}
        if not (below or self.runs or self.parts or len(read) < len(suites)):
            raise ConfigError(
                f"no suite of the configuration judges rows that are merged to {out}, and no shard was found",
                remedy="name the suites themselves, or the merged rows as `suite: rows`: docs/recipes.md",
            )
        left = below.keys() - {run.path.resolve() for run in self.runs}
        empty = [below[path] for path in sorted(left) if _is_nothing_of_this_merge(path, out)]
        for path in empty:
            write_atomic_blocks(path, no_lines(NO_ROWS))
        return tuple(f"{path.relative_to(root)}: {NO_ROWS}" for path in empty)


class NoShardsError(GateError):
    """There is nothing to merge: no success, and nothing that could be judged."""

    exit_code = ExitCode.INCONCLUSIVE


def merge_folders(folders: Sequence[Path], out: Path) -> Merging:
    """Join every sharded run below the folders into OUT/rows/, one file a mode.

    A folder that is not there is a shard that is missing, and said. EvidenceError when files are of different runs.
    """
    notes: list[str] = []
    by_mode: dict[str, list[Part]] = {}
    by_suite: dict[str, list[PartFile]] = {}
    for part in _parts(folders, out, notes):
        if isinstance(part, PartFile):
            by_suite.setdefault(part.part.suite, []).append(part)
        else:
            by_mode.setdefault(part.run.mode, []).append(part)
    runs = tuple(_written(mode, parts, out, notes) for mode, parts in sorted(by_mode.items()))
    return Merging(runs=runs, notes=tuple(notes), parts=by_suite)


def _parts(folders: Sequence[Path], out: Path, notes: list[str]) -> Iterator[Part | PartFile]:
    for folder in folders:
        paths = sorted(path for place in (folder, folder / "rows") for path in place.glob("*.ndjson"))
        if not paths:
            notes.append(f"{folder}: no rows there")
        for path in paths:
            data = rows_there(path) or b""
            part = part_file(str(path), data)
            if part is not None:
                yield part
                continue
            kept = kept_of(data)
            if kept.run is not None and path.resolve() == _target(kept.run.mode, out).resolve():
                continue  # what an earlier merge has written here
            if kept.run is None:
                notes.append(f"{path}: states no run that can be merged, left alone")
            else:
                yield Part(str(path), kept.run, kept)


def _written(mode: str, parts: Sequence[Part], out: Path, notes: list[str]) -> MergedRows:
    try:
        merged = merge(parts)
    except MergeError as error:
        raise EvidenceError(
            str(error), remedy="merge the shards of one run: equal dataset, system, mode, seed and selection"
        ) from error
    notes += merged.notes
    stopped = "cancelled" if merged.missing else None
    summary, lines = finished_lines(merged.run, merged.rows, stopped, distrusted=merged.distrusted)
    path = _target(mode, out)
    write_atomic_blocks(path, lines)
    sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
    return MergedRows(path=path, sha256=sha256, summary=summary, missing=merged.missing)


def _suites(config: Path) -> Iterator[Mapping[str, object]]:
    """What it says of each suite, as far as it says it well."""
    document = read_config(config).document
    listed = document.get("suites") if isinstance(document, dict) else None
    yield from (each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, dict))


def _is_nothing_of_this_merge(path: Path, out: Path) -> bool:
    """Whether no rows lie there, now that those of an earlier merge are set aside."""
    data = rows_there(path)
    if data is None:
        return True
    run = kept_of(data).run
    if run is None or path != _target(run.mode, out).resolve():
        return False
    move_aside(out, path)
    return True


def _target(mode: str, out: Path) -> Path:
    return out / "rows" / f"{file_name(mode)}.ndjson"
