from pathlib import Path

import pytest

from gate.store.dataset_commit import dataset_commit
from tests.repositories import commit, git, merged, repository

FILES = {"data/questions.json": b"[1]\n", "data/texts.tsv": b"a\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path, FILES)


def test_it_is_the_last_commit_that_changed_the_file(folder: Path) -> None:
    first = git(folder, "rev-parse", "HEAD")
    commit(folder, {"README.md": b"hello\n"})
    assert dataset_commit([folder / "data/questions.json"]) == first
    second = commit(folder, {"data/questions.json": b"[1, 2]\n"})
    commit(folder, {"README.md": None})
    assert dataset_commit([folder / "data/questions.json"]) == second
    assert dataset_commit([folder / "data/texts.tsv"]) == first


def test_several_files_were_all_as_they_are_since_the_last_of_their_changes(folder: Path) -> None:
    second = commit(folder, {"data/texts.tsv": b"b\n"})
    assert dataset_commit([folder / "data/questions.json", folder / "data/texts.tsv"]) == second


def test_a_change_that_was_merged_came_with_the_merge(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "feature")
    commit(folder, {"data/questions.json": b"[9]\n"})
    git(folder, "checkout", "-q", "main")
    commit(folder, {"README.md": b"hello\n"})
    assert dataset_commit([folder / "data/questions.json"]) != (merge := merged(folder))
    assert dataset_commit([folder / "data/questions.json"]) == merge


def test_what_is_not_as_committed_comes_from_no_commit(folder: Path) -> None:
    (folder / "data/questions.json").write_bytes(b"[3]\n")
    (folder / "new.json").write_bytes(b"[]\n")
    assert dataset_commit([folder / "data/questions.json"]) is None
    assert dataset_commit([folder / "new.json"]) is None
    assert dataset_commit([folder / "data/texts.tsv", folder / "new.json"]) is None


def test_without_a_repository_nobody_can_tell(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_bytes(b"[]")
    assert dataset_commit([tmp_path / "q.json"]) is None
    (tmp_path / ".git").mkdir()
    assert dataset_commit([tmp_path / "q.json"]) is None


def test_files_of_two_repositories_come_from_no_one_commit(tmp_path: Path) -> None:
    one, other = (tmp_path / name for name in ("one", "other"))
    for each in (one, other):
        each.mkdir()
        repository(each, FILES)
    assert dataset_commit([one / "data/texts.tsv", other / "data/texts.tsv"]) is None


def test_a_clone_that_ends_before_the_change_cannot_tell(folder: Path, tmp_path: Path) -> None:
    later = commit(folder, {"data/questions.json": b"[1, 2]\n"})
    commit(folder, {"README.md": b"hello\n"})
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{folder}", "shallow")
    assert dataset_commit([tmp_path / "shallow/data/texts.tsv"]) is None
    assert dataset_commit([tmp_path / "shallow/data/questions.json"]) is None  # perhaps it is older
    git(tmp_path, "clone", "-q", "--depth", "3", f"file://{folder}", "deeper")
    assert dataset_commit([tmp_path / "deeper/data/questions.json"]) == later
