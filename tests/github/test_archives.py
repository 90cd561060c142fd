import io
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import EvidenceError
from gate.github.archives import Limits, unpacked


def archive(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries:
            made.writestr(name, data)
    return file.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    return entry


def everything(_: str) -> bool:
    return True


def test_the_wanted_files_come_out_and_nothing_else() -> None:
    data = archive(
        ("receipt.json", b"{}"), ("rows/a.ndjson", b"1\n"), ("dumps/huge.txt", b"x"), ("rows/", b"")
    )
    found = unpacked(data, lambda name: name == "receipt.json" or name.startswith("rows/"))
    assert dict(found) == {"receipt.json": b"{}", "rows/a.ndjson": b"1\n"}


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "rows/../../evil",
        "/etc/passwd",
        "C:\\evil",
        "rows\\..\\evil",
        "a//b",
        "./receipt.json",
        "rows/.",
        "c:evil",
    ],
)
def test_an_archive_that_names_a_place_outside_itself_is_refused_whole(name: str) -> None:
    with pytest.raises(EvidenceError, match="outside itself"):
        unpacked(archive(("receipt.json", b"{}"), (name, b"x")), lambda wanted: wanted == "receipt.json")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK])
def test_links_and_devices_are_refused(kind: int) -> None:
    with pytest.raises(EvidenceError, match="no plain file"):
        unpacked(archive((special("receipt.json", kind | 0o777), b"/etc/passwd")), everything)


def test_plain_modes_are_fine() -> None:
    assert unpacked(archive((special("receipt.json", stat.S_IFREG | 0o600), b"{}")), everything) == {
        "receipt.json": b"{}"
    }


def test_a_name_twice_is_refused_in_any_case() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = archive(("receipt.json", b"1"), ("receipt.json", b"2"))
    for data in (twice, archive(("receipt.json", b"1"), ("Receipt.JSON", b"2"))):
        with pytest.raises(EvidenceError, match="twice"):
            unpacked(data, everything)


def test_too_many_entries_are_refused() -> None:
    data = archive(*((f"rows/{number}", b"") for number in range(11)))
    with pytest.raises(EvidenceError, match="11 entries"):
        unpacked(data, everything, Limits(entries=10))


def test_a_bomb_is_stopped_while_it_unpacks() -> None:
    data = archive(("receipt.json", b"\0" * 5_000_000))
    assert len(data) < 10_000
    with pytest.raises(EvidenceError, match="larger than allowed"):
        unpacked(data, everything, Limits(one=4_000_000))


def test_many_small_bombs_are_counted_together() -> None:
    data = archive(*((f"rows/{number}", b"\0" * 1_000_000) for number in range(5)))
    with pytest.raises(EvidenceError, match="larger than allowed"):
        unpacked(data, everything, Limits(one=2_000_000, all=4_500_000))
    assert len(unpacked(data, everything, Limits(one=2_000_000, all=5_000_000))) == 5


def test_a_size_the_archive_lies_about_is_not_believed() -> None:
    data = bytearray(archive(("receipt.json", b"\0" * 100_000)))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(signature) + offset, 10)
    try:
        found = unpacked(bytes(data), everything, Limits(one=50_000))
    except EvidenceError:
        return
    assert len(found["receipt.json"]) <= 50_000


def test_an_encrypted_entry_is_refused() -> None:
    data = bytearray(archive(("receipt.json", b"{}")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    with pytest.raises(EvidenceError, match="encrypted"):
        unpacked(bytes(data), everything)


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"<html>", archive(("a", b"x" * 1000))[:-30]],
    ids=["empty", "two letters", "a page", "cut off"],
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(EvidenceError, match="not a readable zip"):
        unpacked(data, everything)


def test_a_damaged_file_is_refused() -> None:
    data = bytearray(archive(("receipt.json", bytes(range(256)) * 40)))
    data[80] ^= 0xFF
    with pytest.raises(EvidenceError):
        unpacked(bytes(data), everything)


@given(st.binary(max_size=300), st.integers(0, 500), st.binary(min_size=1, max_size=8))
def test_whatever_bytes_arrive_there_are_files_or_one_error(noise: bytes, at: int, patch: bytes) -> None:
    data = bytearray(archive(("receipt.json", noise), ("rows/a", b"1")))
    data[at : at + len(patch)] = patch
    try:
        found = unpacked(bytes(data), everything)
    except EvidenceError:
        return
    assert all(isinstance(content, bytes) for content in found.values())
