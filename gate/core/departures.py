"""Where a plan is milder than the configuration that it should follow: a stranger's receipt embeds its own plan."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from gate.core.plan import AskedSuite, BaselineRequest, Plan, PlannedBaseline, Policy, Request, SuiteInputs
from gate.core.records.panel_terms import TakesInputs, TakesRequest
from gate.core.records.suite_inputs import BrainbenchInputs, BrainbenchRequest, ReplayInputs, ReplayRequest

_STRICTEST: Final[Policy] = "fail"


def departures(plan: Plan, asked: Request) -> tuple[str, ...]:
    """The keys of the configuration that the plan does not follow; what is stricter is no departure."""
    return tuple(dict.fromkeys((*_rules(plan, asked.policy), *_sources(plan, asked), *_suites(plan, asked))))


def _rules(plan: Plan, base: Plan) -> Iterator[str]:
    known = {spec.name: spec for spec in plan.metrics}
    checks = (
        ("purpose", plan.purpose == base.purpose),
        ("rules", plan.rules == base.rules),
        ("metrics", all(known.get(spec.name) == spec for spec in base.metrics)),
        ("mode", plan.mode in ("blocking", base.mode)),
        ("limits", plan.limits == base.limits),
        ("hold-fixed", set(plan.hold_fixed) >= set(base.hold_fixed)),
        ("require", set(plan.require) >= set(base.require)),
        ("on-inconclusive", _as_strict(plan.on_inconclusive, base.on_inconclusive)),
        ("stats", plan.stats.draws >= base.stats.draws),
        ("watch", plan.watch is None or plan.watch.patterns == _patterns(base)),
    )
    yield from (key for key, holds in checks if not holds)


def _patterns(base: Plan) -> tuple[str, ...] | None:
    return None if base.watch is None else base.watch.patterns


def _as_strict(ours: Mapping[str, Policy], base: Mapping[str, Policy]) -> bool:
    return all(
        ours.get(reason, ours.get("default", _STRICTEST)) == _STRICTEST
        or base.get(reason, base.get("default", _STRICTEST)) != _STRICTEST
        for reason in ours.keys() | base.keys() | {"default"}
    )


def _sources(plan: Plan, asked: Request) -> Iterator[str]:
    """Where nothing watched has changed, nothing was looked at."""
    if plan.watch is not None and not plan.watch.applies:
        return
    for key, found, wanted in (
        ("baseline", plan.baseline, asked.baseline),
        ("anchor", plan.anchor, asked.anchor),
    ):
        if _source(found) != _source(wanted):
            yield key


def _source(given: PlannedBaseline | BaselineRequest | None) -> str | None:
    return None if given is None else given.kind


def _suites(plan: Plan, asked: Request) -> Iterator[str]:
    """A suite that judges itself is there, and judges as it should."""
    if plan.watch is not None and not plan.watch.applies:
        return
    inputs = {planned.name: planned.inputs for planned in plan.suites}
    for suite in asked.suites:
        if not _judges_alike(inputs.get(suite.name), suite.asked):
            yield f"suites {suite.name}"


def _judges_alike(found: SuiteInputs | None, asked: AskedSuite | None) -> bool:
    if isinstance(asked, ReplayRequest):
        return isinstance(found, ReplayInputs) and found.limits == asked.limits
    if isinstance(asked, BrainbenchRequest):
        return isinstance(found, BrainbenchInputs) and found.allowed == asked.allowed
    if isinstance(asked, TakesRequest):
        return isinstance(found, TakesInputs) and _panel_alike(found, asked)
    return True


def _panel_alike(found: TakesInputs, asked: TakesRequest) -> bool:
    """A panel that the configuration does not name was chosen later."""
    models = asked.panel.models or found.panel.models
    return found.panel == replace(asked.panel, models=models) and found.takes == asked.takes
