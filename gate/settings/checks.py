"""What is wrong with a configuration: by its schema, and by what no schema can say, all of it at once.

Which names must exist or must differ, which metrics need a direction, which paths lead out of the workspace.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gate.core.glossary import GLOSSARY
from gate.core.plan import Rule
from gate.core.validate import Problem
from gate.core.wording import key_text, named, nearest, place, quoted
from gate.settings.places import leads_out
from gate.settings.sound import sound_part
from gate.settings.suites import AnySuite
from gate.settings.takes_quality import takes_sources
from gate.settings.wired import unwired
from gate.store.config_file import ConfigFile

if TYPE_CHECKING:
    from gate.settings import Settings


def wrong_with(
    config: ConfigFile, build: "Callable[[object], Settings]", *, folder: str | None = None
) -> tuple[Problem, ...]:
    """Everything wrong with a configuration; `folder` is its own, from the workspace, where it is a file there.

    What its schema refuses is set aside, and the rest is looked at all the same.
    """
    wrong = config.problems or tuple(_not_finite(config.document, ()))
    sound = sound_part(config.document, wrong)
    if sound is None:
        return wrong
    settings = build(sound.document)
    return (*wrong, *sound.placed(_found(settings, sound.touched, folder)))


def _found(settings: "Settings", unknown: frozenset[str], folder: str | None) -> Iterator[Problem]:
    """`unknown` are the keys that were not read whole: nothing is said that they might answer."""
    yield from _suite_names(settings)
    if "system" not in unknown:
        yield from unwired(settings.suites, settings.system)
    yield from takes_sources(settings.suites)
    yield from _leading_out(settings, folder)
    yield from _rules_twice(settings)
    if not unknown & {"metrics", "suites"}:
        yield from _rule_names(settings)


def _leading_out(settings: "Settings", folder: str | None) -> Iterator[Problem]:
    """Paths that cannot lie in the workspace, wherever it is."""
    for index, suite in enumerate(settings.suites):
        for path in _paths(suite):
            if leads_out(path, folder):
                yield Problem(f"suites[{index}]", f"{quoted(path)} lies outside the workspace; {_INSIDE}")
    for key, asked in (("baseline", settings.baseline), ("anchor", settings.anchor)):
        if asked is not None and leads_out(asked.request().path, folder):
            yield Problem(key, f"{quoted(asked.request().path)} lies outside the workspace; {_INSIDE}")


def _paths(suite: AnySuite) -> tuple[str, ...]:
    """Every path that a suite names, each once."""
    found: dict[str, None] = {}

    def noted(path: str) -> str:
        found[path] = None
        return path

    tuple(suite.requests(noted))
    return tuple(found)


_INSIDE: Final = "name a file inside the repository, from the configuration's folder"


def _not_finite(value: object, path: tuple[str | int, ...]) -> Iterator[Problem]:
    if isinstance(value, float) and not math.isfinite(value):
        yield Problem(place(path), f"expected a finite number, found {value}")
    members = (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    )
    for step, member in members:
        yield from _not_finite(member, (*path, step))


def _suite_names(settings: "Settings") -> Iterator[Problem]:
    taken: dict[str, int] = {}
    for index, suite in enumerate(settings.suites):
        for name in suite.names():
            first = taken.setdefault(name, index)
            if first < index:
                yield Problem(
                    f"suites[{index}].name", f"the name {key_text(name)} is taken by suites[{first}]"
                )


def _rules_twice(settings: "Settings") -> Iterator[Problem]:
    asked = [_question(rule.planned()) for rule in settings.rules]
    for index, question in enumerate(asked):
        first = asked.index(question)
        if first < index:
            yield Problem(f"rules[{index}]", f"asks the same as rules[{first}]; keep one of them")


def _question(rule: Rule) -> tuple[object, ...]:
    """What a rule asks about, whatever its limit is; a floor and a ceiling are two questions."""
    return (rule.suite, rule.metric, rule.rule, rule.per, rule.at_least is None)


def _rule_names(settings: "Settings") -> Iterator[Problem]:
    suites = [name for suite in settings.suites for name in suite.names()]
    for index, rule in enumerate(settings.rules):
        if rule.suite is not None and rule.suite not in suites:
            message = f"there is no suite {key_text(rule.suite)}{_or(rule.suite, suites)}"
            yield Problem(f"rules[{index}].suite", f"{message}; the suites are {named(suites)}")
        if rule.rule == "significant" and settings.definition(rule.metric).better is None:
            known = [*settings.metrics, *GLOSSARY]
            message = (
                f"nothing says which direction of {key_text(rule.metric)} is better{_or(rule.metric, known)}"
            )
            yield Problem(
                f"rules[{index}].metric", f"{message}; say it under `metrics`: `better: higher` or `lower`"
            )


def _or(word: str, known: Sequence[str]) -> str:
    meant = nearest(word, known)
    return "" if meant is None else f"; did you mean {key_text(meant)}?"
