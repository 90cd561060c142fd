from gate.core.validate import Problem
from gate.settings.sound import sound_part

DOCUMENT = {
    "version": 1,
    "gaet": "x",
    "metrics": {"m": {"bettr": "higher"}},
    "suites": [{"suite": "rows", "rws": "a"}, {"suite": "rows", "rows": "b"}],
    "rules": [{"metric": "m"}, {"metric": "n"}, {"metric": "o", "rul": 1}],
}


def problems(*places: str) -> list[Problem]:
    return [Problem(place, "wrong") for place in places]


def test_broken_suites_rules_and_keys_are_set_aside() -> None:
    sound = sound_part(DOCUMENT, problems("gaet", "metrics.m.bettr", "suites[0].rws", "rules[2].rul"))

    assert sound is not None
    assert sound.document == {
        "version": 1,
        "suites": [{"suite": "rows", "rows": "b"}],
        "rules": [{"metric": "m"}, {"metric": "n"}],
    }
    assert sound.touched == {"gaet", "metrics", "suites", "rules"}


def test_what_is_found_in_the_rest_is_placed_as_the_file_counts() -> None:
    sound = sound_part(DOCUMENT, problems("suites[0].rws", "rules[0].metric"))

    assert sound is not None
    assert list(sound.placed([Problem("rules[1]", "asks the same as rules[0] of suites[0]")])) == [
        Problem("rules[2]", "asks the same as rules[1] of suites[1]")
    ]


def test_where_nothing_is_wrong_all_of_it_is_sound() -> None:
    sound = sound_part(DOCUMENT, ())

    assert sound is not None
    assert (sound.document, sound.touched) == (DOCUMENT, frozenset())


def test_too_little_is_left_of_some() -> None:
    assert sound_part([], ()) is None
    assert sound_part(DOCUMENT, problems("")) is None
    assert sound_part(DOCUMENT, problems("rules")) is None
    assert sound_part(DOCUMENT, problems("suites[0].rws", "suites[1].rows")) is None
    assert sound_part({"suites": "text", "rules": []}, problems("suites")) is None
