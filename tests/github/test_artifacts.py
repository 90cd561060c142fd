from collections.abc import Mapping

import pytest

from gate.errors import EvidenceError
from gate.github.artifacts import Search, Wanted, artifact_name, newest, opened, run, stored, stored_below
from gate.github.client import Client
from gate.github.download import download
from gate.github.failures import DeadlineError, ExpiredError, ForgeError, MissingError
from tests.github.factories import talking
from tests.github.fake_github import github
from tests.github.fake_world import (
    ACTION_TOKEN,
    REPOSITORY,
    REPOSITORY_ID,
    Artifact,
    Fault,
    WorkflowRun,
    World,
)
from tests.github.test_archives import archive

HEAD = "a" * 40
WORKFLOW = ".github/workflows/gate.yml"
COMPLETE = archive(("receipt.json", b'{"complete": true}'), ("rows/q.ndjson", b"1\n"), ("dumps/x", b"x"))
PARTIAL = archive(("receipt.json", b'{"complete": false}'))


def world(*runs: WorkflowRun) -> World:
    made = World()
    made.runs = list(runs)
    return made


def keep(
    there: World, run_id: int, data: bytes = COMPLETE, *, name: str = "gate-out", **changes: object
) -> None:
    there.artifacts.append(Artifact(9000 + len(there.artifacts), run_id, name, data, **changes))


def wanted_file(name: str) -> bool:
    return name == "receipt.json" or name.startswith("rows/")


def complete_only(files: Mapping[str, bytes]) -> None:
    if b"true" not in files.get("receipt.json", b""):
        raise EvidenceError("the receipt is not complete", remedy="-")


def search(client: Client, **changes: object) -> Search:
    wanted = {"repository_id": REPOSITORY_ID, "branch": "main", "workflow": WORKFLOW, "name": "gate-out"}
    return newest(
        client, client.repository(REPOSITORY), Wanted(files=wanted_file, **wanted, **changes), complete_only
    )


def test_the_newest_finished_run_is_the_baseline_whatever_its_verdict() -> None:
    there = world(WorkflowRun(1, "1" * 40), WorkflowRun(2, "2" * 40, conclusion="failure"))
    keep(there, 1)
    keep(there, 2)
    with github(there) as fake, talking(fake) as client:
        found = search(client)
        assert found.run is not None
        assert (found.run.id, found.run.head_sha, found.passed_over) == (2, "2" * 40, ())
        assert dict(found.files) == {"receipt.json": b'{"complete": true}', "rows/q.ndjson": b"1\n"}
        assert len(fake.reads) == 3  # runs, artifacts, the redirection


@pytest.mark.parametrize(
    "stranger",
    [
        WorkflowRun(9, HEAD, head_repository=(2002, "contributor/search")),  # a fork's branch named main
        WorkflowRun(9, HEAD, branch="feature"),
        WorkflowRun(9, HEAD, event="pull_request"),
        WorkflowRun(9, HEAD, event="workflow_dispatch"),
        WorkflowRun(9, HEAD, workflow="evil.yml"),
        WorkflowRun(9, HEAD, status="in_progress", conclusion=None),
    ],
)
def test_a_run_that_anybody_could_have_made_is_never_a_baseline(stranger: WorkflowRun) -> None:
    there = world(stranger)
    keep(there, 9)
    with github(there) as fake, talking(fake) as client:
        assert search(client) == Search(None, {}, ())
        assert fake.stored == []


def test_what_the_api_lists_is_checked_again_before_it_is_opened() -> None:
    there = world(WorkflowRun(1, HEAD), WorkflowRun(9, HEAD))
    keep(there, 1)
    keep(there, 9)
    with github(there) as fake, talking(fake) as client:
        there.runs[1].head_repository = (2002, "contributor/search")
        found = search(client)
        assert found.run is not None
        assert found.run.id == 1


def test_runs_without_a_usable_artifact_are_passed_over_each_with_its_reason() -> None:
    there = world(*(WorkflowRun(number, HEAD) for number in (1, 2, 3, 4, 5, 6)))
    keep(there, 1)
    keep(there, 2, PARTIAL)
    keep(there, 3, b"no zip at all")
    keep(there, 4, expired=True)
    keep(there, 5, name="another")
    keep(there, 6, expired=True, gone=404)
    with github(there) as fake, talking(fake) as client:
        found = search(client)
        assert found.run is not None
        assert found.run.id == 1
        assert [(one.run.id, one.reason) for one in found.passed_over] == [
            (6, "expired"), (5, "missing"), (4, "expired"), (3, "unreadable"), (2, "incomplete"),
        ]  # fmt: skip
        assert all(one.message for one in found.passed_over)


def test_the_search_ends_after_so_many_runs() -> None:
    there = world(*(WorkflowRun(number, HEAD) for number in range(1, 30)))
    keep(there, 1)
    with github(there) as fake, talking(fake) as client:
        assert len(search(client, most_runs=4).passed_over) == 4


def test_runs_that_the_base_does_not_descend_from_are_not_opened_and_do_not_count() -> None:
    there = world(*(WorkflowRun(number, f"{number:040x}") for number in range(1, 40)))
    for number in range(1, 40):
        keep(there, number)
    with github(there) as fake, talking(fake) as client:
        found = search(client, behind=lambda sha: int(sha, 16) <= 5, most_runs=4)
        assert found.run is not None
        assert (found.run.id, found.passed_over) == (5, ())
        assert len(fake.reads) == 3  # runs, artifacts, the redirection


def test_an_artifact_that_expires_between_listing_and_fetching_is_expired() -> None:
    there = world(WorkflowRun(1, HEAD))
    keep(there, 1)
    with github(there) as fake, talking(fake) as client:
        there.before("/zip", lambda: setattr(there.artifacts[0], "expired", True))
        [passed] = search(client).passed_over
        assert passed.reason == "expired"


def test_the_artifact_of_the_latest_attempt_is_opened() -> None:
    there = world(WorkflowRun(1, HEAD))
    for attempt, name in ((10, "gate-out-attempt-10"), (2, "gate-out-attempt-2"), (0, "gate-out")):
        keep(there, 1, archive(("receipt.json", b"%d true" % attempt)), name=name)
    keep(there, 1, name="gate-out-default-2")
    with github(there) as fake, talking(fake) as client:
        found = search(client)
        assert found.files["receipt.json"] == b"10 true"


def test_an_artifacts_name_carries_its_attempt_and_is_found_by_it() -> None:
    there = world(WorkflowRun(1, HEAD))
    keep(there, 1, name=artifact_name("gate-out-default", 3))
    keep(there, 1, name="gate-out-default-2")
    with github(there) as fake, talking(fake) as client:
        repository = client.repository(REPOSITORY)
        assert [one.attempt for one in stored(repository, 1, "gate-out-default")] == [3]
        below = stored_below(repository, 1, "gate-out-")
        assert [(one.name, one.attempt) for one in below] == [
            ("gate-out-default-attempt-3", 3), ("gate-out-default-2", 0),
        ]  # fmt: skip


def fetch(client: Client) -> Mapping[str, bytes]:
    repository = client.repository(REPOSITORY)
    return opened(client, repository, run(repository, 1), "gate-out", wanted_file)


def one_run(data: bytes = COMPLETE) -> World:
    there = world(WorkflowRun(1, HEAD))
    keep(there, 1, data)
    return there


def test_the_token_never_travels_to_where_the_download_is_redirected() -> None:
    with github(one_run()) as fake, talking(fake) as client:
        fetch(client)
        [seen] = fake.stored
        assert fake.storage_url.startswith("http://localhost")  # another host than the API's
        assert "Authorization" not in seen.headers
        assert ACTION_TOKEN not in str(seen) + str(seen.headers)


def test_credentials_in_the_netrc_file_are_not_sent_either(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("default login somebody password s3cret\n", encoding="utf-8")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    with github(one_run()) as fake, talking(fake) as client:
        fetch(client)
        assert "Authorization" not in fake.stored[0].headers


def test_the_signed_address_is_not_shown_when_the_store_fails() -> None:
    with github(one_run()) as fake, talking(fake) as client:
        fake.storage_faults = [403]
        with pytest.raises(ForgeError) as caught:
            fetch(client)
        assert "s3cr3t" not in str(caught.value)


def test_a_store_that_stumbles_is_asked_again_with_a_new_address() -> None:
    with github(one_run()) as fake, talking(fake) as client:
        fake.storage_faults = [503, 0]  # 0: the connection breaks
        assert fetch(client)["rows/q.ndjson"] == b"1\n"
        assert len([read for read in fake.reads if read.endswith("/zip")]) == 3


def test_a_store_that_stays_broken_ends_in_one_word() -> None:
    with github(one_run()) as fake, talking(fake) as client:
        fake.storage_faults = [500] * 9
        with pytest.raises(ForgeError, match="500"):
            fetch(client)


def test_no_download_begins_after_the_deadline() -> None:
    with github(one_run()) as fake, talking(fake, seconds=100) as client:
        fake.world.before("/zip", lambda: fake.world.time.sleep(101))
        with pytest.raises(DeadlineError):
            fetch(client)
        assert fake.stored == []


def test_an_artifact_beyond_the_size_that_is_looked_at_is_refused() -> None:
    with (
        github(one_run(b"\0" * (65 << 20))) as fake,
        talking(fake) as client,
        pytest.raises(EvidenceError, match="larger than"),
    ):
        fetch(client)


def test_an_answer_that_does_not_redirect_is_no_artifact() -> None:
    with github(one_run()) as fake, talking(fake) as client:
        fake.world.fails("/zip", Fault(200, "PK"))
        with pytest.raises(ForgeError, match="redirection"):
            fetch(client)


def test_a_run_that_is_gone_is_missing() -> None:
    with github(world()) as fake, talking(fake) as client, pytest.raises(MissingError):
        fetch(client)


def test_an_expired_artifact_says_how_to_get_another_baseline() -> None:
    there = world(WorkflowRun(1, HEAD))
    keep(there, 1, expired=True)
    with github(there) as fake, talking(fake) as client, pytest.raises(ExpiredError) as caught:
        fetch(client)
    assert "gate baseline accept" in caught.value.remedy


class Redirecting:
    """A requester of an encrypted API that is sent to an unencrypted store."""

    base_url = "https://api.example"

    def redirection(self, _: str) -> str:
        return "http://store.example/zip"


def test_an_encrypted_api_may_not_send_us_to_an_unencrypted_store() -> None:
    with pytest.raises(ForgeError, match="unencrypted"):
        download(Redirecting(), "/zip", most_bytes=1)
