import pytest

from gate.github.checks import CheckAnnotation, CheckResult, begin, complete, conclusion
from gate.github.client import Client
from gate.github.failures import MalformedError, MissingError, PermissionDeniedError, TooLongError
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import FORK_TOKEN, REPOSITORY, Fault

HEAD = "a" * 40


def start(client: Client, name: str = "gate (default)"):
    return begin(
        client.repository(REPOSITORY),
        name=name,
        head_sha=HEAD,
        details_url="https://x.example/run",
        external_id="10/1",
    )


def result(*texts: str, remarks: int = 0) -> CheckResult:
    remark = CheckAnnotation(
        path="eval-gate.yml", line=3, level="failure", message="missed", title="recall_all@5"
    )
    return CheckResult(
        conclusion="failure",
        title="Regression",
        renditions=[lambda text=text: text for text in texts or ("all of it",)],
        annotations=(remark,) * remarks,
    )


def test_a_check_begins_in_progress_and_ends_with_its_conclusion() -> None:
    with github() as fake, talking(fake) as client:
        check = start(client)
        [kept] = fake.world.checks.values()
        assert (kept["status"], kept["head_sha"], kept["external_id"]) == ("in_progress", HEAD, "10/1")
        done = complete(check, result())
        [kept] = fake.world.checks.values()
        assert (kept["status"], kept["conclusion"]) == ("completed", "failure")
        assert (kept["output"]["title"], kept["output"]["summary"]) == ("Regression", "all of it")
        assert done.url.startswith("https://github.example/octo/search/runs/")


def test_no_address_for_details_is_no_address() -> None:
    with github() as fake, talking(fake) as client:
        begin(client.repository(REPOSITORY), name="gate", head_sha=HEAD, details_url="", external_id="")
        assert b"details_url" not in fake.seen[0].body


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (130, 3)])
def test_annotations_go_by_fifties_and_none_is_lost(count: int, requests: int) -> None:
    with github() as fake, talking(fake) as client:
        done = complete(start(client), result(remarks=count))
        [kept] = fake.world.checks.values()
        assert (done.annotations, len(kept["annotations"])) == (count, count)
        assert len([write for write in fake.writes if write.startswith("PATCH")]) == requests


def test_a_check_is_completed_only_with_the_last_annotations() -> None:
    with github() as fake, talking(fake) as client:
        check = start(client)
        complete(check, result(remarks=120))
        states = [b'"conclusion"' in one.body for one in fake.seen if one.verb == "PATCH"]
        assert states == [False, False, True]


@pytest.mark.parametrize("glyph", ["a", "é", "字", "🧪"])
def test_the_summary_is_measured_in_bytes(glyph: str) -> None:
    size = len(glyph.encode())
    fits, over = glyph * (65_535 // size), glyph * (65_535 // size + 1)
    with github() as fake, talking(fake) as client:
        assert complete(start(client), result(fits, "short")).rung == 0
        assert complete(start(client), result(over, "short")).rung == 1


def test_a_summary_that_github_finds_too_long_goes_down_one_more_rung() -> None:
    said = '{"message": "Invalid request.\\n\\nOnly 65535 characters are allowed; 70000 were supplied."}'
    with github() as fake, talking(fake) as client:
        fake.world.fails("PATCH", Fault(422, said))
        assert complete(start(client), result("full", "short")).rung == 1
        fake.world.fails("PATCH", Fault(422, said))
        with pytest.raises(TooLongError):
            complete(start(client), result("only one"))


def test_a_long_name_title_and_message_are_cut_to_what_github_takes() -> None:
    remark = CheckAnnotation(path="a", line=1, level="notice", message="字" * 60_000, title="t" * 400)
    said = CheckResult(
        conclusion="neutral", title="字" * 400, renditions=[lambda: "s"], annotations=(remark,)
    )
    with github() as fake, talking(fake) as client:
        complete(start(client, name="n" * 400), said)
        [kept] = fake.world.checks.values()
        assert (len(kept["name"]), len(kept["output"]["title"])) == (255, 255)
        [note] = kept["annotations"]
        assert (len(note["title"]), len(note["message"].encode()) < 65_536) == (255, True)


def test_an_annotation_without_a_title_has_none() -> None:
    remark = CheckAnnotation(path="a", line=1, level="notice", message="m")
    said = CheckResult(conclusion="neutral", title="t", renditions=[lambda: "s"], annotations=(remark,))
    with github() as fake, talking(fake) as client:
        complete(start(client), said)
        [kept] = fake.world.checks.values()
        assert kept["annotations"] == [
            {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
        ]


def test_without_the_permission_the_yaml_is_named() -> None:
    with (
        github() as fake,
        talking(fake, token=FORK_TOKEN) as client,
        pytest.raises(PermissionDeniedError) as caught,
    ):
        start(client)
    assert "  checks: write" in caught.value.remedy


def test_a_check_that_is_gone_is_missing() -> None:
    with github() as fake, talking(fake) as client:
        check = start(client)
        fake.world.checks.clear()
        with pytest.raises(MissingError):
            complete(check, result())


@pytest.mark.parametrize(
    ("verdict", "exit_code", "expected"),
    [
        ("pass", 0, "success"),
        ("fail", 1, "failure"),
        ("fail", 0, "neutral"),  # accepted, or advisory
        ("inconclusive", 0, "neutral"),
        ("inconclusive", 2, "failure"),  # a neutral check satisfies a required check
        ("pass", 69, "failure"),
    ],
)
def test_a_check_never_passes_where_the_job_fails(verdict: str, exit_code: int, expected: str) -> None:
    assert conclusion(verdict, exit_code) == expected


def test_an_answer_of_another_shape_is_one_word_and_no_traceback() -> None:
    with github() as fake, talking(fake) as client:
        fake.world.fails("POST", Fault(201, '{"id": 1, "check_suite": null}'))
        with pytest.raises(MalformedError):
            start(client)
