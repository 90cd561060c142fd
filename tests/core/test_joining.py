import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gate.core.joining import RULE, Joined, PartError, join
from gate.core.records.objections import MAX_OBJECTIONS, Objection
from gate.core.shards import Shard
from tests.core.part_files import ENDED, NAMES, WHOLE, line, part, part_bytes, read


def names(joined: Joined) -> list[str]:
    return [json.loads(row)["question_id"] for row in joined.rows]


def messages(joined: Joined) -> list[str]:
    assert {(each.rule, each.reason) for each in joined.objections} <= {(RULE, "cancelled")}
    return [each.message for each in joined.objections]


def held(number: int, of: int = 3) -> int:
    return sum(Shard(number, of).holds(name) for name in NAMES)


@given(of=st.integers(1, 7), order=st.randoms(use_true_random=False))
def test_parts_in_any_order_are_the_whole_in_its_own_order(of: int, order: Any) -> None:
    files = [part(number, of) for number in range(1, of + 1)]
    order.shuffle(files)
    joined = join(files, WHOLE)
    assert names(joined) == list(NAMES)
    assert (joined.complete, joined.missing, joined.said, joined.remarks) == (True, (), (), ())
    assert (joined.shortfalls, joined.objections) == ({}, ())


def test_a_shard_that_is_not_there_leaves_its_questions_unasked_and_is_named() -> None:
    joined = join([part(1), part(3)], WHOLE)
    assert joined.missing == ("shard 2/3 is missing",)
    assert joined.shortfalls == {"cancelled": 0}
    assert messages(joined) == ["shard 2/3 is missing"]
    assert joined.remarks == (f"{held(2)} of 30 questions left out: shard 2/3 is missing",)
    assert not joined.complete


def test_a_shard_that_is_missing_and_would_have_held_nothing_is_missing_all_the_same() -> None:
    alone = next(name for name in NAMES if Shard(1, 2).holds(name))
    joined = join([part(1, 2, names=(alone,))], WHOLE)
    assert (messages(joined), joined.shortfalls) == (["shard 2/2 is missing"], {"cancelled": 0})


def test_a_shard_that_has_not_asked_everything_and_says_not_why_is_not_finished() -> None:
    joined = join([part(1), part(2, without=2), part(3, without=1)], WHOLE)
    assert joined.missing == (
        "shard 2/3 is not finished: 2 questions were not asked",
        "shard 3/3 is not finished: 1 question was not asked",
    )
    assert messages(joined) == ["; ".join(joined.missing)]


def test_a_shard_that_says_why_it_stopped_is_taken_at_its_word() -> None:
    late = {"kind": "run_info", "shortfalls": {"deadline": 2, "vector_degraded": 1}, "notes": []}
    joined = join([part(1), part(2, without=2, tail=(late,)), part(3)], WHOLE)
    assert joined.shortfalls == {"deadline": 2, "vector_degraded": 1}
    assert (joined.missing, joined.objections) == ((), ())


def test_a_shard_that_was_cancelled_is_named() -> None:
    stopped = {"kind": "run_info", "shortfalls": {"cancelled": 2}, "notes": []}
    joined = join([part(1), part(2, without=2, tail=(stopped,)), part(3)], WHOLE)
    assert joined.missing == ("shard 2/3 is not finished: 2 questions were not asked",)
    assert joined.shortfalls == {"cancelled": 0}


def test_a_shard_that_breaks_off_behind_its_last_row_may_have_had_something_to_say() -> None:
    joined = join([part(1), part(2, tail=()), part(3)], WHOLE)
    assert messages(joined) == ["shard 2/3 was cut off, and does not say how it ended"]
    assert (joined.complete, joined.shortfalls) == (True, {"cancelled": 0})


def test_many_missing_shards_are_counted_behind_the_first() -> None:
    (message,) = messages(join([part(1, 1000)], WHOLE))
    assert message.startswith("shard 2/1000 is missing; shard 3/1000 is missing; ")
    assert message.endswith("; and 991 more")


def test_a_question_that_is_there_twice_is_held_against_the_run() -> None:
    own = part(1).part.own_questions()
    twice = read(part_bytes(1) + line({"question_id": own[0]}) + line({"question_id": own[1]}) + line(ENDED))
    joined = join([twice, part(2), part(3)], WHOLE)
    assert messages(joined) == [f"shard 1/3 has 2 questions more than once: {own[0]}, {own[1]}"]
    assert names(joined) == list(NAMES)


def test_a_line_that_cannot_be_read_is_held_against_the_run() -> None:
    joined = join([read(part_bytes(1) + b"torn"), part(2), part(3)], WHOLE)
    assert messages(joined) == ["shard 1/3 has 1 unreadable line"]


def test_more_objections_than_a_file_may_hold_are_counted_in_the_last() -> None:
    tails = [
        {"kind": "run_info", "objections": [Objection(f"rule {n}", "regression", "worse").line()]}
        for n in range(MAX_OBJECTIONS + 5)
    ]
    assert len(join([part(1, 1, tail=tails)], WHOLE).objections) == MAX_OBJECTIONS


def test_what_shards_say_alike_is_said_once_and_what_they_count_is_added_up() -> None:
    tail = {
        "kind": "run_info",
        "shortfalls": {"suite_failed": 4},
        "notes": ["it broke"],
        "oddities": {"too_long": 2},
        "objections": [Objection("keys", "not_measured", "no key").line()],
    }
    joined = join([part(number, 2, tail=(tail,)) for number in (1, 2)], WHOLE)
    assert (joined.notes, joined.oddities) == (("it broke",), {"too_long": 4})
    assert joined.shortfalls == {"suite_failed": 8}
    assert [each.message for each in joined.objections] == ["no key"]


def test_of_a_shard_that_was_measured_again_the_most_complete_counts_then_the_newest() -> None:
    first = part(1, 1, name="shard-1-attempt-2", without=1)
    second = part(1, 1, name="shard-1-attempt-10")
    third = part(1, 1, name="shard-1-attempt-9", hit=0)
    joined = join([second, first, third], WHOLE)
    assert joined.said == (
        "shard-1-attempt-2: shard 1/1 again, shard-1-attempt-9 counts; 29 of 29 rows differ",
        "shard-1-attempt-9: shard 1/1 again, shard-1-attempt-10 counts; 30 of 30 rows differ",
    )
    assert all(json.loads(row)["hit"] == 1 for row in joined.rows)


def test_a_shard_that_could_not_begin_knows_less_and_the_others_know_the_questions() -> None:
    silent = read(part_bytes(2, names=()))
    joined = join([silent, part(1, fingerprints={"system": "scripted", "k": "5"}), part(3)], WHOLE)
    assert joined.first["fingerprints"] == {"system": "scripted", "k": "5"}
    assert joined.missing == (f"shard 2/3 is not finished: {held(2)} questions were not asked",)
    assert join([silent, part(1, names=()), part(3, names=())], WHOLE).questions == ()


def test_what_a_job_without_a_question_supposes_of_its_system_does_not_count() -> None:
    supposed = {"system": "scripted", "k": "5", "retrieval_config_hash": "unknown yet"}
    one = tuple(name for name in NAMES if Shard(1, 2).holds(name))
    files = [
        part(2, 2, names=one, fingerprints=supposed),
        part(1, 2, names=one, fingerprints={"retrieval_config_hash": "known"}),
    ]
    joined = join(files, WHOLE)
    assert joined.first["fingerprints"] == {"retrieval_config_hash": "known"}
    assert (names(joined), joined.missing) == (list(one), ())


def test_a_suite_that_was_not_split_is_what_the_first_shard_has() -> None:
    whole = replace(WHOLE, whole=True)
    only = part(1, 4, whole=True, names=(), tail=({"question_id": "turn-1"},))
    joined = join([only], whole)
    assert (joined.only, joined.missing, joined.objections) == (only, (), ())


def test_a_suite_that_was_not_split_and_whose_shard_left_nothing_is_missing() -> None:
    joined = join([part(2, 4, whole=True, names=())], replace(WHOLE, whole=True))
    assert (joined.only, joined.missing) == (None, ("shard 1/4 is missing",))


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"commit": None}, "another commit: None, this job has " + "c" * 40),
        ({"mode": "fast"}, "another mode: fast, this job has balanced"),
        ({"inputs_sha256": "b" * 64}, "another choice of inputs, seed, selection or system: bbbbbbbbbbbb, "),
        ({"whole": True}, "another way of splitting: True, this job has False"),
    ],
)
def test_what_was_measured_with_something_else_is_refused(overrides: dict[str, Any], said: str) -> None:
    with pytest.raises(PartError, match=f"^shard-2 was measured with {said}"):
        join([part(1), part(2, **overrides)], WHOLE)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (part(2, 4), r"\(shards: 3 and 4\)"),
        (part(2, names=NAMES[:-1]), "they were to ask 30 and 29 questions, not the same ones"),
        (part(2, fingerprints={"system": "other"}), r"\(system: scripted and other\)"),
    ],
)
def test_shards_of_different_runs_are_refused(other: Any, said: str) -> None:
    with pytest.raises(PartError, match=f"^shard-1 and shard-2 are not of one run.*{said}"):
        join([part(1), other], WHOLE)


def test_a_row_in_a_shard_that_does_not_hold_it_is_refused() -> None:
    stranger = next(name for name in NAMES if not Shard(1, 3).holds(name))
    wrong = read(part_bytes(1) + line({"question_id": stranger}), "wrong")
    with pytest.raises(PartError, match=f"^wrong: has a row of '{stranger}', which shard 1/3 does not hold"):
        join([wrong], WHOLE)
