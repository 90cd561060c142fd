import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import ExitCode, UnavailableError
from gate.store.atomic import write_atomic, write_atomic_blocks

WRITE = """
import os, resource, sys
from pathlib import Path
from gate.errors import UnavailableError
from gate.store.atomic import write_atomic
if sys.argv[2] == "nobody":
    os.seteuid(65534)
elif sys.argv[2] != "-":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    write_atomic(Path(sys.argv[1]), b"x" * 1_000_000)
except UnavailableError as error:
    print(error.message)
    sys.exit(error.exit_code)
"""


def refused(path: Path, data: bytes = b"new") -> UnavailableError:
    with pytest.raises(UnavailableError) as caught:
        write_atomic(path, data)
    assert caught.value.remedy
    assert str(path) in caught.value.message
    return caught.value


def write_elsewhere(path: Path, limit: str = "-", **options: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WRITE, str(path), limit],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]  # umask=
    )


def test_a_file_appears_whole_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "receipt.json"
    write_atomic(path, b"content")
    assert path.read_bytes() == b"content"
    assert [entry.name for entry in path.parent.iterdir()] == ["receipt.json"]


def test_an_older_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(b"old and longer")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"


def test_pieces_become_one_file(tmp_path: Path) -> None:
    write_atomic_blocks(tmp_path / "rows", iter((b"a\n", b"", b"b\n")))
    assert (tmp_path / "rows").read_bytes() == b"a\nb\n"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_mode_follows_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    path = tmp_path / "file"
    assert write_elsewhere(path, umask=umask).returncode == 0
    assert path.stat().st_mode & 0o777 == mode


def test_a_link_in_the_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"untouched")
    (tmp_path / "file").symlink_to(elsewhere)
    write_atomic(tmp_path / "file", b"new")
    assert elsewhere.read_bytes() == b"untouched"
    assert (tmp_path / "file").read_bytes() == b"new"


def test_what_fails_while_it_is_written_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("the writer broke")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError):
        write_atomic_blocks(path, broken())
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_file_larger_than_allowed_is_unavailable_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = write_elsewhere(path, limit="4096")
    assert done.returncode == ExitCode.UNAVAILABLE
    assert "cannot be written (File too large)" in done.stdout
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_is_unavailable_and_leaves_nothing(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        error = refused(tmp_path / "file", b"x" * 1_000_000)
        assert "No space left on device" in error.message
        assert list(tmp_path.iterdir()) == []
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_folder_without_permission_is_unavailable(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        assert "Permission denied" in refused(tmp_path / "file").message
        return
    tmp_path.chmod(0o700)
    done = write_elsewhere(tmp_path / "file", limit="nobody")
    assert done.returncode == ExitCode.UNAVAILABLE
    assert "Permission denied" in done.stdout


def test_a_folder_in_the_place_of_the_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    assert "Is a directory" in refused(tmp_path / "file").message
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_file_in_the_place_of_a_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "folder").write_bytes(b"")
    refused(tmp_path / "folder" / "file")
    refused(tmp_path / "folder" / "deeper" / "file")


def test_a_path_with_a_nul_is_unavailable(tmp_path: Path) -> None:
    assert "NUL" in refused(tmp_path / "a\0b").message
