from datetime import UTC, datetime
from itertools import permutations

import pytest

from gate.github.comment_choice import Found, Wish, choose, newest, standing
from gate.github.marker import Marker, digest, written

HEAD = "a" * 40
TEXT = "the result"
PLAIN = Wish()


def marker(**changes: object) -> Marker:
    said = {"gate": "default", "head": HEAD, "run": 10, "attempt": 1, "verdict": "pass", "body": digest(TEXT)}
    return Marker(**{**said, **changes})


def found(
    number: int = 1, *, login: str = "github-actions[bot]", text: str = TEXT, **changes: object
) -> Found:
    return Found(
        id=number,
        login=login,
        is_bot=login.endswith("[bot]"),
        body=written(marker(**changes)) + text,
        url=f"#{number}",
        created=datetime(2026, 3, 2, tzinfo=UTC),
        marker=marker(**changes),
    )


def deed(kept: Found | None, new: Marker, *, differs: bool = True, wish: Wish = PLAIN) -> str:
    return choose(kept, new, differs=differs, wish=wish).deed


def test_the_first_comment_is_created() -> None:
    assert deed(None, marker()) == "create"


@pytest.mark.parametrize(
    ("mode", "verdict", "differs", "expected"),
    [
        ("always", "pass", "same", "create"),
        ("on-change", "pass", "same", "skip"),
        ("on-change", "pass", "differs", "create"),
        ("on-change", "inconclusive", "same", "create"),
        ("on-failure", "pass", "differs", "skip"),
        ("on-failure", "fail", "same", "create"),
        ("on-failure", "inconclusive", "same", "create"),
    ],
)
def test_the_mode_decides_about_a_first_comment(mode: str, verdict: str, differs: str, expected: str) -> None:
    assert deed(None, marker(verdict=verdict), differs=differs == "differs", wish=Wish(mode=mode)) == expected


@pytest.mark.parametrize("mode", ["always", "on-change", "on-failure"])
def test_a_comment_that_is_there_is_corrected_in_every_mode(mode: str) -> None:
    assert (
        deed(found(verdict="fail"), marker(run=11, body="new"), differs=False, wish=Wish(mode=mode)) == "edit"
    )


def test_the_same_result_of_a_later_run_is_left_alone() -> None:
    assert deed(found(run=10), marker(run=11)) == "leave"


def test_a_comment_that_somebody_edited_by_hand_is_written_again() -> None:
    assert deed(found(text="I changed this"), marker(run=11)) == "edit"


def test_an_older_run_does_not_replace_a_newer_one_of_the_same_commit() -> None:
    assert deed(found(run=11, body="x"), marker(run=10)) == "skip"
    assert deed(found(run=10, attempt=2, body="x"), marker(run=10, attempt=1)) == "skip"


def test_run_numbers_of_another_commit_say_nothing_because_branches_are_pushed_back() -> None:
    assert deed(found(run=11, head="b" * 40, body="x"), marker(run=10)) == "edit"


def test_a_changed_verdict_is_announced_only_if_asked() -> None:
    new = marker(verdict="fail", body="new", run=11)
    assert deed(found(), new) == "edit"
    assert deed(found(), new, wish=Wish(notify_on="verdict-change")) == "announce"
    assert deed(found(), marker(body="new", run=11), wish=Wish(notify_on="verdict-change")) == "edit"


def test_of_two_jobs_under_one_gate_id_the_better_verdict_never_hides_the_worse() -> None:
    assert deed(found(verdict="fail", body="other"), marker(verdict="pass")) == "skip"
    assert deed(found(verdict="pass", body="other"), marker(verdict="fail")) == "edit"


def test_only_comments_of_this_gate_count() -> None:
    there = standing([found(1, gate="other"), found(2, gate="default-2")], "default", None)
    assert (there.kept, there.duplicates, there.untouchable) == (None, (), ())


def test_a_persons_comment_is_never_ours_whatever_it_begins_with() -> None:
    persons = found(1, login="mallory")
    assert standing([persons], "default", None).untouchable == (persons,)
    assert standing([persons], "default", "alice").untouchable == (persons,)
    assert standing([persons], "default", "alice").kept is None


def test_the_tokens_own_comment_is_ours_even_when_the_token_is_a_persons() -> None:
    alices = found(1, login="alice")
    assert standing([alices], "default", "alice").kept == alices


def test_the_comment_of_another_bot_is_taken_over_when_the_token_kind_changed() -> None:
    apps = found(1, login="my-app[bot]")
    assert standing([apps], "default", "alice").kept == apps
    assert standing([apps], "default", None).kept == apps


def test_in_whatever_order_they_come_the_oldest_is_kept_and_the_rest_are_duplicates() -> None:
    for order in permutations([found(3), found(1), found(2)]):
        there = standing(order, "default", None)
        assert there.kept is not None
        assert (there.kept.id, [one.id for one in there.duplicates]) == (1, [2, 3])


def test_a_comment_whose_place_was_taken_counts_no_more_even_before_it_says_so() -> None:
    there = standing([found(1), found(2, replaces=1)], "default", None)
    assert there.kept is not None
    assert (there.kept.id, [one.id for one in there.unmoved]) == (2, [1])
    pointed = standing([found(1, moved=2), found(2, replaces=1)], "default", None)
    assert pointed.kept is not None
    assert (pointed.kept.id, pointed.unmoved) == (2, ())


def test_the_newest_is_the_latest_run_then_the_worst_verdict_then_the_oldest_comment() -> None:
    assert newest([found(1, run=11), found(2, run=12), found(3, run=10, attempt=9)]).id == 2
    assert newest([found(1, attempt=2), found(2, attempt=1)]).id == 1
    assert newest([found(1), found(2, verdict="fail"), found(3, verdict="inconclusive")]).id == 2
    assert newest([found(2), found(1), found(3)]).id == 1
    assert newest([found(1, verdict="what"), found(2)]).id == 2
