import json

import pytest

from gate.core.judging.roster import check_panel, read_roster, split_name, unknown_model
from gate.errors import ConfigError, ExitCode
from tests.core.judging.factories import shipped

ROSTER = read_roster(shipped("panel.v1.json"), "panel.v1.json")


def test_the_default_panel_is_the_documented_one_and_what_its_provider_shut_down_is_refused() -> None:
    assert ROSTER.models == ("openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-2.0-flash")
    with pytest.raises(
        ConfigError, match=r"google:gemini-2\.0-flash is retired: .* since 2026-06-01"
    ) as caught:
        check_panel(ROSTER.models, ROSTER)

    panel = "openai:gpt-5.2,anthropic:claude-opus-4-7,google:gemini-3.5-flash"
    assert f"`--models {panel}`" in caught.value.remedy
    check_panel(panel.split(","), ROSTER)


@pytest.mark.parametrize("name", ["gpt-5.2", ":gpt-5.2", "openai:", " : ", ""])
def test_a_model_without_its_provider_is_a_mistake_of_the_configuration(name: str) -> None:
    with pytest.raises(ConfigError, match="provider:model") as caught:
        check_panel([name], ROSTER)

    assert "openai:gpt-5.2" in caught.value.remedy


def test_a_name_is_split_at_its_first_colon() -> None:
    assert split_name(" OpenAI:ft:gpt-4o:acme ") == ("openai", "ft:gpt-4o:acme")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("google:Gemini-1.5-pro", "google:gemini-3.5-flash"),
        ("google:gemini-2.0-flash-001", "google:gemini-3.5-flash"),
        ("anthropic:claude-3-5-sonnet-20241022", "anthropic:claude-sonnet-4-6"),
        ("anthropic:claude-3-5-haiku-latest", "anthropic:claude-haiku-4-5"),
        ("openai:gpt-4-turbo-2024-04-09", "openai:gpt-5.6-sol"),
        ("openai:gpt-4-0613", "openai:gpt-5.6-sol"),
    ],
)
def test_a_retired_model_and_its_snapshots_are_refused_and_the_replacement_is_named(
    name: str, instead: str
) -> None:
    with pytest.raises(ConfigError, match="retired") as caught:
        check_panel([name], ROSTER)

    assert caught.value.exit_code == ExitCode.CONFIG
    assert caught.value.remedy.startswith(f"choose {instead} instead: `--models {instead}`")


@pytest.mark.parametrize(
    "name", ["openai:gpt-4.1", "anthropic:claude-sonnet-4-6", "first:gpt-4", "openai:gpt-4o"]
)
def test_another_model_of_a_similar_name_is_not_taken_for_a_retired_one(name: str) -> None:
    check_panel([name], ROSTER)


def test_elsewhere_and_where_nobody_is_asked_no_model_is_taken_for_gone() -> None:
    check_panel(ROSTER.models, ROSTER.except_for({"google"}))
    check_panel(["openai:gpt-4", "google:gemini-1.5-pro"], ROSTER.for_replies_we_have())
    with pytest.raises(ConfigError, match="openai:gpt-4 is retired"):
        check_panel(["openai:gpt-4"], ROSTER.except_for({"google"}))


def test_nobody_is_told_to_choose_a_retired_model_and_every_retirement_has_a_source() -> None:
    successors = {gone.instead for gone in ROSTER.retired.values()} | set(ROSTER.successors.values())

    assert all(ROSTER.gone(model) is None for model in successors)
    assert all(gone.since <= ROSTER.as_of for gone in ROSTER.retired.values())
    assert all(gone.source.startswith("https://") for gone in ROSTER.retired.values())


def test_a_model_its_provider_does_not_know_gets_a_successor_or_the_default_panel() -> None:
    known = unknown_model("google:gemini-2.5-flash", "404: not found", ROSTER)
    misspelt = unknown_model("openai:gtp-5", "404", ROSTER)

    assert "choose google:gemini-3.5-flash instead" in known.remedy
    assert "the provider knows no such model: 404: not found" in known.message
    assert "check its spelling" in misspelt.remedy


def test_an_empty_panel_is_refused() -> None:
    with pytest.raises(ConfigError, match="no model"):
        check_panel([], ROSTER)


def test_a_broken_roster_is_named() -> None:
    with pytest.raises(ConfigError, match=r"mine\.json"):
        read_roster(json.dumps({"models": "x"}).encode(), "mine.json")


def test_who_misspelt_a_model_is_offered_none_that_is_gone() -> None:
    remedy = unknown_model("openai:gpt-x", "HTTP 404", ROSTER).remedy

    assert remedy.endswith("openai:gpt-5.2, anthropic:claude-opus-4-7, google:gemini-3.5-flash")
