from collections.abc import Callable
from datetime import timedelta

import pytest

from gate.github.client import Client
from gate.github.comment_choice import Standing, Wish
from gate.github.comments import Note, Posted, created, upsert
from gate.github.event import Run
from gate.github.failures import PermissionDeniedError
from gate.github.marker import Marker, Unjudged, found_in, written
from gate.github.unjudged import BELOW, Telling, tell
from gate.render.unjudged import Ending
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, START, Pull, World

HEAD, NEXT = "a" * 40, "c" * 40


def world(head: str = NEXT) -> World:
    made = World()
    made.pulls[7] = Pull(7, head)
    return made


def telling(
    *, run: int = 11, attempt: int = 1, head: str = NEXT, message: str = "bad rows", **changes: object
) -> Telling:
    said = {"how": "exit code 65", "remedy": "mend them", "cancelled": False}
    wanted = {name: changes.pop(name) for name in ("gate", "mode") if name in changes}
    ending = Ending(head=head, message=message, **{**said, **changes})
    return Telling(**{"gate": "default", **wanted}, ending=ending, run=Run(id=run, attempt=attempt))


def told(client: Client, what: Telling) -> Posted:
    repository = client.repository(REPOSITORY)
    pull = repository.get_pull(7)
    return tell(repository.get_issue(7), what, current_head=lambda: pull.head.sha, own_login=client.login)


def post(
    client: Client,
    text: str,
    *,
    head: str = HEAD,
    run: int = 10,
    verdict: str = "pass",
    wish: Wish | None = None,
) -> Posted:
    note = Note(
        marker=Marker(gate="default", head=head, run=run, attempt=1, verdict=verdict),
        renditions=(lambda: text,),
    )
    return upsert(
        client.repository(REPOSITORY).get_issue(7),
        note,
        current_head=lambda: head,
        own_login=client.login,
        wish=wish or Wish(),
    )


def test_the_alert_stands_before_what_was_there_and_the_marker_names_both_runs() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")

        assert told(client, telling()).action == "updated"

        (body,) = fake.world.bodies(7)
        assert body.endswith(f"\n\n{BELOW}\n\nall is well")
        marker = found_in(body)
        assert marker is not None
        assert marker.unjudged is not None
        assert (marker.head, marker.run, marker.unjudged.head, marker.unjudged.run) == (HEAD, 10, NEXT, 11)


def test_a_comment_that_came_back_with_carriage_returns_keeps_what_it_said() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        told(client, telling())
        (there,) = fake.world.comments.values()
        there.body = there.body.replace("\n", "\r\n")

        told(client, telling(run=12, message="other rows"))

        (body,) = fake.world.bodies(7)
        assert body.endswith(f"{BELOW}\n\nall is well")
        assert "bad rows" not in body


def test_the_longest_comment_has_room_for_the_longest_error() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "\u00e9" * 59_700)

        posted = told(client, telling(message="~" * 9_000, remedy="$" * 9_000))

        assert posted.action == "updated"
        assert fake.world.bodies(7)[0].count("\u00e9") == 59_700


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"head": HEAD}, "moved on"),
        ({"run": 9, "head": NEXT}, ""),
        ({"cancelled": True}, ""),
    ],
)
def test_an_older_verdict_about_another_commit_is_always_told(
    changes: dict[str, object], reason: str
) -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        posted = told(client, telling(**changes))  # type: ignore[arg-type]
        assert (posted.action == "skipped") == bool(reason)
        assert reason in posted.reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"run": 9, "attempt": 9}, "run 10 has judged this commit already"),
        ({"run": 10}, "run 10 has judged this commit already"),
        ({"run": 10, "attempt": 2}, ""),
        ({"run": 11}, ""),
        ({"run": 11, "cancelled": True}, "what run 10 said of this commit holds"),
    ],
)
def test_a_verdict_about_the_same_commit_gives_way_to_a_later_error_only(
    changes: dict[str, object], reason: str
) -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well", head=NEXT)
        before = fake.world.bodies(7)

        posted = told(client, telling(**changes))  # type: ignore[arg-type]

        assert posted.reason == reason
        assert (fake.world.bodies(7) == before) == bool(reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"run": 10}, "the comment says what came of run 11"),
        ({"run": 12, "cancelled": True}, "the comment says what came of run 11"),
        ({"run": 11}, ""),
        ({"run": 12}, ""),
    ],
)
def test_of_several_errors_about_a_commit_the_latest_is_told(changes: dict[str, object], reason: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        told(client, telling(run=11, message="the eleventh"))

        posted = told(client, telling(message="another", **changes))  # type: ignore[arg-type]

        assert posted.reason == reason
        assert ("the eleventh" in fake.world.bodies(7)[0]) == bool(reason)
        assert fake.world.bodies(7)[0].count("[!") == 1


def test_a_cancelled_run_posts_no_comment_of_its_own() -> None:
    with github(world()) as fake, talking(fake) as client:
        assert "no result" in told(client, telling(cancelled=True)).reason
        assert fake.world.bodies(7) == []


def test_the_same_error_of_a_later_run_writes_nothing_unless_somebody_changed_the_alert() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        told(client, telling())
        writes = len(fake.writes)

        assert told(client, telling(run=12)).action == "unchanged"
        assert len(fake.writes) == writes
        (there,) = fake.world.comments.values()
        there.body = there.body.replace("bad rows", "nothing at all")
        assert told(client, telling(run=12)).action == "updated"


def test_a_persons_comment_and_another_gates_are_never_touched() -> None:
    with github(world()) as fake, talking(fake) as client:
        forged = written(Marker(gate="default", head=HEAD)) + "approved!"
        fake.world.comment(7, forged, login="mallory", kind="User")
        post(client, "of another")
        other = [body for body in fake.world.bodies(7) if body != forged]

        posted = told(client, telling(gate="default-2"))

        assert posted.action == "created"
        assert fake.world.bodies(7)[:2] == [forged, *other]
        assert told(client, telling()).action == "updated"
        assert fake.world.bodies(7)[0] == forged


def test_a_forged_comment_is_named_where_the_error_is_the_first_word() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.comment(7, written(Marker(gate="default")) + "approved!", login="mallory", kind="User")
        assert "mallory" in told(client, telling()).warnings[0]


def test_another_bots_comment_that_may_not_be_edited_is_a_refusal() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.protects_foreign_comments = True
        fake.world.comment(7, written(Marker(gate="default", head=HEAD, run=1)) + "old", login="my-app[bot]")
        with pytest.raises(PermissionDeniedError):
            told(client, telling())


def race(meanwhile: Callable[[Client], object], when: str, there: World | None = None) -> list[str]:
    """What stands there in the end when something happens just before a request of the telling."""
    with github(there or world()) as fake, talking(fake) as client, talking(fake) as other:

        def in_between() -> None:
            fake.lock.release()
            try:
                meanwhile(other)
            finally:
                fake.lock.acquire()

        fake.world.before(when, in_between)
        told(client, telling())
        return fake.world.bodies(7)


def test_a_verdict_that_is_posted_at_the_same_time_is_what_stays() -> None:
    (body,) = race(lambda other: post(other, "judged after all", head=NEXT, run=12), "POST")
    assert body.endswith("judged after all")


def test_of_two_errors_that_are_posted_at_the_same_time_the_later_stays() -> None:
    (body,) = race(lambda other: told(other, telling(run=12, message="the twelfth")), "POST")
    assert "the twelfth" in body
    (body,) = race(lambda other: told(other, telling(run=10, message="the tenth")), "POST")
    assert "bad rows" in body


def test_a_verdict_that_is_edited_in_at_the_last_moment_is_not_written_over() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
    (body,) = race(
        lambda other: post(other, "judged after all", head=NEXT, run=12),
        "GET /repos/octo/search/pulls",
        fake.world,
    )
    assert body.endswith("judged after all")
    assert "bad rows" not in body


def test_whoever_posted_first_is_named() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.comment(
            7, written(Marker(gate="default", unjudged=Unjudged(head=NEXT, run=12))) + "the twelfth"
        )
        [made] = fake.world.comments.values()
        made.created = made.updated = START - timedelta(minutes=1)
        posted = created(
            client.repository(REPOSITORY).get_issue(7),
            Note(
                marker=Marker(gate="default", unjudged=Unjudged(head=NEXT, run=11)),
                renditions=(lambda: "the eleventh",),
            ),
            Standing(),
            own_login=client.login,
        )
        assert posted.reason == "run 12 posted at the same time"


def test_a_comment_that_somebody_deletes_meanwhile_is_not_posted_again() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        fake.world.before("PATCH", fake.world.comments.clear)

        assert "deleted" in told(client, telling()).reason

        assert fake.world.bodies(7) == []


@pytest.mark.parametrize("notify_on", ["silent", "verdict-change"])
def test_the_verdict_that_comes_after_an_error_stands_alone(notify_on: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        told(client, telling())

        post(client, "broken", head=NEXT, run=12, verdict="fail", wish=Wish(notify_on=notify_on))  # type: ignore[arg-type]

        assert fake.world.bodies(7)[-1].split("\n", 1)[1] == "broken"
        assert "bad rows" not in "".join(fake.world.bodies(7))


def test_the_same_verdict_again_takes_an_error_away() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, "all is well")
        (before,) = fake.world.bodies(7)
        told(client, telling())

        assert post(client, "all is well").action == "updated"

        assert fake.world.bodies(7) == [before]
