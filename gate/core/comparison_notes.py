"""What a comparison left out or resolved, said in sentences."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gate.core.records.ledger import KNOWN_VERSIONS, NO_MODE, Ledger, RunRecord, Skip, fingerprints, stands
from gate.core.records.rows import RowTable

_SHOWN = 5
_REPEATED = "a question id: the last one counts"
_LEGACY_ONE = "knows only recall_hit: it counts for recall_any@k alone"
_LEGACY_MANY = "know only recall_hit: they count for recall_any@k alone"


def ledger_notes(ledger: Ledger) -> Iterator[str]:
    """Lines that are no records, run ids that stand for several runs, versions nobody has described yet."""
    skips = [skip for skip in ledger.skips if skip.kind != "blank"]
    if skips:
        yield f"{_count(skips, 'ledger line')} skipped: {_listed([_skipped(skip) for skip in skips])}"
    repeated = ledger.duplicate_run_ids
    if repeated:
        yield (
            f"{_count(repeated, 'run id')} in the ledger more than once ({_listed(repeated)}): "
            "a run named by such an id is the first of them"
        )
    unknown = [record for record in ledger.records if record.raw.get("schema_version") not in KNOWN_VERSIONS]
    if unknown:
        yield f"{_count(unknown, 'record')} of an unknown schema_version, read like version 3"


def left_out(records: Sequence[RunRecord], named: frozenset[str]) -> Iterator[str]:
    """Records that stand for no run because they did not complete, and dates nobody can read."""
    counts = Counter(
        (record.suite, record.mode, record.status) for record in records if not stands(record, named=named)
    )
    for (suite, mode, status), count in counts.items():
        word = "record" if count == 1 else "records"
        yield f"{suite}, {mode}: {count} {word} with status {status} left out; only completed runs stand"
    undated = [record for record in records if record.moment is None]
    if undated:
        ids = _listed([record.run_id for record in undated])
        yield f"{_count(undated, 'record')} without a readable ran_at ({ids}): the first one seen stands"


def row_notes(record: RunRecord, table: RowTable) -> Iterator[str]:
    """What reading the rows of one run left out or resolved."""
    notes = table.notes
    for count, one, many in (
        (notes.torn_lines, "line that is no row, skipped", "lines that are no rows, skipped"),
        (notes.blank_lines, "blank line, skipped", "blank lines, skipped"),
        (notes.duplicate_ids, f"row that repeats {_REPEATED}", f"rows that repeat {_REPEATED}"),
        (notes.legacy_rows, f"row that {_LEGACY_ONE}", f"rows that {_LEGACY_MANY}"),
        (int(table.errored.sum()), "question that ended in an error", "questions that ended in an error"),
    ):
        if count:
            yield f"{record.run_id}: {count} {one if count == 1 else many}"
    if notes.not_metrics:
        yield (
            f"{record.run_id}: not compared, since they are numbers in some rows and text in others: "
            f"{_listed(notes.not_metrics)}"
        )
    yield from _contradictions(record, table.fingerprints)


def _contradictions(record: RunRecord, rows: Mapping[str, str]) -> Iterator[str]:
    for name, stated in fingerprints(record).items():
        if stated != NO_MODE and rows.get(name, stated) != stated:
            yield f"{record.run_id}: its record says {name} {stated}, its rows say {rows[name]}; the rows count"


def _skipped(skip: Skip) -> str:
    return f"line {skip.line}, {skip.reason}"


def _count(items: Sequence[object], noun: str) -> str:
    return f"{len(items)} {noun}" if len(items) == 1 else f"{len(items)} {noun}s"


def _listed(items: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(items) - _SHOWN
    return ", ".join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
