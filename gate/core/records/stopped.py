"""Why a run may have come to less than it meant to."""

from typing import Final

STOPPED: Final = ("deadline", "budget_exhausted", "cancelled")
"""The reasons that mean: only a part was measured."""
