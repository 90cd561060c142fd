from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from gate.core.baseline import Ancestry, Chosen, choose
from gate.core.plan import BaselineProblem
from gate.core.records.ledger import RunRecord
from tests.run_factories import run

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def chosen(
    records: list[RunRecord],
    *,
    suite: str | None = "longmemeval",
    mode: str | None = "balanced",
    name: str = "latest",
    distances: dict[str, int] | None = None,
    elsewhere: tuple[str, ...] = (),
) -> Chosen | BaselineProblem:
    known = distances or {}
    ancestry = Ancestry(known.get, lambda commit: commit in elsewhere)
    return choose(records, suite=suite, mode=mode, run=name, ancestry=ancestry, now=NOW)


def run_id(found: Chosen | BaselineProblem) -> str:
    assert isinstance(found, Chosen)
    return found.record.run_id


def problem(found: Chosen | BaselineProblem) -> str:
    assert isinstance(found, BaselineProblem)
    assert found.reason == "no_baseline"
    return found.message


def at(day: int) -> str:
    return f"2026-11-{day:02d}T10:00:00.000Z"


def test_latest_goes_by_ancestry_before_it_goes_by_date() -> None:
    records = [
        run("far-but-new", commit="c9", ran_at=at(20)),
        run("near-but-old", commit="c1", ran_at=at(2)),
        run("unrelated", commit="zz", ran_at=at(25)),
    ]

    for order in permutations(records):
        found = chosen(list(order), distances={"c9": 9, "c1": 1})

        assert run_id(found) == "near-but-old"
        assert isinstance(found, Chosen)
        assert found.chosen == "the nearest completed run, 1 commit back"


def test_a_run_of_a_commit_on_another_line_is_nobodys_baseline_here() -> None:
    records = [run("sibling", commit="x1", ran_at=at(20)), run("unheard-of", commit="zz", ran_at=at(2))]

    both = chosen(records, elsewhere=("x1",))
    alone = chosen(records[:1], elsewhere=("x1",))

    assert run_id(both) == "unheard-of"
    assert isinstance(both, Chosen)
    assert both.notes == ("1 record of commits that this one does not descend from",)
    assert problem(alone).endswith("1 record of commits that this one does not descend from")
    assert run_id(chosen(records, name="sibling", elsewhere=("x1",))) == "sibling"


def test_of_equally_near_runs_the_newest_is_taken() -> None:
    records = [run("old", ran_at=at(1)), run("new", ran_at=at(3)), run("mid", ran_at=at(2))]

    found = chosen(records, distances={"a1b2c3d": 0})

    assert run_id(found) == "new"
    assert isinstance(found, Chosen)
    assert "of the very commit" in found.chosen


def test_without_ancestry_the_newest_by_date_is_taken_and_that_is_said() -> None:
    found = chosen([run("old", ran_at=at(1)), run("new", ran_at=at(3), commit="unknown")])

    assert run_id(found) == "new"
    assert isinstance(found, Chosen)
    assert "by date" in found.chosen


def test_dates_are_compared_as_moments_whatever_their_zone() -> None:
    records = [
        run("later", ran_at="2026-11-01T09:00:00-05:00"),
        run("earlier", ran_at="2026-11-01T13:00:00Z"),
    ]

    assert run_id(chosen(records)) == "later"


def test_a_record_dated_in_the_future_is_refused_and_counted() -> None:
    future = (NOW + timedelta(minutes=6)).isoformat()

    found = chosen([run("now", ran_at=at(1)), run("future", ran_at=future)], distances={"a1b2c3d": 0})

    assert run_id(found) == "now"
    assert isinstance(found, Chosen)
    assert found.notes == ("1 record dated in the future",)


def test_a_clock_a_little_fast_is_no_future() -> None:
    soon = (NOW + timedelta(minutes=5)).isoformat()

    assert run_id(chosen([run("old", ran_at=at(1)), run("soon", ran_at=soon)])) == "soon"


def test_runs_that_did_not_complete_and_dates_nobody_can_read_are_passed_over_and_counted() -> None:
    records = [
        run("failed", status="failed", ran_at=at(9)),
        run("failed-too", status="failed", ran_at=at(9)),
        run("undated", ran_at="last Tuesday"),
        run("good", ran_at=at(1)),
    ]

    found = chosen(records)

    assert run_id(found) == "good"
    assert isinstance(found, Chosen)
    assert found.notes == ("2 records not completed (failed)", "1 record without a readable date")


def test_when_nothing_is_left_the_reasons_are_in_the_message() -> None:
    message = problem(chosen([run("failed", status="failed")]))

    assert (
        message
        == "no baseline for suite longmemeval, mode balanced (latest): 1 record not completed (failed)"
    )


def test_another_suite_or_mode_is_never_taken() -> None:
    records = [run("a", suite="replay"), run("b", mode="tokenmax")]

    assert "no record" in problem(chosen(records))
    assert run_id(chosen(records, suite=None)) == "a"
    assert run_id(chosen(records, mode=None)) == "b"


def test_a_run_named_by_its_id_is_taken_whatever_its_status_and_that_is_said() -> None:
    found = chosen([run("a"), run("b", status="failed")], name="b")

    assert run_id(found) == "b"
    assert isinstance(found, Chosen)
    assert found.notes == ("run b has the status failed",)
    assert found.chosen == "named by its id"


def test_of_records_that_share_the_named_id_the_first_is_taken_and_that_is_said() -> None:
    found = chosen([run("a", seed=1), run("a", seed=2)], name="a")

    assert isinstance(found, Chosen)
    assert found.record.raw["seed"] == 1
    assert found.notes == ("2 records have the run id a: the first one (line 1) is used",)


def test_an_id_nobody_recorded_is_no_baseline() -> None:
    assert "no record has the run id z" in problem(chosen([run("a")], name="z"))


def test_an_id_of_another_suite_is_no_baseline_and_the_message_says_which() -> None:
    found = chosen([run("a", suite="replay", mode="n/a")], name="a")

    assert "run a is suite replay, mode n/a, not suite longmemeval, mode balanced" in problem(found)


def test_a_named_run_dated_in_the_future_is_refused() -> None:
    assert "in the future" in problem(chosen([run("a", ran_at="2027-01-01T00:00:00Z")], name="a"))


def test_a_named_run_without_a_readable_date_is_taken() -> None:
    assert run_id(chosen([run("a", ran_at=None)], name="a")) == "a"


@pytest.mark.parametrize(("suite", "mode", "expected"), [(None, None, "any suite"), ("s", None, "suite s")])
def test_the_message_names_what_was_wanted(suite: str | None, mode: str | None, expected: str) -> None:
    assert f"no baseline for {expected} (latest)" in problem(chosen([], suite=suite, mode=mode))
