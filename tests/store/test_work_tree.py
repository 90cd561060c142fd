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


def with_submodule(folder: Path) -> Path:
    inner, outer = folder / "inner", folder / "outer"
    inner.mkdir(), outer.mkdir()
    repository(inner)
    repository(outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "libs/inner")
    git(outer, "commit", "-q", "-m", "a submodule")
    return outer


def test_what_a_submodule_holds_is_its_own_and_only_the_submodule_itself_can_differ(tmp_path: Path) -> None:
    outer = with_submodule(tmp_path)

    assert uncommitted(outer) == ()
    commit(outer / "libs" / "inner", {"more": b"2\n"})
    assert uncommitted(outer) == ("libs/inner",)
    git(outer, "add", "libs/inner")
    assert uncommitted(outer) == ("libs/inner",)


def test_a_submodule_that_is_not_checked_out_has_not_changed(tmp_path: Path) -> None:
    outer = with_submodule(tmp_path)
    git(outer, "clone", "-q", str(outer), str(tmp_path / "clone"))

    assert uncommitted(tmp_path / "clone") == ()


def test_a_work_tree_beside_its_repository_is_read_too(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    repository(main)
    git(main, "worktree", "add", "-q", str(tmp_path / "beside"), "-b", "other")
    (tmp_path / "beside" / "new").write_bytes(b"x")

    assert uncommitted(tmp_path / "beside") == ("new",)


def test_without_a_repository_it_cannot_be_told(tmp_path: Path) -> None:
    with pytest.raises(NotHereError, match="there is no git repository"):
        uncommitted(tmp_path)
    (tmp_path / ".git").mkdir()
    with pytest.raises(NotHereError, match="the work tree cannot be compared") as caught:
        uncommitted(tmp_path)
    assert str(tmp_path) not in caught.value.message


def test_a_damaged_index_cannot_be_told(tmp_path: Path) -> None:
    repository(tmp_path)
    commit(tmp_path, {"a": b"a"})
    (tmp_path / ".git" / "index").write_bytes(b"not an index")

    with pytest.raises(NotHereError, match="cannot be compared"):
        uncommitted(tmp_path)


def test_a_repository_without_a_commit_has_only_untracked_files(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a").write_bytes(b"a")

    assert uncommitted(tmp_path) == ("a",)
