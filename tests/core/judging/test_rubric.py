import json

import pytest

from gate.core.judging.rubric import read_rubric, rubric_sha8
from gate.core.records.takes_receipt import DIMENSIONS
from gate.errors import ConfigError
from tests.core.judging.factories import rubric, shipped


def test_the_rubric_that_comes_with_the_gate_has_the_contracts_dimensions_and_thresholds() -> None:
    ours = read_rubric(shipped("rubric.v1.json"), "rubric.v1.json")

    assert ours.names == DIMENSIONS
    assert (ours.pass_mean, ours.pass_floor, ours.min_successes) == (7, 5, 2)


def test_it_does_not_pass_itself_off_as_gbrains() -> None:
    assert rubric().version != "v1.0"
    assert rubric_sha8(rubric()) != "b3d3c9a5"


def test_its_digest_changes_with_every_word_and_threshold() -> None:
    document = json.loads(shipped("rubric.v1.json"))
    document["dimensions"][4]["definition"] += " Really."
    reworded = read_rubric(json.dumps(document).encode(), "mine.json")

    digests = {
        rubric_sha8(each)
        for each in (rubric(), reworded, rubric(pass_mean=7.5), rubric(pass_floor=4), rubric(version="x"))
    }

    assert len(digests) == 5


def test_layout_and_number_notation_do_not_change_the_digest() -> None:
    assert rubric_sha8(rubric(pass_mean=7.0)) == rubric_sha8(rubric(pass_mean=7))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dimensions": []}, "the dimensions must be accuracy"),
        ({"pass_mean": 11}, "pass_mean"),
        ({"pass_mean": "7"}, "pass_mean"),
        ({"min_successes": 0}, "min_successes"),
        ({"version": ""}, "version"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_rubric_of_ones_own_is_checked_before_money_is_spent(change: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        rubric(**change)

    assert "rubric.json" in caught.value.message
    assert "start from a copy" in caught.value.remedy


def test_a_file_that_is_no_json_is_named() -> None:
    with pytest.raises(ConfigError, match=r"mine\.json"):
        read_rubric(b"{", "mine.json")
