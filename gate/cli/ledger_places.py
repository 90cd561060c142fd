"""Which run ledger a command means: a file, the folder that holds one, or a database."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gate.database import SCHEMES, URL_VARIABLE
from gate.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from gate.core.records.ledger import Ledger
    from gate.ledgers.jsonl import JsonlLedger
    from gate.ledgers.postgres import PostgresLedger

INPUT: Final = click.option(
    "--input",
    "place",
    metavar="LEDGER|DIR",
    help="A ledger (.jsonl), or the folder that holds eval-results.jsonl.",
)
DATABASE: Final = click.option(
    "--database-url", metavar="URL", help=f"A ledger in PostgreSQL; better in the variable {URL_VARIABLE}."
)
_NAMELESS: Final = "the database"


@dataclass(frozen=True, slots=True)
class Place:
    """A ledger, and what to call it: a URL holds a password, so a database has no other name."""

    ledger: "JsonlLedger | PostgresLedger"
    name: str
    remedy: str
    """What to do where there is none."""

    def read(self) -> "Ledger":
        """Every record; EvidenceError where there is no ledger."""
        found = self.ledger.read()
        if found.missing:
            raise EvidenceError(f"{self.name}: there is no such ledger", remedy=self.remedy)
        return found


def place_of(place: str | None, url: str | None, environment: Mapping[str, str]) -> Place:
    """The ledger that the options name, else the environment's database, else the file of this repository."""
    if place is not None and url is not None:
        raise UsageError("--input and --database-url name two ledgers", remedy="use one of them")
    if place is not None and place.startswith(SCHEMES):
        place, url = None, place
    if place is None:
        return _database(url or environment.get(URL_VARIABLE)) or _file(None)
    return _file(place)


def database_place(url: str | None, environment: Mapping[str, str]) -> "tuple[PostgresLedger, str]":
    """The database's ledger and its URL; UsageError where none is named."""
    from gate.database import Database
    from gate.ledgers.postgres import PostgresLedger

    named = url or environment.get(URL_VARIABLE)
    if not named:
        raise UsageError("which database?", remedy=f"name it with --database-url or {URL_VARIABLE}")
    return PostgresLedger(Database(named)), named


def _database(url: str | None) -> Place | None:
    if not url:
        return None
    remedy = "bring runs into it with `gate ledger import`, or name a ledger's file with --input"
    return Place(database_place(url, {})[0], _NAMELESS, remedy)


def ledger_file(place: str | None, root: Path) -> Path:
    """The file that `--input` names, as it is or by its folder; without one, that of the repository at `root`."""
    from gate.ledgers.jsonl import FILE_NAME, FOLDER

    if place is None:
        return root / FOLDER / FILE_NAME
    return Path(place) if place.endswith(".jsonl") else Path(place) / FILE_NAME


def _file(place: str | None) -> Place:
    from gate.ledgers.jsonl import JsonlLedger
    from gate.store.run_rows import repository_root

    path = ledger_file(place, repository_root(Path.cwd()))
    remedy = "record a run with `gate suite … --record`, or name one with --input or --database-url"
    return Place(JsonlLedger(path), str(path), remedy)
