import json

import pytest
from msgspec.structs import replace

from gate.core.longmemeval.merge import MergeError, Part, merge
from gate.core.longmemeval.row_file import finished_lines, kept_of
from gate.core.longmemeval.run import Run, first_line
from gate.core.shards import Shard
from tests.core.longmemeval.factories import run

NAMES = tuple(f"q{number}" for number in range(30))


def part(
    number: int, of: int = 3, *, whole: Run | None = None, without: int = 0, name: str = "", **members: object
) -> Part:
    stated = replace(whole or run(*NAMES), shard=Shard(number, of))
    own = stated.own_questions()
    rows = [
        json.dumps({"question_id": each, **members}).encode() + b"\n" for each in own[: len(own) - without]
    ]
    return Part(name or f"{number}", stated, kept_of(first_line(stated) + b"".join(rows)))


def test_shards_in_any_order_are_the_whole_run() -> None:
    merged = merge([part(3), part(1), part(2)])
    assert sorted(merged.rows) == sorted(NAMES)
    assert (merged.missing, merged.notes) == ((), ())
    assert merged.run == run(*NAMES)


def test_a_run_that_was_never_sharded_is_whole() -> None:
    assert merge([part(1, 1)]).missing == ()


def test_a_shard_that_is_missing_or_not_finished_is_named() -> None:
    merged = merge([part(1), part(3, without=2)])
    assert merged.missing == (
        "shard 2/3 is missing",
        "shard 3/3 is not finished: 2 questions were not asked",
    )
    assert merge([part(1, 1, without=1)]).missing == ("shard 1/1 is not finished: 1 question was not asked",)


def test_of_a_shard_that_was_started_again_the_most_complete_counts() -> None:
    merged = merge([part(2, name="second"), part(1), part(2, without=1, name="first"), part(3)])
    assert (merged.missing, merged.notes) == ((), ("first: shard 2/3 again, second counts",))
    again = merge([part(1), part(2, name="old"), part(2, name="new"), part(3)])
    assert again.notes == ("old: shard 2/3 again, new counts",)


def test_of_two_finished_attempts_the_newest_by_number_counts_and_what_differs_is_counted() -> None:
    tenth = part(2, name="shard-2-attempt-10", recall_all_hit=True, latency_ms=1.5)
    second = part(2, name="shard-2-attempt-2", recall_all_hit=False, latency_ms=1.5)
    merged = merge([part(1), tenth, second, part(3)])
    count = len(second.kept.rows)
    assert merged.notes == (
        f"shard-2-attempt-2: shard 2/3 again, shard-2-attempt-10 counts; {count} of {count} rows differ",
    )
    assert all(merged.rows[name] == row for name, row in tenth.kept.rows.items())


def test_another_latency_is_no_difference() -> None:
    merged = merge([part(1, 1, name="a-1", latency_ms=1), part(1, 1, name="a-2", latency_ms=2)])
    assert merged.notes == ("a-1: shard 1/1 again, a-2 counts",)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (part(2, whole=run(*NAMES, dataset_sha256="e" * 64)), "dataset_sha256"),
        (part(2, whole=run(*NAMES, k=8)), "k: 5 and 8"),
        (part(2, whole=run(*NAMES[:-1])), "questions: 30 and 29"),
        (part(2, 4), "shards: 3 and 4"),
    ],
)
def test_shards_of_different_runs_are_refused_field_by_field(other: Part, said: str) -> None:
    with pytest.raises(MergeError, match=f"1 and 2 are not of one run .*{said}"):
        merge([part(1), other])


def test_a_row_in_the_wrong_shard_is_refused() -> None:
    one, two = part(1), part(2)
    wrong = Part("wrong", one.run, two.kept)
    with pytest.raises(MergeError, match="wrong: has a row of"):
        merge([wrong])


def test_a_shard_that_calls_itself_failed_fails_the_whole_although_its_rows_look_well() -> None:
    stated = replace(run(*NAMES), shard=Shard(2, 3))
    rows = {each: json.dumps({"question_id": each}).encode() + b"\n" for each in stated.own_questions()}
    failed = Part("2", stated, kept_of(b"".join(finished_lines(stated, rows, distrusted=True)[1])))
    assert merge([part(1), failed, part(3)]).distrusted
    assert not merge([part(1), part(2), part(3)]).distrusted
