import psycopg
import pytest

from gate.core.takes.corpus import CorpusNotes, Scope
from gate.core.takes.sampling import Sampling
from gate.core.takes.take import Resolution, Take
from gate.database import Database
from gate.errors import EvidenceError, UnavailableError
from gate.takes.postgres import PostgresTakes
from tests.gbrain_tables import create_tables, insert
from tests.takes_factories import shared, take

ALL = Sampling(limit=1000, seed=1)
EVERYTHING = Scope(inactive="included", deleted_pages="included")


def source(url: str) -> PostgresTakes:
    return PostgresTakes(Database(url))


def places(url: str, scope: Scope | None = None) -> list[tuple[str, int]]:
    return sorted((one.page, one.row) for one in source(url).sample(scope or Scope(), ALL).takes)


def test_a_weight_of_single_precision_is_read_as_the_contract_prints_it(database_url: str) -> None:
    weights = ("0.85", "1", "0", "0.05", "0.3")
    create_tables(
        database_url, [take("a", row, weight=weight) for row, weight in enumerate(weights, start=1)]
    )

    found = source(database_url).sample(Scope(), ALL)

    assert {one.row: one.weight for one in found.takes} == dict(enumerate(weights, start=1))


def test_a_server_that_prints_few_digits_by_default_changes_no_weight(database_url: str) -> None:
    create_tables(database_url, [take(weight="0.85")])
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("update takes set weight = 0.8500001")
        connection.execute(f"alter database {connection.info.dbname} set extra_float_digits = -3")

    (found,) = source(database_url).sample(Scope(), ALL).takes

    assert found.weight == "0.8500001"


def test_rows_of_the_original_program_give_the_takes_it_stored(database_url: str) -> None:
    rows = shared("outputs/takes-rows.json")["rows"]
    expected = [
        Take(
            page=row["slug"],
            row=row["row_num"],
            weight=f"{row['weight']:g}",
            since=row["since_date"],
            until=row["until_date"],
            **{name: row[name] for name in ("claim", "kind", "holder", "source", "active")},
        )
        for row in rows
    ]
    create_tables(database_url, expected)

    found = source(database_url).sample(EVERYTHING, ALL)

    assert sorted(found.takes, key=lambda one: (one.page, one.row)) == expected


def test_inactive_takes_and_deleted_pages_are_left_out_and_counted_unless_asked_for(
    database_url: str,
) -> None:
    takes = [take("a", 1), take("a", 2, active=False), take("b", 1), take("b", 2, active=False)]
    create_tables(database_url, takes, deleted=["b"])

    assert places(database_url) == [("a", 1)]
    assert places(database_url, Scope(inactive="included")) == [("a", 1), ("a", 2)]
    assert places(database_url, Scope(deleted_pages="included")) == [("a", 1), ("b", 1)]
    assert len(places(database_url, EVERYTHING)) == 4
    notes = source(database_url).sample(Scope(), ALL).notes
    assert notes == CorpusNotes(pages=1, inactive=1, deleted=2)
    assert source(database_url).sample(EVERYTHING, ALL).notes == CorpusNotes(pages=2)


@pytest.mark.parametrize(
    ("prefix", "pages"),
    [
        ("a_", ["a_b"]),
        ("a%", ["a%b"]),
        ("a!", ["a!b"]),
        ("a\\", ["a\\b"]),
        ("a'", ["a'b"]),
        ("a", ["a!b", "a%b", "a'b", "a\\b", "a_b", "axb"]),
        ("é", ["éa"]),
        ("A", []),
    ],
)
def test_every_character_of_a_prefix_is_literal(database_url: str, prefix: str, pages: list[str]) -> None:
    create_tables(database_url, map(take, ["a_b", "axb", "a%b", "a!b", "a\\b", "a'b", "éa"]))

    found = source(database_url).sample(Scope(slug_prefix=prefix), ALL)

    assert sorted(one.page for one in found.takes) == pages
    assert found.notes.pages == len(pages)


def test_nothing_said_is_none_and_an_empty_text_stays_empty(database_url: str) -> None:
    create_tables(database_url, [take("a", since=None, source=""), take("b", since="", source=None)])

    found = {one.page: (one.since, one.source) for one in source(database_url).sample(Scope(), ALL).takes}

    assert found == {"a": (None, ""), "b": ("", None)}


def test_a_resolution_is_read(database_url: str) -> None:
    create_tables(database_url, [take("a"), take("b")])
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "update takes set resolved_at = '2026-04-30T12:00:00+02', resolved_quality = 'correct',"
            " resolved_value = 50, resolved_unit = 'usd', resolved_source = 'closed', resolved_by = 'ada'"
            " where page_id = (select id from pages where slug = 'a')"
        )

    found = {one.page: one.resolution for one in source(database_url).sample(Scope(), ALL).takes}

    assert found == {
        "a": Resolution(
            at="2026-04-30 10:00:00+00",
            quality="correct",
            evidence="closed",
            value="50",
            unit="usd",
            by="ada",
        ),
        "b": None,
    }


def test_the_same_page_of_two_repositories_is_two_pages(database_url: str) -> None:
    takes = [take("a", claim="one"), take("a", claim="other", origin="second")]
    create_tables(database_url, takes)

    assert sorted(one.claim for one in source(database_url).sample(Scope(), ALL).takes) == ["one", "other"]
    assert len(source(database_url).find(Scope(), [("a", 1)])) == 2


def test_takes_are_found_by_page_and_row(database_url: str) -> None:
    create_tables(database_url, [take("a", 1), take("a", 2), take("b", 1), take("c", 1, active=False)])
    places_wanted = [("a", 2), ("b", 1), ("c", 1), ("gone", 1), ("a", 2**40)]

    found = source(database_url).find(Scope(), places_wanted)

    assert sorted(one.page for one in found) == ["a", "b"]
    assert source(database_url).find(Scope(), []) == ()


def test_a_role_that_may_only_read_the_two_tables_can_sample(database_url: str) -> None:
    create_tables(database_url, [take()])
    with psycopg.connect(database_url, autocommit=True) as connection:
        role = f"reader_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
        connection.execute(f"grant select on takes, pages to {role}")
        connection.execute(f"alter role {role} set default_transaction_read_only = on")
    try:
        assert places(psycopg.conninfo.make_conninfo(database_url, user=role)) == [("people/ada", 1)]
    finally:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")


def test_a_role_that_may_not_read_takes_is_told_so(database_url: str) -> None:
    create_tables(database_url, [take()])
    with psycopg.connect(database_url, autocommit=True) as connection:
        role = f"stranger_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
    try:
        with pytest.raises(UnavailableError, match=r"may not do this.*permission denied"):
            places(psycopg.conninfo.make_conninfo(database_url, user=role))
    finally:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"drop role {role}")


def test_a_database_that_is_not_gbrains_is_an_input_error(database_url: str) -> None:
    with pytest.raises(EvidenceError, match='relation "pages" does not exist') as caught:
        places(database_url)

    assert "gbrain" in caught.value.remedy


def test_a_weight_that_is_no_number_is_an_input_error_with_its_place(database_url: str) -> None:
    create_tables(database_url, [take("a", 7)])
    with psycopg.connect(database_url) as connection:
        connection.execute("alter table takes drop constraint takes_weight_check")
        connection.execute("update takes set weight = 'NaN'")

    with pytest.raises(EvidenceError, match="take 7 of page a: nan"):
        places(database_url)


def test_a_take_that_is_there_twice_is_an_input_error(database_url: str) -> None:
    create_tables(database_url, [take("a", 7)])
    with psycopg.connect(database_url) as connection:
        connection.execute("alter table takes drop constraint takes_page_id_row_num_key")
        connection.execute(
            "insert into takes (page_id, row_num, claim, kind, holder) select 1, 7, 'x', 'bet', 'y'"
        )

    with pytest.raises(EvidenceError, match=r"holds a take twice.*row 7 of page a"):
        places(database_url)


def test_a_sample_sees_one_state_of_the_database(database_url: str) -> None:
    create_tables(database_url, [take("a")])

    with Database(database_url).reading() as session:
        ((before,),) = session.rows("select count(*) from takes")
        with psycopg.connect(database_url) as connection:
            insert(connection, [take("b")])
        ((after,),) = session.rows("select count(*) from takes")

    assert (before, after) == (1, 1)
    assert places(database_url) == [("a", 1), ("b", 1)]
