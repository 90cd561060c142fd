"""What a run was asked to measure instead of what the configuration says: some suites, other modes, fewer questions.

Nothing gets lost on the way: what is left out is named, and the verdict counts it as not measured.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gate.core.plan import LeftOut
from gate.core.validate import Problem
from gate.core.wording import key_text, named, nearest, quoted
from gate.settings.baselines import (
    AcceptedBaseline,
    AnyBaseline,
    ArtifactBaseline,
    DatabaseBaseline,
    ReceiptBaseline,
)
from gate.settings.frozen import Frozen
from gate.settings.places import leads_out
from gate.settings.suites import AnySuite
from gate.settings.takes_quality import TakesQualitySuite

NARROWING: Final = ("suites", "modes", "limit", "baseline")
"""The inputs that say what is measured and with what it is compared; a change cannot say that of itself."""

_WORDS: Final = ("accepted", "artifact", "database")
"""Baselines that an input names by a word; anything else is the path of a receipt."""
_MODE: Final = "[a-z0-9][a-z0-9._-]{0,62}"
_NAMES: Final = {
    "title": "names with commas between them",
    "type": "string",
    "pattern": r"^[^,\s]+(\s*,\s*[^,\s]+)*$",
}
NARROWED_BY: Final[Mapping[str, Mapping[str, Any]]] = {
    "suites": _NAMES,
    "modes": {
        "title": "search modes with commas between them, in lower-case letters",
        "type": "string",
        "pattern": rf"^{_MODE}(\s*,\s*{_MODE})*$",
    },
    "limit": {
        "title": "how many questions, 1 or more",
        "type": "integer",
        "minimum": 1,
        "maximum": 1_000_000_000,
    },
    "baseline": {
        "title": "accepted, artifact, database, or the path of a receipt, which ends in .json",
        "type": "string",
        "pattern": rf"^({'|'.join(_WORDS)}|.*[.]json)$",
    },
}
"""The schema of these inputs."""


class Narrowing(Frozen):
    """What was asked for beside the configuration; what is empty was not."""

    suites: tuple[str, ...] = ()
    """Names or kinds of suites."""
    modes: tuple[str, ...] = ()
    limit: int | None = None
    baseline: str | None = None
    also: tuple[str, ...] = ()
    """Modes that every suite that knows modes is asked in besides its own, where no modes were asked for."""

    def asked_baseline(self) -> AnyBaseline | None:
        """The baseline that was asked for, a receipt's path from the workspace; None = the configuration's."""
        match self.baseline:
            case None:
                return None
            case "accepted":
                return AcceptedBaseline(accepted=True)
            case "artifact":
                return ArtifactBaseline(artifact=True)
            case "database":
                return DatabaseBaseline(database=True)
            case path:
                return ReceiptBaseline(receipt=posixpath.normpath(path))


@dataclass(frozen=True, slots=True)
class Chosen:
    """One suite in one mode; `limited_to` where it asks no more than that, and fewer than the configuration may."""

    suite: AnySuite
    limited_to: int | None = None


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What is left of the configuration's suites, in its order, and what is not."""

    chosen: tuple[Chosen, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


def asked_for(inputs: Mapping[str, str | float]) -> Mapping[str, object]:
    """A Narrowing's document from inputs that its schema has allowed; lists are written `a, b`."""
    return {
        name: _listed(str(value)) if name in ("suites", "modes") else value for name, value in inputs.items()
    }


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def wrong_with_narrowing(suites: Sequence[AnySuite], narrowing: Narrowing) -> Iterator[Problem]:
    """Names that no suite has, modes that no suite can be asked in, suites that would share a name."""
    known = dict.fromkeys(name for suite in suites for name in _called(suite))
    expanded = [one for suite in suites for one in _in_modes(suite, narrowing)]
    known |= dict.fromkeys(one.name for one in expanded)
    for name in narrowing.suites:
        if name not in known:
            near = nearest(name, known)
            meant = f" (did you mean {key_text(near)}?)" if near else ""
            yield Problem("suites", f"there is no suite {key_text(name)}{meant}; there are {named(known)}")
    if narrowing.modes and not any(_modes_of(suite) for suite in suites):
        yield Problem("modes", "no suite of the configuration is asked in a mode")
    if narrowing.baseline is not None and leads_out(narrowing.baseline, ""):
        yield Problem("baseline", f"{quoted(narrowing.baseline)} lies outside the workspace")
    names = [one.name for one in expanded]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Problem(
            "modes", f"two suites would be called {key_text(name)}; give one of them another `name`"
        )


def narrowed(suites: Sequence[AnySuite], narrowing: Narrowing) -> Narrowed:
    """The suites that are run, each in one mode; suites that are sound, and a narrowing that is."""
    chosen: list[Chosen] = []
    left_out: list[LeftOut] = []
    unlimited: list[str] = []
    for suite in suites:
        left_out += _modes_left_out(suite, narrowing.modes)
        for one in _in_modes(suite, narrowing):
            if narrowing.suites and not {one.name, *_called(suite)} & set(narrowing.suites):
                left_out.append(
                    LeftOut(suite=one.name, why=f"only {', '.join(narrowing.suites)} was asked for")
                )
                continue
            fewer = _limited(one, narrowing.limit)
            chosen.append(fewer)
            left_out += _takes_left_out(one, fewer)
            if narrowing.limit is not None and not hasattr(one, "limit"):
                unlimited.append(one.name)
    notes = (f"the limit of {narrowing.limit} questions cannot be kept by {', '.join(unlimited)}",)
    return Narrowed(tuple(chosen), tuple(left_out), notes if unlimited else ())


def _called(suite: AnySuite) -> tuple[str, ...]:
    return (suite.name, suite.suite)


def _modes_of(suite: AnySuite) -> tuple[str, ...]:
    modes: tuple[str, ...] = getattr(suite, "modes", ())
    return modes


def _name_in(suite: AnySuite, mode: str) -> str:
    """What the configuration calls the suite in this mode, or would."""
    by_mode = dict(zip(_modes_of(suite), suite.names(), strict=True))
    return by_mode.get(mode, f"{suite.name}-{mode}")


def _in_modes(suite: AnySuite, narrowing: Narrowing) -> tuple[AnySuite, ...]:
    """The suite in each mode that is asked for, under the name it has there; as it is, where it knows none."""
    own = _modes_of(suite)
    if not own:
        return (suite,)
    return tuple(
        suite.model_copy(update={"modes": (mode,), "name": _name_in(suite, mode)})
        for mode in narrowing.modes or dict.fromkeys((*own, *narrowing.also))
    )


def _modes_left_out(suite: AnySuite, modes: Sequence[str]) -> Iterator[LeftOut]:
    for mode in _modes_of(suite):
        if modes and mode not in modes:
            yield LeftOut(
                suite=_name_in(suite, mode), why=f"only the modes {', '.join(modes)} were asked for"
            )


def _limited(suite: AnySuite, limit: int | None) -> Chosen:
    """The suite with that limit; one that is above the configuration's own leaves nothing out."""
    if limit is None or not hasattr(suite, "limit"):
        return Chosen(suite)
    own: int | None = suite.limit
    fewer = own is None or limit < own
    return Chosen(suite.model_copy(update={"limit": limit}), limit if fewer else None)


def _takes_left_out(suite: AnySuite, fewer: Chosen) -> Iterator[LeftOut]:
    """A panel's rows do not say how many takes there were: that fewer are drawn is said at once."""
    if isinstance(suite, TakesQualitySuite) and fewer.limited_to is not None:
        why = f"at most {fewer.limited_to} of its {suite.limit} takes were asked for"
        yield LeftOut(suite=suite.name, why=why)
