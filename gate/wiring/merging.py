"""The folders of sharded jobs become one folder of whole rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.core.longmemeval.merge import MergeError, Part, merge
from gate.core.longmemeval.row_file import file_name, finished_lines, kept_of
from gate.core.longmemeval.summary import Summary
from gate.errors import EvidenceError
from gate.store.atomic import write_atomic_blocks
from gate.store.resumable_rows import rows_there


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRows:
    """One whole run that was written to `path`; `missing` names the shards that are not in it."""

    path: Path
    summary: Summary
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """What came of merging; `runs` is empty where no shard was found."""

    runs: tuple[MergedRows, ...]
    notes: tuple[str, ...]


def merge_folders(folders: Sequence[Path], out: Path) -> Merging:
    """Join every sharded run below the folders into OUT/rows/, one file a mode.

    A folder that is not there is a shard that is missing, and said. EvidenceError when files contradict.
    """
    notes: list[str] = []
    by_mode: dict[str, list[Part]] = {}
    for part in _parts(folders, notes):
        by_mode.setdefault(part.run.mode, []).append(part)
    runs = tuple(_written(mode, parts, out, notes) for mode, parts in sorted(by_mode.items()))
    return Merging(runs=runs, notes=tuple(notes))


def _parts(folders: Sequence[Path], notes: list[str]) -> Iterator[Part]:
    for folder in folders:
        paths = sorted(path for place in (folder, folder / "rows") for path in place.glob("*.ndjson"))
        if not paths:
            notes.append(f"{folder}: no rows there")
        for path in paths:
            kept = kept_of(rows_there(path) or b"")
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
    summary, lines = finished_lines(merged.run, merged.rows, stopped)
    path = out / "rows" / f"{file_name(mode)}.ndjson"
    write_atomic_blocks(path, lines)
    return MergedRows(path=path, summary=summary, missing=merged.missing)
