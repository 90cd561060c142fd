"""gbrain's own evaluation commands: started with what they are granted, their results handed on as they are.

Results come through a file in a folder of our own where the command has one to write, else from standard output;
nothing of either reaches a message, since both may repeat questions.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gate.core.brainbench.result import BrainbenchError, Result, read_result
from gate.core.records.system import Answer, Capabilities, Document, Hit, Query, SearchReply
from gate.core.replay.captures import CaptureFile
from gate.core.replay.reported import (
    GateReport,
    ReportedRow,
    ReportError,
    matched,
    read_gate_report,
    read_replay_report,
)
from gate.errors import Cancelled, ConfigError
from gate.ports import SystemFailed
from gate.systems.modes import MODES
from gate.systems.process import Command, Finished, Program

MOST_OUTPUT: Final = 256 * 2**20
"""Bytes; a result that is larger is none."""

_PRIVATE: Final = 0o700
_DROP_BOX: Final = 0o733
"""For a program of another user: it may put a file there, and nobody else knows the folder's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongMemEvalCall:
    """What `eval longmemeval` is asked; None leaves its own default."""

    dataset: Path
    mode: str
    top_k: int
    questions: tuple[str, ...] | None = None
    """Only these, by id; None = every one of the dataset."""
    options: tuple[str, ...] = ()
    """Whatever else is asked for, as `--retrieval-only`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCall:
    """What `eval gate` is asked; at least one of the two files."""

    baseline: Path | None = None
    qrels: Path | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class RowsMade:
    """Rows as gbrain wrote them, and the exit code that says what it thinks of them.

    `ended` is why it could not finish: it was too slow, or the gate was cancelled. The rows so far are there then.
    """

    data: bytes
    code: int
    ended: SystemFailed | Cancelled | None = None


class Gbrain:
    """Drives the gbrain command line; `command.argv` is how it is called (`gbrain`, or `bun src/cli.ts`)."""

    def __init__(
        self, command: Command, *, seconds: float, alive: Callable[[int], None] = lambda _: None
    ) -> None:
        """`seconds` is the patience for one whole command.

        `alive` is told about every second how many rows a command has written, 0 where it writes none.
        """
        self._command = command
        self._seconds = seconds
        self._alive = alive

    def longmemeval(self, call: LongMemEvalCall) -> RowsMade:
        """Native LongMemEval rows. Exit code 1 keeps them: it is gbrain's own opinion of a finished run."""
        asked = ["eval", "longmemeval", str(call.dataset), "--mode", call.mode, "--top-k", str(call.top_k)]
        with self._drop_box("rows.jsonl") as output:
            named = _ids_file(output.with_name("questions.txt"), call.questions)
            try:
                done = self._run([*asked, *named, *call.options, "--output", str(output)], output)
            except (SystemFailed, Cancelled) as ended:
                rescued = _opened(output)
                if rescued is None:
                    raise
                return RowsMade(rescued, -1, ended)
            return RowsMade(self._written(output, done), done.code)

    def replay(
        self,
        file: CaptureFile,
        path: Path,
        *,
        mode: str | None,
        limit: int | None,
        compare_limit: int | None,
    ) -> tuple[ReportedRow, ...]:
        """Every capture of a file as gbrain answers it now; SystemFailed when it reports on others."""
        asked = ["eval", "replay", "--against", str(path), "--json", "--verbose"]
        for option, value in (("--mode", mode), ("--limit", limit), ("--compare-limit", compare_limit)):
            asked += [] if value is None else [option, str(value)]
        done = self._run(asked)
        try:
            return matched(read_replay_report(done.output), file.captures[:limit])
        except ReportError as error:
            raise _garbage("eval replay", str(error), done) from error

    def brainbench(self, options: Sequence[str] = ()) -> Result:
        """A whole hermetic run; the figures in its result are checked by whoever judges them."""
        with self._drop_box("brainbench.json") as output:
            done = self._run(["eval", "brainbench", "--json", "--out", str(output), *options])
            data = self._written(output, done)
        try:
            return read_result(data)
        except BrainbenchError as error:
            raise _garbage("eval brainbench", str(error), done) from error

    def gate(self, call: GateCall) -> GateReport:
        """gbrain's own gate; ConfigError without a file to judge by."""
        if call.baseline is None and call.qrels is None:
            raise ConfigError("gbrain's gate needs a baseline or qrels", remedy="name at least one of them")
        asked = ["eval", "gate", "--json"]
        for option, value in (("--baseline", call.baseline), ("--qrels", call.qrels), ("--k", call.k)):
            asked += [] if value is None else [option, str(value)]
        done = self._run(asked)
        try:
            return read_gate_report(done.output)
        except ReportError as error:
            raise _garbage("eval gate", str(error), done) from error

    def _run(self, arguments: Sequence[str], output: Path | None = None) -> Finished:
        command = Command(
            argv=(*self._command.argv, *arguments),
            folder=self._command.folder,
            environment=self._command.environment,
        )
        return Program(command).finish(
            seconds=self._seconds, most=MOST_OUTPUT, tick=lambda: self._alive(_rows_in(output))
        )

    @contextmanager
    def _drop_box(self, name: str) -> Iterator[Path]:
        """A path that the program can write and nobody else knows; gone afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="gate-gbrain-"))
        folder.chmod(_DROP_BOX if os.geteuid() == 0 else _PRIVATE)
        try:
            yield folder / name
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _written(self, path: Path, done: Finished) -> bytes:
        data = _opened(path)
        if data is None:
            raise _crashed(done)
        if len(data) > MOST_OUTPUT:
            raise _garbage("its result", f"more than {MOST_OUTPUT:,} bytes", done)
        return data


class ReplayedSystem:
    """Implements the gate's System for a replay that gbrain has already made: every query has its answer."""

    def __init__(self, names: Sequence[str], rows: Sequence[ReportedRow]) -> None:
        self._rows: Mapping[str, ReportedRow] = dict(zip(names, rows, strict=True))

    def capabilities(self) -> Capabilities:
        """The modes of gbrain."""
        return Capabilities(name="gbrain", modes=tuple(MODES), concurrency=1)

    def reset(self) -> None:
        """Refuses: the brain that was asked is somebody's own."""
        raise SystemFailed("refused", "gbrain's own documents stay", remedy="replay without a corpus")

    def ingest(self, documents: Sequence[Document]) -> None:  # noqa: ARG002 - the port's signature
        """Refuses likewise."""
        self.reset()

    def search(self, query: Query) -> SearchReply:
        """The pages gbrain has found for this capture, or that it has failed."""
        row = self._rows[query.id]
        if row.errored or row.skipped:
            raise SystemFailed(
                "refused",
                "gbrain answered with an error" if row.errored else "gbrain skipped the query",
                remedy="see gbrain's own log",
                detail=row.error_message,
            )
        hits = tuple(
            Hit(doc_id=slug, score=float(-rank), rank=rank)
            for rank, slug in enumerate(filter(None, row.current_slugs), 1)
        )
        return SearchReply(hits=hits, latency_ms=row.current_latency_ms)

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:  # noqa: ARG002 - the port's signature
        """Refuses: a replay answers nothing."""
        raise SystemFailed("refused", "a replay does not answer", remedy="measure retrieval only")

    def close(self) -> None:
        """Nothing runs any more."""


def _rows_in(output: Path | None) -> int:
    data = None if output is None else _opened(output)
    return 0 if data is None else data.count(b"\n")


def _ids_file(path: Path, questions: Sequence[str] | None) -> list[str]:
    """The option that names the questions, whose ids are written where the program may read them."""
    if questions is None:
        return []
    path.write_text("".join(f"{each}\n" for each in questions), encoding="utf-8")
    path.chmod(0o644)
    return ["--question-ids", str(path)]


def _opened(path: Path) -> bytes | None:
    """What the program wrote there, as far as it is not too long; never what a link in its place points to."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        return opened.read(MOST_OUTPUT + 1) if stat.S_ISREG(os.fstat(file).st_mode) else None


def _crashed(done: Finished) -> SystemFailed:
    how = f"was ended by signal {-done.code}" if done.code < 0 else f"ended with exit code {done.code}"
    return SystemFailed(
        "crash",
        f"gbrain {how} and left no result",
        remedy="run the same command by hand; what it wrote to standard error says why",
        detail=done.errors.strip() or None,
    )


def _garbage(what: str, why: str, done: Finished) -> SystemFailed:
    """No usable result: the exit code says more where it is not 0."""
    if done.code != 0 and not done.output.strip():
        return _crashed(done)
    return SystemFailed(
        "garbage",
        f"the result of {what} cannot be used (exit code {done.code}): {why}",
        remedy="use a version of gbrain whose results follow the published formats",
        detail=done.errors.strip() or None,
    )
