"""gbrain's tables as its migrations leave them, as far as takes are concerned, and takes to put into them."""

from collections.abc import Iterable, Mapping
from typing import Any

import psycopg

from gate.core.takes.take import Take

_PAGES = """
create table pages (
  id serial primary key,
  source_id text not null default 'default',
  slug text not null,
  type text not null,
  page_kind text not null default 'markdown',
  title text,
  compiled_truth text,
  timeline text,
  frontmatter jsonb,
  content_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  unique (source_id, slug)
)
"""
_TAKES = """
create table takes (
  id bigserial primary key,
  page_id int not null references pages (id) on delete cascade,
  row_num int not null,
  claim text not null,
  kind text not null,
  holder text not null,
  weight real not null default 0.5 check (weight >= 0 and weight <= 1),
  since_date text,
  until_date text,
  source text,
  superseded_by int,
  active boolean not null default true,
  resolved_at timestamptz,
  resolved_outcome boolean,
  resolved_quality text check (resolved_quality in ('correct', 'incorrect', 'partial', 'unresolvable')),
  resolved_value real,
  resolved_unit text,
  resolved_source text,
  resolved_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (page_id, row_num)
)
"""


def create_tables(url: str, takes: Iterable[Take] = (), *, deleted: Iterable[str] = ()) -> None:
    """The two tables, holding these takes; pages named in `deleted` are softly deleted."""
    with psycopg.connect(url) as connection:
        connection.execute(_PAGES)
        connection.execute(_TAKES)
        insert(connection, takes)
        connection.execute("update pages set deleted_at = now() where slug = any(%s)", [list(deleted)])


def insert(connection: "psycopg.Connection[Any]", takes: Iterable[Take]) -> None:
    """Takes, and pages for them; the weight goes through single precision, as gbrain's does."""
    listed = list(takes)
    pages = _page_ids(connection, listed)
    columns = "page_id, row_num, claim, kind, holder, weight, since_date, until_date, source, active"
    with connection.cursor().copy(f"copy takes ({columns}) from stdin") as copy:
        for take in listed:
            head = (pages[take.origin, take.page], take.row, take.claim, take.kind, take.holder, take.weight)
            copy.write_row((*head, take.since, take.until, take.source, take.active))


def _page_ids(connection: "psycopg.Connection[Any]", takes: list[Take]) -> Mapping[tuple[str, str], int]:
    pages = list(dict.fromkeys((take.origin, take.page) for take in takes))
    with connection.cursor().copy("copy pages (source_id, slug, type) from stdin") as copy:
        for origin, slug in pages:
            copy.write_row((origin, slug, "note"))
    rows = connection.execute("select source_id, slug, id from pages").fetchall()
    return {(origin, slug): key for origin, slug, key in rows}
