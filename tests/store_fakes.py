"""Stand-ins for what is stored elsewhere: takes and the run ledger."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from gate.core.records.ledger import Ledger, read_ledger
from gate.core.records.new_record import NewRecord, record_line
from gate.core.takes.corpus import CorpusNotes, Sample, Scope
from gate.core.takes.sampling import Candidate, Sampling, draw
from gate.core.takes.take import Take
from gate.errors import EvidenceError
from gate.ports import RunLedger, TakesSource


class MemoryTakes:
    """Takes that a test names; none of their pages is deleted."""

    kind: Literal["fs", "db"] = "fs"

    def __init__(self, takes: Sequence[Take]) -> None:
        self._takes = tuple(takes)

    def sample(self, scope: Scope, sampling: Sampling) -> Sample:
        counted = self._counted(scope)
        candidates = [Candidate(one.origin, one.page, one.row, one.kind, one) for one in counted]
        drawn = draw(candidates, sampling)
        everything = self._counted(replace(scope, inactive="included"))
        notes = CorpusNotes(inactive=len(everything) - len(counted))
        return Sample(takes=drawn.drawn, eligible=drawn.eligible, notes=notes)

    def find(self, scope: Scope, places: Sequence[tuple[str, int]]) -> tuple[Take, ...]:
        return tuple(one for one in self._counted(scope) if (one.page, one.row) in places)

    def _counted(self, scope: Scope) -> list[Take]:
        in_scope = [one for one in self._takes if one.page.startswith(scope.slug_prefix)]
        return [one for one in in_scope if one.active or scope.inactive == "included"]


class MemoryLedger:
    """A ledger in memory: the lines it would have on disk."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def read(self) -> Ledger:
        return read_ledger(b"".join(self.lines)) if self.lines else Ledger(missing=True)

    def append(self, record: NewRecord) -> None:
        try:
            self.lines.append(record_line(record))
        except ValueError as error:
            raise EvidenceError(f"run {record.run_id}: {error}", remedy="correct the record") from error


def _fakes_keep_their_protocols() -> tuple[TakesSource, RunLedger]:
    """Checked by mypy: a fake with another signature is no fake."""
    return MemoryTakes([]), MemoryLedger()
