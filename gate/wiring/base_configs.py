"""The configurations that the base has: a change cannot leave one gate's rules by naming another file.

Looked at are `eval-gate.yml`, every YAML file that the base's workflows name, and those beside these and beside the
file that the change names. The first of them with the gate's id holds the rules.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gate.errors import ConfigError
from gate.github import pulls
from gate.ports import Tree
from gate.store.config_file import LARGEST, ConfigFile, parse_config
from gate.store.workflow_files import FOLDER, document_of

if TYPE_CHECKING:
    from github.Repository import Repository

DEFAULT_CONFIG: Final = "eval-gate.yml"
DEFAULT_GATE: Final = "default"
MOST_FILES: Final = 60
"""So many files of the base are looked at, those that its workflows name first."""

_ENDINGS: Final = (".yml", ".yaml")
Names = Callable[[str, str], tuple[str, ...]]
"""The names in a folder at a commit; empty where there is no such folder."""


@dataclass(frozen=True, slots=True)
class BaseConfig:
    """One configuration of the base, and the ids that its gate goes by."""

    path: str
    config: ConfigFile
    gates: frozenset[str]

    @property
    def shown(self) -> str:
        """The file with its gate."""
        return f"{self.path} (gate {', '.join(sorted(self.gates))})"


@dataclass(frozen=True, slots=True)
class Base:
    """The base's tree, as far as it is looked at here."""

    tree: Tree
    names: Names
    commit: str

    def configs(self, beside: str) -> tuple[BaseConfig, ...]:
        """Every configuration that is found, the ones that the workflows name first."""
        used = tuple(self._workflow_texts())
        named = [DEFAULT_CONFIG, *(path for path, _ in used)]
        folders = dict.fromkeys(posixpath.dirname(path) for path in (*named, beside))
        near = [
            posixpath.join(folder, name) for folder in folders for name in self.names(self.commit, folder)
        ]
        paths = dict.fromkeys(
            path for path in (beside, *named, *near) if path == beside or path.endswith(_ENDINGS)
        )
        found = (self._config(path, used) for path in list(paths)[:MOST_FILES])
        return tuple(one for one in found if one is not None)

    def _workflow_texts(self) -> Iterator[tuple[str, str]]:
        """Every YAML file that a workflow names, with the `gate` that stands beside it."""
        for name in self.names(self.commit, FOLDER):
            data = self.tree.read(self.commit, f"{FOLDER}/{name}") if name.endswith(_ENDINGS) else None
            if data is not None:
                yield from _named(document_of(data))

    def _config(self, path: str, used: tuple[tuple[str, str], ...]) -> BaseConfig | None:
        data = self.tree.read(self.commit, path)
        if data is None or len(data) > LARGEST:
            return None
        try:
            read = parse_config(data, name=f"{path} at {self.commit[:7]}")
        except ConfigError:
            return None
        document = read.document
        if not isinstance(document, Mapping) or not {"rules", "suites"} & document.keys():
            return None
        gates = {gate_of(document), *(gate for named, gate in used if named == path and gate)}
        return BaseConfig(path, read, frozenset(gates))


def listed_by_github(repository: "Repository", commit: str, folder: str) -> tuple[str, ...]:
    """The names in a folder; none of the root's, which may hold anything, and each file is one more request."""
    return pulls.names(repository, folder, commit) if folder else ()


def gate_of(document: object) -> str:
    """The id that a configuration gives its gate."""
    found = document.get("gate") if isinstance(document, Mapping) else None
    return found if isinstance(found, str) else DEFAULT_GATE


def _named(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        gate = value.get("gate")
        for inner in value.values():
            if isinstance(inner, str) and inner.endswith(_ENDINGS) and "${{" not in inner:
                yield posixpath.normpath(inner), gate if isinstance(gate, str) else ""
            else:
                yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named({"": inner})
