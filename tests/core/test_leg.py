from typing import Any

import pytest
from msgspec.structs import replace

from gate.core.leg import Share, leg
from gate.core.plan import Watched
from gate.core.records.objections import Objection
from gate.core.records.rows import RowTable
from tests.core.part_files import NAMES, WHOLE
from tests.factories import plan
from tests.tables import table

PART = replace(WHOLE, shard=replace(WHOLE.shard, number=2, of=3)).asking(NAMES)
OWN = PART.own_questions()


def measured(rows: RowTable, **more: Any) -> Any:
    return leg(plan(baseline=None, **more), "2/3", [Share("retrieval", PART, rows)])


def answered(**overrides: Any) -> RowTable:
    return table(OWN, hit=[1] * len(OWN), **overrides)


def test_a_leg_counts_its_questions_and_judges_nothing() -> None:
    found = measured(answered(), notes=("rows are left to the merge job",))
    (suite,) = found.suites
    assert (suite.name, suite.suite, suite.split) == ("docs", "retrieval", True)
    assert (suite.whole, suite.own, suite.rows, suite.errors) == (30, len(OWN), len(OWN), 0)
    assert (found.shard, found.notes, found.watched) == ("2/3", ("rows are left to the merge job",), True)
    assert found.exit_code == 0


@pytest.mark.parametrize(
    ("shortfalls", "code"),
    [
        ({"suite_failed": 3}, 1),
        ({"reranker_fell_open": 1}, 1),
        ({"deadline": 3}, 2),
        ({"deadline": 3, "suite_failed": 3}, 1),
    ],
)
def test_a_suite_that_did_not_run_as_asked_ends_the_leg_as_it_would_end_a_run(
    shortfalls: dict[str, int], code: int
) -> None:
    assert measured(answered(shortfalls=shortfalls)).exit_code == code
    assert measured(answered(shortfalls=shortfalls), mode="advisory").exit_code == 0


def test_a_reason_that_is_let_through_lets_the_leg_through() -> None:
    rows = answered(shortfalls={"deadline": 3})
    assert measured(rows, on_inconclusive={"deadline": "pass"}).exit_code == 0


def test_nothing_but_errors_is_a_failure() -> None:
    assert measured(answered(errored=range(len(OWN)))).exit_code == 1
    some = measured(answered(errored=[0]))
    assert (some.exit_code, some.suites[0].errors) == (0, 1)
    assert measured(table(0)).exit_code == 0


def test_what_a_suite_holds_against_its_own_figures_is_for_the_merge() -> None:
    against = (Objection("panel", "panel_fail", "too low"), Objection("keys", "not_measured", "no key"))
    found = measured(answered(objections=against))
    assert (found.exit_code, found.suites[0].withheld) == (0, ("no key",))


def test_of_a_suite_that_is_not_split_every_row_is_ours() -> None:
    whole = replace(WHOLE, whole=True)
    (suite,) = leg(plan(baseline=None), "1/3", [Share("brainbench", whole, answered())]).suites
    assert (suite.split, suite.whole, suite.own) == (False, len(OWN), len(OWN))


def test_where_nothing_watched_has_changed_it_says_so() -> None:
    unwatched = plan(baseline=None, watch=Watched(patterns=("src/**",), changed=2))
    assert not leg(unwatched, "1/3", []).watched
    assert leg(replace(unwatched, watch=Watched(patterns=("src/**",))), "1/3", []).watched
