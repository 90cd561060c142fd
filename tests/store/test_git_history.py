from pathlib import Path

import pytest

from gate.store.git_history import GitHistory
from tests.repositories import commit as commit_files
from tests.repositories import git


def commit(folder: Path, name: str) -> str:
    return commit_files(folder, {name: name.encode()})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def test_the_head_is_the_commit_that_is_checked_out(repository: Path) -> None:
    first = commit(repository, "one")

    assert GitHistory(repository).head() == first


def test_distance_counts_first_parent_steps(repository: Path) -> None:
    first, second, third = (commit(repository, name) for name in ("one", "two", "three"))
    history = GitHistory(repository)

    assert history.distance(first, third) == 2
    assert history.distance(second, third) == 1
    assert history.distance(third, third) == 0
    assert history.distance(third, first) is None


def test_short_shas_are_found_and_too_short_ones_are_not(repository: Path) -> None:
    first, second = commit(repository, "one"), commit(repository, "two")

    assert GitHistory(repository).distance(first[:9], second) == 1
    assert GitHistory(repository).distance(first[:4], second) is None


def test_a_merged_branch_is_not_on_the_first_parent_line(repository: Path) -> None:
    commit(repository, "one")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "side")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "two")
    git(repository, "merge", "-q", "--no-ff", "side", "-m", "merge")
    head = git(repository, "rev-parse", "HEAD")
    history = GitHistory(repository)

    assert history.distance(main, head) == 1
    assert history.distance(side, head) is None


def test_a_shallow_clone_tells_what_it_knows(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first, second = commit(repository, "one"), commit(repository, "two")
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "--depth", "1", f"file://{repository}", "here")
    history = GitHistory(clone / "here")

    assert history.head() == second
    assert history.distance(first, second) is None


def test_a_linked_worktree_has_its_own_head(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    commit(repository, "one")
    tree = tmp_path_factory.mktemp("trees") / "tree"
    git(repository, "worktree", "add", "-q", "-b", "other", str(tree))
    second = commit(tree, "two")

    assert GitHistory(tree).head() == second


def test_a_repository_without_a_commit_can_tell_nothing(repository: Path) -> None:
    assert GitHistory(repository).head() is None
    assert GitHistory(repository).distance("a" * 40, "b" * 40) is None


def test_a_folder_without_git_can_tell_nothing(tmp_path: Path) -> None:
    assert GitHistory(tmp_path).head() is None


def test_a_broken_repository_can_tell_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")

    assert GitHistory(tmp_path).head() is None


def test_the_look_back_is_bounded(repository: Path) -> None:
    first = commit(repository, "one")
    for name in ("two", "three"):
        head = commit(repository, name)

    assert GitHistory(repository, look_back=2).distance(first, head) is None


def test_a_sibling_branch_is_elsewhere_and_a_merged_one_is_not(repository: Path) -> None:
    first = commit(repository, "one")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "side")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "two")
    history = GitHistory(repository)

    assert history.elsewhere(side[:9], main)
    assert not history.elsewhere(first, main)
    assert not history.elsewhere(main, main)
    assert not history.elsewhere("f" * 40, main)
    assert not history.elsewhere("no sha", main)

    git(repository, "merge", "-q", "--no-ff", "side", "-m", "merge")

    assert not GitHistory(repository).elsewhere(side, git(repository, "rev-parse", "HEAD"))


def test_a_shallow_clone_cannot_tell_what_is_elsewhere(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    commit(repository, "one")
    git(repository, "checkout", "-q", "-b", "side")
    side = commit(repository, "side")
    git(repository, "checkout", "-q", "main")
    main = commit(repository, "two")
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "--depth", "1", "--no-single-branch", repository.as_uri(), ".")

    assert not GitHistory(clone).elsewhere(side, main)


def test_a_folder_without_git_tells_nothing_of_other_lines(tmp_path: Path) -> None:
    assert not GitHistory(tmp_path).elsewhere("a" * 40, "b" * 40)
