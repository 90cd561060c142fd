"""What of a wrong configuration is sound, so that everything else that is wrong can be told at once."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gate.core.validate import Problem

_LISTS: Final = ("suites", "rules")
_PLACE: Final = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_@/-]*)(?:\[(?P<index>[0-9]+)\])?")
_NUMBERED: Final = re.compile(r"\b(suites|rules)\[([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class Sound:
    """A configuration without what its schema refuses; `kept` are the places its suites and rules had."""

    document: Mapping[str, Any]
    kept: Mapping[str, tuple[int, ...]]
    touched: frozenset[str]
    """The keys something was taken out of: what they might have said is not known."""

    def placed(self, found: Iterable[Problem]) -> Iterator[Problem]:
        """The same problems, with suites and rules counted as the file counts them."""
        return (Problem(self._counted(each.place), self._counted(each.message)) for each in found)

    def _counted(self, text: str) -> str:
        return _NUMBERED.sub(lambda found: f"{found[1]}[{self.kept[found[1]][int(found[2])]}]", text)


def sound_part(document: object, problems: Sequence[Problem]) -> Sound | None:
    """The document without the suites, rules and keys that the problems lie in; None where too little is left."""
    places = [_PLACE.match(problem.place) for problem in problems]
    if not isinstance(document, dict) or None in places:
        return None
    broken = {(place["key"], place["index"] and int(place["index"])) for place in places if place is not None}
    gone = {key for key, index in broken if index is None or key not in _LISTS}
    kept = {
        key: tuple(index for index in range(len(document[key])) if (key, index) not in broken)
        for key in _LISTS
        if key not in gone and isinstance(document.get(key), list)
    }
    if not all(kept.get(key) for key in _LISTS):
        return None
    whole = {key: value for key, value in document.items() if key not in gone}
    lists = {key: [document[key][index] for index in indices] for key, indices in kept.items()}
    return Sound({**whole, **lists}, kept, frozenset(key for key, _ in broken))
