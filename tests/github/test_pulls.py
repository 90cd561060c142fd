import pytest

from gate.errors import EvidenceError
from gate.github import pulls
from gate.github.failures import MalformedError, MissingError, RefusedError
from tests.github.factories import talking
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import REPOSITORY, Commit, Fault, Pull, World

HEAD, BASE, MERGE = "a" * 40, "b" * 40, "d" * 40
FORK = (2002, "contributor/search")


def world(*numbered: Pull) -> World:
    made = World()
    made.pulls = {pull.number: pull for pull in numbered or (Pull(7, HEAD),)}
    return made


def test_the_facts_are_those_of_now_and_cost_one_read() -> None:
    there = Pull(
        7, HEAD, base_ref="release/1.x", merge_sha=MERGE, labels=("gate: accepted", "bug"), locked=True
    )
    with github(world(there)) as fake, talking(fake) as client:
        facts = pulls.facts(client.repository(REPOSITORY), 7)
        assert (facts.head_sha, facts.base_ref, facts.base_sha, facts.merge_sha) == (
            HEAD,
            "release/1.x",
            BASE,
            MERGE,
        )
        assert (facts.labels, facts.locked, facts.state) == (("gate: accepted", "bug"), True, "open")
        assert (facts.head_repository, facts.head_repository_id) == (REPOSITORY, 1001)
        assert len(fake.reads) == 1


def test_a_deleted_fork_has_no_repository() -> None:
    with github(world(Pull(7, HEAD, head_repository=None))) as fake, talking(fake) as client:
        facts = pulls.facts(client.repository(REPOSITORY), 7)
        assert (facts.head_repository, facts.head_repository_id) == (None, None)
        assert len(fake.reads) == 1
        # the one place where GitHub's description is stricter than GitHub
        assert all("head/repo: None" in told for told in fake.violations)
        fake.violations.clear()


def test_a_pull_request_that_is_not_there_is_missing() -> None:
    with github(world()) as fake, talking(fake) as client, pytest.raises(MissingError):
        pulls.facts(client.repository(REPOSITORY), 8)


def test_a_pull_request_of_another_shape_is_one_word_and_no_traceback() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(200, '{"number": "seven", "head": null}'))
        with pytest.raises(MalformedError):
            pulls.facts(client.repository(REPOSITORY), 7)


def test_the_pull_requests_of_a_pushed_commit_are_found() -> None:
    with github(world(Pull(9, HEAD), Pull(7, HEAD, state="closed"))) as fake, talking(fake) as client:
        fake.world.commits[MERGE] = Commit(MERGE, pulls=(9, 7))
        assert [pull.number for pull in pulls.of_commit(client.repository(REPOSITORY), MERGE)] == [7, 9]
        assert pulls.of_commit(client.repository(REPOSITORY), HEAD) == ()


def find(fake_world: World, *, sha: str = HEAD, repository: int = FORK[0]) -> list[int]:
    with github(fake_world) as fake, talking(fake) as client:
        found = pulls.of_branch(
            client.repository(REPOSITORY),
            head_repository=FORK[1],
            head_repository_id=repository,
            branch="main",
            head_sha=sha,
        )
        return [pull.number for pull in found]


def test_the_pull_request_of_a_fork_is_found_by_branch_commit_and_repository_id() -> None:
    there = world(Pull(7, HEAD, head_ref="main", head_repository=FORK), Pull(8, BASE, head_ref="feature"))
    assert find(there) == [7]
    assert find(there, sha=BASE) == []
    assert find(there, repository=1001) == []


def test_a_closed_pull_request_is_not_found() -> None:
    assert find(world(Pull(7, HEAD, head_ref="main", head_repository=FORK, state="closed"))) == []


def test_two_pull_requests_of_one_branch_are_both_found() -> None:
    one, two = (Pull(number, HEAD, head_ref="main", head_repository=FORK) for number in (9, 7))
    assert find(world(one, two)) == [7, 9]


def test_the_merge_base_is_githubs_and_needs_no_clone() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.merge_bases[BASE, HEAD] = MERGE
        assert pulls.merge_base(client.repository(REPOSITORY), BASE, HEAD) == MERGE
        assert len(fake.reads) == 1
        with pytest.raises(MissingError):
            pulls.merge_base(client.repository(REPOSITORY), HEAD, BASE)


def test_the_base_of_a_tested_merge_is_its_first_parent() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.commits[MERGE] = Commit(MERGE, (BASE, HEAD))
        fake.world.commits[BASE] = Commit(BASE)
        assert pulls.first_parent(client.repository(REPOSITORY), MERGE) == BASE
        assert len(fake.reads) == 1
        assert pulls.first_parent(client.repository(REPOSITORY), BASE) is None


def test_files_are_listed_to_the_end() -> None:
    names = [f"src/{number}.py" for number in range(250)]
    with github(world(Pull(7, HEAD, files=names))) as fake, talking(fake) as client:
        found = pulls.changed_files(client.repository(REPOSITORY), 7)
        assert (found.paths, found.truncated) == (tuple(names), False)


def test_a_list_that_github_cuts_is_flagged() -> None:
    with github(world(Pull(7, HEAD, files=[f"{number}" for number in range(3_100)]))) as fake:
        with talking(fake) as client:
            found = pulls.changed_files(client.repository(REPOSITORY), 7)
        assert (len(found.paths), found.truncated) == (3_000, True)


def test_a_renamed_file_counts_under_both_names() -> None:
    with (
        github(world(Pull(7, HEAD, files=["src/old.py -> src/new.py", "a"]))) as fake,
        talking(fake) as client,
    ):
        assert set(pulls.changed_files(client.repository(REPOSITORY), 7).paths) == {
            "src/new.py",
            "src/old.py",
            "a",
        }


def between(fake: FakeGitHub, files: list[str], *, merge_base: str = BASE) -> tuple[str, ...]:
    fake.world.merge_bases[BASE, HEAD] = merge_base
    fake.world.differing[BASE, HEAD] = files
    with talking(fake) as client:
        return pulls.changed_between(client.repository(REPOSITORY), BASE, HEAD)


def test_what_differs_between_a_commit_and_a_later_one_is_asked_in_one_read() -> None:
    with github(world()) as fake:
        assert between(fake, ["a", "old -> new"]) == ("a", "new", "old")
        assert len(fake.reads) == 1
        assert between(fake, []) == ()


def test_a_comparison_that_github_cuts_is_no_answer() -> None:
    with github(world()) as fake:
        assert len(between(fake, [f"{number}" for number in range(299)])) == 299
        with pytest.raises(RefusedError, match="lists only a part") as caught:
            between(fake, [f"{number}" for number in range(300)])
        assert "fetch-depth: 0" in caught.value.remedy


def test_a_commit_of_another_line_is_compared_with_something_else_and_that_is_no_answer() -> None:
    with github(world()) as fake, pytest.raises(RefusedError, match="does not descend"):
        between(fake, ["a"], merge_base=MERGE)


def test_a_file_is_read_from_the_bases_tree() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.contents[BASE, "gate/eval-gate.yml"] = "gate: größer\n".encode()
        repository = client.repository(REPOSITORY)
        assert pulls.content(repository, "gate/eval-gate.yml", BASE) == "gate: größer\n".encode()
        assert pulls.content(repository, "gate/eval-gate.yml", HEAD) is None
        assert len(fake.reads) == 2


def test_an_empty_file_is_empty_and_not_absent() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.contents[BASE, "eval-gate.yml"] = b""
        assert pulls.content(client.repository(REPOSITORY), "eval-gate.yml", BASE) == b""


@pytest.mark.parametrize("size", [1_048_576, 1_048_577, 3_000_000])
def test_a_file_above_a_mebibyte_costs_a_second_read(size: int) -> None:
    with github(world()) as fake, talking(fake) as client:
        data = bytes(number * number % 251 for number in range(size))
        fake.world.contents[BASE, "rows.ndjson"] = data
        assert pulls.content(client.repository(REPOSITORY), "rows.ndjson", BASE) == data
        assert len(fake.reads) == (1 if size == 1_048_576 else 2)


def test_a_file_too_large_for_the_api_says_what_to_do() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.contents[BASE, "huge"] = b"x"
        fake.world.sizes["huge"] = 100_000_001
        with pytest.raises(EvidenceError, match="100000001 bytes") as caught:
            pulls.content(client.repository(REPOSITORY), "huge", BASE)
        assert "fetch-depth" in caught.value.remedy


def test_a_file_that_arrives_in_part_is_not_taken_for_the_whole() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.contents[BASE, "large"] = b"x" * 2_000_000
        fake.world.sizes["large"] = 2_000_001
        with pytest.raises(MalformedError, match="2000000 of 2000001 bytes"):
            pulls.content(client.repository(REPOSITORY), "large", BASE)


def test_a_folder_is_no_file() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.contents[BASE, "baselines"] = ["b.ndjson", "a.json"]
        fake.world.contents[BASE, "file"] = b"x"
        repository = client.repository(REPOSITORY)
        with pytest.raises(EvidenceError, match="is not a file"):
            pulls.content(repository, "baselines", BASE)
        assert pulls.names(repository, "baselines", BASE) == ("a.json", "b.ndjson")
        assert pulls.names(repository, "nowhere", BASE) == ()
        assert pulls.names(repository, "file", BASE) == ()


@pytest.mark.parametrize(
    ("level", "expected"),
    [("admin", "admin"), ("write", "write"), ("read", "read"), ("none", "none"), ("owner?", "none")],
)
def test_what_somebody_may_do_is_asked_of_the_api(level: str, expected: str) -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.collaborators["alice"] = level
        assert pulls.permission(client.repository(REPOSITORY), "alice") == expected


def test_somebody_unknown_may_do_nothing() -> None:
    with github(world()) as fake, talking(fake) as client:
        fake.world.fails("GET", Fault(404, '{"message": "Not Found"}'))
        assert pulls.permission(client.repository(REPOSITORY), "nobody") == "none"


def test_a_login_is_never_a_path() -> None:
    with github(world()) as fake, talking(fake) as client:
        pulls.permission(client.repository(REPOSITORY), "x/../../user?")
        assert fake.reads == [f"GET /repos/{REPOSITORY}/collaborators/x%2F..%2F..%2Fuser%3F/permission"]
