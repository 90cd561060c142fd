"""GitHub, asked only when something needs it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import UsageError
from gate.github.client import Client
from gate.ports import NotHereError

if TYPE_CHECKING:
    from github.Repository import Repository


@dataclass(slots=True)
class Forge:
    """GitHub, asked only when something needs it; opened once."""

    connect: Callable[[], Client]
    name: str
    _open: "tuple[Client, Repository] | None" = None

    def repository(self) -> "Repository":
        """The repository; NotHereError when there is no token to ask with."""
        return self.opened()[1]

    def opened(self) -> "tuple[Client, Repository]":
        """The connection and the repository."""
        if self._open is None:
            try:
                client = self.connect()
            except UsageError as error:
                raise NotHereError(error.message) from error
            self._open = (client, client.repository(self.name))
        return self._open

    def close(self) -> None:
        """Hang up."""
        if self._open is not None:
            self._open[0].requester.close()
            self._open = None
