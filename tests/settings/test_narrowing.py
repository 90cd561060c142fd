"""Inputs that say what is measured: what is left keeps its name, what is left out is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.plan import BaselineRequest, LeftOut, Request
from gate.errors import ConfigError
from gate.settings import Settings

MODES = ("conservative", "balanced", "tokenmax")
RETRIEVAL = {"suite": "retrieval", "name": "handbook", "corpus": "docs", "qrels": "qrels.tsv"}
REPLAY = {
    "suite": "replay",
    "against": "captures.ndjson",
    "corpus": "docs",
    "modes": ["balanced", "tokenmax"],
}
TAKES = {"suite": "takes-quality", "pages": "brain", "limit": 50}
ROWS = {"suite": "rows", "name": "qa", "rows": "rows/qa.ndjson"}


OLD_ROWS = {"rows": "old.ndjson"}


def request(*suites: dict[str, Any], **inputs: str) -> Request:
    document = {
        "version": 1,
        "gate": "handbook-gate",
        "system": {"kind": "reference"},
        "suites": list(suites),
        "rules": [{"metric": "ndcg@10", "rule": "threshold", "at-least": 0.5}],
        "baseline": OLD_ROWS,
    }
    return Settings.from_document(document, overrides=inputs).request()


def widened(*suites: dict[str, Any], **inputs: str) -> Request:
    document = {
        "version": 1,
        "system": {"kind": "reference"},
        "suites": list(suites),
        "rules": [{"metric": "ndcg@10", "rule": "threshold", "at-least": 0.5}],
    }
    return Settings.from_document(document, overrides=inputs).widened().request()


def names(asked: Request) -> list[str]:
    return [suite.name for suite in asked.suites]


def refusal(*suites: dict[str, Any], **inputs: str) -> str:
    with pytest.raises(ConfigError) as caught:
        request(*suites, **inputs)
    return caught.value.message


def test_without_inputs_everything_is_measured_as_configured() -> None:
    asked = request(RETRIEVAL, REPLAY, ROWS)

    assert names(asked) == ["handbook", "replay-balanced", "replay-tokenmax", "qa"]
    assert asked.policy.left_out == ()
    assert all(suite.limited_to is None for suite in asked.suites)


# -- suites ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suites", "kept"),
    [
        ("handbook", ["handbook"]),
        ("retrieval", ["handbook"]),
        ("replay", ["replay-balanced", "replay-tokenmax"]),
        ("replay-tokenmax", ["replay-tokenmax"]),
        ("qa , handbook", ["handbook", "qa"]),
    ],
)
def test_suites_are_chosen_by_name_by_kind_or_by_the_name_they_have_in_a_mode(
    suites: str, kept: list[str]
) -> None:
    asked = request(RETRIEVAL, REPLAY, ROWS, suites=suites)

    assert names(asked) == kept
    everything = {"handbook", "replay-balanced", "replay-tokenmax", "qa"}
    assert {one.suite for one in asked.policy.left_out} == everything - set(kept)


def test_a_suite_that_is_left_out_says_what_was_asked_for() -> None:
    asked = request(RETRIEVAL, ROWS, suites="qa")

    assert asked.policy.left_out == (LeftOut(suite="handbook", why="only qa was asked for"),)


def test_a_misspelt_suite_is_answered_with_the_nearest_and_with_all_there_are() -> None:
    said = refusal(RETRIEVAL, ROWS, suites="handbok")

    assert said == (
        "input `suites`: there is no suite `handbok` (did you mean `handbook`?); "
        "there are `handbook`, `retrieval`, `qa`, `rows`"
    )


@pytest.mark.parametrize("inputs", [{"suites": "handbok"}, {"limit": "0"}])
def test_who_gives_a_wrong_input_is_sent_to_the_page_of_the_inputs(inputs: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        request(RETRIEVAL, **inputs)

    assert caught.value.remedy == "correct it; docs/github-action.md describes every input"


def test_every_unknown_suite_is_told_at_once() -> None:
    said = refusal(RETRIEVAL, suites="one,two,handbook")

    assert "`one`" in said
    assert "`two`" in said
    assert "no suite `handbook`" not in said


# -- modes ----------------------------------------------------------------------------------------------------


def test_a_mode_that_is_added_is_a_suite_of_its_own_and_the_configured_one_keeps_its_name() -> None:
    asked = request(RETRIEVAL, modes="conservative,balanced,tokenmax")

    assert names(asked) == ["handbook-conservative", "handbook", "handbook-tokenmax"]
    assert [suite.asked.mode for suite in asked.suites] == list(MODES)  # type: ignore[union-attr]
    assert asked.policy.left_out == ()


def test_a_configured_mode_that_is_not_asked_for_is_left_out_under_its_name() -> None:
    asked = request(RETRIEVAL, REPLAY, modes="tokenmax")

    assert names(asked) == ["handbook-tokenmax", "replay-tokenmax"]
    assert [one.suite for one in asked.policy.left_out] == ["handbook", "replay-balanced"]
    assert {one.why for one in asked.policy.left_out} == {"only the modes tokenmax were asked for"}


def test_a_suite_without_modes_is_measured_whatever_the_modes_are() -> None:
    assert names(request(ROWS, RETRIEVAL, modes="balanced")) == ["qa", "handbook"]


def test_modes_for_a_configuration_without_any_are_a_mistake() -> None:
    assert "no suite of the configuration is asked in a mode" in refusal(ROWS, modes="balanced")


def test_a_mode_cannot_take_another_suite_s_name() -> None:
    other = {**ROWS, "name": "handbook-tokenmax"}

    assert "two suites would be called `handbook-tokenmax`" in refusal(RETRIEVAL, other, modes="tokenmax")


@pytest.mark.parametrize("modes", ["Balanced", "balanced,,tokenmax", ",", "a b"])
def test_modes_that_are_no_list_of_modes_are_refused(modes: str) -> None:
    assert "input `modes`: expected search modes with commas between them" in refusal(RETRIEVAL, modes=modes)


@given(
    configured=st.lists(st.sampled_from(MODES), min_size=1, unique=True),
    asked_for=st.lists(st.sampled_from([*MODES, "custom"]), min_size=1, unique=True),
)
def test_every_configured_mode_is_measured_or_left_out_and_never_both(
    configured: list[str], asked_for: list[str]
) -> None:
    asked = request({**RETRIEVAL, "modes": configured}, modes=",".join(asked_for))

    measured = {suite.asked.mode for suite in asked.suites}  # type: ignore[union-attr]
    assert measured == set(asked_for)
    assert len(asked.policy.left_out) == len(set(configured) - set(asked_for))
    assert not {one.suite for one in asked.policy.left_out} & set(names(asked))


# -- limit ----------------------------------------------------------------------------------------------------


def test_a_limit_below_what_the_configuration_asks_is_kept_in_mind() -> None:
    (suite,) = request(RETRIEVAL, limit="20").suites

    assert suite.asked.limit == 20  # type: ignore[union-attr]
    assert suite.limited_to == 20


@pytest.mark.parametrize(
    ("own", "given", "limited_to"), [(50, "20", 20), (50, "50", None), (50, "200", None)]
)
def test_a_limit_may_also_ask_more(own: int, given: str, limited_to: int | None) -> None:
    (suite,) = request({**RETRIEVAL, "limit": own}, limit=given).suites

    assert suite.asked.limit == int(given)  # type: ignore[union-attr]
    assert suite.limited_to == limited_to


def test_fewer_takes_are_left_out_at_once_since_rows_do_not_count_them() -> None:
    asked = request(TAKES, limit="10")

    assert asked.policy.left_out == (
        LeftOut(suite="takes-quality", why="at most 10 of its 50 takes were asked for"),
    )
    assert request(TAKES, limit="50").policy.left_out == ()


def test_a_suite_that_cannot_be_limited_is_named() -> None:
    asked = request(RETRIEVAL, ROWS, limit="20")

    assert asked.policy.notes == ("the limit of 20 questions cannot be kept by qa",)
    assert request(RETRIEVAL, limit="20").policy.notes == ()


@pytest.mark.parametrize("limit", ["0", "-1", "many", "1.5"])
def test_a_limit_is_a_whole_number_from_1(limit: str) -> None:
    assert "input `limit`" in refusal(RETRIEVAL, limit=limit)


# -- baseline -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("accepted", BaselineRequest(kind="accepted", path=".gate/baselines/handbook-gate/receipt.json")),
        ("artifact", BaselineRequest(kind="artifact", path="")),
        ("database", BaselineRequest(kind="database", path="the database")),
        ("./v1/receipt.json", BaselineRequest(kind="receipt", path="v1/receipt.json")),
    ],
)
def test_a_baseline_is_named_by_a_word_or_by_a_receipt_s_path(given: str, expected: BaselineRequest) -> None:
    assert request(RETRIEVAL, baseline=given).baseline == expected


def test_without_one_the_configuration_s_baseline_stays() -> None:
    assert request(RETRIEVAL).baseline == BaselineRequest(kind="rows", path="old.ndjson")


def test_a_misspelt_baseline_is_no_path() -> None:
    said = refusal(RETRIEVAL, baseline="acepted")

    assert "expected accepted, artifact, database, or the path of a receipt, which ends in .json" in said


@pytest.mark.parametrize("path", ["../receipt.json", "/srv/receipt.json", "a/../../receipt.json"])
def test_a_receipt_outside_the_workspace_is_refused(path: str) -> None:
    assert "lies outside the workspace" in refusal(RETRIEVAL, baseline=path)


# -- every mode -----------------------------------------------------------------------------------------------


def test_widened_every_suite_is_asked_in_every_search_mode_besides_its_own() -> None:
    own = {**RETRIEVAL, "modes": ["deep"]}
    asked = widened(own, REPLAY, ROWS)

    assert names(asked) == [
        "handbook",
        *(f"handbook-{mode}" for mode in MODES),
        "replay-balanced",
        "replay-tokenmax",
        "replay-conservative",
        "qa",
    ]
    assert asked.policy.left_out == ()


def test_modes_that_are_asked_for_count_and_leave_out_what_they_do_not_name() -> None:
    asked = widened(REPLAY, modes="conservative, tokenmax")

    assert names(asked) == ["replay-conservative", "replay-tokenmax"]
    assert [left.suite for left in asked.policy.left_out] == ["replay-balanced"]


def test_a_suite_in_a_mode_that_is_only_added_is_chosen_by_the_name_it_has_there() -> None:
    asked = widened(RETRIEVAL, ROWS, suites="handbook-tokenmax")

    assert names(asked) == ["handbook-tokenmax"]
    assert [left.suite for left in asked.policy.left_out] == ["handbook", "handbook-conservative", "qa"]
    assert "there is no suite `handbook-tokenmax`" in refusal(RETRIEVAL, suites="handbook-tokenmax")


def test_two_suites_that_would_share_a_name_when_widened_are_refused() -> None:
    taken = {**ROWS, "name": "handbook-tokenmax"}

    with pytest.raises(ConfigError) as caught:
        widened(RETRIEVAL, taken)

    assert "two suites would be called `handbook-tokenmax`" in caught.value.message
