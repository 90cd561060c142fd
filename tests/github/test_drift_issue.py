import json
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.core.drift import Finding, digest
from gate.github.client import Client
from gate.github.drift_issue import Tracked, track
from gate.github.drift_marker import DriftMarker, Parts, body_of, parts_of
from gate.github.drift_note import DriftNote
from gate.github.failures import ForgeError, LockedError, MalformedError, PermissionDeniedError, RefusedError
from tests.github.factories import talking
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import ALICE_TOKEN, FORK_TOKEN, REPOSITORY, Fault, Issue, Pull

ISSUES = f"/repos/{REPOSITORY}/issues"
HIT, REPLAY = digest(["main: hit"]), digest(["replay: jaccard"])
REMARKS = {"announce": "something else drifts\n", "reopen": "drift again\n", "close": "no drift any more\n"}


def note(run: int = 10, found: Finding = "drift", text: str = "drift\n", **changes: object) -> DriftNote:
    said = {
        "gate": "default",
        "age": (run, 1),
        "found": found,
        "drifted": HIT if found == "drift" else "",
        "title": "Drift: default",
        "renditions": (lambda: text,),
        "attempt": f"> run {run} could not measure",
        "remarks": {deed: f"run {run}: {words}" for deed, words in REMARKS.items()},
    }
    return DriftNote(**{**said, **changes})


def tell(fake: FakeGitHub, what: DriftNote, **client: str) -> Tracked:
    with talking(fake, **client) as connection:
        return told(connection, what)


def told(client: Client, what: DriftNote) -> Tracked:
    return track(client.repository(REPOSITORY), what, own_login=client.login)


def parts(issue: Issue) -> Parts:
    found = parts_of(issue.body)
    assert found is not None
    return found


def only(fake: FakeGitHub) -> Issue:
    (issue,) = fake.world.issues.values()
    return issue


def standing(fake: FakeGitHub, run: int = 5, *, drifted: str = HIT, tried: int = 0, **facts: str) -> Issue:
    marker = DriftMarker(gate="default", run=run, attempt=1, drifted=drifted, tried_run=tried)
    return fake.world.issue(body_of(Parts(marker=marker, text="earlier\n")), **facts)


def test_drift_opens_one_issue_with_its_marker_in_front() -> None:
    with github() as fake:
        done = tell(fake, note())
        issue = only(fake)
        assert (done.action, done.url) == ("opened", f"https://github.example/{REPOSITORY}/issues/1")
        assert (issue.title, issue.state) == ("Drift: default", "open")
        assert parts(issue) == Parts(
            marker=DriftMarker(gate="default", run=10, attempt=1, drifted=HIT), text="drift\n"
        )
        assert fake.world.bodies(1) == []


def test_the_same_drift_is_written_over_silently() -> None:
    with github() as fake:
        tell(fake, note())
        done = tell(fake, note(11, text="later\n"))
        assert (done.action, parts(only(fake)).text) == ("updated", "later\n")
        assert (parts(only(fake)).marker.run, fake.world.bodies(1)) == (11, [])


def test_another_set_of_what_drifts_is_said_once() -> None:
    with github() as fake:
        tell(fake, note())
        tell(fake, note(11, drifted=REPLAY))
        tell(fake, note(12, drifted=REPLAY))
        assert fake.world.bodies(1) == ["run 11: something else drifts\n"]
        assert parts(only(fake)).marker.drifted == REPLAY


def test_a_measured_pass_says_so_and_closes_and_keeps_the_last_words_about_the_drift() -> None:
    with github() as fake:
        tell(fake, note())
        done = tell(fake, note(11, "clean"))
        issue = only(fake)
        assert (done.action, issue.state, issue.state_reason) == ("closed", "closed", "completed")
        assert fake.world.bodies(1) == ["run 11: no drift any more\n"]
        assert (parts(issue).text, parts(issue).marker.drifted) == ("drift\n", "")
        assert tell(fake, note(12, "clean")).action == "left"
        assert len(fake.world.bodies(1)) == 1


def test_drift_again_reopens_the_newest_of_ours_that_was_closed() -> None:
    with github() as fake:
        standing(fake, state="closed")
        newest = standing(fake, state="closed")
        fake.world.issue("somebody else's", state="closed")
        done = tell(fake, note())
        assert (done.action, newest.state, parts(newest).text) == ("reopened", "open", "drift\n")
        assert fake.world.bodies(newest.number) == ["run 10: drift again\n"]
        assert len(fake.world.issues) == 3


def test_what_could_not_be_measured_neither_opens_nor_closes_and_leaves_one_line() -> None:
    with github() as fake:
        assert tell(fake, note(9, "unmeasured")).action == "left"
        assert fake.world.issues == {}
        tell(fake, note())
        for run in (11, 12):
            assert tell(fake, note(run, "unmeasured")).action == "noted"
        issue = only(fake)
        assert (issue.state, fake.world.bodies(1)) == ("open", [])
        assert (parts(issue).attempt, parts(issue).text) == ("> run 12 could not measure", "drift\n")
        assert (parts(issue).marker.measured, parts(issue).marker.drifted) == ((10, 1), HIT)


def test_the_line_about_the_last_attempt_goes_with_the_next_measurement() -> None:
    with github() as fake:
        tell(fake, note())
        tell(fake, note(11, "unmeasured"))
        tell(fake, note(12))
        assert (parts(only(fake)).attempt, parts(only(fake)).marker.tried) == ("", (0, 0))


def test_a_slow_run_that_measured_does_not_take_away_what_a_later_one_could_not() -> None:
    with github() as fake:
        tell(fake, note())
        tell(fake, note(12, "unmeasured"))
        tell(fake, note(11, text="slow\n"))
        found = parts(only(fake))
        assert (found.attempt, found.text) == ("> run 12 could not measure", "slow\n")
        assert (found.marker.measured, found.marker.tried) == ((11, 1), (12, 1))


def test_an_older_run_never_overwrites_a_newer_ones_state() -> None:
    with github() as fake:
        tell(fake, note(11, text="newer\n"))
        for late in (note(), note(10, "clean"), note(10, "unmeasured"), note(10, drifted=REPLAY)):
            assert tell(fake, late).action == "left"
        assert (only(fake).state, parts(only(fake)).text) == ("open", "newer\n")
        tell(fake, note(12, "clean"))
        assert "run 12 has measured" in tell(fake, note(11)).reason
        assert only(fake).state == "closed"


def test_two_gates_never_touch_each_others_issue() -> None:
    with github() as fake:
        tell(fake, note())
        tell(fake, note(gate="other", title="Drift: other"))
        tell(fake, note(11, "clean", gate="other"))
        tell(fake, note(11, "unmeasured"))
        assert [one.state for one in fake.world.issues.values()] == ["open", "closed"]


def test_a_persons_issue_is_never_edited_even_if_it_begins_with_the_marker() -> None:
    with github() as fake:
        forged = standing(fake, login="mallory", kind="User")
        before = forged.body
        done = tell(fake, note())
        assert done.action == "opened"
        assert done.warnings == ("#1 by mallory begins with this gate's marker and was left alone",)
        tell(fake, note(11, "clean"))
        assert (forged.body, forged.state) == (before, "open")


def test_the_issue_of_an_account_that_is_gone_is_left_alone() -> None:
    with github() as fake:
        standing(fake, login="", kind="")
        assert tell(fake, note()).action == "opened"


def test_a_pull_request_is_no_issue_whatever_its_text_begins_with() -> None:
    with github() as fake:
        body = body_of(Parts(marker=DriftMarker(gate="default", run=5)))
        fake.world.pulls[1] = Pull(1, "a" * 40, body=body, login="dependabot[bot]", kind="Bot")
        assert tell(fake, note()).action == "opened"
        assert list(fake.world.issues) == [2]


def test_the_issue_is_kept_when_the_token_changes_from_the_actions_to_a_persons() -> None:
    with github() as fake:
        tell(fake, note())
        assert tell(fake, note(11), token=ALICE_TOKEN).action == "updated"
        assert len(fake.world.issues) == 1


def test_in_a_busy_repository_the_issue_is_found_on_the_last_page() -> None:
    with github() as fake:
        for number in range(250):
            fake.world.issue(f"remark {number}", login="person", kind="User")
        issue = standing(fake)
        assert tell(fake, note()).url.endswith(f"/{issue.number}")
        assert len(fake.reads) == 4  # three pages, the issue again


def test_after_opening_only_what_was_opened_at_the_same_time_is_looked_at_again() -> None:
    with github() as fake:
        for number in range(250):
            fake.world.issue(f"remark {number}", login="person", kind="User")
        fake.world.time.sleep(3600)
        tell(fake, note())
        assert len([read for read in fake.reads if "state=open" in read]) == 4  # three pages, and what is new


def closed_by_people(fake: FakeGitHub, count: int) -> None:
    fake.world.time.sleep(1)
    for number in range(count):
        fake.world.issue(f"remark {number}", login="person", kind="User", state="closed")


def test_of_closed_issues_only_the_500_that_changed_last_are_read_and_then_one_is_opened() -> None:
    with github() as fake:
        standing(fake, state="closed")
        closed_by_people(fake, 900)
        assert tell(fake, note()).action == "opened"
        assert len([read for read in fake.reads if "state=closed" in read]) == 5


def test_a_closed_issue_is_found_behind_many_that_changed_later() -> None:
    with github() as fake:
        issue = standing(fake, state="closed")
        closed_by_people(fake, 499)
        assert (tell(fake, note()).action, issue.state) == ("reopened", "open")


def test_an_old_closed_issue_that_is_talked_about_does_not_take_the_newest_ones_place() -> None:
    with github() as fake:
        old, newest = standing(fake, state="closed"), standing(fake, state="closed")
        fake.world.time.sleep(1)
        old.updated = fake.world.time.now()
        assert tell(fake, note()).url.endswith(f"/{newest.number}")


def rival(fake: FakeGitHub, run: int) -> Callable[[], None]:
    return lambda: standing(fake, run) and None


def test_of_two_jobs_that_open_an_issue_at_once_the_older_stays_and_the_other_points_to_it() -> None:
    with github() as fake:
        fake.world.before(f"POST {ISSUES}", rival(fake, 9))
        done = tell(fake, note())
        kept, ours = fake.world.issues.values()
        assert (done.action, done.url[-2:], done.reason) == (
            "updated",
            "/1",
            "another job opened #1 at the same time",
        )
        assert (kept.state, parts(kept).text, parts(kept).marker.run) == ("open", "drift\n", 10)
        assert (ours.state, ours.state_reason, parts(ours).marker.moved) == ("closed", "not_planned", 1)
        assert "see #1" in ours.body
        assert tell(fake, note(11, "clean")).url.endswith("/1")
        assert tell(fake, note(12)).action == "reopened"
        assert [one.state for one in fake.world.issues.values()] == ["open", "closed"]


def test_a_rival_that_says_later_things_is_not_overwritten() -> None:
    with github() as fake:
        fake.world.before(f"POST {ISSUES}", rival(fake, 12))
        tell(fake, note())
        kept, ours = fake.world.issues.values()
        assert (parts(kept).text, parts(kept).marker.run, ours.state) == ("earlier\n", 12, "closed")


def test_many_jobs_at_once_end_with_one_open_issue() -> None:
    ready = threading.Barrier(4)

    def job(fake: FakeGitHub, run: int) -> None:
        with talking(fake) as client:
            ready.wait()
            told(client, note(run, text=f"run {run}\n"))

    with github() as fake:
        jobs = [threading.Thread(target=job, args=(fake, run)) for run in (10, 11, 12, 13)]
        for one in jobs:
            one.start()
        for one in jobs:
            one.join()
        assert tell(fake, note(14, text="the next run\n")).action == "updated"
        still_open = [one for one in fake.world.issues.values() if one.state == "open"]
        assert [parts(one).text for one in still_open] == ["the next run\n"]


def test_what_an_interrupted_run_left_is_closed_and_another_bots_is_left() -> None:
    with github() as fake:
        standing(fake)
        left_over, foreign = standing(fake, 6), standing(fake, login="my-app[bot]")
        assert tell(fake, note()).url.endswith("/1")
        assert (left_over.state, parts(left_over).marker.moved) == ("closed", 1)
        assert foreign.state == "open"


def test_of_several_open_ones_the_newest_state_counts() -> None:
    with github() as fake:
        standing(fake)
        standing(fake, 12)
        assert "run 12 has measured" in tell(fake, note(11, "clean")).reason


def test_of_several_open_ones_the_last_attempt_that_could_not_measure_counts() -> None:
    with github() as fake:
        standing(fake)
        standing(fake, tried=12)
        assert "run 12 has tried" in tell(fake, note(11, "unmeasured")).reason


def test_of_several_open_ones_the_newest_says_what_had_drifted() -> None:
    with github() as fake:
        standing(fake)
        standing(fake, 6, drifted=REPLAY)
        assert tell(fake, note(drifted=REPLAY)).action == "updated"
        assert fake.world.bodies(1) == []


def test_a_duplicate_that_somebody_opened_again_is_neither_written_nor_warned_of() -> None:
    with github() as fake:
        issue = standing(fake)
        issue.body = with_moved(issue)
        done = tell(fake, note())
        assert (done.action, done.warnings, issue.body) == ("opened", (), with_moved(issue))


def test_an_answer_that_was_lost_makes_no_second_issue() -> None:
    with github() as fake:
        fake.world.fails(f"POST {ISSUES}", Fault(line_breaks=True, after_applying=True))
        assert tell(fake, note()).action == "updated"
        assert [one.state for one in fake.world.issues.values()] == ["open", "closed"]


def test_an_answer_that_was_lost_makes_no_second_remark() -> None:
    with github() as fake:
        tell(fake, note())
        fake.world.fails(f"POST {ISSUES}/1/comments", Fault(line_breaks=True, after_applying=True))
        tell(fake, note(11, "clean"))
        assert fake.world.bodies(1) == ["run 11: no drift any more\n"]


def test_the_same_words_of_a_person_are_left_where_they_are() -> None:
    with github() as fake:
        tell(fake, note())
        fake.world.comment(1, "run 11: no drift any more\n", login="mallory", kind="User")
        tell(fake, note(11, "clean"))
        assert len(fake.world.bodies(1)) == 2


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize("verb", ["GET", "PATCH"])
def test_an_issue_that_is_deleted_while_we_look_is_opened_anew(verb: str, status: int) -> None:
    with github() as fake:
        standing(fake)
        fake.world.before(f"{verb} {ISSUES}/1", lambda: deleted(fake, f"{verb} {ISSUES}/1", status))
        assert tell(fake, note()).action == "opened"


def test_a_pass_makes_nothing_of_an_issue_that_is_deleted_while_we_look() -> None:
    with github() as fake:
        standing(fake)
        fake.world.before(f"PATCH {ISSUES}/1", lambda: deleted(fake, f"PATCH {ISSUES}/1", 410))
        assert tell(fake, note(10, "clean")).reason == "somebody has just deleted the issue"
        assert fake.world.issues == {}


def deleted(fake: FakeGitHub, when: str, status: int) -> None:
    del fake.world.issues[1]
    fake.world.fails(when, Fault(status, '{"message": "This issue was deleted"}'))


def test_an_issue_that_another_job_gives_up_while_we_look_is_not_the_one() -> None:
    with github() as fake:
        issue = standing(fake)
        moved = with_moved(issue)
        fake.world.before(f"GET {ISSUES}/1", lambda: setattr(issue, "body", moved))
        assert tell(fake, note()).action == "opened"


def with_moved(issue: Issue) -> str:
    return body_of(Parts(marker=DriftMarker(gate="default", run=5, moved=9), text=issue.title))


def test_an_issue_that_somebody_closes_while_we_look_is_reopened_by_drift_and_left_by_a_pass() -> None:
    with github() as fake:
        issue = standing(fake)
        fake.world.before(f"GET {ISSUES}/1", lambda: setattr(issue, "state", "closed"))
        assert tell(fake, note(10, "clean")).action == "left"
        issue.state = "open"
        fake.world.before(f"GET {ISSUES}/1", lambda: setattr(issue, "state", "closed"))
        assert tell(fake, note(11)).action == "reopened"


def test_an_issue_that_an_older_run_closes_in_the_last_moment_is_open_again() -> None:
    with github() as fake:
        issue = standing(fake)
        fake.world.before(f"PATCH {ISSUES}/1", lambda: setattr(issue, "state", "closed"))
        tell(fake, note())
        assert (issue.state, parts(issue).text) == ("open", "drift\n")


def test_the_fullest_text_that_fits_is_taken_and_one_shorter_where_github_disagrees() -> None:
    long, short = "x" * 70_000, "short\n"
    with github() as fake:
        done = tell(fake, note(renditions=(lambda: long, lambda: short)))
        assert (done.rung, parts(only(fake)).text) == (1, short)
        too_long = '{"message": "Validation Failed", "errors": [{"message": "body is too long"}]}'
        fake.world.fails(f"PATCH {ISSUES}/1", Fault(422, too_long))
        done = tell(fake, note(11, renditions=(lambda: "y" * 50_000, lambda: short)))
        assert (done.rung, parts(only(fake)).text) == (1, short)


def test_the_fullest_body_still_takes_the_line_about_the_last_attempt() -> None:
    with github() as fake:
        tell(fake, note(renditions=(lambda: "字" * 58_900,)))
        assert tell(fake, note(11, "unmeasured", attempt="> " + "字" * 600)).action == "noted"
        assert len(only(fake).body) < 65_536


def test_without_the_permission_the_line_of_yaml_is_told() -> None:
    for token, found in ((FORK_TOKEN, "drift"), (FORK_TOKEN, "clean")):
        with github() as fake:
            standing(fake)
            with pytest.raises(PermissionDeniedError) as caught:
                tell(fake, note(found=found), token=token)
            assert "  issues: write" in caught.value.remedy
            assert caught.value.permission == "issues: write"


def test_where_issues_are_disabled_it_is_said_what_to_do() -> None:
    with github() as fake:
        fake.world.has_issues = False
        with pytest.raises(RefusedError, match="issues are disabled") as caught:
            tell(fake, note())
        assert "comment: off" in caught.value.remedy


def test_a_locked_issue_is_written_and_takes_no_remark() -> None:
    with github() as fake:
        standing(fake).locked = True
        with pytest.raises(LockedError, match="locked"):
            tell(fake, note(11, "clean"))
        assert only(fake).state == "closed"


def test_a_rate_limit_is_waited_for_and_a_long_one_is_told() -> None:
    with github() as fake:
        fake.world.fails(f"GET {ISSUES}", Fault(429, "{}", {"Retry-After": "30"}))
        assert tell(fake, note()).action == "opened"
        fake.world.fails(f"GET {ISSUES}", Fault(429, "{}", {"Retry-After": "3000"}))
        with pytest.raises(ForgeError, match="wait 3000 s"):
            tell(fake, note(11))


def test_an_answer_without_our_marker_is_not_taken_for_success() -> None:
    stripped = {"html_url": "x", "number": 1, "body": "rewritten by somebody"}
    with github() as fake:
        fake.world.fails(f"POST {ISSUES}", Fault(201, json.dumps(stripped)))
        with pytest.raises(MalformedError, match="without its marker"):
            tell(fake, note())


FINDINGS = st.sampled_from(["drift", "clean", "unmeasured", "nothing"])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), FINDINGS), max_size=8, unique_by=lambda arrival: arrival[0]))
def test_in_whatever_order_runs_arrive_the_newest_that_measured_decides(
    arrivals: list[tuple[int, Finding]],
) -> None:
    with github() as fake:
        newest = 0
        for run, found in arrivals:
            before = [one.state for one in fake.world.issues.values()]
            tell(fake, note(run, found, text=f"run {run}\n"))
            after = [one.state for one in fake.world.issues.values()]
            assert after.count("open") <= len(after) <= 1
            if found in {"unmeasured", "nothing"}:
                assert after == before
            elif run > newest:
                assert ("open" in after) is (found == "drift")
                newest = run
            if "open" in after:
                assert int(parts(only(fake)).text.split()[1]) == parts(only(fake)).marker.run
