"""Every source of takes gives the same sample of the same corpus, as the port promises."""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling, Strata
from gate.core.takes.take import Take
from gate.database import Database
from gate.ports import TakesSource
from gate.takes.markdown import MarkdownTakes
from gate.takes.postgres import PostgresTakes
from tests.gbrain_tables import create_tables
from tests.store_fakes import MemoryTakes
from tests.takes_factories import take, write_pages

Make = Callable[[list[Take]], TakesSource]

KINDS = ("fact", "take", "take", "bet", "hunch")
CORPUS = [
    take(
        f"{folder}/page-{page}",
        row,
        kind=KINDS[(page + row) % 5],
        active=row != 3,
        weight=f"{row * 5 / 100:g}",
    )
    for folder in ("people", "companies")
    for page in range(12)
    for row in range(1, 8)
]


@pytest.fixture(params=["markdown", "postgres", "memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes a source that holds the takes it is given."""

    def markdown(takes: list[Take]) -> TakesSource:
        write_pages(tmp_path, takes)
        return MarkdownTakes(tmp_path)

    def postgres(takes: list[Take]) -> TakesSource:
        url = request.getfixturevalue("database_url")
        create_tables(url, reversed(takes))
        return PostgresTakes(Database(url))

    makers: dict[str, Make] = {"markdown": markdown, "postgres": postgres, "memory": MemoryTakes}
    return makers[request.param]


@pytest.mark.parametrize("strata", ["none", "kind"])
@pytest.mark.parametrize("prefix", ["", "people/page-1"])
def test_every_source_draws_what_the_method_says(make: Make, strata: Strata, prefix: str) -> None:
    sampling = Sampling(limit=20, seed=42, strata=strata)
    scope = Scope(slug_prefix=prefix)

    found = make(CORPUS).sample(scope, sampling)

    expected = MemoryTakes(CORPUS).sample(scope, sampling)
    assert found.takes == expected.takes
    assert (found.eligible, found.notes.inactive) == (expected.eligible, expected.notes.inactive)
    assert found.eligible > 0


def test_inactive_takes_are_drawn_when_asked_for(make: Make) -> None:
    found = make(CORPUS).sample(Scope(inactive="included"), Sampling(limit=len(CORPUS), seed=7))

    assert {(one.page, one.row) for one in found.takes} == {(one.page, one.row) for one in CORPUS}
    assert found.notes.inactive == 0


def test_takes_are_found_by_their_places(make: Make) -> None:
    wanted = [("people/page-3", 2), ("companies/page-0", 7), ("people/page-3", 3), ("people/none", 1)]

    found = make(CORPUS).find(Scope(), wanted)

    assert {(one.page, one.row) for one in found} == set(wanted[:2])


def test_an_empty_corpus_is_an_empty_sample(make: Make) -> None:
    found = make([]).sample(Scope(), Sampling(limit=5, seed=1))

    assert (found.takes, found.eligible) == ((), 0)


def test_a_source_says_what_receipts_call_it(make: Make) -> None:
    assert make([]).kind in ("fs", "db")


def test_a_source_gives_the_text_of_pages_and_leaves_out_those_that_have_none(
    tmp_path: Path, database_url: str
) -> None:
    takes = [take("people/ada"), take("people/mute")]
    write_pages(tmp_path, takes[:1])
    create_tables(database_url, takes)
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "update pages set compiled_truth = 'Prose.', timeline = '' where slug = 'people/ada'"
        )
    wanted = {("default", "people/ada"), ("default", "people/mute")}

    for source in (MarkdownTakes(tmp_path), PostgresTakes(Database(database_url))):
        ((key, text),) = source.page_texts(wanted).items()
        assert key == ("default", "people/ada")
        assert "Prose." in text
