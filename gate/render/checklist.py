"""What `gate doctor` found: one line for each check, and below it what to do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.wording import printable

Status = Literal["ok", "missing", "unknown"]

_SIGNS: Final[Mapping[Status, str]] = {"ok": "✓", "missing": "✗", "unknown": "?"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `do` is what to do about it, perhaps with YAML to add, empty where nothing is."""

    about: str
    status: Status
    said: str
    do: str = ""


def ok(about: str, said: str) -> Check:
    """It is as it should be."""
    return Check(about, "ok", said)


def missing(about: str, said: str, do: str) -> Check:
    """It is missing or wrong."""
    return Check(about, "missing", said, do)


def unknown(about: str, said: str, do: str = "") -> Check:
    """It cannot be known from here, or it depends."""
    return Check(about, "unknown", said, do)


def checklist(checks: Sequence[Check]) -> str:
    """Every check in order, and the count of what is missing."""
    return "\n".join(_lines(checks)) + "\n"


def checklist_document(checks: Sequence[Check]) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema_version": 1,
        "ok": complete(checks),
        "checks": [
            {"about": one.about, "status": one.status, "said": one.said, "do": one.do or None}
            for one in checks
        ],
    }


def complete(checks: Sequence[Check]) -> bool:
    """Whether nothing is missing; what cannot be known is not missing."""
    return all(one.status != "missing" for one in checks)


def _lines(checks: Sequence[Check]) -> Iterator[str]:
    width = max((len(one.about) for one in checks), default=0)
    for one in checks:
        first, *more = one.said.splitlines() or [""]
        yield printable(f"{_SIGNS[one.status]} {one.about:{width}}  {first}")
        yield from (printable(f"  {'':{width}}  {line}") for line in more)
        yield from _remedy(one.do, width)
    yield ""
    yield _counted(checks)


def _remedy(do: str, width: int) -> Iterator[str]:
    for number, line in enumerate(do.splitlines()):
        yield printable(f"  {'':{width}}  {'→ ' if number == 0 else '  '}{line}")


def _counted(checks: Sequence[Check]) -> str:
    wrong = sum(one.status == "missing" for one in checks)
    open_ = sum(one.status == "unknown" for one in checks)
    told = "nothing is missing" if not wrong else f"{wrong} of {len(checks)} are missing or wrong (✗)"
    return f"{told}; {open_} cannot be known from here (?)" if open_ else told
