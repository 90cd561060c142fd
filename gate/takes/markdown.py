"""Takes out of the fences of Markdown pages in a folder, one page in memory at a time."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from gate.core.takes.corpus import CorpusNotes, Sample, Scope
from gate.core.takes.fence import FenceRow, parse_fence
from gate.core.takes.sampling import Candidate, Sampling, draw
from gate.core.takes.take import DEFAULT_ORIGIN, Take
from gate.core.takes.weight import stored_weight, weight_text
from gate.errors import EvidenceError

_SUFFIX: Final = ".md"
_MENTIONED: Final = b"gbrain:takes"
_MOST_PLACES: Final = 10


class MarkdownTakes:
    """Takes of a folder of pages; a page's slug is its path below the folder, without `.md`.

    Folders and files whose names begin with a dot are no pages. Symbolic links are not followed, wherever they
    lead; they are counted, and so is everything that cannot be read. Pages in a folder are never deleted pages.
    """

    kind: Literal["fs", "db"] = "fs"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sample(self, scope: Scope, sampling: Sampling) -> Sample:
        """A sample of the folder's takes; EvidenceError when there is no such folder."""
        reading = _Reading(self._folder, scope)
        drawn = draw(reading.candidates(), sampling)
        takes = tuple(_take(page, row) for page, row in drawn.drawn)
        return Sample(takes=takes, eligible=drawn.eligible, notes=reading.notes())

    def find(self, scope: Scope, places: Sequence[tuple[str, int]]) -> tuple[Take, ...]:
        """The takes on those pages and rows; EvidenceError when there is no such folder."""
        wanted = frozenset(places)
        reading = _Reading(self._folder, scope, only=frozenset(page for page, _ in wanted))
        return tuple(_take(*one.value) for one in reading.candidates() if (one.page, one.row) in wanted)

    def page_texts(self, pages: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The whole text of pages (repository and slug); one that cannot be read any more is left out."""
        texts = page_texts(self._folder, sorted(page for _, page in pages))
        return {key: texts[key[1]] for key in pages if key[1] in texts}


class _Reading:
    """One pass over the folder, and what was seen on it."""

    def __init__(self, folder: Path, scope: Scope, *, only: frozenset[str] | None = None) -> None:
        self._folder = folder
        self._scope = scope
        self._only = only
        self._seen: Counter[str] = Counter()
        self._warnings: Counter[str] = Counter()
        self._places: list[str] = []

    def notes(self) -> CorpusNotes:
        """What was left out, or read against the rules, up to now."""
        return CorpusNotes(**self._seen, warnings=dict(self._warnings), places=tuple(self._places))

    def candidates(self) -> Iterator[Candidate[tuple[str, FenceRow]]]:
        """Every take that counts, page by page."""
        for page, path in self._pages():
            for row in self._rows(page, path):
                yield Candidate(DEFAULT_ORIGIN, page, row.row, row.kind, (page, row))

    def _rows(self, page: str, path: str) -> Iterator[FenceRow]:
        data = self._read(page, path)
        if data is None or _MENTIONED not in data:
            return
        fence = parse_fence(self._text(page, data))
        for warning in fence.warnings:
            self._warnings[warning.code] += 1
            self._say(f"{page}: {warning.code}")
        for row in fence.rows:
            if not row.active and self._scope.inactive == "skipped":
                self._seen["inactive"] += 1
                continue
            self._seen["clamped"] += not 0 <= row.weight <= 1
            yield row

    def _read(self, page: str, path: str) -> bytes | None:
        self._seen["pages"] += 1
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            with os.fdopen(file, "rb", buffering=0) as opened:
                return opened.read()
        except OSError as error:
            self._unreadable(page, error)
            return None

    def _text(self, page: str, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            self._seen["misencoded"] += 1
            self._say(f"{page}: not UTF-8")
            return data.decode(errors="replace")

    def _pages(self) -> Iterator[tuple[str, str]]:
        """The slug and the path of every page that may be looked at, folder by folder, in the order of names."""
        folders = [("", os.fspath(self._folder))]
        while folders:
            prefix, folder = folders.pop()
            inside = []
            for entry in self._entries(prefix, folder):
                name = prefix + entry.name
                if entry.is_symlink():
                    self._seen["links"] += 1
                elif entry.is_dir(follow_symlinks=False):
                    inside.append((f"{name}/", entry.path))
                elif name.endswith(_SUFFIX) and self._wanted(slug := name.removesuffix(_SUFFIX)):
                    if entry.is_file(follow_symlinks=False):
                        yield slug, entry.path
                    else:
                        self._unreadable(slug, None)
            folders += reversed(inside)

    def _wanted(self, slug: str) -> bool:
        return slug.startswith(self._scope.slug_prefix) and (self._only is None or slug in self._only)

    def _entries(self, prefix: str, folder: str) -> list["os.DirEntry[str]"]:
        try:
            with os.scandir(folder) as found:
                entries = [entry for entry in found if not entry.name.startswith(".")]
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            if not prefix:
                raise _no_folder(folder, error) from error
            self._unreadable(prefix, error)
            return []
        told = [entry for entry in entries if _is_text(entry.name)]
        for _ in range(len(entries) - len(told)):
            self._unreadable(f"{prefix}(a name that is not UTF-8)", None)
        return sorted(told, key=lambda entry: entry.name)

    def _unreadable(self, place: str, error: Exception | None) -> None:
        self._seen["unreadable"] += 1
        reason = getattr(error, "strerror", None) or "no regular file"
        self._say(f"{place}: {reason}")

    def _say(self, what: str) -> None:
        if len(self._places) < _MOST_PLACES:
            self._places.append(what)


def _take(page: str, row: FenceRow) -> Take:
    """The take as storing it makes it."""
    return Take(
        page=page,
        row=row.row,
        claim=row.claim,
        kind=row.kind,
        holder=row.holder,
        weight=weight_text(stored_weight(row.weight).weight),
        since=row.since,
        until=row.until,
        source=row.source,
        active=row.active,
        resolution=row.resolution,
    )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_folder(folder: str, error: Exception) -> EvidenceError:
    reason = getattr(error, "strerror", None) or error
    return EvidenceError(
        f"{folder}: the folder of pages cannot be read ({reason})",
        remedy="name the folder that holds the Markdown pages with takes",
    )


def page_texts(folder: Path, slugs: Iterable[str]) -> dict[str, str]:
    """The whole text of pages that takes were read from; one that cannot be read any more is left out."""
    texts: dict[str, str] = {}
    for slug in slugs:
        try:
            file = os.open(folder / f"{slug}{_SUFFIX}", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        with os.fdopen(file, "rb") as opened:
            texts[slug] = opened.read().decode(errors="replace")
    return texts
