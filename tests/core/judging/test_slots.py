from gate.core.chat import Completion, ModelFailure
from gate.core.judging.slots import Slot, slot, unforeseen
from tests.core.judging.factories import NAMES, reply_text, scores


def judged(text: str, **overrides: object) -> Slot:
    members: dict[str, object] = {"text": text, "finish": "stop", "usage": None}
    return slot("openai:gpt-5.2", Completion(**members | overrides), NAMES, max_tokens=2000)  # type: ignore[arg-type]  # a test's overrides


def test_a_complete_reply_contributes() -> None:
    found = judged(reply_text(improvements=["cite pages"]))

    assert found.error is None
    assert found.scores == scores(8)
    assert found.improvements == ("cite pages",)


def test_missing_dimensions_are_named_in_the_contracts_words() -> None:
    found = judged('{"scores": {"accuracy": 8, "attribution": 8, "weight_calibration": 8}}')

    assert found.error == "incomplete_scores: missing dim(s) [kind_classification, signal_density]"


def test_what_stood_where_a_score_should_have_been_is_said_behind_them() -> None:
    found = judged(reply_text(scores(8) | {"accuracy": 11, "attribution": 0}))

    assert found.error == (
        "incomplete_scores: missing dim(s) [accuracy, attribution]; "
        "accuracy is 11, outside 1 to 10, attribution is 0, outside 1 to 10"
    )
    assert found.malformed is not None


def test_a_reply_without_scores_is_a_parse_failure() -> None:
    found = judged("sorry")

    assert found.error == "parse_failed: there is no JSON object in the reply"
    assert found.malformed == "there is no JSON object in the reply"


def test_truncation_by_the_output_cap_is_named() -> None:
    assert judged("", finish="length").error == (
        "parse_failed: the reply is empty; the reply was cut at the output cap of 2000 tokens"
    )
    incomplete = judged('{"scores": {"accuracy": 8', finish="length")
    assert incomplete.error is not None
    assert incomplete.error.endswith("; the reply was cut at the output cap of 2000 tokens")


def test_a_reply_cut_behind_its_scores_contributes_and_is_marked() -> None:
    found = judged(reply_text()[:-6], finish="length")

    assert found.error is None
    assert (found.cut, found.repaired) == (True, True)


def test_failures_of_a_provider_and_refusals_are_not_asked_for_again() -> None:
    down = slot("m", ModelFailure(kind="server", message="503: try later"), NAMES, max_tokens=1)
    refused = judged("I will not", finish="refused")

    assert down == Slot(model="m", error="provider_error: 503: try later")
    assert refused.error == "provider_error: the model, or its filter, refused to answer"
    assert refused.malformed is None


def test_what_nobody_foresaw_is_an_error_of_its_slot() -> None:
    assert unforeseen("m", KeyError("x")).error == "allSettled_rejected: KeyError: 'x'"
