"""Zip archives from strangers: only expected names come out, within limits, as bytes. Nothing touches the disk."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from gate.errors import EvidenceError

_ENCRYPTED: Final = 0x1
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an archive may hold; sizes in bytes, unpacked."""

    entries: int = 2_000
    one: int = 64 << 20
    all: int = 256 << 20


def unpacked(data: bytes, wanted: Callable[[str], bool], limits: Limits = Limits()) -> Mapping[str, bytes]:
    """The wanted files of a zip archive, by name.

    EvidenceError for an archive that is broken, too large, encrypted, or names anything outside itself: such an
    archive is refused whole. Sizes are counted while reading, whatever the archive claims.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _contents(archive, wanted, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        _refuse(f"is not a readable zip archive ({error})")


def _contents(archive: zipfile.ZipFile, wanted: Callable[[str], bool], limits: Limits) -> Mapping[str, bytes]:
    entries = archive.infolist()
    if len(entries) > limits.entries:
        _refuse(f"has {len(entries)} entries, more than {limits.entries}")
    seen: set[str] = set()
    for entry in entries:
        _check(entry, seen)
    found: dict[str, bytes] = {}
    left = limits.all
    for entry in entries:
        if entry.is_dir() or not wanted(entry.filename):
            continue
        found[entry.filename] = _read(archive, entry, min(limits.one, left))
        left -= len(found[entry.filename])
    return found


def _check(entry: zipfile.ZipInfo, seen: set[str]) -> None:
    name = entry.orig_filename
    parts = name.removesuffix("/").split("/")
    if (
        not name
        or "\\" in name
        or "\0" in name
        or ":" in name
        or any(part in {"", ".", ".."} for part in parts)
    ):
        _refuse(f"names a place outside itself: {name[:80]!r}")
    mode = entry.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        _refuse(f"holds something that is no plain file: {name[:80]!r}")
    if entry.flag_bits & _ENCRYPTED:
        _refuse(f"is encrypted: {name[:80]!r}")
    if name.casefold() in seen:
        _refuse(f"holds a name twice: {name[:80]!r}")
    seen.add(name.casefold())


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    got = bytearray()
    with archive.open(entry) as file:
        while chunk := file.read(_CHUNK):
            got += chunk
            if len(got) > most:
                _refuse(f"is larger than allowed once unpacked: {entry.filename[:80]!r}")
    return bytes(got)


def _refuse(why: str) -> NoReturn:
    raise EvidenceError(
        f"the artifact {why}", remedy="it is not used; run the workflow that uploads it again"
    )
