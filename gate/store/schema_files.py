"""The published JSON Schemas: the wheel carries a copy, a checkout has them beside the package."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from gate.core.wording import named, nearest
from gate.errors import UsageError

_SUFFIX: Final = ".schema.json"


def names() -> tuple[str, ...]:
    """Every contract there is a schema for, sorted: "config.v1", "gate-receipt.v1", …"""
    found = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


@cache
def load(name: str) -> Mapping[str, Any]:
    """The schema of that name, not to be changed by whoever asked; UsageError with the nearest name if none."""
    if name not in names():
        raise _unknown(name)
    schema: Mapping[str, Any] = json.loads((_folder() / f"{name}{_SUFFIX}").read_bytes())
    return schema


def load_openapi() -> Mapping[str, Any]:
    """The system protocol as a description of an HTTP service."""
    described: Mapping[str, Any] = json.loads((_folder() / "system-protocol.v1.openapi.json").read_bytes())
    return described


def _folder() -> Traversable:
    package = files("gate")
    shipped = package / "schemas"
    return shipped if shipped.is_dir() else Path(str(package)).parent / "schemas"


def _unknown(name: str) -> UsageError:
    meant = nearest(name, names())
    hint = f"; did you mean `{meant}`?" if meant else ""
    return UsageError(f"there is no schema `{name}`{hint}", remedy=f"the schemas are {named(names())}")
