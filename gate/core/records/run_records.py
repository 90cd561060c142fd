"""The ledger record of a suite's run: what was asked of what, with which digests, and what came of it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias, cast

from gate.core.records.ledger import NO_MODE, SEARCH_MODES
from gate.core.records.new_record import NewRecord

Status = Literal["completed", "failed", "skipped", "over_budget"]
RecordedMode = Literal["conservative", "balanced", "tokenmax", "n/a"]

UNKNOWN_COMMIT: Final = "unknown"
SHORT_COMMIT: Final = 9
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Where and when a run took place; `commit` None = nobody knows.

    `dataset_commit` is the commit that its questions come from, None likewise.
    """

    commit: str | None
    seed: int
    started: datetime
    duration_ms: int
    dataset_commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Everything a record says. None, or a name that is not there, is unknown; it is never written as zero.

    `digests` are the sha256 of what went in: dataset_sha256, corpus_sha256, questions_sha256,
    answer_key_sha256, fixtures_hash. `identities` are what the system says about its own configuration
    (embedder, retrieval_config_hash, …), `knobs` what the mode stands for, `params` whatever else the suite
    has. A system's own mode that is no search mode is kept as `system_mode`.
    """

    suite: str
    mode: str
    occasion: Occasion
    status: Status = "completed"
    error: str | None = None
    limit: int | None = None
    rows_path: str | None = None
    rows_sha256: str | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    knobs: Mapping[str, object] = field(default_factory=dict)
    params: Mapping[str, object] = field(default_factory=dict)
    metrics: Mapping[str, float | int | None] = field(default_factory=dict)


Recordable: TypeAlias = Callable[[Occasion], RunFacts] | str
"""A run's facts once somebody says where and when it took place, or why there is nothing to say of it."""


def failed_facts(suite: str, mode: str, occasion: Occasion, why: str) -> RunFacts:
    """A run that came to nothing: its record says so."""
    return RunFacts(suite=suite, mode=mode, occasion=occasion, status="failed", error=why)


def run_record(facts: RunFacts) -> NewRecord:
    """The record to append; its id is unique by the moment the run started, to the millisecond."""
    occasion = facts.occasion
    commit = (occasion.commit or UNKNOWN_COMMIT)[:SHORT_COMMIT]
    return NewRecord(
        run_id=run_id(commit, facts.suite, facts.mode, occasion.seed, occasion.started),
        ran_at=ran_at(occasion.started),
        suite=facts.suite,
        mode=_recorded_mode(facts.mode),
        commit=commit,
        seed=occasion.seed,
        limit=facts.limit,
        params=_params(facts),
        status=facts.status,
        duration_ms=occasion.duration_ms,
        error=facts.error,
        metrics=dict(facts.metrics) or None,
    )


def run_id(commit: str, suite: str, mode: str, seed: int, started: datetime) -> str:
    """A run's name: the contract's four parts and the moment in base 36, as its own runs have it."""
    moment = round(started.timestamp() * 1000)
    return f"{commit}-{suite}-{mode.replace('/', '')}-{seed}-{base36(moment)}"


def ran_at(moment: datetime) -> str:
    """ISO 8601 with milliseconds, in UTC, with a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def base36(number: int) -> str:
    """A whole number, 0 or more, in the digits 0 to 9 and a to z."""
    digits = ""
    while True:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
        if not number:
            return digits


def sha256_of(texts: Iterable[str]) -> str:
    """The sha256 of texts, sorted, a line each: the digest of a set, however it was ordered."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()


def _recorded_mode(mode: str) -> RecordedMode:
    return cast("RecordedMode", mode if mode in SEARCH_MODES else NO_MODE)


def _params(facts: RunFacts) -> dict[str, object]:
    """Known facts under the names that readers of a ledger look for; what is unknown is left out."""
    own_mode = None if facts.mode in (*SEARCH_MODES, NO_MODE) else facts.mode
    stated = {
        **facts.identities,
        **facts.digests,
        "dataset_commit": facts.occasion.dataset_commit,
        "system_mode": own_mode,
        "knobs": dict(facts.knobs) or None,
        **facts.params,
        "output": facts.rows_path,
        "output_sha256": facts.rows_sha256,
    }
    return {name: value for name, value in stated.items() if value is not None}
