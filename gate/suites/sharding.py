"""What one job of a matrix measures of a configuration: its part of every suite that can be split."""

import hashlib
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from gate.core.parts import Part
from gate.core.plan import AskedSuite, Plan, PlannedSuite, PlannedSystem, Request, SuiteInputs
from gate.core.records.ecmascript import canonical_json
from gate.core.records.suite_inputs import (
    LongMemEvalInputs,
    LongMemEvalRequest,
    ReplayInputs,
    ReplayRequest,
    RetrievalInputs,
    RetrievalRequest,
)
from gate.core.shards import Shard

WHOLE: Final = 1
"""The shard that runs what cannot be split."""

_ASKS_ONE_BY_ONE: Final = (RetrievalInputs, RetrievalRequest, LongMemEvalInputs, LongMemEvalRequest)
_REPLAYS: Final = (ReplayInputs, ReplayRequest)


def splits(suite: AskedSuite | SuiteInputs | None, system: PlannedSystem) -> bool:
    """Whether a suite's questions can be asked by several jobs; gbrain's own replay takes a whole file."""
    return isinstance(suite, _ASKS_ONE_BY_ONE) or (isinstance(suite, _REPLAYS) and system.kind != "gbrain")


def own_request(request: Request, shard: Shard) -> Request:
    """What this job plans: the suites it has a part in, compared with nothing; the others are noted."""
    system = request.policy.system
    suites = tuple(
        suite
        for suite in request.suites
        if suite.asked is not None and (splits(suite.asked, system) or shard.number == WHOLE)
    )
    notes = (*request.policy.notes, *_elsewhere(request, shard))
    return replace(
        request, policy=replace(request.policy, notes=notes), suites=suites, baseline=None, anchor=None
    )


def part_of(plan: Plan, suite: PlannedSuite, shard: Shard) -> Part:
    """What the rows of this suite state in this job; the same in every job but for the shard."""
    asked = {
        "inputs": suite.inputs,
        "require": plan.require,
        "show_text": plan.show_text,
        "system": plan.system,
    }
    return Part(
        gate=plan.gate,
        suite=suite.name,
        mode=suite.mode or "",
        shard=shard,
        inputs_sha256=hashlib.sha256(canonical_json(msgspec.to_builtins(asked))).hexdigest(),
        commit=plan.commits.measured,
        whole=not splits(suite.inputs, plan.system),
    )


def _elsewhere(request: Request, shard: Shard) -> Iterator[str]:
    """Where the other suites are run, or read; and which of ours is not split."""
    for suite in request.suites:
        if suite.asked is None:
            yield f"{suite.name}: rows that lie there already are left to the merge job"
        elif not splits(suite.asked, request.policy.system):
            where = "here" if shard.number == WHOLE else f"by shard {WHOLE}/{shard.of}"
            yield f"{suite.name}: {suite.suite} cannot be split, and is run whole {where}"
