"""One typed, frozen Settings from eval-gate.yml and flags or inputs; every problem is told at once.

The schema says what a configuration may look like; here stands what a schema cannot say: which names
must exist, must differ, or need a known direction.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from msgspec.structs import replace
from pydantic import ConfigDict, Field

from gate.core.glossary import direction, lookup
from gate.core.plan import (
    BaselineRequest,
    Better,
    Feature,
    FileRef,
    Limits,
    MetricSpec,
    Mode,
    Plan,
    PlannedSystem,
    Policy,
    Request,
    Rule,
    Stats,
)
from gate.core.records.ledger import SEARCH_MODES
from gate.core.validate import Problem, problems
from gate.core.watch import PRESETS
from gate.core.wording import key_text
from gate.settings.baselines import AnyBaseline, ReceiptBaseline
from gate.settings.checks import wrong_with
from gate.settings.frozen import Frozen
from gate.settings.memory_suites import seeded
from gate.settings.narrowing import (
    NARROWED_BY,
    NARROWING,
    Narrowing,
    asked_for,
    narrowed,
    wrong_with_narrowing,
)
from gate.settings.suites import AnySuite
from gate.settings.systems import AnySystem, RowsSystem
from gate.settings.takes_quality import directions
from gate.store.config_file import INPUTS, KEYS, SCHEMA, ConfigFile, read_config, refuse
from gate.store.schema_files import load
from gate.store.workspace import relative

Input = str | float | None
"""A flag or input as it was given; None and the empty text mean "not given"."""

_SECONDS: Final[Mapping[str, int]] = {"s": 1, "m": 60, "h": 3600}
_AT_K: Final = re.compile(r"@[0-9]+$")
_STATS: Final = ("seed", "draws")
_NUMBERS: Final = (*_STATS, "limit")
_BUDGET: Final = "budget-usd"
_DEADLINE: Final = "deadline"
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
_DURATION: Final = re.compile(r"[0-9]{1,9}[smh]")
_AMOUNT: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


class WatchSettings(Frozen):
    """Which changed files can affect retrieval."""

    preset: Literal["gbrain"] | None = None
    paths: tuple[str, ...] = ()

    def patterns(self) -> tuple[str, ...]:
        """Every pattern, the preset's first."""
        return (*PRESETS.get(self.preset or "", ()), *self.paths)


class Metric(Frozen):
    """What the configuration says about one metric."""

    better: Better | None = None
    unit: str | None = None
    matters: float | None = None


class SignificantRule(Frozen):
    """Fails on a significant change for the worse."""

    metric: str
    rule: Literal["significant"]
    per: Literal["question-type"] | None = None
    suite: str | None = None

    def planned(self) -> Rule:
        """The rule as the plan holds it."""
        return Rule(metric=self.metric, rule=self.rule, per=self.per, suite=self.suite)


class ThresholdRule(Frozen):
    """Fails on a mean beyond its limit; exactly one of the two limits is given."""

    metric: str
    rule: Literal["threshold"]
    at_least: float | None = None
    at_most: float | None = None
    suite: str | None = None

    def planned(self) -> Rule:
        """The rule as the plan holds it."""
        return Rule(
            metric=self.metric,
            rule=self.rule,
            at_least=self.at_least,
            at_most=self.at_most,
            suite=self.suite,
        )


class LimitSettings(Frozen):
    """Shares of questions above which a run cannot be judged."""

    errors: float = 0.02
    unpaired: float = 0.05


class StatsSettings(Frozen):
    """How differences are tested."""

    method: Literal["contract"] = "contract"
    draws: int = 10_000
    seed: int = 42


AnyRule = Annotated[SignificantRule | ThresholdRule, Field(discriminator="rule")]


class Settings(Frozen):
    """Everything that configures a run, valid as a whole."""

    version: Literal[1] = 1
    config: str = "eval-gate.yml"
    config_file: FileRef | None = None
    """The configuration by its workspace-relative path and its digest; None = it is not a file."""
    out: str = "gate-out"
    gate: str = "default"
    mode: Mode = "blocking"
    system: AnySystem = RowsSystem()
    suites: tuple[AnySuite, ...]
    baseline: AnyBaseline | None = None
    anchor: AnyBaseline | None = None
    metrics: Mapping[str, Metric] = {}
    rules: tuple[AnyRule, ...]
    limits: LimitSettings = LimitSettings()
    stats: StatsSettings = StatsSettings()
    hold_fixed: tuple[str, ...] = ()
    watch: WatchSettings | None = None
    owners: tuple[str, ...] = ()
    require: tuple[Feature, ...] = ()
    on_inconclusive: Mapping[str, Policy] = {}
    show_text: bool = False
    deadline: str | None = None
    budget_usd: float | None = None
    narrowing: Narrowing = Narrowing()
    """What inputs or flags asked for; no part of the file."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @classmethod
    def from_document(cls, document: object, *, overrides: Mapping[str, Input] | None = None) -> Self:
        """Settings from a parsed configuration; ConfigError tells every problem of it and of the overrides."""
        found = problems(document, load(SCHEMA))
        config = ConfigFile(
            name="eval-gate.yml", document=document, sha256="", bytes=0, lines={}, problems=found
        )
        return cls.from_file(config, overrides=overrides)

    @classmethod
    def from_file(
        cls,
        config: ConfigFile,
        *,
        overrides: Mapping[str, Input] | None = None,
        source: FileRef | None = None,
    ) -> Self:
        """Settings from a configuration as it was read; problems are told with their lines."""
        inputs = _given(overrides or {})
        wrong = (*problems(inputs, _inputs_schema()), *_loosened(config.document, inputs))
        folder = None if source is None else posixpath.dirname(source.path)
        found = wrong_with(config, cls.model_validate, folder=folder)
        told = [*config.told(found), *(_told_of_input(problem) for problem in wrong)]
        if told:
            raise refuse(told, config.name, described=KEYS if found else INPUTS)
        merged = {"config": config.name, **_merged(config.document, inputs), "config-file": source}
        return cls.model_validate(merged)

    def widened(self) -> Self:
        """Every suite that knows modes in every search mode besides its own, unless modes were asked for."""
        wide = self.narrowing.model_copy(update={"also": SEARCH_MODES})
        return self.model_copy(update={"narrowing": wide})

    def watch_patterns(self) -> tuple[str, ...]:
        """The patterns of the watch list; none where there is no list."""
        return () if self.watch is None else self.watch.patterns()

    def definition(self, metric: str) -> MetricSpec:
        """What is known about a metric: the configuration's word, else the glossary's."""
        said = self.metrics.get(metric) or self.metrics.get(_AT_K.sub("@k", metric)) or Metric()
        entry = lookup(metric)
        return MetricSpec(
            name=metric,
            better=said.better or direction(metric) or directions(self.suites).get(metric),
            unit=said.unit or (entry.unit if entry else None),
            matters=said.matters,
        )

    def policy(self) -> Plan:
        """The part of the plan that needs no look at the world: rules, metrics, limits, statistics."""
        judged = directions(self.suites)
        names = dict.fromkeys([*self.metrics, *(rule.metric for rule in self.rules), *judged])
        return Plan(
            gate=self.gate,
            mode=self.mode,
            config=self.config_file,
            metrics=tuple(self.definition(name) for name in names),
            rules=tuple(rule.planned() for rule in self.rules),
            limits=Limits(errors=self.limits.errors, unpaired=self.limits.unpaired),
            hold_fixed=self.hold_fixed,
            on_inconclusive={"default": "fail", **self.on_inconclusive},
            require=self.require,
            show_text=self.show_text,
            deadline_seconds=None if self.deadline is None else seconds_of(self.deadline),
            budget_usd=self.budget_usd,
            stats=Stats(method=self.stats.method, draws=self.stats.draws, seed=self.stats.seed),
        )

    def request(self) -> Request:
        """What the settings ask for, before files are digested and a baseline is chosen.

        ConfigError when what was asked beside the configuration does not go with its suites.
        """
        _refuse_unsound(self)
        left = narrowed(seeded(self.suites, self.stats.seed), self.narrowing)
        policy = replace(
            self.policy(), system=self._planned_system(), left_out=left.left_out, notes=left.notes
        )
        return Request(
            policy=policy,
            suites=tuple(
                replace(asked, limited_to=chosen.limited_to)
                for chosen in left.chosen
                for asked in chosen.suite.requests(self._beside)
            ),
            baseline=self._asked_baseline(),
            anchor=self._source(self.anchor),
        )

    def _asked_baseline(self) -> BaselineRequest | None:
        """The baseline an input names, from the workspace; else the configuration's."""
        asked = self.narrowing.asked_baseline()
        return asked.request() if isinstance(asked, ReceiptBaseline) else self._source(asked or self.baseline)

    def _planned_system(self) -> PlannedSystem:
        planned = self.system.planned()
        return replace(planned, folder=self._folder(), vectors=self._beside(planned.vectors))

    def _source(self, asked: AnyBaseline | None) -> BaselineRequest | None:
        """Where a baseline lies: beside the configuration, or, accepted ones, at the workspace's root."""
        if asked is None:
            return None
        request = asked.request()
        if request.kind == "accepted":
            return replace(request, path=accepted_receipt(self.gate))
        if request.kind in ("artifact", "database"):
            return request
        return replace(request, path=self._beside(request.path))

    def _beside(self, path: str) -> str:
        """A path of the configuration starts at the configuration's own folder; plans start at the workspace."""
        return posixpath.normpath(posixpath.join(self._folder(), path))

    def _folder(self) -> str:
        """The configuration's own folder, from the workspace."""
        return "" if self.config_file is None else posixpath.dirname(self.config_file.path)


def _refuse_unsound(settings: Settings) -> None:
    unsound = tuple(wrong_with_narrowing(settings.suites, settings.narrowing))
    if unsound:
        told = [_told_of_input(problem) for problem in unsound]
        raise refuse(told, settings.config, described=INPUTS)


def check(config: ConfigFile) -> tuple[Problem, ...]:
    """Everything wrong with a configuration by itself, wherever its file lies."""
    return wrong_with(config, Settings.model_validate)


def accepted_receipt(gate: str) -> str:
    """The workspace-relative path of a gate's accepted baseline."""
    return f".gate/baselines/{gate}/receipt.json"


def seconds_of(duration: str) -> float:
    """The seconds of a duration as a configuration writes it: 90s, 45m, 2h."""
    return float(duration[:-1]) * _SECONDS[duration[-1]]


def load_settings(config: Path, root: Path, overrides: Mapping[str, Input] | None = None) -> Settings:
    """Settings from the configuration at a path inside the workspace `root`, merged with flags or inputs."""
    read = read_config(config)
    source = FileRef(path=relative(root, config), sha256=read.sha256, bytes=read.bytes)
    return Settings.from_file(read, overrides=overrides, source=source)


def _given(overrides: Mapping[str, Input]) -> dict[str, str | float]:
    return {key: _typed(key, value) for key, value in overrides.items() if value is not None and value != ""}


def _typed(key: str, value: str | float) -> str | float:
    """A number that an action hands over as text is the number it says."""
    if key in _NUMBERS and isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    if key == _BUDGET and isinstance(value, str) and _AMOUNT.fullmatch(value):
        return float(value)
    return value


def _inputs_schema() -> Mapping[str, Any]:
    """The schema of the inputs, from the same pieces as the configuration's."""
    schema = load(SCHEMA)
    known, stats = schema["properties"], schema["properties"]["stats"]["properties"]
    path, policy = schema["$defs"]["file-path"], schema["$defs"]["policy"]
    return {
        "title": "the inputs",
        "properties": {
            "config": path,
            "out": path,
            "gate": known["gate"],
            "mode": known["mode"],
            "seed": stats["seed"],
            "draws": stats["draws"],
            "on-inconclusive": policy,
            _BUDGET: known[_BUDGET],
            _DEADLINE: known[_DEADLINE],
            **NARROWED_BY,
        },
        "additionalProperties": False,
    }


def _told_of_input(problem: Problem) -> str:
    return f"input {key_text(problem.place)}: {problem.message}"


def _loosened(document: object, inputs: Mapping[str, str | float]) -> Iterator[Problem]:
    """A budget or deadline beyond the configuration's own: inputs tighten it, or set one where it has none."""
    for key in (_BUDGET, _DEADLINE):
        own = document.get(key) if isinstance(document, Mapping) else None
        given = inputs.get(key)
        most, asked = _amount(own), _amount(given)
        if most is not None and asked is not None and asked > most:
            shown, limit = (f"{value:g}" if isinstance(value, float) else value for value in (given, own))
            yield Problem(
                key, f"{shown} is more than the configuration's {limit}, which an input may only tighten"
            )


def _amount(value: object) -> float | None:
    """Dollars, or the seconds of a duration; None for what is neither, of which the schema tells."""
    if isinstance(value, str):
        return seconds_of(value) if _DURATION.fullmatch(value) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _merged(document: object, inputs: Mapping[str, str | float]) -> dict[str, Any]:
    """The configuration with what was given beside it; an input says what its key in the file would say."""
    merged = dict(document) if isinstance(document, dict) else {}
    apart = (*_STATS, *NARROWING, "on-inconclusive")
    merged |= {key: value for key, value in inputs.items() if key not in apart}
    merged["stats"] = {**merged.get("stats", {}), **{key: inputs[key] for key in _STATS if key in inputs}}
    merged["narrowing"] = asked_for({key: inputs[key] for key in NARROWING if key in inputs})
    if "on-inconclusive" in inputs:
        merged["on-inconclusive"] = {"default": inputs["on-inconclusive"]}
    return merged
