import threading
from collections.abc import Callable

import pytest

from gate.github.client import Client
from gate.github.comment_choice import Wish
from gate.github.comments import Note, Posted, upsert
from gate.github.failures import ForgeError, LockedError, MalformedError, PermissionDeniedError, TooLongError
from gate.github.marker import Marker, found_in, written
from tests.github.factories import talking
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import ALICE_TOKEN, FORK_TOKEN, REPOSITORY, Fault, Pull, World

PLAIN = Wish()
HEAD, NEXT = "a" * 40, "c" * 40
COMMENTS = f"/repos/{REPOSITORY}/issues/7/comments"


def world() -> World:
    made = World()
    made.pulls[7] = Pull(7, HEAD)
    return made


def note(text: str = "all is well", *, differs: bool = True, **changes: object) -> Note:
    said = {"gate": "default", "head": HEAD, "run": 10, "attempt": 1, "verdict": "pass", **changes}
    return Note(marker=Marker(**said), renditions=(lambda: text,), differs=differs)


def post(client: Client, what: Note, wish: Wish = PLAIN) -> Posted:
    repository = client.repository(REPOSITORY)
    pull = repository.get_pull(7)
    return upsert(
        repository.get_issue(7), what, current_head=lambda: pull.head.sha, own_login=client.login, wish=wish
    )


def gates(fake: FakeGitHub) -> list[str]:
    """The gates that speak below the pull request, in the order of their comments."""
    return [
        marker.gate for body in fake.world.bodies(7) if (marker := found_in(body)) and marker.moved is None
    ]


def test_the_first_note_becomes_a_comment_with_its_marker_in_front() -> None:
    with github(world()) as fake, talking(fake) as client:
        posted = post(client, note())
        [body] = fake.world.bodies(7)
        assert posted.action == "created"
        assert posted.url.endswith(f"#issuecomment-{fake.world.next_id}")
        assert body.splitlines()[1:] == ["all is well"]
        marker = found_in(body)
        assert marker is not None
        assert (marker.gate, marker.head, marker.run, marker.verdict) == ("default", HEAD, 10, "pass")


def test_the_next_run_edits_the_same_comment() -> None:
    with github(world()) as fake, talking(fake) as client:
        first = post(client, note())
        second = post(client, note("something broke", run=11, verdict="fail"))
        assert (second.action, second.url) == ("updated", first.url)
        assert [body.splitlines()[1] for body in fake.world.bodies(7)] == ["something broke"]


def test_the_same_result_is_not_written_again() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("receipt `0123456789ab` (2 h old)"))
        writes = len(fake.writes)
        assert post(client, note("receipt `ffffffffffff` (3 h old)", run=11, attempt=3)).action == "unchanged"
        assert len(fake.writes) == writes


def test_a_busy_pull_request_costs_few_reads_and_its_comment_is_found_on_the_last_page() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.chatter(7, 249)
        post(client, note())
        assert len(fake.reads) == 5  # three pages, the head, one look back
        fake.seen.clear()
        fake.world.chatter(7, 40)
        assert post(client, note("new", run=11)).action == "updated"
        assert len(fake.reads) == 5  # three pages, the comment again, the head
        assert gates(fake) == ["default"]


def test_the_comment_on_the_first_page_is_found_on_a_conversation_of_many() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note())
        fake.world.chatter(7, 250)
        assert post(client, note("new", run=11)).action == "updated"


def test_two_gates_and_the_legs_of_a_matrix_never_touch_each_other() -> None:
    with github(world()) as fake, talking(fake) as client:
        for gate in ("default", "default (3.11)", "default (3.12)", "default-2", "DEFAULT"):
            post(client, note(f"of {gate}", gate=gate))
        for gate in ("default (3.12)", "default"):
            assert post(client, note(f"again {gate}", gate=gate, run=11)).action == "updated"
        assert gates(fake) == ["default", "default (3.11)", "default (3.12)", "default-2", "DEFAULT"]
        assert [body.splitlines()[1] for body in fake.world.bodies(7)] == [
            "again default", "of default (3.11)", "again default (3.12)", "of default-2", "of DEFAULT",
        ]  # fmt: skip


def test_two_jobs_under_one_gate_id_are_told_and_the_worse_verdict_stays() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("leg one", verdict="fail"))
        second = post(client, note("leg two", verdict="pass"))
        assert second.action == "skipped"
        assert "gate` id of its own" in second.warnings[0]
        assert fake.world.bodies(7)[0].endswith("leg one")


def test_a_persons_comment_is_never_edited_even_if_it_quotes_the_marker() -> None:
    with github(world()) as fake, talking(fake) as client:
        forged = written(Marker(gate="default", head=HEAD)) + "approved!"
        fake.world.comment(7, forged, login="mallory", kind="User")
        posted = post(client, note())
        assert posted.action == "created"
        assert "mallory" in posted.warnings[0]
        assert fake.world.bodies(7)[0] == forged


def test_the_comment_of_an_account_that_is_gone_is_left_alone() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.comment(7, written(Marker(gate="default")) + "old", login="", kind="")
        assert post(client, note()).action == "created"


def test_the_comment_is_kept_when_the_token_changes_from_the_actions_to_a_persons() -> None:
    with github(world()) as fake:
        with talking(fake) as client:
            first = post(client, note())
        with talking(fake, token=ALICE_TOKEN) as client:
            assert post(client, note("new", run=11)).url == first.url
        assert len(fake.world.bodies(7)) == 1


def test_when_another_bots_comment_may_not_be_edited_there_is_a_new_one_and_it_is_said() -> None:
    with github(world()) as fake:
        fake.world.protects_foreign_comments = True
        fake.world.comment(7, written(Marker(gate="default", head=HEAD, run=1)) + "old", login="my-app[bot]")
        with talking(fake) as client:
            posted = post(client, note())
            assert posted.action == "created"
            assert "my-app[bot]" in posted.warnings[0]
            again = post(client, note("new", run=11))
            assert (again.action, again.url, again.warnings) == ("updated", posted.url, ())
        assert len(fake.world.bodies(7)) == 2


def test_a_person_whose_own_comment_may_not_be_edited_learns_which_permission_is_missing() -> None:
    with github(world()) as fake:
        with talking(fake, token=ALICE_TOKEN) as client:
            post(client, note())
        fake.world.tokens[ALICE_TOKEN].permissions["pull-requests"] = "read"
        with talking(fake, token=ALICE_TOKEN) as client, pytest.raises(PermissionDeniedError):
            post(client, note("new", run=11))


def test_a_result_for_a_commit_that_is_no_longer_the_head_is_not_posted() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("newer", head=HEAD, run=11))
        posted = post(client, note("older", head=NEXT, run=10, verdict="fail"))
        assert posted.action == "skipped"
        assert "moved on to aaaaaaa" in posted.reason
        assert fake.world.bodies(7)[0].endswith("newer")


def test_a_push_while_we_read_the_comments_is_noticed() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.before("GET " + COMMENTS, lambda: setattr(fake.world.pulls[7], "head_sha", NEXT))
        assert post(client, note()).action == "skipped"
        assert fake.world.bodies(7) == []


def test_an_older_run_of_the_same_commit_does_not_replace_a_newer_one() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("newer", run=11))
        assert "run 11" in post(client, note("older", run=10)).reason
        assert post(client, note("re-run", run=11, attempt=2)).action == "updated"


def test_a_newer_run_that_wrote_while_we_were_reading_is_not_overwritten() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("first", run=9))
        number = fake.world.next_id
        newer = written(Marker(gate="default", head=HEAD, run=11)) + "newer"
        fake.world.before(
            f"GET /repos/{REPOSITORY}/issues/comments",
            lambda: setattr(fake.world.comments[number], "body", newer),
        )
        assert post(client, note("older", run=10)).action == "skipped"
        assert fake.world.bodies(7) == [newer]


def test_a_branch_that_is_pushed_back_is_judged_by_its_head_and_not_by_run_numbers() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note("of a", run=1))
        fake.world.pulls[7].head_sha = NEXT
        post(client, note("of c", head=NEXT, run=2))
        fake.world.pulls[7].head_sha = HEAD
        assert post(client, note("of a again", run=1, attempt=2)).action == "updated"


def test_a_comment_deleted_between_reading_and_writing_is_made_anew() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note())
        fake.world.before("PATCH", fake.world.comments.clear)
        assert post(client, note("new", run=11)).action == "created"
        assert len(fake.world.bodies(7)) == 1


def test_a_comment_deleted_before_the_second_look_is_made_anew() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note())
        fake.world.before(f"GET /repos/{REPOSITORY}/issues/comments", fake.world.comments.clear)
        assert post(client, note("new", run=11)).action == "created"


def rival(fake: FakeGitHub, *, run: int, text: str, verdict: str = "pass") -> Callable[[], object]:
    """Another run's comment, arriving behind our back."""
    marker = Marker(gate="default", head=HEAD, run=run, attempt=1, verdict=verdict, body=text)
    return lambda: fake.world.comment(7, written(marker) + text)


def test_of_two_first_comments_the_older_stays_and_says_what_the_later_run_says() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.before("POST", rival(fake, run=9, text="the earlier run"))
        posted = post(client, note("the later run", run=10))
        [body] = fake.world.bodies(7)
        assert body.endswith("the later run")
        assert posted.action == "created"
        assert posted.url.endswith("-5001")  # the rival's place, not ours


def test_of_two_first_comments_ours_gives_way_to_a_later_run() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.before("POST", rival(fake, run=11, text="the later run"))
        posted = post(client, note("the earlier run", run=10))
        [body] = fake.world.bodies(7)
        assert body.endswith("the later run")
        assert (posted.action, posted.reason) == ("skipped", "run 11 posted at the same time")


def test_two_jobs_with_one_gate_id_that_post_at_once_leave_the_worse_verdict_and_a_warning() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.before("POST", rival(fake, run=10, text="leg two", verdict="fail"))
        posted = post(client, note("leg one", run=10))
        [body] = fake.world.bodies(7)
        assert body.endswith("leg two")
        assert "gate` id of its own" in posted.warnings[0]


def test_when_the_older_of_two_comments_is_deleted_meanwhile_ours_stays() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.before("POST", rival(fake, run=9, text="the earlier run"))
        fake.world.before("PATCH", lambda: fake.world.comments.pop(5001))
        assert post(client, note("the later run", run=10)).action == "created"
        assert [body.splitlines()[1] for body in fake.world.bodies(7)] == ["the later run"]


def test_a_comment_that_comes_back_without_its_marker_is_an_unexpected_answer() -> None:
    stripped = '{"id": 9, "body": "x", "user": null, "html_url": "u", "created_at": "2026-03-02T08:00:00Z"}'
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("POST", Fault(201, stripped))
        with pytest.raises(MalformedError, match="without its marker"):
            post(client, note())


def test_a_comment_whose_answer_was_lost_is_not_doubled() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("POST", Fault(line_breaks=True, after_applying=True))
        assert post(client, note()).action == "created"
        assert len(fake.world.bodies(7)) == 1
        assert len([write for write in fake.writes if write.startswith("POST")]) == 2


def test_many_jobs_at_once_end_with_one_comment_of_the_latest_run() -> None:
    ready = threading.Barrier(4)
    done: list[Posted] = []

    def job(fake: FakeGitHub, run: int) -> None:
        with talking(fake) as client:
            ready.wait()
            done.append(post(client, note(f"run {run}", run=run)))

    with github(world()) as fake:
        jobs = [threading.Thread(target=job, args=(fake, run)) for run in (10, 11, 12, 13)]
        for one in jobs:
            one.start()
        for one in jobs:
            one.join()
        with talking(fake) as client:  # the next run finds one comment, whatever happened before
            assert post(client, note("the next run", run=14)).action == "updated"
        assert len(done) == 4
        assert [body.splitlines()[1] for body in fake.world.bodies(7)] == ["the next run"]


def test_duplicates_an_interrupted_run_left_are_removed_and_other_bots_are_left() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note())
        rival(fake, run=9, text="left over")()
        fake.world.comment(7, written(Marker(gate="default")) + "of another bot", login="my-app[bot]")
        assert post(client, note("new", run=11)).action == "updated"
        assert [body.splitlines()[1] for body in fake.world.bodies(7)] == ["new", "of another bot"]


def test_a_changed_verdict_makes_a_new_comment_that_the_old_one_points_to() -> None:
    wish = Wish(notify_on="verdict-change")
    with github(world()) as fake, talking(fake) as client:
        first = post(client, note(), wish)
        second = post(client, note("broken", run=11, verdict="fail"), wish)
        assert second.action == "created"
        assert second.url != first.url
        old, new = fake.world.bodies(7)
        assert f"was **pass**. It has changed: [see the new comment]({second.url})" in old
        assert new.endswith("broken")
        third = post(client, note("still broken", run=12, verdict="fail"), wish)
        assert (third.action, third.url) == ("updated", second.url)
        assert fake.world.bodies(7)[0] == old


def test_a_pointer_that_could_not_be_written_is_written_by_the_next_run() -> None:
    wish = Wish(notify_on="verdict-change")
    with github(world()) as fake, talking(fake) as client:
        post(client, note(), wish)
        fake.world.fails("PATCH", Fault(404, '{"message": "Not Found"}'))
        second = post(client, note("broken", run=11, verdict="fail"), wish)
        assert "could not be edited to point" in second.warnings[0]
        assert post(client, note("broken", run=12, verdict="fail"), wish).action == "unchanged"
        assert "It has changed" in fake.world.bodies(7)[0]


def test_the_verdict_changes_silently_unless_a_new_comment_was_asked_for() -> None:
    with github(world()) as fake, talking(fake) as client:
        post(client, note())
        assert post(client, note("broken", run=11, verdict="fail")).action == "updated"
        assert len(fake.world.bodies(7)) == 1


def test_no_comment_is_wanted_and_nothing_is_asked() -> None:
    with github(world()) as fake, talking(fake) as client:
        assert post(client, note(), Wish(mode="off")).reason == "comments are off (`comment: off`)"
        assert fake.seen == []


def test_a_passing_result_is_kept_quiet_on_failure_but_a_red_comment_is_made_green() -> None:
    wish = Wish(mode="on-failure")
    with github(world()) as fake, talking(fake) as client:
        assert "nothing failed" in post(client, note(), wish).reason
        post(client, note("broken", run=11, verdict="fail"), wish)
        assert post(client, note("well again", run=12), wish).action == "updated"


def test_nothing_changed_is_kept_quiet_on_change() -> None:
    with github(world()) as fake, talking(fake) as client:
        assert "nothing changed" in post(client, note(differs=False), Wish(mode="on-change")).reason


def test_a_text_that_is_too_long_by_our_count_is_replaced_by_the_next_shorter_one() -> None:
    long = "字" * 59_950
    with github(world()) as fake, talking(fake) as client:
        posted = post(client, Note(marker=note().marker, renditions=(lambda: long, lambda: "short")))
        assert posted.rung == 1
        assert fake.world.bodies(7)[0].endswith("\nshort")


@pytest.mark.parametrize("glyph", ["a", "é", "字", "🧪"])
def test_every_rendition_that_fits_our_count_fits_githubs(glyph: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        assert post(client, note(glyph * 59_000)).action == "created"
        assert len(fake.world.bodies(7)[0]) < 60_000


def test_a_text_that_github_finds_too_long_goes_down_one_more_rung() -> None:
    said = '{"message": "Validation Failed", "errors": [{"message": "body is too long (maximum is 1 character)"}]}'
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("POST", Fault(422, said))
        what = Note(marker=note().marker, renditions=(lambda: "full", lambda: "short"))
        posted = post(client, what)
        assert (posted.action, posted.rung) == ("created", 1)
        fake.world.fails("POST", Fault(422, said), times=2)
        with pytest.raises(TooLongError):
            post(client, Note(marker=Marker(gate="other", head=HEAD), renditions=what.renditions))


def test_a_fork_cannot_comment_and_learns_why() -> None:
    with (
        github(world()) as fake,
        talking(fake, token=FORK_TOKEN) as client,
        pytest.raises(PermissionDeniedError),
    ):
        post(client, note())


def test_a_locked_conversation_is_said() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.pulls[7].locked = True
        with pytest.raises(LockedError):
            post(client, note())


def test_an_answer_of_another_shape_is_one_word_and_no_traceback() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(200, '[{"id": "seven", "body": 7}]'))
        with pytest.raises(ForgeError, match="unexpected way"):
            post(client, note())
