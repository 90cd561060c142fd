import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import pytest

from gate.errors import Cancelled, ExitCode, UnavailableError
from gate.ports import SystemFailed
from gate.process import SystemClock
from gate.suites.execute import GIVE_UP_AFTER, Bounds, Execution, Failed, Finished
from tests.fakes import Stages


@dataclass
class Kept:
    """What was kept, and on which thread."""

    ended: list[Finished[int, str]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def __call__(self, finished: Finished[int, str]) -> None:
        self.ended.append(finished)
        self.threads.add(threading.get_ident())

    @property
    def items(self) -> list[int]:
        return [finished.item for finished in self.ended]


def failing(kind: str) -> Callable[[int], str]:
    def work(item: int) -> str:
        raise SystemFailed(kind, f"question {item} failed", remedy="none")  # type: ignore[arg-type]  # one of the kinds

    return work


def execution(
    work: Callable[[int], str],
    keep: Kept,
    width: int = 1,
    bounds: Bounds | None = None,
    stages: Stages | None = None,
) -> Execution[int, str]:
    return Execution(
        work=work,
        keep=keep,
        clock=SystemClock(),
        progress=stages or Stages(),
        width=width,
        bounds=bounds or Bounds(),
    )


@pytest.mark.parametrize("width", [1, 3, 50])
def test_everything_is_asked_and_kept_in_order_on_the_callers_thread(width: int) -> None:
    kept = Kept()

    ended = execution(str, kept, width).run(range(40))

    assert kept.items == list(range(40))
    assert [finished.outcome for finished in kept.ended] == [str(n) for n in range(40)]
    assert kept.threads == {threading.get_ident()}
    assert (ended.stopped, ended.kept, ended.left) == (None, 40, 0)


def test_questions_that_end_out_of_order_are_kept_in_order() -> None:
    later = threading.Event()
    kept = Kept()

    def work(item: int) -> str:
        if item == 0:
            later.wait(10)
        if item == 3:
            later.set()
        return str(item)

    execution(work, kept, width=2).run(range(6))

    assert kept.items == list(range(6))


def test_no_more_than_width_questions_are_under_way_at_once() -> None:
    lock, running, most = threading.Lock(), count(), [0]
    at_once = [0]

    def work(item: int) -> str:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        next(running)
        with lock:
            at_once[0] -= 1
        return str(item)

    execution(work, Kept(), width=3).run(range(200))

    assert most[0] <= 3


def test_nothing_to_ask_ends_at_once() -> None:
    ended = execution(str, Kept(), width=4).run([])
    assert (ended.stopped, ended.kept, ended.left) == (None, 0, 0)


def test_a_failed_question_is_an_outcome_and_the_others_go_on() -> None:
    kept = Kept()

    def work(item: int) -> str:
        return failing("garbage")(item) if item == 1 else str(item)

    ended = execution(work, kept).run(range(3))

    assert [finished.outcome for finished in kept.ended] == ["0", Failed("garbage", "question 1 failed"), "2"]
    assert ended.kept == 3


def test_a_time_is_measured_for_what_was_asked() -> None:
    kept = Kept()
    execution(str, kept).run(range(2))
    assert all(finished.elapsed_ms is not None and finished.elapsed_ms >= 0 for finished in kept.ended)


@pytest.mark.parametrize("kind", ["crash", "timeout"])
def test_a_system_that_is_down_is_not_asked_for_ever(kind: str) -> None:
    kept, asked = Kept(), count()

    def work(item: int) -> str:
        next(asked)
        return failing(kind)(item)

    ended = execution(work, kept).run(range(500))

    assert next(asked) < 100
    assert ended == type(ended)(stopped=None, kept=500, left=0)
    last = kept.ended[-1]
    assert isinstance(last.outcome, Failed)
    assert "not asked: the system had failed 10 times in a row" in last.outcome.message
    assert last.elapsed_ms is None


@pytest.mark.parametrize("kind", ["garbage", "unknown_id", "refused"])
def test_a_system_that_still_answers_is_asked_everything(kind: str) -> None:
    asked = count()

    def work(item: int) -> str:
        next(asked)
        return failing(kind)(item)

    execution(work, Kept()).run(range(5 * GIVE_UP_AFTER))

    assert next(asked) == 5 * GIVE_UP_AFTER


def test_a_good_answer_in_between_shows_that_the_system_lives() -> None:
    kept = Kept()

    def work(item: int) -> str:
        return str(item) if item % GIVE_UP_AFTER == 0 else failing("timeout")(item)

    execution(work, kept).run(range(4 * GIVE_UP_AFTER))

    assert all(finished.elapsed_ms is not None for finished in kept.ended)


def test_what_nobody_foresaw_ends_the_run_and_keeps_what_was_before() -> None:
    kept = Kept()

    def work(item: int) -> str:
        if item == 5:
            raise ZeroDivisionError
        return str(item)

    with pytest.raises(ZeroDivisionError):
        execution(work, kept).run(range(50))
    assert kept.items == list(range(5))


def test_a_disk_that_is_full_ends_the_run() -> None:
    def keep(_finished: Finished[int, str]) -> None:
        raise UnavailableError("full", remedy="free space")

    with pytest.raises(UnavailableError, match="full"):
        Execution(work=str, keep=keep, clock=SystemClock(), progress=Stages()).run(range(9))


def test_a_deadline_stops_without_waiting_and_keeps_what_has_ended() -> None:
    kept, never = Kept(), threading.Event()

    def work(item: int) -> str:
        if item == 1:
            never.wait(30)
        return str(item)

    bounds = Bounds(deadline=SystemClock().monotonic() + 0.3)
    ended = execution(work, kept, width=2, bounds=bounds).run(range(9))
    never.set()

    assert ended.stopped == "deadline"
    assert kept.items[0] == 0
    assert 1 not in kept.items
    assert ended.kept == len(kept.items)
    assert ended.left == 9 - len(kept.items)
    assert kept.items == sorted(kept.items)


def test_a_deadline_that_has_passed_asks_nothing() -> None:
    kept = Kept()
    ended = execution(str, kept, bounds=Bounds(deadline=0.0)).run(range(9))
    assert (ended.stopped, kept.items, ended.left) == ("deadline", [], 9)


def test_a_used_up_budget_lets_end_what_is_under_way_and_asks_nothing_more() -> None:
    kept, money = Kept(), iter([True] * 4 + [False] * 1000)

    ended = execution(str, kept, width=2, bounds=Bounds(affordable=lambda: next(money))).run(range(9))

    assert (ended.stopped, ended.kept, ended.left) == ("budget_exhausted", 4, 5)
    assert kept.items == [0, 1, 2, 3]


def test_what_had_ended_before_a_cancellation_is_kept_once() -> None:
    kept, stuck = Kept(), threading.Event()

    def work(item: int) -> str:
        if item == 2:
            stuck.wait(30)
        return str(item)

    @dataclass
    class Cancelling(Stages):
        """Somebody who loses patience when nothing moves."""

        def step(self, done: int, total: int) -> None:
            if done == 2 and len(self.steps) > 8:
                raise Cancelled(ExitCode.TERMINATED)
            super().step(done, total)

    with pytest.raises(Cancelled):
        execution(work, kept, width=2, stages=Cancelling()).run(range(9))
    stuck.set()

    assert len(kept.items) == len(set(kept.items))
    assert kept.items[:2] == [0, 1]
    assert 2 not in kept.items
    assert set(kept.items) >= {3, 4, 5}


def test_progress_is_told_also_while_nothing_ends() -> None:
    stages, slow = Stages(), threading.Event()

    def work(item: int) -> str:
        slow.wait(1.2)
        return str(item)

    execution(work, Kept(), stages=stages).run(range(1))

    assert stages.steps[0] == (0, 1)
    assert stages.steps[-1] == (1, 1)
