"""What people already have, read and written as generic rows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gate.core.imports.made import Imported, ImportProblem
from gate.core.imports.promptfoo import Choice, read_promptfoo
from gate.core.imports.trec import measured, read_run
from gate.core.plan import FileRef
from gate.core.records.qrels import JudgedQuery, QrelsError, read_qrels, read_queries, with_texts
from gate.core.records.run_records import sha256_of
from gate.errors import EvidenceError
from gate.store.growing_rows import GrowingFile
from gate.suites.execute import Failed
from gate.suites.row_writing import failed_row, first_line, row_line

BEIR_QUERIES: Final = "queries.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The file for the rows, and what messages and records call it."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Rows that were made of something else."""

    rows: FileRef
    count: int
    errors: int
    notes: tuple[str, ...]


def import_trec(run: Path, qrels: Path, cuts: tuple[int, ...], target: Target) -> Written:
    """A run (TREC's columns or BEIR's JSON) against judgements; the dataset is the judgements."""
    judgements = _bytes(qrels)
    queries = _judged(judgements, qrels)
    return _measured(run, queries, cuts, target, sha256_of([judgements.hex()]))


def import_beir(folder: Path, run: Path, split: str, cuts: tuple[int, ...], target: Target) -> Written:
    """A run against a split of a BEIR folder, with its queries' texts in the content hashes."""
    qrels, texts = folder / "qrels" / f"{split}.tsv", folder / BEIR_QUERIES
    judgements, questions = _bytes(qrels), _bytes(texts)
    try:
        queries = with_texts(_judged(judgements, qrels), read_queries(questions))
    except QrelsError as error:
        raise _unusable(texts, error) from error
    return _measured(run, queries, cuts, target, sha256_of([judgements.hex(), questions.hex()]))


def import_promptfoo(results: Path, choice: Choice, target: Target) -> Written:
    """promptfoo's JSON output, one provider and prompt of it."""
    try:
        imported = read_promptfoo(_bytes(results), choice)
    except ImportProblem as error:
        raise _unusable(results, error) from error
    return _written(imported, target, {})


def _measured(
    run: Path, queries: tuple[JudgedQuery, ...], cuts: tuple[int, ...], target: Target, dataset: str
) -> Written:
    try:
        imported = measured(read_run(_bytes(run)), queries, cuts)
    except ImportProblem as error:
        raise _unusable(run, error) from error
    return _written(imported, target, {"dataset_sha256": dataset})


def _written(imported: Imported, target: Target, fingerprints: dict[str, str]) -> Written:
    stated = {**imported.fingerprints, **fingerprints, **({} if imported.k is None else {"k": imported.k})}
    rows = GrowingFile(target.path, target.name)
    try:
        rows.write(
            first_line(
                metrics=imported.metrics,
                fingerprints=stated,
                units=imported.units,
                questions=len(imported.rows),
                notes=imported.notes,
            )
        )
        for row in imported.rows:
            if row.error is None:
                rows.write(row_line(row.id, row.members))
            else:
                rows.write(failed_row(row.id, Failed("crash", row.error), row.members, show_text=False))
    finally:
        written = rows.close()
    errors = sum(row.error is not None for row in imported.rows)
    return Written(rows=written, count=len(imported.rows), errors=errors, notes=imported.notes)


def _judged(data: bytes, path: Path) -> tuple[JudgedQuery, ...]:
    try:
        return read_qrels(data)
    except QrelsError as error:
        raise _unusable(path, error) from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})",
            remedy="check the path and its permissions",
        ) from error


def _unusable(path: Path, error: ValueError) -> EvidenceError:
    return EvidenceError(f"{path}: {error}", remedy="`gate import --help` says what each kind of file is")
