import os
import subprocess
from pathlib import Path

import pytest

from gate.ports import NotHereError
from gate.store.work_tree import uncommitted
from tests.repositories import commit, git, repository


def test_a_clean_work_tree_holds_nothing_of_its_own(tmp_path: Path) -> None:
    assert uncommitted(repository(tmp_path)) == ()


def test_changed_staged_new_removed_and_untracked_files_are_all_found(tmp_path: Path) -> None:
    repository(tmp_path, dict.fromkeys(("changed", "staged", "removed", "same"), b"1\n"))
    for name in ("changed", "staged", "added", "a/b c/new.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"2 and more\n")
    (tmp_path / "removed").unlink()
    git(tmp_path, "add", "staged", "added")

    assert uncommitted(tmp_path) == ("a/b c/new.txt", "added", "changed", "removed", "staged")


def test_a_name_that_is_no_utf_8_can_still_be_written_down(tmp_path: Path) -> None:
    repository(tmp_path)
    with open(os.fsencode(tmp_path) + b"/a\xff", "wb") as file:  # noqa: PTH123 - no Path has such a name
        file.write(b"x")

    (found,) = uncommitted(tmp_path)
    assert found.encode() == b"a\xef\xbf\xbd"


def test_what_git_ignores_does_not_count(tmp_path: Path) -> None:
    repository(tmp_path, {".gitignore": b"gate-out/\n*.log\n"})
    (tmp_path / "gate-out").mkdir()
    for name in ("gate-out/receipt.json", "x.log", "seen.txt"):
        (tmp_path / name).write_bytes(b"x")

    assert uncommitted(tmp_path) == ("seen.txt",)


def test_a_work_tree_beside_its_repository_is_read_too(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    repository(main)
    git(main, "worktree", "add", "-q", str(tmp_path / "beside"), "-b", "other")
    (tmp_path / "beside" / "new").write_bytes(b"x")

    assert uncommitted(tmp_path / "beside") == ("new",)


def test_without_a_repository_it_cannot_be_told(tmp_path: Path) -> None:
    with pytest.raises(NotHereError, match="no repository"):
        uncommitted(tmp_path)
    (tmp_path / ".git").mkdir()
    with pytest.raises(NotHereError, match="cannot be compared"):
        uncommitted(tmp_path)


def test_a_damaged_index_cannot_be_told(tmp_path: Path) -> None:
    repository(tmp_path)
    commit(tmp_path, {"a": b"a"})
    (tmp_path / ".git" / "index").write_bytes(b"not an index")

    with pytest.raises(NotHereError):
        uncommitted(tmp_path)


def test_a_repository_without_a_commit_has_only_untracked_files(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a").write_bytes(b"a")

    assert uncommitted(tmp_path) == ("a",)
