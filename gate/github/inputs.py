"""The action's inputs, from the INPUT_ variables the runner sets. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from gate.errors import UsageError

_PREFIX: Final = "INPUT_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One input as action.yml declares it; `choices` empty = any text.

    `loosening` are values that only the configuration may say: an input may tighten it, never loosen it, since a
    pull request can change the workflow that passes the inputs.
    """

    name: str
    default: str = ""
    choices: tuple[str, ...] = ()
    loosening: tuple[str, ...] = ()


INPUTS: Final = (
    Declared(name="command", default="run", choices=("run", "publish", "merge", "drift", "sweep")),
    Declared(name="config", default="eval-gate.yml"),
    Declared(name="gate"),
    Declared(name="mode", choices=("blocking",), loosening=("advisory",)),
    Declared(name="suites"),
    Declared(name="modes"),
    Declared(name="limit"),
    Declared(name="baseline"),
    Declared(name="out", default="gate-out"),
    Declared(name="seed"),
    Declared(name="on-inconclusive", choices=("fail",), loosening=("pass",)),
    Declared(name="budget-usd"),
    Declared(name="deadline"),
    Declared(name="token"),
    Declared(name="comment", default="always", choices=("always", "on-change", "on-failure", "off")),
    Declared(name="notify-on", default="silent", choices=("silent", "verdict-change")),
    Declared(name="publish", default="best-effort", choices=("best-effort", "required")),
    Declared(name="check-run", default="false", choices=("true", "false")),
    Declared(name="matrix"),
    Declared(name="shard"),
    Declared(name="shards", default="gate-shards"),
)
"""Every input of the action; action.yml and the composite action are compared with this."""

OUTPUTS: Final = (
    "verdict",
    "reason",
    "regressed",
    "receipt-path",
    "report-json",
    "summary-path",
    "comment-url",
    "cost-usd",
    "artifact-name",
)
"""Every output of the action."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the workflow's author asked for; an input that was left empty is not in `given`."""

    given: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """The value of a declared input, or its default."""
        return self.given.get(name) or _BY_NAME[name].default

    def overrides(self) -> dict[str, str]:
        """What was given of the configuration's own keys."""
        return {name: value for name, value in self.given.items() if name in _OVERRIDES}


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """The inputs of one step; UsageError names every problem at once, a misspelt input with the nearest name.

    The runner keeps dashes (INPUT_ON-INCONCLUSIVE); underscores are taken for dashes, since a shell can set no
    other. Blanks around a value do not count, and an empty value is none.
    """
    found: dict[str, str] = {}
    problems: list[str] = []
    for variable, value in sorted(environment.items()):
        if variable.startswith(_PREFIX):
            name = variable.removeprefix(_PREFIX).lower().replace("_", "-")
            problems += _problems(name, value.strip(), found)
            if value.strip():
                found[name] = value.strip()
    if problems:
        raise UsageError(
            "; ".join(problems),
            remedy="correct the step's `with:` block; the inputs are " + ", ".join(_BY_NAME),
        )
    return Inputs(found)


def given_inputs(environment: Mapping[str, str]) -> Mapping[str, str]:
    """What the step's inputs say, right or wrong."""
    given = ((name, value.strip()) for name, value in environment.items() if name.startswith(_PREFIX))
    return {name.removeprefix(_PREFIX).lower().replace("_", "-"): value for name, value in given if value}


def _problems(name: str, value: str, found: Mapping[str, str]) -> Sequence[str]:
    declared = _BY_NAME.get(name)
    if declared is None:
        return [f"there is no input `{name}`{_nearest(name, tuple(_BY_NAME))}"]
    if value in declared.loosening:
        return [
            f"`{name}: {value}` would loosen the configuration, which an input may only tighten: "
            "write it into the configuration file instead"
        ]
    if value and declared.choices and value not in declared.choices:
        allowed = " or ".join(f"`{choice}`" for choice in declared.choices)
        return [f"`{name}` is {allowed}, not {value!r}{_nearest(value, declared.choices)}"]
    if value and found.get(name, value) != value:
        return [f"`{name}` is given twice, as {found[name]!r} and {value!r}"]
    return []


def _nearest(text: str, names: Sequence[str]) -> str:
    near = get_close_matches(text, names, n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


_BY_NAME: Final = {declared.name: declared for declared in INPUTS}
_OVERRIDES: Final = frozenset(
    {
        "gate",
        "mode",
        "seed",
        "on-inconclusive",
        "budget-usd",
        "deadline",
        "suites",
        "modes",
        "limit",
        "baseline",
    }
)
