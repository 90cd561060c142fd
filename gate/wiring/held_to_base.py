"""Whether a stranger's receipt was judged by this repository's rules: they are read from the base, never from it."""

import posixpath
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from gate.core.departures import departures
from gate.core.plan import FileRef, Request
from gate.core.report import Report
from gate.core.watch import watched
from gate.errors import ConfigError, EvidenceError
from gate.github import pulls
from gate.settings import Settings
from gate.store.config_file import parse_config
from gate.wiring.base_configs import Base, gate_of, listed_by_github
from gate.wiring.forge import Forge

if TYPE_CHECKING:
    from github.Repository import Repository

OWN_RULES: Final = (
    "> [!WARNING]\n> **Judged by the contributor's own rules.** The base branch has no configuration of a gate yet, and"
    " this pull request brings the first one: what follows is no verdict by the rules of this repository."
)
_REMEDY: Final = "it is not published; {}"


def held_to_base(forge: Forge) -> Callable[[Report, pulls.PullFacts], str]:
    """A check of a report before it is posted on a pull request.

    It gives what must be said before it: nothing where the base's rules decided, `OWN_RULES` where the base has
    none. EvidenceError for rules that are not the base's.
    """
    return lambda report, pull: _held(forge.repository(), report, pull)


def _held(repository: "Repository", report: Report, pull: pulls.PullFacts) -> str:
    config = report.plan.config
    path = "" if config is None else posixpath.normpath(config.path)
    if not path or path.startswith(("/", "..")):
        raise EvidenceError(
            "the receipt names no configuration of this repository",
            remedy=_REMEDY.format("run the pull request's workflow again"),
        )
    refs = dict.fromkeys((pull.base_ref, pull.base_sha))
    found = [(ref, data) for ref in refs if (data := pulls.content(repository, path, ref)) is not None]
    if not found:
        return _new(repository, report, path, pull)
    wrong = [_against(repository, report, path, pull, data) for _, data in found]
    if all(wrong):
        raise EvidenceError(
            f"the receipt of the gate {report.gate[:80]!r} was not judged by {path} as the base has it; "
            f"it differs in: {', '.join(wrong[0])}",
            remedy=_REMEDY.format("run the pull request's workflow again, on the base as it is now"),
        )
    at_home = any(gate_of(parse_config(data, name=path).document) == report.gate for _, data in found)
    if not at_home and not _goes_by(repository, report.gate, path, found[0][0]):
        raise EvidenceError(
            f"the receipt is of a gate {report.gate[:80]!r}, and {path} is of another",
            remedy=_REMEDY.format("give the base's workflow that gate first"),
        )
    return ""


def _new(repository: "Repository", report: Report, path: str, pull: pulls.PullFacts) -> str:
    others = _base(repository, pull.base_ref).configs(path)
    if others:
        known = ", ".join(one.shown for one in others)
        raise EvidenceError(
            f"the receipt of the gate {report.gate[:80]!r} was judged by {path}, which the base does not have: "
            f"it has {known}",
            remedy=_REMEDY.format("a new gate is introduced from a branch of this repository"),
        )
    if report.plan.policy.origin != "introducing":
        raise EvidenceError(
            f"the receipt says that the base's {path} decided, and the base has no such file",
            remedy=_REMEDY.format("run the pull request's workflow again"),
        )
    return OWN_RULES


def _against(
    repository: "Repository", report: Report, path: str, pull: pulls.PullFacts, data: bytes
) -> tuple[str, ...]:
    """What the receipt's plan does not follow of this configuration."""
    try:
        settings = Settings.from_file(parse_config(data, name=path), source=_ref(path))
    except ConfigError:
        return (f"{path} at the base is no valid configuration",)
    found = departures(report.plan, _request(settings))
    watch = report.plan.watch
    if watch is None or watch.applies or settings.watch is None:
        return found
    listed = pulls.changed_files(repository, pull.number)
    hidden = watched(settings.watch.patterns(), listed.paths).matched
    return (*found, f"watch (it says that nothing watched changed, and {hidden[0]} did)") if hidden else found


def _request(settings: Settings) -> Request:
    request = settings.request()
    if settings.watch is None:
        return request
    seen = watched(settings.watch.patterns(), None)
    return replace(request, policy=replace(request.policy, watch=seen))


def _ref(path: str) -> FileRef:
    return FileRef(path=path, sha256="", bytes=0)


def _goes_by(repository: "Repository", gate: str, path: str, ref: str) -> bool:
    """Whether the gate, or the leg of a matrix job, goes by an id that the base gives this configuration."""
    configs = _base(repository, ref).configs(path)
    ids = {one for config in configs if config.path == path for one in config.gates}
    taken = {one for config in configs if config.path != path for one in config.gates}
    return gate in ids or (gate not in taken and any(gate.startswith(f"{one}-") for one in ids))


def _base(repository: "Repository", ref: str) -> Base:
    return Base(_Contents(repository), partial(listed_by_github, repository), ref)


class _Contents:
    def __init__(self, repository: "Repository") -> None:
        self._repository = repository

    def read(self, commit: str, path: str) -> bytes | None:
        return pulls.content(self._repository, path, commit)
