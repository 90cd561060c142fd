from pathlib import Path

import pytest

from gate.ports import NotHereError
from gate.store.git_tree import GitTree
from gate.store.trees import FirstThatKnows
from tests.repositories import commit, git, merged, repository


def test_a_file_is_read_as_the_commit_has_it_not_as_the_disk_has_it(tmp_path: Path) -> None:
    first = commit(repository(tmp_path), {"a/b.txt": b"old"})
    second = commit(tmp_path, {"a/b.txt": b"new"})
    (tmp_path / "a" / "b.txt").write_bytes(b"not committed")
    tree = GitTree(tmp_path)

    assert (tree.read(first, "a/b.txt"), tree.read(second, "a/b.txt")) == (b"old", b"new")


def test_what_a_commit_does_not_have_is_none(tmp_path: Path) -> None:
    head = commit(repository(tmp_path), {"a/b.txt": b"x"})
    tree = GitTree(tmp_path)

    assert tree.read(head, "a/none.txt") is None
    assert tree.read(head, "a") is None
    assert tree.read(head, "a/b.txt/c") is None


def test_a_link_in_a_tree_is_no_file(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "link").symlink_to("/etc/passwd")

    assert GitTree(tmp_path).read(commit(tmp_path, {}), "link") is None


def test_a_shallow_clone_names_the_parents_of_the_merge_and_does_not_hold_their_files(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repository(tmp_path)
    base = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "checkout", "-q", "-b", "feature")
    feature = commit(tmp_path, {"x": b"x"})
    git(tmp_path, "branch", "tested", merged(tmp_path))
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "--depth", "1", "--branch", "tested", f"file://{tmp_path}", "here")
    tree = GitTree(clone / "here")

    assert tree.parents(git(clone / "here", "rev-parse", "HEAD")) == (base, feature)
    with pytest.raises(NotHereError, match="does not hold"):
        tree.read(base, "README.md")


def test_changed_files_are_told_by_both_their_names(tmp_path: Path) -> None:
    before = commit(repository(tmp_path), {"keep": b"1", "gone": b"2", "edit": b"3"})
    after = commit(tmp_path, {"gone": None, "edit": b"4", "new/deep": b"5"})

    assert GitTree(tmp_path).changed(before, after) == ("edit", "gone", "new/deep")
    with pytest.raises(NotHereError):
        GitTree(tmp_path).changed("f" * 40, after)


def test_a_folder_without_git_can_tell_nothing(tmp_path: Path) -> None:
    tree = GitTree(tmp_path)

    for ask in (
        lambda: tree.read("a" * 40, "x"),
        lambda: tree.parents("a" * 40),
        lambda: tree.changed("a", "b"),
    ):
        with pytest.raises(NotHereError):
            ask()


def test_a_sha_that_is_no_commit_is_said(tmp_path: Path) -> None:
    repository(tmp_path)
    blob = git(tmp_path, "rev-parse", "HEAD:README.md")

    with pytest.raises(NotHereError, match="is no commit"):
        GitTree(tmp_path).read(blob, "x")


class Knows:
    def __init__(self, **files: bytes | None) -> None:
        self._files = files

    def read(self, commit: str, path: str) -> bytes | None:
        if commit not in self._files:
            raise NotHereError(f"{commit} {path}")
        return self._files[commit]


def test_the_first_source_that_can_tell_is_believed() -> None:
    trees = FirstThatKnows([Knows(a=None), Knows(a=b"never asked", b=b"second")])

    assert trees.read("a", "x") is None
    assert trees.read("b", "x") == b"second"
    with pytest.raises(NotHereError, match="c x"):
        trees.read("c", "x")
    with pytest.raises(NotHereError, match="nothing here"):
        FirstThatKnows([]).read("a", "x")


def test_the_names_in_a_folder_are_those_that_the_commit_has(tmp_path: Path) -> None:
    head = commit(repository(tmp_path), {"a/b.yml": b"x", "a/c/d.yml": b"y"})
    (tmp_path / "a" / "new.yml").write_bytes(b"not committed")
    tree = GitTree(tmp_path)

    assert tree.names(head, "a") == ("b.yml", "c")
    assert tree.names(head, "") == ("README.md", "a")
    assert (tree.names(head, "none"), tree.names(head, "a/b.yml")) == ((), ())
    with pytest.raises(NotHereError, match="does not hold"):
        tree.names("f" * 40, "a")
    with pytest.raises(NotHereError, match="no git repository"):
        GitTree(tmp_path.parent / "nowhere").names(head, "a")


def test_a_commit_is_known_by_every_name_that_git_knows_it_by(tmp_path: Path) -> None:
    first = git(repository(tmp_path), "rev-parse", "HEAD")
    second = commit(tmp_path, {"x": b"x"})
    git(tmp_path, "tag", "light", first)
    git(tmp_path, "tag", "-a", "v1.0", "-m", "first", first)
    git(tmp_path, "update-ref", "refs/remotes/origin/main", first)
    git(tmp_path, "pack-refs", "--all")
    git(tmp_path, "branch", "topic/one", first)
    tree = GitTree(tmp_path)

    for name in (
        "HEAD~1", "HEAD^", "main~1", "light", "v1.0", "origin/main", "refs/remotes/origin/main", "topic/one",
        first[:7], first,
    ):  # fmt: skip
        assert tree.resolved(name) == first == git(tmp_path, "rev-parse", f"{name}^{{commit}}")
    assert {tree.resolved(name) for name in ("HEAD", "main", second[:9])} == {second}


@pytest.mark.parametrize(
    "name",
    ["", "origin/gone", "HEAD~9", "f" * 40, "abcd123", "HEAD:README.md", "a\0b", "~1", "HEAD@{4}", "-1"],
)
def test_what_names_no_commit_is_said_whole(tmp_path: Path, name: str) -> None:
    repository(tmp_path)
    with pytest.raises(NotHereError) as refused:
        GitTree(tmp_path).resolved(name)
    assert refused.value.message == f"no commit is known here as {name!a}"


def test_without_a_repository_no_name_is_a_commit(tmp_path: Path) -> None:
    with pytest.raises(NotHereError, match="no commit is known here as 'main'"):
        GitTree(tmp_path).resolved("main")
