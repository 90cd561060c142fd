from concurrent.futures import ThreadPoolExecutor

from gate.core.chat import Completion, ModelFailure, Outcome
from gate.providers.concessions import OMIT, Chosen, Concessions, Setting

SETTINGS = (Setting("heat", (0, OMIT), ("heat",)), Setting("form", ("strict", "loose", OMIT), ("form",)))
REPLY = Completion(text="x", finish="stop", usage=None)


def rejected(words: str) -> ModelFailure:
    return ModelFailure(kind="rejected", message=f"HTTP 400: {words}")


def test_the_best_is_asked_for_first() -> None:
    seen: list[Chosen] = []

    def ask(chosen: Chosen) -> Outcome:
        seen.append(chosen)
        return REPLY

    assert Concessions(SETTINGS).ask(ask) == REPLY
    assert seen == [{"heat": 0, "form": "strict"}]


def test_a_named_setting_goes_down_rung_by_rung_and_the_reply_says_so() -> None:
    concessions = Concessions(SETTINGS)
    seen: list[Chosen] = []

    def ask(chosen: Chosen) -> Outcome:
        seen.append(chosen)
        return rejected("this FORM is unknown") if chosen["form"] == "strict" else REPLY

    outcome = concessions.ask(ask)

    assert [chosen["form"] for chosen in seen] == ["strict", "loose"]
    assert isinstance(outcome, Completion)
    assert outcome.remarks == ("form: loose",)


def test_what_was_conceded_stays_conceded() -> None:
    concessions = Concessions(SETTINGS)
    concessions.ask(lambda chosen: rejected("heat") if "heat" in chosen else REPLY)
    seen: list[Chosen] = []

    def ask(chosen: Chosen) -> Outcome:
        seen.append(chosen)
        return REPLY

    concessions.ask(ask)

    assert seen == [{"form": "strict"}]


def test_a_failure_that_is_no_rejection_concedes_nothing() -> None:
    for failure in (ModelFailure(kind="server", message="heat"), rejected("too long")):
        assert Concessions(SETTINGS).ask(lambda _, failure=failure: failure) == failure  # type: ignore[misc]  # bound early


def test_many_threads_concede_each_rung_once() -> None:
    concessions = Concessions(SETTINGS)

    def ask(chosen: Chosen) -> Outcome:
        return rejected("form") if chosen.get("form") == "strict" else REPLY

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: concessions.ask(ask), range(50)))

    assert all(isinstance(each, Completion) and each.remarks == ("form: loose",) for each in outcomes)
