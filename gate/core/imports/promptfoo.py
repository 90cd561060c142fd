"""promptfoo's JSON output: a row a test, of one provider and one prompt, with a name that stays when tests move.

A test is named by its `metadata.id`, else by its description where no other test has the same, else by the
hash of its variables; its place in the file is no name.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.imports.made import Imported, ImportProblem, Row
from gate.core.records.ecmascript import canonical_json
from gate.core.records.strict_json import StrictJsonError, strict_loads

METRICS: Final = ("pass", "score", "latency_ms", "cost_usd")
UNITS: Final = {"latency_ms": "ms", "cost_usd": "usd"}

_ERROR: Final = 2
"""promptfoo's failure reason for a call that broke; 1 is an assertion that did not hold."""

_Object = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which of several providers and prompts to take, by id or label; None = the only one there is."""

    provider: str | None = None
    prompt: str | None = None


def read_promptfoo(data: bytes, choice: Choice) -> Imported:
    """The rows of one provider and prompt; ImportProblem, naming what there is, when the choice is open."""
    results = _results(data)
    chosen = _chosen(results, choice)
    names = _names([_test(result) for result in chosen])
    seen: Counter[str] = Counter()
    rows: list[Row] = []
    repeated = max(Counter(names).values()) > 1
    for name, result in zip(names, chosen, strict=True):
        seen[name] += 1
        rows.append(_row(name, result, str(seen[name]) if repeated else None))
    return Imported(rows=tuple(rows), metrics=METRICS, units=UNITS, notes=tuple(_notes(results, chosen)))


def _results(data: bytes) -> tuple[_Object, ...]:
    try:
        document = strict_loads(data)
    except StrictJsonError as error:
        raise ImportProblem(f"no valid JSON: {error}") from error
    value = document
    for _ in range(2):  # `results` of a summary, which newer versions put into an object of that name
        value = value.get("results") if isinstance(value, dict) else value
    if not isinstance(value, list) or not value:
        raise ImportProblem("expected promptfoo's JSON output: `results.results`, a list that is not empty")
    wrong = next((at for at, each in enumerate(value) if not isinstance(each, dict)), None)
    if wrong is not None:
        raise ImportProblem(f"results[{wrong}]: expected an object")
    return tuple(value)


def _chosen(results: Sequence[_Object], choice: Choice) -> tuple[_Object, ...]:
    kept = tuple(
        result
        for result in results
        if choice.provider in (None, *_provider(result)) and choice.prompt in (None, *_prompt(result))
    )
    if not kept:
        raise ImportProblem(f"nothing of this provider and prompt; there are {_options(results)}")
    if len({(_provider(result)[:1], _prompt(result)[:1]) for result in kept}) > 1:
        raise ImportProblem(f"several providers or prompts: choose one of {_options(kept)}")
    return kept


def _options(results: Sequence[_Object]) -> str:
    """The providers and prompts there are; a prompt's text is not shown, its label or place is."""
    named = dict.fromkeys(
        f"{next(iter(_provider(result)), '?')} with prompt {next(iter(_prompt(result)), '?')}"
        for result in results
    )
    return "; ".join(named)


def _provider(result: _Object) -> tuple[str, ...]:
    """Every name of the provider: its id and its label."""
    provider = result.get("provider")
    if isinstance(provider, str):
        return (provider,)
    return _texts(provider, ("id", "label"))


def _prompt(result: _Object) -> tuple[str, ...]:
    """The prompt's place in the configuration, its id."""
    place = result.get("promptIdx")
    names = () if isinstance(place, bool) or not isinstance(place, int) else (str(place),)
    return (*names, *_texts(result.get("prompt"), ("id", "label"))[:2], *_texts(result, ("promptId",)))


def _texts(holder: object, keys: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(holder, dict):
        return ()
    return tuple(value for key in keys if isinstance(value := holder.get(key), str) and value)


def _test(result: _Object) -> _Object:
    test = result.get("testCase")
    return test if isinstance(test, dict) else {"vars": result.get("vars")}


def _names(tests: Sequence[_Object]) -> list[str]:
    """One name a test; equal tests have equal names, different ones different names."""
    by_description: dict[str, set[str]] = {}
    for test in tests:
        for text in _texts(test, ("description",)):
            by_description.setdefault(text, set()).add(_variables(test))
    alone = {text for text, hashes in by_description.items() if len(hashes) == 1}
    return [_name(test, alone) for test in tests]


def _name(test: _Object, alone: set[str]) -> str:
    stated = _texts(test.get("metadata"), ("id",))
    described = tuple(text for text in _texts(test, ("description",)) if text in alone)
    return next(iter((*stated, *described)), f"vars-{_variables(test)[:16]}")


def _variables(test: _Object) -> str:
    stated = test.get("vars")
    return hashlib.sha256(canonical_json(stated if isinstance(stated, dict) else {})).hexdigest()


def _row(name: str, result: _Object, repeat: str | None) -> Row:
    test = _test(result)
    about = {"content_hash": _content(test), "repeat": repeat}
    if _broke(result):
        return Row(id=name, members=about, error="the call or an assertion broke")
    passed = result.get("success")
    if not isinstance(passed, bool):
        raise ImportProblem(f"the test {name!a} does not say whether it passed (`success`)")
    members = {
        **about,
        "pass": passed,
        "score": _number(result, "score"),
        "latency_ms": _number(result, "latencyMs"),
        "cost_usd": _number(result, "cost"),
    }
    return Row(id=name, members=members)


def _broke(result: _Object) -> bool:
    """Whether the call failed, rather than the answer; older outputs tell it by an error without a grade."""
    reason = result.get("failureReason")
    if isinstance(reason, int):
        return reason == _ERROR
    return bool(result.get("error")) and not result.get("gradingResult")


def _content(test: _Object) -> str:
    """Changes when what is asked or what is expected does."""
    asked = {"vars": test.get("vars"), "assert": test.get("assert")}
    return hashlib.sha256(canonical_json(asked)).hexdigest()[:32]


def _number(result: _Object, key: str) -> float | None:
    value = result.get(key)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def _notes(results: Sequence[_Object], chosen: Sequence[_Object]) -> Iterator[str]:
    if len(chosen) < len(results):
        yield f"{len(results) - len(chosen)} results of other providers or prompts: left out"
    named = sorted(
        {name for result in chosen if isinstance(found := result.get("namedScores"), dict) for name in found}
    )
    if named:
        yield f"named scores are left out: {', '.join(named)}"
