"""Data that ships with the gate: the rubric, the default panel, the prices. Users may put their own in its place."""

from importlib.resources import files
from typing import Final

RUBRIC: Final = "rubric.v1.json"
PANEL: Final = "panel.v1.json"
_PRICES: Final = "prices."


def data_file(name: str) -> bytes:
    """A file of the gate's own data."""
    return (files("gate") / "data" / name).read_bytes()


def price_files() -> dict[str, bytes]:
    """The prices that ship with the gate by file name, the newest first."""
    names = (entry.name for entry in (files("gate") / "data").iterdir())
    return {name: data_file(name) for name in sorted(names, reverse=True) if name.startswith(_PRICES)}
