"""Samples of 100,000 takes: out of PostgreSQL, and out of 2,000 pages of Markdown.

``python -m benchmarks.takes`` prints the table. The server is the tests' own. Beside us in the database runs the
query of the original program, which draws without a seed and so is sorted by the server alone.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from benchmarks.table import Row, interleaved, table
from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling
from gate.core.takes.take import Take
from gate.database import Database
from gate.takes.markdown import MarkdownTakes
from gate.takes.postgres import PostgresTakes
from tests.gbrain_tables import create_tables
from tests.postgres import server
from tests.takes_factories import write_pages

PAGES = 2_000
TAKES_PER_PAGE = 50
SAMPLING = Sampling(limit=100, seed=42)
BY_KIND = Sampling(limit=100, seed=42, strata="kind")
REPEATS = 5

UNSEEDED = """
select t.claim, t.kind, t.holder, t.weight, t.since_date, t.source
from takes t join pages p on p.id = t.page_id order by random() limit 100
"""


def rows() -> list[Row]:
    """Measure both sources, with and without strata."""
    corpus = list(_takes())
    return [*_out_of_postgres(corpus), *_out_of_markdown(corpus)]


def _out_of_postgres(corpus: list[Take]) -> list[Row]:
    with server() as own:
        create_tables(own.url(), corpus)
        takes = PostgresTakes(Database(own.url()))

        def unseeded() -> None:
            with psycopg.connect(own.url()) as connection:
                connection.execute(UNSEEDED).fetchall()

        plain, by_kind, peer = interleaved(
            REPEATS,
            lambda: takes.sample(Scope(), SAMPLING),
            lambda: takes.sample(Scope(), BY_KIND),
            unseeded,
        )
    name = f"a sample of {len(corpus):,} takes out of PostgreSQL"
    return [
        Row(name, plain, "ORDER BY random(), without a seed", peer, budget=1.0),
        Row(f"{name}, by kind", by_kind, "ORDER BY random(), without a seed", peer, budget=1.0),
    ]


def _out_of_markdown(corpus: list[Take]) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder, corpus)
        takes = MarkdownTakes(folder)
        plain, by_kind, peer = interleaved(
            REPEATS,
            lambda: takes.sample(Scope(), SAMPLING),
            lambda: takes.sample(Scope(), BY_KIND),
            lambda: [path.read_bytes() for path in folder.rglob("*.md")],
        )
    job = f"a sample of {len(corpus):,} takes out of {PAGES:,} pages"
    return [
        Row(job, plain, "reading the files", peer, budget=3.0),
        Row(f"{job}, by kind", by_kind, "reading the files", peer, budget=3.0),
    ]


def _takes() -> Iterator[Take]:
    kinds = ("fact", "take", "bet", "hunch")
    for page in range(PAGES):
        for row in range(1, TAKES_PER_PAGE + 1):
            yield Take(
                page=f"people/{page % 40:02}/person-{page}",
                row=row,
                claim=f"Claim {row} about person {page}, about as long as claims are in practice, or a little longer",
                kind=kinds[(page + row) % 4],
                holder=f"people/person-{page}",
                weight=f"{(page + row) % 21 / 20:g}",
                since="2026-01-12",
                source=f"meeting notes {row}",
            )


if __name__ == "__main__":
    print(table(rows()), end="")
