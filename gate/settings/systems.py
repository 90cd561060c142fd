"""How the system under test is reached, kind by kind."""

from typing import Annotated, Literal

from pydantic import Field

from gate.core.plan import PlannedSystem, Waits
from gate.settings.frozen import Frozen


class RowsSystem(Frozen):
    """It ran elsewhere, and its rows are handed in."""

    kind: Literal["rows"] = "rows"

    def planned(self) -> PlannedSystem:
        """The system as the plan holds it."""
        return PlannedSystem(kind="rows")


class ReferenceSystem(Frozen):
    """The one that is built in."""

    kind: Literal["reference"]
    search: Literal["keyword", "hybrid"] = "keyword"
    vectors: str = ".gate-vectors"

    def planned(self) -> PlannedSystem:
        """The system as the plan holds it; its paths still start at the configuration's folder."""
        return PlannedSystem(kind="reference", search=self.search, vectors=self.vectors)


class _Waiting(Frozen):
    timeout: float = 30
    setup_timeout: float = 300
    start_timeout: float = 60

    def waits(self) -> Waits:
        """How long it is waited for."""
        return Waits(question=self.timeout, setup=self.setup_timeout, start=self.start_timeout)


class HttpSystem(_Waiting):
    """A service."""

    kind: Literal["http"]
    url: str
    token_env: str | None = None
    header: str = "Authorization"
    concurrency: int = 4
    attempts: int = 3

    def planned(self) -> PlannedSystem:
        """The system as the plan holds it."""
        return PlannedSystem(
            kind="http",
            waits=self.waits(),
            url=self.url,
            token_env=self.token_env,
            header=self.header,
            concurrency=self.concurrency,
            attempts=self.attempts,
        )


class CommandSystem(_Waiting):
    """A program."""

    kind: Literal["command"]
    run: tuple[str, ...]
    env: tuple[str, ...] = ()

    def planned(self) -> PlannedSystem:
        """The system as the plan holds it; it starts in the folder of the configuration."""
        return PlannedSystem(kind="command", waits=self.waits(), run=self.run, env=self.env)


class GbrainSystem(Frozen):
    """gbrain, by its own command line."""

    kind: Literal["gbrain"]
    run: tuple[str, ...]
    env: tuple[str, ...] = ()
    timeout: float = 3600

    def planned(self) -> PlannedSystem:
        """The system as the plan holds it; a question is a whole command, and starts in the configuration's folder."""
        return PlannedSystem(kind="gbrain", waits=Waits(question=self.timeout), run=self.run, env=self.env)


AnySystem = Annotated[
    RowsSystem | ReferenceSystem | HttpSystem | CommandSystem | GbrainSystem, Field(discriminator="kind")
]
