"""Whether the gate, as workflows run it, reaches the system under test: the recipes of docs/recipes.md. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

from gate.core.plan import PlannedSystem
from gate.github.workflow_checks import Use
from gate.render.checklist import Check, missing, ok

_ABOUT: Final = "recipe"
_RECIPES: Final[Mapping[str, str]] = {
    "rows": "the Docker action: steps before it measure on the runner and write the rows (recipe a)",
    "reference": "the Docker action: the system is built into the gate",
    "http": "the Docker action and a service container, reached by its name (recipe b), or `composite` on the runner",
    "command": "`composite`, which starts the program on the runner (recipe a), or an image built from ours (recipe c)",
    "gbrain": "`composite`, which starts the program on the runner (recipe a), or an image built from ours (recipe c)",
}
"""Which way of running the gate reaches a kind of system."""

_IN_OUR_IMAGE: Final = frozenset({"python", "python3"})
_OWN_CONTAINER: Final = frozenset({"localhost", "::1"})
_RUNNER_HOST: Final = "runner-host"

_Way = Literal["docker", "own image", "runner"]


def reaching_checks(system: PlannedSystem, judging: Sequence[Use]) -> Iterator[Check]:
    """The recipe a system needs, and each step that judges but is not of that recipe."""
    yield ok(_ABOUT, f"system {system.kind}: {_RECIPES[system.kind]}")
    for use in judging:
        if system.kind in {"command", "gbrain"}:
            yield from _program(use, system)
        elif system.kind == "http":
            yield from _service(use, _host(system.url or ""))


def lacking_program(system: PlannedSystem) -> str | None:
    """The program that a system starts and our image has not; one with a path may come with the repository."""
    if system.kind not in {"command", "gbrain"}:
        return None
    name = system.run[0]
    return None if "/" in name or name in _IN_OUR_IMAGE else name


def _way(use: Use) -> _Way:
    action = use.step.action
    if action.endswith("/composite"):
        return "runner"
    return "own image" if action.startswith("./.") else "docker"


def _program(use: Use, system: PlannedSystem) -> Iterator[Check]:
    name = lacking_program(system)
    if name is not None and _way(use) == "docker":
        yield missing(
            _ABOUT,
            f"{use.place}: the image of `{use.step.uses}` has no `{name}`, only Python",
            f"start it on the runner, or use an image built from ours (docs/recipes.md)\n- uses: {_composite(use)}",
        )


def _composite(use: Use) -> str:
    action, _, reference = use.step.uses.partition("@")
    return f"{action.rstrip('/')}/composite" + (f"@{reference}" if reference else "")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _service(use: Use, host: str) -> Iterator[Check]:
    in_container = _way(use) != "runner"
    if host in _OWN_CONTAINER or host.startswith("127."):
        if in_container:
            yield _itself(use, host)
    elif host and host != _RUNNER_HOST and "." not in host and ":" not in host:
        yield from _named(use, host, in_container=in_container)


def _itself(use: Use, host: str) -> Check:
    return missing(
        _ABOUT,
        f"{use.place}: inside the action's container `{host}` is the container itself",
        "url: http://NAME:PORT # a service of the job, by its name\n"
        f"url: http://{_RUNNER_HOST}:PORT # a server of an earlier step that listens on all interfaces\n"
        f"- uses: {_composite(use)} # or on the runner, where `{host}` is right",
    )


def _named(use: Use, host: str, *, in_container: bool) -> Iterator[Check]:
    """A name without a dot is a service of the job, known only in the job's network."""
    if not in_container and not use.job.in_container:
        yield missing(
            _ABOUT,
            f"{use.place}: steps on the runner do not know `{host}`",
            "url: http://localhost:PORT # the service's published port: `ports: [PORT:PORT]`",
        )
    elif host not in use.job.services:
        yield missing(
            _ABOUT,
            f"{use.place}: the job has no service `{host}`",
            f"services:\n  {host}:\n    image: IMAGE",
        )
