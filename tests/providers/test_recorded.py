import json

import pytest

from gate.core.chat import Completion, ModelFailure, Outcome
from gate.errors import EvidenceError
from gate.providers.recorded import HEAD, Cassette, Recording, question_digest
from tests.providers.three import KEY, OPENAI, request
from tests.providers.wire import Answer, openai_body, wire
from tests.suites.judges import DOWN, MODELS, Scripted, Turn, gives, judges, panel, plan, said

MODEL = "openai:gpt-5.2"


def recorded(*turns: Turn, prompts: tuple[str, ...] = ("a",), secrets: tuple[str, ...] = ()) -> bytes:
    """A cassette of these replies to these prompts."""
    lines = [HEAD]
    model = Recording(Scripted(turns), MODEL, lines.append, secrets=secrets)
    for prompt in prompts:
        model.complete(request(prompt=prompt))
    return b"".join(lines)


def played(data: bytes, *prompts: str, model: str = MODEL) -> list[Outcome]:
    judge = Cassette(data, "tape.jsonl").model(model)
    return [judge.complete(request(prompt=prompt)) for prompt in prompts]


def test_what_was_said_is_said_again_and_marked_as_a_replay() -> None:
    first = said("one", model="snapshot", remarks=("no temperature",))

    (again,) = played(recorded(first), "a")

    assert isinstance(again, Completion)
    assert again.replayed
    assert (again.text, again.usage, again.model, again.remarks) == (
        "one",
        first.usage,
        "snapshot",
        ("no temperature",),
    )


def test_failures_are_replayed_too() -> None:
    assert played(recorded(DOWN), "a") == [DOWN]


def test_the_same_question_asked_again_gets_the_next_reply() -> None:
    outcomes = played(recorded(said("one"), said("two"), prompts=("a", "a")), "a", "a")

    assert [each.text for each in outcomes if isinstance(each, Completion)] == ["one", "two"]


def test_questions_may_come_in_another_order() -> None:
    outcomes = played(recorded(said("to a"), said("to b"), prompts=("a", "b")), "b", "a")

    assert [each.text for each in outcomes if isinstance(each, Completion)] == ["to b", "to a"]


def test_what_the_cassette_does_not_hold_is_a_failure_and_never_a_guess() -> None:
    data = recorded(said("one"))

    for outcome in (*played(data, "b"), *played(data, "a", "a")[1:]):
        assert isinstance(outcome, ModelFailure)
        assert outcome.message == "the cassette tape.jsonl does not hold this question, or not so often"
    (other,) = played(data, "a", model="openai:other")
    assert isinstance(other, ModelFailure)
    assert (other.kind, other.message) == ("not_recorded", "the cassette tape.jsonl does not hold this model")


def test_the_question_itself_is_not_kept() -> None:
    data = recorded(said("fine"), prompts=("a private claim about somebody",))

    assert b"private" not in data
    assert question_digest(request(prompt="a private claim about somebody")).encode() in data


def test_everything_the_model_reads_makes_a_question() -> None:
    digests = {
        question_digest(request(**change))
        for change in ({}, {"prompt": "x"}, {"system": "x"}, {"max_tokens": 1}, {"schema": None})
    }

    assert len(digests) == 5
    assert question_digest(request(timeout=1.0)) == question_digest(request())


def test_no_key_and_no_header_reaches_a_cassette() -> None:
    lines = [HEAD]
    answers = (Answer(body=openai_body(f"your key is {KEY}")), Answer(status=401, body=f"bad {KEY}".encode()))
    with wire(*answers) as server:
        model = OPENAI.at(server.url, headers={"x-team": "the-blue-team"})
        tape = Recording(model, MODEL, lines.append, secrets=(KEY, "the-blue-team"))
        tape.complete(request())
        tape.complete(request())
        url = server.url

    data = b"".join(lines).decode()
    assert len(lines) == 3
    for secret in (KEY, "the-blue-team", "authorization", url):
        assert secret not in data
    assert len(played(data.encode(), "Grade this.", "Grade this.")) == 2


def test_text_that_is_no_unicode_survives() -> None:
    (again,) = played(recorded(said("half \ud83d of \u2028 a pair")), "a")

    assert isinstance(again, Completion)
    assert again.text == "half \ud83d of \u2028 a pair"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", 1),
        (b"{}\n[]", 2),
        (b'{"kind": "chat-cassette", "version": 2}', 1),
        (b'{"kind": "tape"}', 1),
        (HEAD + b"nonsense", 2),
        (HEAD + b'{"model": "m", "question": "q"}', 2),
        (HEAD + b"[" * 100_000, 2),
    ],
)
def test_what_is_no_cassette_is_refused_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(EvidenceError, match=rf"tape\.jsonl, line {line}: this is no cassette") as caught:
        Cassette(data, "tape.jsonl")

    assert "--record" in caught.value.remedy


def test_a_panel_replays_to_the_same_verdict_without_a_bill() -> None:
    from gate.suites.takes_quality import run_panel

    lines = [HEAD]
    script = panel([gives(6), gives(9)], gives(7), DOWN)
    taping = {name: Recording(model, name, lines.append) for name, model in script.items()}
    first = run_panel(plan(cycles=2), judges(taping))

    cassette = Cassette(b"".join(lines), "tape.jsonl")
    again = run_panel(plan(cycles=2), judges({name: cassette.model(name) for name in MODELS}))

    assert again.conclusion == first.conclusion
    assert again.cycles == first.cycles
    assert (again.replayed, again.account.cost) == (4, 0)
    assert json.loads(lines[1])["model"] in MODELS
