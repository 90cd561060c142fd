"""The joined parts of a suite laid out as the file that one job would have written."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from gate.core.joining import RULE, Joined
from gate.core.longmemeval.row_file import Said, joined_lines
from gate.core.longmemeval.run import run_of_line
from gate.core.plan import SuiteInputs
from gate.core.records.objections import Objection
from gate.core.records.suite_inputs import RetrievalInputs
from gate.core.shards import ALL
from gate.suites.retrieval import oddity_notes
from gate.suites.row_writing import first_line, last_line

NO_ROWS: Final = "no sharded job has left any rows of it"


def whole_lines(
    joined: Joined, inputs: SuiteInputs | None, against: Sequence[Objection] = ()
) -> tuple[bytes, ...]:
    """What is known before anything is asked, the rows in order, and what is said of the run.

    `against` is what only the whole can be held to, such as the thresholds of a replay.
    """
    if joined.only is not None:
        return (_first(joined.only.first), joined.only.rest)
    objections = (*against, *joined.objections)
    run = run_of_line(msgspec.json.encode(joined.first))
    if run is not None:
        whole = msgspec.structs.replace(run, shard=ALL)
        return joined_lines(whole, joined.rows, Said(joined.shortfalls, objections, joined.remarks))
    notes = (*joined.notes, *_notes(joined, inputs), *joined.remarks)
    said = (last_line(joined.shortfalls, notes, objections),)
    first = _first({**joined.first, "questions": len(joined.questions)})
    return (first, *joined.rows, *(said if joined.shortfalls or notes or objections else ()))


def no_lines(why: str) -> tuple[bytes, ...]:
    """A file without a row that says why it has none."""
    return (
        first_line(metrics=(), fingerprints={}, units={}, questions=0),
        last_line({}, (why,), (Objection(RULE, "cancelled", why),)),
    )


def _notes(joined: Joined, inputs: SuiteInputs | None) -> tuple[str, ...]:
    return oddity_notes(joined.oddities, max(inputs.cuts)) if isinstance(inputs, RetrievalInputs) else ()


def _first(members: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(members) + b"\n"
