"""The files of a repository that a program under test is started with."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from gate.core.plan import PlannedSystem
from gate.render.checklist import Check, missing
from gate.store.presence import is_missing

_SCRIPTS: Final = frozenset(
    {".bash", ".cjs", ".jar", ".js", ".lua", ".mjs", ".mts", ".php", ".pl", ".py", ".rb", ".sh", ".ts"}
)


def program_checks(system: PlannedSystem, folder: Path) -> Iterator[Check]:
    """Each file named in `run` that is not below the folder it is started in."""
    if system.kind != "command":
        return
    for place, word in enumerate(system.run):
        if _is_file(word, first=place == 0) and is_missing(folder / word):
            yield missing(
                "system",
                f"`run` names {word!a}, and there is no such file",
                "correct it: paths start at the configuration's folder; or let a step before the gate write it",
            )


def _is_file(word: str, *, first: bool) -> bool:
    """Whether a word can only be a relative path: another slash may be a model's name, an image's or a package's."""
    if word.startswith(("/", "-")) or "://" in word or "=" in word:
        return False
    named = PurePosixPath(word).suffix in _SCRIPTS
    return named or word.startswith(("./", "../")) or (first and "/" in word)
