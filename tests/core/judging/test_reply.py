import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.judging.reply import LONGEST, LONGEST_REPAIRED, Reply, Unreadable, read_reply
from tests.core.judging.factories import NAMES, reply_text, scores
from tests.takes_factories import golden

STRICTER = (
    '{"scores":{"accuracy":{"score":null}}}',
    '{"scores":{"accuracy":{"score":""}}}',
    '{"scores":{"accuracy":{"score":true}}}',
    '{"scores":{"accuracy":1e999}}',
)
"""Replies of the golden file that gbrain counts as 0, 1 or Infinity; here they are missing, so nothing is left."""


def read(text: str) -> Reply:
    reply = read_reply(text, NAMES)
    assert isinstance(reply, Reply)
    return reply


def why(text: str) -> str:
    reply = read_reply(text, NAMES)
    assert isinstance(reply, Unreadable)
    return reply.why


def test_replies_give_the_scores_that_gbrain_reads_from_them() -> None:
    cases = [case for case in golden("json_repair") if "output" in case and case["input"] not in STRICTER]
    assert len(cases) > 8
    for case in cases:
        if "_repaired" in case["output"]:
            continue  # the original loses the first dimension there: the next tests
        expected = {name: each["score"] for name, each in case["output"]["scores"].items()}
        assert read(case["input"]).scores == expected
        assert list(read(case["input"]).improvements) == case["output"]["improvements"]


def test_replies_that_gbrain_cannot_read_stay_unreadable() -> None:
    for case in golden("json_repair"):
        if "error" in case:
            assert why(case["input"])


@pytest.mark.parametrize("text", STRICTER)
def test_what_is_no_score_is_missing_and_not_zero(text: str) -> None:
    assert "no score can be used: accuracy is" in why(text)


def test_the_first_dimension_survives_a_repair() -> None:
    (case,) = [each for each in golden("json_repair") if '"bad "quote" here"' in each["input"]]

    reply = read(case["input"])

    assert reply.scores == {"accuracy": 8, "attribution": 6.5}
    assert reply.improvements == ("1. Fix the holder column now", "2. short")
    assert reply.repaired


def test_an_object_before_the_scores_does_not_hide_them() -> None:
    assert read('{"a":1} {"scores":{"accuracy":{"score":9}}}').scores == {"accuracy": 9}


def test_a_doubled_reply_counts_once() -> None:
    assert read(reply_text() + "\n" + reply_text()).scores == scores(8)


def test_a_draft_before_the_complete_reply_does_not_count() -> None:
    draft = '{"scores": {"accuracy": {"score": 3}}}'

    assert read(f"First thoughts: {draft}\nFinal: {reply_text()}").scores == scores(8)


def test_two_complete_replies_that_contradict_each_other_are_none() -> None:
    text = reply_text(scores(8)) + reply_text(scores(3))

    assert why(text) == "it holds two different sets of scores"


@pytest.mark.parametrize("text", ['{"scores":{"accuracy":8},"scores":{"accuracy":3}}'])
def test_one_object_with_two_sets_of_scores_is_none_either(text: str) -> None:
    assert why(text) == "it holds two different sets of scores"


def test_a_dimension_given_twice_differently_is_missing() -> None:
    reply = read('{"scores":{"accuracy":8,"accuracy":3,"accuracy":8,"attribution":7,"attribution":7}}')

    assert reply.scores == {"attribution": 7}
    assert reply.rejected == {"accuracy": "is given twice, differently"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("null", "is null"),
        ('""', "is empty"),
        ('"  "', "is empty"),
        ("true", "is true"),
        ("false", "is false"),
        ("1e999", "is not finite"),
        ("NaN", "is not finite"),
        ("-Infinity", "is not finite"),
        ("9" * 5000, "is not finite"),
        ("11", "is 11, outside 1 to 10"),
        ("0", "is 0, outside 1 to 10"),
        ("0.99", "is 0.99, outside 1 to 10"),
        ("-3", "is -3, outside 1 to 10"),
        ('"11"', "is 11, outside 1 to 10"),
        ('"8/10"', "is not a number"),
        ('"eight"', "is not a number"),
        ('"0x8"', "is not a number"),
        ('"1e1"', "is not a number"),
        ('"８"', "is not a number"),
        ("[8]", "is not a number"),
        ('{"feedback":"none"}', "has no score"),
        ('{"score":{"score":8}}', "is not a number"),
    ],
)
def test_only_a_number_from_one_to_ten_is_a_score(value: str, said: str) -> None:
    for text in (
        (value, f'{{"score":{value}}}') if "score" not in value and "feedback" not in value else (value,)
    ):
        reply = read(f'{{"scores":{{"accuracy":{text},"attribution":7}}}}')
        assert reply.scores == {"attribution": 7}
        assert reply.rejected == {"accuracy": said}


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("10", 10), ('"8"', 8), ('" 6.5 "', 6.5), ("7.25", 7.25)]
)
def test_decimal_text_is_a_score_wherever_a_number_is(text: str, number: float) -> None:
    assert read(f'{{"scores":{{"accuracy":{text}}}}}').scores == {"accuracy": number}
    assert read(f'{{"scores":{{"accuracy":{{"score":{text}}}}}}}').scores == {"accuracy": number}


@pytest.mark.parametrize(
    "broken",
    [
        '```json\n{"scores": {"accuracy": {"score": 8,}, "attribution": 7,},}\n```',
        "Here you are: {'scores': {'accuracy': {'score': 8}, 'attribution': 7}}",
        "{scores: {accuracy: {score: 8}, attribution: 7}}",
        '{"scores": {"accuracy": {"score": 8, "feedback": "cut off ri',
        '{"scores": {"accuracy": {"score": 8} "attribution": 7}}',
        '{"scores": {"accuracy": {"score": 8 // good\n}, "attribution": 7}}',
    ],
)
def test_broken_json_is_repaired_and_says_so(broken: str) -> None:
    reply = read(broken)

    assert reply.scores.items() <= {"accuracy": 8, "attribution": 7}.items()
    assert reply.scores["accuracy"] == 8
    assert reply.repaired


@pytest.mark.parametrize("ending", ["1", "1.", "10", '"1', "-"])
def test_a_number_at_which_the_text_breaks_off_is_not_trusted(ending: str) -> None:
    reply = read('{"scores": {"accuracy": {"score": 7, "feedback": "x"}, "attribution": {"score": ' + ending)

    assert reply.scores == {"accuracy": 7}


def test_a_number_followed_by_words_is_not_guessed_at() -> None:
    assert "a number is followed by words" in why('{"scores": {"accuracy": {"score": 7 to 8}}}')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n", "the reply is empty"),
        ("I cannot do that.", "no JSON object"),
        ('{"scores": 8}', "`scores` is not an object"),
        ('{"overall": 8}', "there are no `scores`"),
        ("{" * 3000, "could not be repaired"),
        ('{"scores": ' * 1000, "could not be repaired"),
        ('{"a":"x"y",' * LONGEST_REPAIRED, "longer than"),
        ('{"a":"x"y",' * (LONGEST_REPAIRED // 10), "too long to be repaired"),
        ('{"scores": {"accuracy": {}}}', "accuracy has no score"),
    ],
)
def test_an_unreadable_reply_says_why(text: str, said: str) -> None:
    assert said in why(text)


def test_the_reason_never_repeats_the_reply() -> None:
    assert "ignore" not in why('{"scores": {"accuracy": {"score": "ignore the rubric"}}}')


@given(st.text() | st.text(alphabet="{}[]\",:.'0123456789 scoreacuy", max_size=200))
def test_any_text_is_read_without_an_exception_and_gives_scores_in_range(text: str) -> None:
    reply = read_reply(text, NAMES)

    if isinstance(reply, Reply):
        assert all(1 <= value <= 10 for value in reply.scores.values())


GIVEN = st.dictionaries(st.sampled_from(NAMES), st.floats(1, 10), min_size=1)


@given(GIVEN, st.text(alphabet=string.ascii_letters + " .\n"), st.sampled_from(["", "```json\n", "```\n"]))
def test_prose_and_fences_around_a_reply_change_nothing(
    given_scores: dict[str, float], prose: str, fence: str
) -> None:
    reply = read_reply(f"{prose}{fence}{reply_text(given_scores)}\n{fence.strip() and '```'}\n{prose}", NAMES)

    assert isinstance(reply, Reply)
    assert reply.scores == given_scores


@given(GIVEN, st.data())
def test_a_reply_cut_anywhere_never_gives_a_score_that_was_not_given(
    given_scores: dict[str, float], data: st.DataObject
) -> None:
    text = json.dumps({"scores": given_scores, "improvements": ["x"]})
    cut = text[: data.draw(st.integers(0, len(text)))]

    reply = read_reply(cut, NAMES)

    if isinstance(reply, Reply):
        assert reply.scores.items() <= given_scores.items()


def test_a_text_beyond_all_reason_is_not_even_looked_at() -> None:
    assert "longer than" in why(" " * LONGEST + reply_text())
