import json
import threading
from pathlib import Path

import pytest

from gate.core.chat import ChatRequest, Completion
from gate.errors import ConfigError, EvidenceError, UsageError
from gate.wiring.judges import (
    elsewhere,
    endpoint_of,
    live_judges,
    new_cassette,
    read_cassette,
    recording_judges,
)
from tests.core.judging.factories import reply_text, scores
from tests.providers.wire import Answer, openai_body, wire

REQUEST = ChatRequest(system="s", prompt="p", max_tokens=100, timeout=10.0)


def test_a_provider_s_variables_say_where_it_is_asked_and_with_what() -> None:
    found = endpoint_of(
        "openai:gpt-5.2",
        {
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": "https://gateway/v1",
            "OPENAI_EXTRA_HEADERS": '{"x-team": "t"}',
            "OPENAI_EXTRA_QUERY": '{"api-version": "2026-10-21"}',
            "GOOGLE_GENAI_API_VERSION": "v1beta",
        },
    )

    assert (found.model, found.api_key, found.base_url) == ("gpt-5.2", "k", "https://gateway/v1")
    assert (found.headers, found.query) == ({"x-team": "t"}, {"api-version": "2026-10-21"})
    assert found.api_version is None


@pytest.mark.parametrize(
    ("environment", "key", "url"),
    [
        ({"GEMINI_API_KEY": "g", "GOOGLE_GEMINI_BASE_URL": "http://g"}, "g", "http://g"),
        ({"GOOGLE_API_KEY": "a", "GEMINI_API_KEY": "g", "GOOGLE_BASE_URL": "http://a"}, "a", "http://a"),
        ({}, None, None),
    ],
)
def test_google_s_own_names_of_its_variables_are_known_too(
    environment: dict[str, str], key: str | None, url: str | None
) -> None:
    found = endpoint_of("google:gemini-3.5-flash", environment | {"GOOGLE_GENAI_API_VERSION": "v1beta"})

    assert (found.api_key, found.base_url, found.api_version) == (key, url, "v1beta")


def test_any_other_provider_is_a_server_of_one_s_own_and_its_name_makes_its_variables() -> None:
    found = endpoint_of("my-lab.eu:judge", {"MY_LAB_EU_BASE_URL": "http://lab/v1"})
    assert (found.model, found.base_url, found.api_key) == ("judge", "http://lab/v1", None)

    with pytest.raises(ConfigError, match="'nobody' is not known") as caught:
        endpoint_of("nobody:judge", {})
    assert "NOBODY_BASE_URL" in caught.value.remedy


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": "b", "a": "c"}', "x-key: hunter2"])
def test_headers_that_cannot_be_read_are_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigError, match="OPENAI_EXTRA_HEADERS") as caught:
        endpoint_of("openai:gpt-5.2", {"OPENAI_EXTRA_HEADERS": text})

    assert "hunter2" not in f"{caught.value.message}{caught.value.remedy}"


def test_a_provider_of_ours_at_another_address_is_elsewhere() -> None:
    assert elsewhere({}) == frozenset()
    assert elsewhere(
        {"OPENAI_BASE_URL": "http://x", "GOOGLE_GEMINI_BASE_URL": "http://y", "LAB_BASE_URL": "z"}
    ) == {
        "openai",
        "google",
    }


@pytest.mark.parametrize("model", ["openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-3.5-flash"])
def test_a_judge_without_its_key_is_a_configuration_error_before_anybody_is_asked(model: str) -> None:
    with pytest.raises(ConfigError, match="there is no API key"):
        live_judges([model], {})


def test_what_judges_say_is_kept_a_line_each_and_keys_and_headers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    leaky = reply_text(scores(8), improvements=["your key is sk-of-the-lab-0123"])
    environment = {
        "LAB_API_KEY": "sk-of-the-lab-0123",
        "LAB_EXTRA_HEADERS": '{"x-team": "header-of-the-team"}',
    }
    with wire(Answer(body=openai_body(leaky))) as server:
        growing = new_cassette(path)
        models = recording_judges(
            ["lab:one", "lab:two"], environment | {"LAB_BASE_URL": f"{server.url}/v1"}, growing
        )
        asking = [threading.Thread(target=model.complete, args=(REQUEST,)) for model in models.values()]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        growing.close()

    lines = path.read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 3
    assert "sk-of-the-lab-0123" not in path.read_text()
    assert "header-of-the-team" not in path.read_text()
    cassette = read_cassette(path)
    assert cassette.models == ("lab:one", "lab:two")
    played = cassette.model("lab:two").complete(REQUEST)
    assert isinstance(played, Completion)
    assert played.replayed


def test_a_cassette_is_never_overwritten_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "there.jsonl").write_text("somebody's only copy")

    with pytest.raises(UsageError, match="is there already"):
        new_cassette(tmp_path / "there.jsonl")
    with pytest.raises(EvidenceError, match=r"none\.jsonl: the cassette cannot be read"):
        read_cassette(tmp_path / "none.jsonl")
