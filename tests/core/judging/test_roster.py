import json

import pytest

from gate.core.judging.roster import check_panel, read_roster, split_name, unknown_model
from gate.errors import ConfigError, ExitCode
from tests.core.judging.factories import shipped

ROSTER = read_roster(shipped("panel.v1.json"), "panel.v1.json")


def test_the_default_panel_is_the_documented_one() -> None:
    assert ROSTER.models == ("openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-2.0-flash")
    check_panel(ROSTER.models, ROSTER)


@pytest.mark.parametrize("name", ["gpt-5.2", ":gpt-5.2", "openai:", " : ", ""])
def test_a_model_without_its_provider_is_a_mistake_of_the_configuration(name: str) -> None:
    with pytest.raises(ConfigError, match="provider:model") as caught:
        check_panel([name], ROSTER)

    assert "openai:gpt-5.2" in caught.value.remedy


def test_a_name_is_split_at_its_first_colon() -> None:
    assert split_name(" OpenAI:ft:gpt-4o:acme ") == ("openai", "ft:gpt-4o:acme")


def test_a_retired_model_is_refused_and_its_replacement_named() -> None:
    with pytest.raises(ConfigError, match="retired") as caught:
        check_panel(["google:Gemini-1.5-pro"], ROSTER)

    assert caught.value.exit_code == ExitCode.CONFIG
    assert "choose google:gemini-2.5-flash instead" in caught.value.remedy


def test_nobody_is_told_to_choose_a_retired_model() -> None:
    successors = set(ROSTER.retired.values()) | set(ROSTER.successors.values())

    assert not successors & set(ROSTER.retired)


def test_a_model_its_provider_does_not_know_gets_a_successor_or_the_default_panel() -> None:
    known = unknown_model("google:gemini-2.0-flash", "404: not found", ROSTER)
    misspelt = unknown_model("openai:gtp-5", "404", ROSTER)

    assert "choose google:gemini-2.5-flash instead" in known.remedy
    assert "the provider knows no such model: 404: not found" in known.message
    assert "check its spelling" in misspelt.remedy


def test_an_empty_panel_is_refused() -> None:
    with pytest.raises(ConfigError, match="no model"):
        check_panel([], ROSTER)


def test_a_broken_roster_is_named() -> None:
    with pytest.raises(ConfigError, match=r"mine\.json"):
        read_roster(json.dumps({"models": "x"}).encode(), "mine.json")
