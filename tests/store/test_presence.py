from pathlib import Path

from gate.store.presence import has_git, is_missing
from tests.permissions import closed
from tests.programs import open_folder

__all__ = ["open_folder"]


def test_what_is_not_there_is_missing_and_so_is_what_no_file_can_be_called(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert not is_missing(tmp_path / "file")
    assert is_missing(tmp_path / "other")
    assert is_missing(tmp_path / "file" / "below a file")
    assert is_missing(Path("with\0nothing"))


def test_what_nobody_may_look_at_is_not_said_to_be_missing_and_holds_no_git(open_folder: Path) -> None:
    (open_folder / ".git").mkdir()
    shut = open_folder / "shut"
    shut.mkdir()

    with closed(shut):
        assert not is_missing(shut / "file")
        assert not has_git(shut)
        assert has_git(open_folder)
