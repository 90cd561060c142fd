from pathlib import Path

import pytest

from gate.store.git_facts import git_facts, remote_of, tracked
from tests.repositories import commit, git, repository


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/octo/search.git", ("github.com", "octo/search")),
        ("https://github.com/octo/search", ("github.com", "octo/search")),
        ("https://x-access-token:secret@github.com/octo/search.git", ("github.com", "octo/search")),
        ("git@github.com:octo/search.git", ("github.com", "octo/search")),
        ("ssh://git@ghe.example.org:2222/octo/se.arch.git", ("ghe.example.org", "octo/se.arch")),
        ("git@ghe.example.org:octo/search/", ("ghe.example.org", "octo/search")),
        ("/srv/git/search.git", None),
        ("../search", None),
        ("https://github.com/octo", None),
        ("https://github.com/octo/sea rch", None),
    ],
)
def test_a_remote_is_known_by_host_and_name_and_never_by_its_secret(
    url: str, expected: tuple[str, str] | None
) -> None:
    assert remote_of(url) == expected


def test_without_a_repository_there_is_nothing_to_know(tmp_path: Path) -> None:
    assert git_facts(tmp_path) is None
    assert tracked(tmp_path) == frozenset()


def test_a_folder_that_only_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert git_facts(tmp_path) is None


def test_the_remote_s_own_default_branch_comes_first(tmp_path: Path) -> None:
    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    upstream.mkdir()
    repository(upstream)
    git(upstream, "branch", "-m", "develop")
    git(upstream, "branch", "main")
    git(tmp_path, "clone", "-q", str(upstream), str(clone))

    facts = git_facts(clone)

    assert facts is not None
    assert (facts.branch.name, facts.branch.known_from) == ("develop", "the remote's default branch")
    assert (facts.host, facts.name) == (None, None)


def test_a_usual_branch_comes_before_the_one_that_is_checked_out(tmp_path: Path) -> None:
    repository(tmp_path)
    git(tmp_path, "checkout", "-q", "-b", "adopt-the-gate")

    facts = git_facts(tmp_path)

    assert facts is not None
    assert facts.branch.name == "main"


def test_before_the_first_commit_the_unborn_branch_counts(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "devel")

    facts = git_facts(tmp_path)

    assert facts is not None
    assert (facts.branch.name, facts.head) == ("devel", None)


def test_a_detached_head_without_a_usual_branch_is_a_guess_and_says_so(tmp_path: Path) -> None:
    repository(tmp_path)
    git(tmp_path, "branch", "-m", "devel")
    git(tmp_path, "checkout", "-q", "--detach")

    facts = git_facts(tmp_path)

    assert facts is not None
    assert (facts.branch.name, facts.branch.known_from) == ("main", "a guess: git names none")


def test_a_clone_of_one_commit_ends_at_its_head(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    commit(repository(upstream), {"a": b"1"})
    commit(upstream, {"a": b"2"})
    depths = {}
    for depth in ("1", "2"):
        git(tmp_path, "clone", "-q", "--depth", depth, f"file://{upstream}", f"clone-{depth}")
        facts = git_facts(tmp_path / f"clone-{depth}")
        assert facts is not None
        depths[depth] = facts.cut_off

    assert depths == {"1": True, "2": False}


def test_what_is_staged_is_tracked_and_what_lies_around_is_not(tmp_path: Path) -> None:
    repository(tmp_path, {"a/b.txt": b"x"})
    (tmp_path / "loose").write_text("x")
    (tmp_path / "staged").write_text("x")
    git(tmp_path, "add", "staged")

    assert tracked(tmp_path) == {"a/b.txt", "staged"}
