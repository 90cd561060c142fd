"""One run's word: compared with the baselines that are there, held to the floors, and only if it ran whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.brainbench.comparison import Breach, Outcome, Verdict, first_landing, judge, leaks
from gate.core.brainbench.floors import floors
from gate.core.brainbench.result import Baseline, Result, baseline_of

_MOST_NAMED: Final = 5

Open = Literal["incomparable", "no_baseline", "not_measured"]
"""Why it cannot be told whether a run is worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baselines:
    """What there is to compare with: in the base's tree and in the tree under test; None = no such file.

    `asked` is whether a comparison was asked for at all; `unread` why the base's tree could not be read.
    """

    asked: bool = False
    base: Baseline | None = None
    committed: Baseline | None = None
    unread: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The verdict and everything it rests on; `below` are the floors that the committed baseline misses, or, where
    no comparison was asked for, the run itself.

    `counted` are the breaches that make it a regression: none where they are justified or allowed.
    """

    verdict: Verdict
    breaches: tuple[Breach, ...] = ()
    counted: tuple[Breach, ...] = ()
    below: tuple[Breach, ...] = ()
    open: Open | None = None
    notes: tuple[str, ...] = ()


def decide(result: Result, baselines: Baselines, *, allowed: str | None = None) -> Decision:
    """What to think of a run; one that did not run whole is inconclusive, a missed floor a regression."""
    outcome = _outcome(result, baselines, allowed)
    held = baselines.committed if baselines.asked else baseline_of(result)
    below = () if held is None else floors(held)
    partial = tuple(_partial(result))
    verdict: Verdict = outcome.verdict
    if below and verdict == "pass":
        verdict = "regression"
    if partial and verdict == "pass":
        verdict = "inconclusive"
    return Decision(
        verdict=verdict,
        breaches=outcome.breaches,
        counted=outcome.breaches if outcome.verdict == "regression" else (),
        below=below,
        open=_open(outcome, baselines, partial),
        notes=(*outcome.notes, *partial),
    )


def _open(outcome: Outcome, baselines: Baselines, partial: tuple[str, ...]) -> Open | None:
    if outcome.verdict == "inconclusive":
        unknown = baselines.committed is None and baselines.base is None
        return "no_baseline" if unknown or baselines.unread is not None else "incomparable"
    return "not_measured" if partial else None


def _outcome(result: Result, baselines: Baselines, allowed: str | None) -> Outcome:
    current = baseline_of(result)
    if not baselines.asked:
        return _alone(current)
    base, committed = baselines.base, baselines.committed
    if baselines.unread is not None:
        return Outcome(verdict="inconclusive", mode="same-hash", notes=(baselines.unread,))
    if base is not None and committed is not None:
        return judge(base, current, committed=committed, allowed=allowed)
    if committed is not None:
        return first_landing(current, committed)
    gone = "the committed baseline was deleted" if base is not None else "there is no baseline"
    return Outcome(verdict="inconclusive", mode="same-hash", notes=(gone,))


def _alone(current: Baseline) -> Outcome:
    """Without a baseline only what holds in any run can be judged: no leaks, and the floors."""
    found = tuple(leaks(current))
    note = "no baseline was named: nothing but leaks and floors was judged"
    return Outcome(verdict="regression" if found else "pass", mode="same-hash", breaches=found, notes=(note,))


def _partial(result: Result) -> Iterator[str]:
    if not any(cell.gold_total for cell in result.cells):
        yield "nothing was measured: no cell has any gold"
    failures = [failure.fixture_id for failure in result.seed_failures]
    if failures:
        named = ", ".join(failures[:_MOST_NAMED])
        yield f"{len(failures)} fixtures could not be set up: {named}"
