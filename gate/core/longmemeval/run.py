"""What a LongMemEval run is: everything its rows follow from, stated in the first line of their file."""

import hashlib
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from gate.core.parts import Part
from gate.core.records.ecmascript import canonical_json
from gate.core.records.run_info import RUN_INFO
from gate.core.records.system import Capabilities
from gate.core.shards import Shard

NO_EMBEDDER = "unconfigured"


class Run(Struct, frozen=True, kw_only=True):
    """One run, complete before anything is asked. `questions` are all that are selected, over every shard."""

    dataset_sha256: str
    dataset_questions: int
    k: int
    mode: str
    system: str
    system_version: str | None
    fingerprints: Mapping[str, str]
    retrieval_config_hash: str
    answers: bool
    show_text: bool
    seed: int
    limit: int | None = None
    question_ids_sha256: str | None = None
    shard: Shard = Shard(1, 1)
    questions: tuple[str, ...]

    def own_questions(self) -> tuple[str, ...]:
        """What this shard asks, in the order of the dataset."""
        return tuple(each for each in self.questions if self.shard.holds(each))


class _FirstLine(Struct, kw_only=True):
    kind: str
    run: Run


_LINE = msgspec.json.Decoder(_FirstLine)


def retrieval_config_hash(said: Capabilities, mode: str) -> str:
    """The system's own hash of its configuration, or one over all it says about itself and the mode."""
    stated = said.fingerprints.get("retrieval_config_hash")
    if stated:
        return stated
    members = {
        "fingerprints": dict(said.fingerprints),
        "mode": mode,
        "name": said.name,
        "version": said.version,
    }
    return hashlib.sha256(canonical_json(members)).hexdigest()


def first_line(run: Run, part: Part | None = None) -> bytes:
    """The line that makes rows comparable, and that a run can be resumed and merged by.

    `part` = what a merge by a configuration needs besides, where this is one job of a matrix.
    """
    stated = {
        **run.fingerprints,
        "dataset_sha256": run.dataset_sha256,
        "k": str(run.k),
        "mode": run.mode,
        "retrieval_config_hash": run.retrieval_config_hash,
        "system": run.system,
        **({} if run.system_version is None else {"system_version": run.system_version}),
    }
    line = {
        "kind": RUN_INFO,
        "fingerprints": dict(sorted(stated.items())),
        "units": {"cost_usd": "usd", "delivered_tokens": "tokens", "latency_ms": "ms"},
        "questions": len(run.own_questions()),
        "run": run,
        **({} if part is None else {"part": part.asking(run.questions)}),
    }
    return msgspec.json.encode(line) + b"\n"


def run_of_line(line: bytes) -> Run | None:
    """The run that a first line states; None when it states none."""
    try:
        return _LINE.decode(line).run
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def differences(one: Run, other: Run, *, ignoring: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Where two runs are not the same, field by field, in words."""
    return tuple(_differences(one, other, ignoring))


def _differences(one: Run, other: Run, ignoring: frozenset[str]) -> Iterator[str]:
    for field in Run.__struct_fields__:
        ours, theirs = getattr(one, field), getattr(other, field)
        if field in ignoring or ours == theirs:
            continue
        if field == "questions":
            yield f"questions: {len(ours)} and {len(theirs)}, not the same ones"
        elif field == "fingerprints":
            names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
            yield f"fingerprints: {', '.join(names)}"
        else:
            yield f"{field}: {ours} and {theirs}"
