"""A run that ends in an error, and the comment that an earlier run left."""

import json
import re
from pathlib import Path

import pytest

from gate.github.marker import found_in
from tests.github.fake_github import github
from tests.github.fake_world import REPOSITORY, Fault
from tests.wiring.pull_requests import ACCEPTED_CONFIG, NUMBER, PullRequest, Ran, opened
from tests.workspaces import rows

BROKEN = (ACCEPTED_CONFIG + "ruels: []\n").encode()


def failed_after(pull: PullRequest, **inputs: str) -> tuple[str, Ran]:
    """One judged commit, then a newer one whose configuration is broken; the judged commit, and the second run."""
    pull.run(run_id=100)
    judged = pull.head
    pull.change({"eval-gate.yml": BROKEN})
    return judged, pull.run(run_id=101, **inputs)


def test_a_newer_commit_that_could_not_be_judged_is_told_before_the_older_verdict(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()
        judged = pull.head
        pull.change({"eval-gate.yml": BROKEN})

        ran = pull.run(run_id=101)

        assert ran.code == 78
        (body,) = pull.comments()
        marker, alert, *rest = body.split("\n", 2)[0], *body.split("\n", 1)[1].split("\n\n", 1)
        assert alert.startswith(
            f"> [!WARNING]\n> **Commit <code>{pull.head[:7]}</code> could not be judged: exit code 78.** "
        )
        assert "<code>eval-gate.yml:11:</code> ruels: unknown key" in alert
        assert str(tmp_path) not in body
        assert f"**What follows is about <code>{judged[:7]}</code>.**" in alert
        assert f"](https://github.com/{REPOSITORY}/actions/runs/101/attempts/1)" in alert
        assert rest[0].endswith(before.split("\n", 1)[1])
        noted = found_in(marker + "\n")
        assert noted is not None
        assert (noted.head, noted.run, noted.verdict) == (judged, 100, "fail")
        assert noted.unjudged is not None
        assert (noted.unjudged.head, noted.unjudged.run, noted.unjudged.attempt) == (pull.head, 101, 1)
        assert "comment updated" in ran.log


def test_the_next_verdict_takes_the_place_of_everything(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        failed_after(pull)
        pull.change({"eval-gate.yml": ACCEPTED_CONFIG.encode(), "rows/candidate.ndjson": rows([1] * 40)})

        assert pull.run(run_id=102).code == 0

        (body,) = pull.comments()
        assert "Passed" in body
        assert "could not be judged" not in body


def test_where_no_comment_stands_the_error_is_one_short_comment_and_the_first_verdict_edits_it(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        pull.change({"rows/candidate.ndjson": b"no row\n"})

        assert pull.run(run_id=100).code == 65

        (body,) = pull.comments()
        assert "could not be judged: exit code 65" in body
        assert "What follows" not in body
        assert "/actions/runs/100/attempts/1" in body
        pull.change({"rows/candidate.ndjson": rows([1] * 40)})
        assert pull.run(run_id=101).code == 0
        assert len(pull.comments()) == 1
        assert "could not be judged" not in pull.comments()[0]


@pytest.mark.parametrize(
    ("mode", "posted"), [("always", 1), ("on-failure", 1), ("on-change", 0), ("off", 0), ("sometimes", 0)]
)
def test_the_mode_decides_about_a_first_comment_of_an_error(mode: str, posted: int, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())

        ran = pull.run(comment=mode)

        assert ran.code == (64 if mode == "sometimes" else 78)
        assert len(pull.comments()) == posted
        if mode == "off":
            assert [one for one in fake.seen if "/comments" in str(one)] == []


@pytest.mark.parametrize("mode", ["on-failure", "on-change"])
def test_a_comment_that_is_there_is_told_in_every_mode(mode: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)

        failed_after(pull, comment=mode)

        assert "could not be judged" in pull.comments()[0]


def test_the_same_error_again_writes_nothing_and_another_one_takes_its_place(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        failed_after(pull)
        writes = len(fake.writes)

        again = pull.run(run_id=101, attempt=2)

        assert (again.code, len(fake.writes)) == (78, writes)
        assert "says the same already" in again.log
        pull.change({"eval-gate.yml": ACCEPTED_CONFIG.replace("version: 1", "version: 9").encode()})
        pull.run(run_id=102)
        (body,) = pull.comments()
        assert body.count("could not be judged") == 1
        assert f"<code>{pull.head[:7]}</code> could not" in body
        assert body.count("What follows") == 1


def test_the_error_of_an_older_run_never_goes_over_the_verdict_of_a_newer_one(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=200)
        (before,) = pull.comments()
        (pull.workspace / "rows/candidate.ndjson").write_bytes(b"no row\n")

        ran = pull.run(run_id=150)

        assert ran.code == 65
        assert pull.comments() == [before]
        assert "no comment: run 200 has judged this commit already" in ran.log


def test_a_later_attempt_that_fails_says_that_the_verdict_is_an_earlier_one_s(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=200)
        (pull.workspace / "rows/candidate.ndjson").write_bytes(b"no row\n")

        assert pull.run(run_id=200, attempt=2).code == 65

        assert "What follows is what an earlier run said of the same commit." in pull.comments()[0]


def test_a_head_that_has_moved_on_is_told_nothing_about_an_older_commit(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()
        pull.change({"eval-gate.yml": BROKEN})
        fake.world.pulls[NUMBER].head_sha = "f" * 40

        ran = pull.run(run_id=101)

        assert (ran.code, pull.comments()) == (78, [before])
        assert "moved on to fffffff" in ran.log


def test_an_event_without_a_pull_request_tells_nobody(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())
        pull.event = "push"
        fake.seen.clear()

        assert pull.run(payload={"ref": "refs/heads/main", "after": pull.head}).code == 78

        assert fake.seen == []


def test_a_fork_s_token_writes_nothing_and_the_log_says_who_can(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())
        payload = pull.from_a_fork()
        fake.seen.clear()

        ran = pull.run(payload=payload)

        assert ran.code == 78
        assert [str(one) for one in fake.seen if "/comments" in str(one)] == []
        assert "command: publish" in ran.log
        assert ran.said("warning") == ""


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(502), "after 502"),
        (Fault(403, '{"message": "Resource not accessible by integration"}'), "pull-requests: write"),
        (Fault(429, "", {"Retry-After": "50"}), "wait 50 s"),
        (Fault(line_breaks=True), "after no answer"),
        (Fault(200, "<html>"), "after 200"),
        (Fault(404, '{"message": "Not Found"}'), ""),
    ],
    ids=["a fault", "refused", "limited", "broken", "garbage", "gone"],
)
def test_whatever_goes_wrong_while_telling_is_one_warning(fault: Fault, said: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()
        pull.change({"eval-gate.yml": BROKEN})
        fake.world.fails("PATCH", fault, times=99)
        pull.clock = lambda: fake.world.time
        began = fake.world.time.elapsed

        ran = pull.run(run_id=101)

        assert ran.code == 78
        assert "ruels" in ran.said("error")
        assert said in ran.said("warning")
        assert len([line for line in ran.log.splitlines() if line.startswith("::warning")]) == bool(said)
        assert pull.comments() == [before]
        assert fake.world.time.elapsed - began <= 8


def test_without_a_token_the_error_itself_is_still_what_is_told(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())
        pull.extra = {"INPUT_TOKEN": ""}

        ran = pull.run()

        assert ran.code == 78
        assert "no token" in ran.said("warning")


def test_an_error_that_keeps_itself_from_being_told_is_said_once(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)

        ran = pull.run(payload={"action": "opened"})

        assert ran.code == 65
        assert "has no pull_request" in ran.said("error")
        assert ran.said("warning") == ""


@pytest.mark.parametrize("gate", ["tests", "own"])
def test_the_gate_is_known_though_its_configuration_is_no_yaml_at_all(gate: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        inputs = {"gate": gate} if gate == "own" else {}
        pull.run(run_id=100, **inputs)
        fake.world.contents["main", "eval-gate.yml"] = ACCEPTED_CONFIG.encode()
        pull.change({"eval-gate.yml": b"\tnot: [yaml"})

        pull.run(run_id=101, **inputs)

        (body,) = pull.comments()
        marker = found_in(body)
        assert marker is not None
        assert (marker.gate, "could not be judged" in body) == (gate, True)


def test_a_pull_request_that_names_its_gate_anew_still_tells_the_one_that_the_base_knows(
    tmp_path: Path,
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        fake.world.contents["main", "eval-gate.yml"] = ACCEPTED_CONFIG.encode()
        pull.run(run_id=100)
        pull.change({"eval-gate.yml": BROKEN.replace(b"gate: tests", b"gate: elsewhere")})

        pull.run(run_id=101)

        (body,) = pull.comments()
        assert "could not be judged" in body


@pytest.mark.parametrize(
    ("config", "inputs"),
    [
        ("\tnot: [yaml", {}),
        ("- gate: tests\n", {}),
        (BROKEN.decode().replace("gate: tests", "gate: Not An Id"), {}),
        (BROKEN.decode().replace("gate: tests", "gate: 5"), {}),
        (ACCEPTED_CONFIG, {"gate": "Not An Id"}),
        (ACCEPTED_CONFIG, {"config": "../eval-gate.yml"}),
        (ACCEPTED_CONFIG, {"config": "linked.yml"}),
    ],
    ids=["no YAML", "no mapping", "no id", "a number", "the input", "outside", "a link"],
)
def test_a_gate_that_nobody_can_know_is_told_nothing_and_the_log_says_so(
    config: str, inputs: dict[str, str], tmp_path: Path
) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=config)
        (tmp_path / "eval-gate.yml").write_text(ACCEPTED_CONFIG)
        (pull.workspace / "linked.yml").symlink_to(tmp_path / "eval-gate.yml")

        ran = pull.run(**inputs)

        assert ran.code in {64, 78}
        assert pull.comments() == []
        assert "no comment: the gate's id is not known" in ran.log


def test_a_base_that_cannot_be_read_leaves_the_id_to_the_change_itself(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())
        fake.world.fails("/contents/", Fault(403, '{"message": "Resource not accessible by integration"}'))

        pull.run()

        (body,) = pull.comments()
        marker = found_in(body)
        assert marker is not None
        assert marker.gate == "tests"


def test_the_leg_of_a_matrix_job_tells_its_own_comment_only(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        for leg in ("3.11", "3.12"):
            pull.run(run_id=100, matrix=json.dumps({"python": leg}))
        pull.change({"eval-gate.yml": BROKEN})

        pull.run(run_id=101, matrix=json.dumps({"python": "3.12"}))

        told = {
            marker.gate: "could not be judged" in body
            for body in pull.comments()
            if (marker := found_in(body))
        }
        assert told == {"tests-3.11": False, "tests-3.12": True}


def test_a_shard_that_breaks_leaves_the_word_to_the_job_that_joins_them(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()
        pull.change({"eval-gate.yml": BROKEN})
        matrix = json.dumps({"shard": "1/4"})

        assert pull.run(run_id=101, shard="1/4", matrix=matrix).code == 78
        assert pull.comments() == [before]
        assert pull.run(run_id=101, command="merge").code == 78

        assert "could not be judged" in pull.comments()[0]


def test_another_job_s_error_under_one_gate_id_leaves_this_run_s_verdict(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()
        (pull.workspace / "eval-gate.yml").write_bytes(BROKEN)

        ran = pull.run(run_id=100)

        assert (ran.code, pull.comments()) == (78, [before])
        assert "run 100 has judged this commit already" in ran.log


def test_what_is_hidden_in_the_log_is_never_in_the_comment(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=ACCEPTED_CONFIG.replace("main", "sk1234567"))
        pull.extra = {
            "OPENAI_API_KEY": "opaque-word",
            "SEARCH_PASSWORD": "hunter22",
            "INPUT_OPAQUE-WORD": "1",
            "INPUT_HUNTER22": "1",
        }

        ran = pull.run()

        assert ran.code == 64
        (body,) = pull.comments()
        assert "there is no input" in body
        assert "opaque-word" not in body
        assert "hunter22" not in body


def test_foreign_words_mean_nothing_but_themselves_in_the_comment(tmp_path: Path) -> None:
    evil = "@octo/team closes #1 --> <img src=x> [a](http://evil.example)"
    with github() as fake:
        pull = opened(tmp_path, fake, config=ACCEPTED_CONFIG + f"{json.dumps(evil)}: 1\n")

        pull.run()

        (body,) = pull.comments()
        shown = body.split("\n", 1)[1]
        assert "<img" not in shown
        assert "](http://evil" not in shown
        assert "<code>" in shown
        assert "@octo" not in re.sub(r"<code>.*?</code>", "", shown)


def test_a_run_by_hand_for_a_pull_request_tells_it_only_of_what_it_tested(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config=BROKEN.decode())
        pull.event = "workflow_dispatch"
        payload: dict[str, object] = {"ref": "refs/heads/feature", "inputs": {"pr-number": str(NUMBER)}}

        assert pull.run(payload=payload).code == 78
        assert len(pull.comments()) == 1
        fake.world.comments.clear()
        fake.world.pulls[NUMBER].head_sha = fake.world.pulls[NUMBER].merge_sha = "e" * 40
        ran = pull.run(run_id=101, payload=payload)

        assert (ran.code, pull.comments()) == (78, [])
        assert "no comment: the commit that was to be judged is not known" in ran.log


@pytest.mark.parametrize("command", ["publish", "sweep", "drift"])
def test_the_errors_of_other_commands_say_nothing_of_the_verdict(command: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, losses=12)
        pull.run(run_id=100)
        (before,) = pull.comments()

        assert pull.run(run_id=101, command=command, mode="advisory").code == 64

        assert pull.comments() == [before]


def test_suites_that_were_refused_say_nothing_below_the_pull_request(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake)
        pull.event = "pull_request_target"

        assert pull.run().code == 64

        assert pull.comments() == []
