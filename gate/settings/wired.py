"""Which suites a system can be asked: what does not go together is told before anything runs."""

from collections.abc import Iterator, Sequence
from typing import Final

from gate.core.records.suite_inputs import GATE_SAYS
from gate.core.validate import Problem
from gate.settings.memory_suites import BrainbenchSuite, LongMemEvalSuite, ReplaySuite
from gate.settings.suites import AnySuite, RetrievalSuite
from gate.settings.systems import AnySystem

_GBRAIN: Final = "`system: {kind: gbrain, run: [gbrain]}`"


def unwired(suites: Sequence[AnySuite], system: AnySystem) -> Iterator[Problem]:
    """Every suite that the system cannot be asked, and what to do about it."""
    for index, suite in enumerate(suites):
        if isinstance(suite, BrainbenchSuite):
            found = tuple(_brainbench(suite, system.kind))
        elif isinstance(suite, RetrievalSuite | LongMemEvalSuite | ReplaySuite):
            found = tuple(_asking(suite, system.kind))
        else:
            found = ()
        yield from (Problem(f"suites[{index}].{key}", said) for key, said in found)


def _asking(suite: RetrievalSuite | LongMemEvalSuite | ReplaySuite, kind: str) -> Iterator[tuple[str, str]]:
    if kind == "rows":
        yield (
            "suite",
            f"`{suite.suite}` asks the system under test; say which under `system`, "
            "for example `{kind: reference}`",
        )
    elif isinstance(suite, RetrievalSuite) and kind == "gbrain":
        yield (
            "suite",
            "gbrain's command line takes no judged queries; wrap it as `{kind: command}` (docs/systems.md), "
            "or measure with `replay`",
        )
    elif isinstance(suite, ReplaySuite):
        yield from _replay(suite, kind)
    elif isinstance(suite, LongMemEvalSuite):
        yield from _longmemeval(suite, kind)


def _replay(suite: ReplaySuite, kind: str) -> Iterator[tuple[str, str]]:
    if kind == "reference" and suite.corpus is None:
        yield "corpus", "the built-in system has no documents of its own; name those that were captured from"
    if kind == "gbrain" and suite.corpus is not None:
        yield "corpus", "gbrain replays on its own documents; leave this out"


def _longmemeval(suite: LongMemEvalSuite, kind: str) -> Iterator[tuple[str, str]]:
    if kind == "reference" and suite.answers:
        yield "answers", "the built-in system does not answer; leave this out"
    if kind != "gbrain" and suite.gbrain_options:
        yield "gbrain-options", f"only gbrain has them, and this is no {_GBRAIN}"
    for option in suite.gbrain_options:
        word = option.partition("=")[0]
        if word in GATE_SAYS:
            yield "gbrain-options", f"`{word}` is the gate's own word; use the keys of the suite"


def _brainbench(suite: BrainbenchSuite, kind: str) -> Iterator[tuple[str, str]]:
    if suite.result is None and kind != "gbrain":
        yield (
            "suite",
            f"`brainbench` has a runner of its own; say {_GBRAIN}, or name the `result` it has written",
        )
    if suite.allow_regression is not None and suite.baseline is None:
        yield "allow-regression", "nothing can get worse without a `baseline`; name one, or leave this out"
