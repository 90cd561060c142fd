import threading
import time

from gate.core.chat import ChatRequest, ModelFailure, Outcome
from gate.suites.panel_calls import Answer, Call, Switchboard
from tests.providers.three import OPENAI, request
from tests.providers.wire import Answer as Said
from tests.providers.wire import openai_body, wire
from tests.suites.judges import DEARLY, MODELS, Scripted, gives, judges

GPT, OPUS, _ = MODELS


def calls(count: int, model: str = GPT) -> list[Call]:
    return [Call(0, place, model, request(prompt=f"question {place}")) for place in range(count)]


def test_answers_are_told_in_the_order_of_the_calls() -> None:
    def slower_first(asked: ChatRequest) -> Outcome:
        time.sleep(0.05 if asked.prompt == "question 0" else 0)
        return gives(8)

    told: list[int] = []
    board = Switchboard(judges({GPT: Scripted([slower_first])}), DEARLY, None)

    late = board.ask(calls(4), until=None, ended=lambda call, _: told.append(call.place))

    assert (told, late) == ([0, 1, 2, 3], 0)


def test_no_more_calls_are_under_way_than_the_width() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def counted(_: ChatRequest) -> Outcome:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return gives(8)

    board = Switchboard(judges({GPT: Scripted([counted])}, width=2), DEARLY, None)
    board.ask(calls(8), until=None, ended=lambda *_: None)

    assert most == 2


def test_what_still_waits_for_a_thread_is_not_asked_after_the_end() -> None:
    released = threading.Event()
    answered: list[str] = []

    def hangs(asked: ChatRequest) -> Outcome:
        answered.append(asked.prompt)
        released.wait(10)
        return gives(8)

    told: list[Answer] = []
    board = Switchboard(judges({GPT: Scripted([hangs])}, width=1, call_seconds=0.1), DEARLY, None)
    late = board.ask(calls(3), until=None, ended=lambda _, answer: told.append(answer))
    released.set()
    time.sleep(0.1)

    assert late == 3
    assert answered == ["question 0"]
    assert all(isinstance(answer, ModelFailure) and answer.kind == "timeout" for answer in told)


def test_a_server_that_drips_is_not_waited_for() -> None:
    with wire(Said(body=openai_body("slowly"), drip=0.05)) as server:
        board = Switchboard(judges({GPT: OPENAI.at(server.url)}, call_seconds=0.3), DEARLY, None)
        began = time.monotonic()
        late = board.ask(calls(1), until=None, ended=lambda *_: None)

    assert late == 1
    assert time.monotonic() - began < 5
    board.purse.close()
    assert board.purse.account.charged == 1
