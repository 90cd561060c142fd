"""The id a step's gate goes by, also where its configuration is what is broken."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.github import pulls
from gate.github.event import Context
from gate.github.legs import gate_of_leg, leg
from gate.store.config_file import SCHEMA, parse_config, read_config
from gate.store.schema_files import load
from gate.wiring.base_configs import DEFAULT_CONFIG, DEFAULT_GATE

if TYPE_CHECKING:
    from github.Repository import Repository


def gate_id(
    workspace: Path, inputs: Mapping[str, str], seen: Context, repository: "Repository"
) -> str | None:
    """The id that the run would have had, as far as anybody can tell; None = it cannot be known.

    In the order in which a run finds it: the input, the base's configuration, the one in the workspace.
    """
    given = inputs.get("gate")
    if given:
        return given if _is_id(given) else None
    path = config_path(workspace, inputs)
    if path is None:
        return None
    root = workspace.resolve()
    for document in (_of_base(repository, seen, path), own_document(root, path)):
        found = document.get("gate", DEFAULT_GATE) if isinstance(document, Mapping) else None
        if isinstance(found, str) and _is_id(found):
            return gate_of_leg(found, leg(inputs.get("matrix", "")))
    return None


def config_path(workspace: Path, inputs: Mapping[str, str]) -> str | None:
    """The configuration's path in the workspace, with forward slashes; None where it leads outside."""
    root = workspace.resolve()
    named = Path(os.path.normpath(root / (inputs.get("config") or DEFAULT_CONFIG)))
    return named.relative_to(root).as_posix() if root in named.parents else None


def own_document(root: Path, path: str) -> object:
    """What the configuration in the workspace holds; None where it cannot be read, or lies behind a link."""
    file = root / path
    if file.resolve() != file:
        return None
    try:
        return read_config(file).document
    except (GateError, OSError, ValueError):
        return None


def _of_base(repository: "Repository", seen: Context, path: str) -> object:
    if seen.base_ref is None:
        return None
    try:
        data = pulls.content(repository, path, seen.base_ref)
        return None if data is None else parse_config(data, name=path).document
    except GateError:
        return None


def _is_id(text: str) -> bool:
    return re.fullmatch(load(SCHEMA)["properties"]["gate"]["pattern"], text) is not None
