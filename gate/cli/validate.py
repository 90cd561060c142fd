"""`gate validate`: which contract a file follows, and where it does not."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import click

from gate.cli.console import show
from gate.errors import ExitCode

if TYPE_CHECKING:
    from gate.cli.inspection import Inspection, Trouble

_MOST_SHOWN: Final = 50


@click.command("validate")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "--schema", metavar="NAME", help="The contract to hold the files to, instead of finding it out."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else.")
def command(files: tuple[str, ...], schema: str | None, as_json: bool) -> int:  # noqa: FBT001 - click passes options by name
    """Say which contract each FILE follows, whether it is valid, and where it is not.

    Known are configurations, rows, run ledgers, gate receipts and compare reports; the content tells which.
    Exit code 0 when every file is valid, 65 when any is not.
    """
    from gate.cli.inspection import inspect
    from gate.store.schema_files import load

    if schema is not None:
        load(schema)
    inspections = [inspect(file, schema) for file in files]
    show(_as_json(inspections) if as_json else _as_text(inspections))
    return ExitCode.PASS if all(one.valid for one in inspections) else ExitCode.DATA


def _as_text(inspections: Sequence["Inspection"]) -> str:
    from gate.core.wording import printable

    lines = [line for inspection in inspections for line in _lines(inspection)]
    if any(inspection.contract is None for inspection in inspections):
        lines.append(f"known contracts: {_known()}; --schema NAME holds a file to one of them")
    if len(inspections) > 1:
        valid = sum(inspection.valid for inspection in inspections)
        lines.append(f"{len(inspections)} files: {valid} valid, {len(inspections) - valid} not")
    return "\n".join(map(printable, lines))


def _lines(inspection: "Inspection") -> Iterator[str]:
    if inspection.valid:
        notes = f" ({'; '.join(inspection.notes)})" if inspection.notes else ""
        yield f"{inspection.file}: valid {inspection.contract}{notes}"
        return
    told = [_told(inspection.file, trouble) for trouble in inspection.troubles]
    if inspection.contract is None:
        yield from told
        return
    problems = "1 problem" if len(told) == 1 else f"{len(told):,} problems"
    yield f"{inspection.file}: not a valid {inspection.contract}, {problems}"
    yield from (f"  {line}" for line in told[:_MOST_SHOWN])
    if len(told) > _MOST_SHOWN:
        yield f"  and {len(told) - _MOST_SHOWN:,} more; --json lists them all"


def _told(file: str, trouble: "Trouble") -> str:
    where = file if trouble.line is None else f"{file}:{trouble.line}"
    return ": ".join(part for part in (where, trouble.place, trouble.message) if part)


def _known() -> str:
    from gate.core.contracts import CONTRACTS

    return ", ".join(f"{contract.name} ({contract.what})" for contract in CONTRACTS)


def _as_json(inspections: Sequence["Inspection"]) -> str:
    from gate.core.records.ecmascript import json_text

    document = {
        "schema_version": 1,
        "valid": all(inspection.valid for inspection in inspections),
        "files": [_file(inspection) for inspection in inspections],
    }
    return json_text(document, indent=2)


def _file(inspection: "Inspection") -> dict[str, object]:
    return {
        "file": inspection.file,
        "contract": inspection.contract,
        "valid": inspection.valid,
        "problems": [
            {"line": trouble.line, "place": trouble.place, "message": trouble.message}
            for trouble in inspection.troubles
        ],
        "notes": list(inspection.notes),
    }
