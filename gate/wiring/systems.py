"""The system under test that a plan names, made from nothing but the plan and what it grants."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.core.plan import PlannedSystem
from gate.errors import ConfigError
from gate.ports import System

if TYPE_CHECKING:
    from gate.systems.process import Command

_MOUNTED_WORKSPACE: Final = "/github/workspace"
"""Where the runner mounts the workspace for Docker actions, and for nothing else."""


def system_of(planned: PlannedSystem, root: Path, environment: Mapping[str, str]) -> System:
    """The system, not yet asked anything; ConfigError when it cannot be reached as it is configured."""
    match planned.kind:
        case "reference":
            return _built_in(planned, root)
        case "http":
            return _service(planned, environment)
        case "command":
            return _program(planned, root, environment)
        case "gbrain":
            raise ConfigError(
                "gbrain runs whole suites by its own command line, and is not asked question by question",
                remedy="use `longmemeval`, `replay` or `brainbench` with it, or wrap it as {kind: command}",
            )
        case "rows":
            raise ConfigError(
                "the system is `kind: rows`: its rows are handed in, and it cannot be asked anything",
                remedy="say under `system` how it is reached, for example {kind: reference}",
            )


def command_of(planned: PlannedSystem, root: Path, environment: Mapping[str, str]) -> "Command":
    """The program that a plan names, with what it is granted."""
    from gate.systems.process import Command, granted

    return Command(
        argv=planned.run, folder=root / planned.folder, environment=granted(planned.env, environment)
    )


def _built_in(planned: PlannedSystem, root: Path) -> System:
    from gate.systems.reference import ReferenceSystem

    if planned.search == "keyword":
        return ReferenceSystem()
    from gate.store.confinement import confine
    from gate.systems.minilm import MiniLm
    from gate.systems.vector_cache import VectorCache
    from gate.systems.vectors import Vectors

    model = MiniLm()
    cache = VectorCache(confine(root, planned.vectors), key=model.key, dimensions=model.dimensions)
    return ReferenceSystem(Vectors(model, cache))


def in_action_container(environment: Mapping[str, str]) -> bool:
    """Whether this is the container of a Docker action, where localhost is neither the runner nor any step before.

    In a job's own container it is the same container for all steps, and localhost may be right.
    """
    mounted = environment.get("GITHUB_WORKSPACE") == _MOUNTED_WORKSPACE
    return mounted and environment.get("GITHUB_ACTIONS") == "true"


def _service(planned: PlannedSystem, environment: Mapping[str, str]) -> System:
    from gate.systems.address import address
    from gate.systems.http import HttpSystem, Patience, Service

    waits = planned.waits
    service = Service(
        address=address(planned.url or "", in_container=in_action_container(environment)),
        headers=_headers(planned, environment),
        concurrency=planned.concurrency,
        patience=Patience(
            ask=waits.question, setup=waits.setup, start=waits.start, attempts=planned.attempts
        ),
    )
    return HttpSystem(service)


def _headers(planned: PlannedSystem, environment: Mapping[str, str]) -> dict[str, str]:
    from gate.systems.process import granted

    if planned.token_env is None:
        return {}
    token = granted([planned.token_env], environment).get(planned.token_env, "")
    if not token or not token.isascii() or not token.isprintable():
        raise ConfigError(
            f"the variable {planned.token_env} holds no token",
            remedy="hand it to this step under `env`, from a secret; on a fork's pull request there are no secrets",
        )
    return {planned.header: f"Bearer {token}" if planned.header.lower() == "authorization" else token}


def _program(planned: PlannedSystem, root: Path, environment: Mapping[str, str]) -> System:
    from gate.systems.command import CommandSystem

    return CommandSystem(
        command_of(planned, root, environment),
        seconds=planned.waits.question,
        setup_seconds=planned.waits.setup,
    )
