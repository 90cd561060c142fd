from gate.github.first_parents import ApiHistory
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, Commit, World

A, B, C, SIDE = "a" * 40, "b" * 40, "c" * 40, "d" * 40


def world() -> World:
    there = World()
    there.commits = {C: Commit(C, (B, SIDE)), B: Commit(B, (A,)), A: Commit(A), SIDE: Commit(SIDE, (A,))}
    return there


def test_distance_follows_first_parents_only() -> None:
    with github(world()) as fake, talking(fake) as client:
        history = ApiHistory(client.repository(REPOSITORY), C)

        assert history.head() == C
        assert (history.distance(B, C), history.distance(A, C), history.distance(A, B)) == (1, 2, 1)
        assert history.distance(SIDE, C) is None
        assert history.distance(C, B) is None


def test_short_shas_are_found_and_too_short_ones_are_not() -> None:
    with github(world()) as fake, talking(fake) as client:
        history = ApiHistory(client.repository(REPOSITORY), C)

        assert history.distance(A[:8], C) == 2
        assert history.distance(A[:6], C) is None


def test_the_line_is_read_once() -> None:
    with github(world()) as fake, talking(fake) as client:
        history = ApiHistory(client.repository(REPOSITORY), C)
        history.distance(A, C)
        history.distance(B, C)

        assert len([read for read in fake.reads if "/commits" in read]) == 1
