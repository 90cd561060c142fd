"""What the runner gives a step of a workflow, and how the step speaks to it: log, annotations, masks, outputs."""

import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.errors import ConfigError, EvidenceError, UsageError
from gate.process import LoggedProgress, SystemClock

if TYPE_CHECKING:
    from gate.github.event import Context
    from gate.github.publish import Published
    from gate.ports import Clock

TOKEN_BYTES: Final = 16
_TITLE: Final = "Retrieval Quality Gate"


@dataclass(frozen=True, slots=True)
class Runner:
    """What the runner gives an action: variables, a workspace, a log, and our own randomness."""

    environment: Mapping[str, str]
    workspace: Path
    log: Callable[[str], None]
    draw: Callable[[], str] = lambda: secrets.token_hex(TOKEN_BYTES)
    clock: "Clock" = field(default_factory=SystemClock)
    sleep: Callable[[float], None] = time.sleep
    masked: list[str] = field(default_factory=list, repr=False)
    """What was hidden in the log so far; it is told nowhere else either."""

    @property
    def summary(self) -> Path | None:
        """The file of the job summary; without a runner there is none."""
        path = self.environment.get("GITHUB_STEP_SUMMARY")
        return Path(path) if path else None

    def progress(self) -> LoggedProgress:
        """Who is told how far the work has come: the log."""
        return LoggedProgress(lambda line: self.log(f"{line}\n"), self.clock, self.quietly)

    def context(self) -> "Context":
        """What the event says; outside a workflow there is none, and nothing is published."""
        from gate.github.event import Context, context

        event = self.environment.get("GITHUB_EVENT_NAME", "")
        if not event:
            return Context(
                event="", repository="", why_no_pull_request="there is no event: this is no workflow"
            )
        return context(event, _payload(self.environment.get("GITHUB_EVENT_PATH", "")), self.environment)

    def config(self, name: str) -> Path:
        """The configuration inside the workspace, reached through no link: the base's policy is found by this path."""
        root = self.workspace.resolve()
        config = Path(os.path.normpath(root / name))
        if root not in config.parents:
            raise UsageError(
                f"config: {name!r} leads outside the workspace",
                remedy="name a file of the checked-out repository",
            )
        if config.resolve() != config:
            raise UsageError(
                f"config: {name!r} is, or lies behind, a symbolic link",
                remedy="name the file itself, so that it is the same file in the base's tree",
            )
        if not config.exists():
            raise ConfigError(
                f"{name}: there is no such file",
                remedy="check the repository out first, commit the file (`gate init` writes one), or name yours by the "
                "input `config:`",
            )
        return config

    def inside(self, name: str, given: str) -> Path:
        """Where in the workspace the input `name` leads, through links; UsageError where that is not below it."""
        from gate.store.confinement import OutsideRoot, confine

        try:
            return confine(self.workspace, given)
        except OutsideRoot as error:
            raise UsageError(
                f"{name}: {given!a} does not lie below the workspace",
                remedy="name a folder below the workspace",
            ) from error

    def mask(self, secret: str) -> None:
        """Hide a secret in everything that is logged from now on, line by line."""
        from gate.github.commands import mask_commands

        self.masked.append(secret)
        for line in mask_commands(secret):
            self.log(f"{line}\n")

    def warn(self, said: Iterable[str]) -> None:
        """A warning each."""
        from gate.github.commands import annotation

        for each in said:
            self.log(f"{annotation('warning', each, title=_TITLE)}\n")

    def error(self, message: str, remedy: str) -> None:
        """An error, and what to do about it."""
        from gate.github.commands import annotation

        self.log(f"{annotation('error', _with_remedy(message, remedy), title=_TITLE)}\n")

    def quietly(self, text: str) -> None:
        """Text that may hold somebody else's words: the runner obeys none of them."""
        from gate.github.commands import quiet_foreign, unused_token

        self.log(quiet_foreign(text, unused_token(self.draw, text)))

    def say(self, published: "Published") -> None:
        """What was published, and what was not, with what to do about it."""
        if published.said:
            self.quietly("".join(f"{line}\n" for line in published.said))
        self.warn(_with_remedy(one.message, one.remedy) for one in published.warnings)

    def outputs(self, values: Mapping[str, str]) -> None:
        """The step's outputs; without a runner there is no file for them."""
        from gate.github.outputs import append

        path = self.environment.get("GITHUB_OUTPUT")
        if path:
            append(Path(path), values, draw=self.draw)


def _with_remedy(message: str, remedy: str) -> str:
    return f"{message}\n→ {remedy}"


def _payload(path: str) -> Mapping[str, object]:
    try:
        payload = json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError) as error:
        raise EvidenceError(
            f"{path}: the event's payload cannot be read ({error})",
            remedy="run this as a step of a workflow, with GITHUB_EVENT_PATH as the runner sets it",
        ) from error
    return payload if isinstance(payload, dict) else {}
