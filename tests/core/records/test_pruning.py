from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.ledger import RunRecord
from gate.core.records.pruning import Pruning, pruned
from tests.run_factories import run

NOVEMBER = datetime(2026, 11, 1, tzinfo=UTC)


def dated(run_id: str, day: int, **overrides: object) -> RunRecord:
    """A run of a day in October."""
    return run(run_id, ran_at=f"2026-10-{day:02}T12:00:00.000Z", **overrides)


def going(records: list[RunRecord], **pruning: object) -> list[str]:
    return [record.run_id for record in pruned(records, Pruning(**pruning)).going]  # type: ignore[arg-type]  # by name


def test_older_runs_go_and_the_day_itself_stays() -> None:
    records = [dated("old", 1), run("new"), run("at", ran_at="2026-11-01T00:00:00.000Z")]
    assert going(records, before=NOVEMBER) == ["old"]


def test_of_every_suite_mode_and_status_the_newest_stay() -> None:
    records = [
        dated("a1", 1),
        dated("a2", 2),
        dated("other-suite", 1, suite="replay"),
        dated("other-mode", 1, mode="tokenmax"),
        dated("failed", 9, status="failed"),
    ]
    found = pruned(records, Pruning(newest=1))
    assert [record.run_id for record in found.going] == ["a1"]
    assert found.staying == {"among the newest": 4}


def test_of_two_runs_of_the_same_moment_the_one_recorded_later_is_the_newer_one() -> None:
    assert going([dated("first", 1), dated("second", 1)], newest=1) == ["first"]


def test_both_conditions_must_hold() -> None:
    records = [dated("a1", 1), dated("a2", 2), run("a3")]
    assert going(records, before=NOVEMBER, newest=2) == ["a1"]


def test_named_runs_undated_runs_and_runs_of_others_stay_each_for_its_reason() -> None:
    records = [
        dated("baseline", 1),
        run("undated", ran_at="yesterday"),
        dated("suite", 1, suite="replay"),
        dated("mode", 1, mode="n/a"),
        dated("status", 1, status="failed"),
        dated("gone", 1),
        run("young"),
    ]
    found = pruned(
        records,
        Pruning(
            before=NOVEMBER,
            named=frozenset({"baseline"}),
            suite="longmemeval",
            mode="balanced",
            status="completed",
        ),
    )
    assert [record.run_id for record in found.going] == ["gone"]
    assert found.staying == {
        "named": 1,
        "without a readable date": 1,
        "not asked for": 3,
        "not older": 1,
    }


def test_nothing_goes_where_nothing_says_what() -> None:
    assert going([dated("a", 1)]) == []


@given(
    days=st.lists(st.integers(1, 28), max_size=12),
    newest=st.none() | st.integers(1, 5),
    before=st.none() | st.integers(1, 28),
)
def test_every_run_goes_or_stays_and_the_newest_always_stay(
    days: list[int], newest: int | None, before: int | None
) -> None:
    records = [dated(f"run-{place}", day) for place, day in enumerate(days)]
    limit = None if before is None else datetime(2026, 10, before, tzinfo=UTC)
    found = pruned(records, Pruning(before=limit, newest=newest))
    assert len(found.going) + sum(found.staying.values()) == len(records)
    assert len(records) - len(found.going) >= min(newest or 0, len(records))
    assert all(
        record.moment is not None and (limit is None or record.moment < limit) for record in found.going
    )
