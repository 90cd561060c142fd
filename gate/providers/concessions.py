"""What a model does not take is left out: models differ in whether they know a temperature, or how not to think.

Every setting has a ladder of values, the best first. When a provider rejects a request and names a setting, that
setting goes one rung down and the question is asked again; the last rung is to leave it out. What was conceded is
kept for the next question, and said beside every reply.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from msgspec.structs import replace

from gate.core.chat import Completion, Outcome

OMIT: Final = None
"""The rung on which a setting is not sent at all."""

Chosen = Mapping[str, object]
"""The value of every setting that is sent."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, its values from best to last resort, and the words by which a rejection names it."""

    name: str
    ladder: tuple[object, ...]
    words: tuple[str, ...]


class Concessions:
    """How far down the ladders one model had to go; may be used from several threads."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self._settings = settings
        self._rungs = dict.fromkeys((setting.name for setting in settings), 0)
        self._lock = Lock()

    def ask(self, ask: Callable[[Chosen], Outcome]) -> Outcome:
        """Ask with the best settings the model is known to take; ends because every ladder does."""
        while True:
            rungs = self._now()
            outcome = ask(self._chosen(rungs))
            if not self._concede(outcome, rungs):
                return self._remarked(outcome, rungs)

    def _now(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._rungs)

    def _chosen(self, rungs: Mapping[str, int]) -> Chosen:
        values = {each.name: each.ladder[rungs[each.name]] for each in self._settings}
        return {name: value for name, value in values.items() if value is not OMIT}

    def _concede(self, outcome: Outcome, rungs: Mapping[str, int]) -> bool:
        """Go one rung down where a rejection names a setting that was sent; another thread may have done so."""
        if isinstance(outcome, Completion) or outcome.kind != "rejected":
            return False
        said = outcome.message.lower()
        for setting in self._settings:
            rung = rungs[setting.name]
            if rung + 1 < len(setting.ladder) and any(word in said for word in setting.words):
                with self._lock:
                    self._rungs[setting.name] = max(self._rungs[setting.name], rung + 1)
                return True
        return False

    def _remarked(self, outcome: Outcome, rungs: Mapping[str, int]) -> Outcome:
        if not isinstance(outcome, Completion) or not any(rungs.values()):
            return outcome
        return replace(
            outcome, remarks=tuple(self._remark(each, rungs) for each in self._settings if rungs[each.name])
        )

    def _remark(self, setting: Setting, rungs: Mapping[str, int]) -> str:
        value = setting.ladder[rungs[setting.name]]
        if value is OMIT:
            return f"{setting.name} is not taken by this model"
        return f"{setting.name}: {value if isinstance(value, str) else 'a weaker form'}"
