"""A workflow as GitHub reads it: events, permissions, concurrency, jobs and their steps. Pure, and lenient."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_LEVELS: Final = ("none", "read", "write")


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a `permissions:` block gives; scopes that it does not list are none."""

    scopes: Mapping[str, str]
    rest: str = "none"

    def allow(self, line: str) -> bool:
        """Whether `scope: level` is given, or more."""
        scope, _, level = line.partition(": ")
        given = self.scopes.get(scope, self.rest)
        return given in _LEVELS and _LEVELS.index(given) >= _LEVELS.index(level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a job that uses an action."""

    uses: str
    given: Mapping[str, str]
    condition: str = ""

    @property
    def action(self) -> str:
        """The action without its version."""
        return self.uses.partition("@")[0]

    @property
    def repository(self) -> str:
        """The repository that the action lies in."""
        return "/".join(self.action.split("/")[:2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job; permissions None = the workflow's count."""

    id: str
    steps: tuple[Step, ...]
    permissions: Permissions | None
    services: frozenset[str] = frozenset()
    in_container: bool = False
    """Whether its steps run in a container of the job's own."""
    condition: str = ""
    group: str = ""
    """Its own concurrency group; empty = the workflow's counts alone."""
    cancel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """One workflow; `group` empty = it has no concurrency, permissions None = the repository's setting counts."""

    path: str
    name: str
    events: Mapping[str, Mapping[str, object]]
    permissions: Permissions | None
    group: str
    cancel: str
    jobs: tuple[Job, ...]

    def permissions_of(self, job: Job) -> Permissions | None:
        """What counts for a job."""
        return self.permissions if job.permissions is None else job.permissions


def workflow(path: str, document: Mapping[str, object]) -> Workflow:
    """The workflow in a file whose scalars are all texts; what has another shape is taken as absent."""
    group, cancel = _concurrency(document.get("concurrency"))
    return Workflow(
        path=path,
        name=_text(document.get("name")) or path,
        events=_events(document.get("on")),
        permissions=_permissions(document.get("permissions")),
        group=group,
        cancel=cancel,
        jobs=tuple(_job(name, _mapping(job)) for name, job in _mapping(document.get("jobs")).items()),
    )


def _job(name: str, job: Mapping[str, object]) -> Job:
    group, cancel = _concurrency(job.get("concurrency"))
    steps = (_mapping(step) for step in _list(job.get("steps")))
    return Job(
        id=name,
        steps=tuple(_step(step) for step in steps if step.get("uses")),
        permissions=_permissions(job.get("permissions")),
        services=frozenset(_mapping(job.get("services"))),
        in_container=bool(job.get("container")),
        condition=_text(job.get("if")),
        group=group,
        cancel=cancel,
    )


def _step(step: Mapping[str, object]) -> Step:
    given = _mapping(step.get("with"))
    return Step(
        uses=_text(step.get("uses")),
        given={key: _text(value) for key, value in given.items()},
        condition=_text(step.get("if")),
    )


def _events(value: object) -> Mapping[str, Mapping[str, object]]:
    """One event, a list of them, or a mapping to their filters."""
    if isinstance(value, str):
        return {value: {}}
    if isinstance(value, list):
        return {_text(name): {} for name in value}
    return {name: _mapping(filters) for name, filters in _mapping(value).items()}


def _permissions(value: object) -> Permissions | None:
    if value is None:
        return None
    if isinstance(value, str):
        return Permissions({}, rest=value.removesuffix("-all"))
    return Permissions({scope: _text(level) for scope, level in _mapping(value).items()})


def _concurrency(value: object) -> tuple[str, str]:
    if isinstance(value, str):
        return value, ""
    block = _mapping(value)
    return _text(block.get("group")), _text(block.get("cancel-in-progress"))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
