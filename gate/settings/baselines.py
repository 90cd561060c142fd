"""What the suites' rows are compared with, shape by shape."""

from typing import Literal

from gate.core.plan import BaselineRequest
from gate.settings.frozen import Frozen


class LedgerBaseline(Frozen):
    """The rows of a run that a ledger names."""

    ledger: str
    run: str = "latest"
    mode: str | None = None

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it."""
        return BaselineRequest(kind="ledger", path=self.ledger, run=self.run, mode=self.mode)


class ReceiptBaseline(Frozen):
    """The rows that an earlier receipt holds fast."""

    receipt: str

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it."""
        return BaselineRequest(kind="receipt", path=self.receipt)


class AcceptedBaseline(Frozen):
    """The rows the team accepted."""

    accepted: Literal[True]

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it; where it lies follows from the gate's id."""
        return BaselineRequest(kind="accepted", path="")


class ArtifactBaseline(Frozen):
    """The rows of the newest run on the base branch."""

    artifact: Literal[True] | str

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it; the action fetches it before planning."""
        return BaselineRequest(kind="artifact", path="" if self.artifact is True else self.artifact)


class RowsBaseline(Frozen):
    """Rows as they are."""

    rows: str

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it."""
        return BaselineRequest(kind="rows", path=self.rows)


class DatabaseBaseline(Frozen):
    """The rows of a run that the ledger in PostgreSQL names; its URL stands in the environment, never here."""

    database: Literal[True]
    run: str = "latest"
    mode: str | None = None

    def request(self) -> BaselineRequest:
        """The baseline as the plan asks for it."""
        return BaselineRequest(kind="database", path="the database", run=self.run, mode=self.mode)


AnyBaseline = (
    LedgerBaseline | ReceiptBaseline | AcceptedBaseline | ArtifactBaseline | RowsBaseline | DatabaseBaseline
)
