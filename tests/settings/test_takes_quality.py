from typing import Any

import pytest

from gate.core.records.takes_receipt import DIMENSIONS
from gate.errors import ConfigError
from gate.settings import Settings


def document(suite: dict[str, Any], **overrides: Any) -> dict[str, Any]:
    rules = [{"metric": "accuracy", "rule": "significant"}]
    return {"version": 1, "suites": [{"suite": "takes-quality", **suite}], "rules": rules, **overrides}


def refused(suite: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        Settings.from_document(document(suite))
    return caught.value.message


def test_the_defaults_are_those_of_the_command_line_and_one_cycle() -> None:
    (asked,) = Settings.from_document(document({"pages": "brain/"})).request().suites

    assert (asked.suite, asked.name, asked.rows) == ("takes-quality", "takes-quality", None)
    assert asked.asked is not None
    assert asked.asked.pages == "brain"
    takes, panel = asked.asked.takes, asked.asked.panel
    assert (takes.source, takes.limit, takes.seed, takes.strata, takes.batches) == ("fs", 100, 42, "none", 1)
    assert (takes.inactive, takes.deleted_pages, takes.slug_prefix) == ("skipped", "skipped", None)
    assert (panel.models, panel.cycles, panel.cycle_policy, panel.evidence) == ((), 1, "last", "none")
    assert (panel.min_alpha, panel.max_sd, panel.max_range) == (None, None, None)


def test_a_dimension_needs_no_word_on_which_direction_is_better() -> None:
    policy = Settings.from_document(document({"pages": "brain/"}, **{"budget-usd": 2.5})).policy()

    assert {spec.name: spec.better for spec in policy.metrics} == dict.fromkeys(DIMENSIONS, "higher")
    assert policy.budget_usd == 2.5


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ({}, "suites[0].pages: which folder of pages?"),
        ({"source": "db", "pages": "brain/"}, "suites[0].pages: `source: db` reads no pages"),
        (
            {"pages": "brain/", "models": ["gpt-5.2"]},
            "suites[0].models[0]: expected a model as provider:model",
        ),
        ({"pages": "brain/", "models": []}, "suites[0].models: expected a list of at least one model"),
        ({"pages": "brain/", "cycles": 0}, "suites[0].cycles: expected a whole number from 1 to 100"),
        ({"pages": "brain/", "database-url": "postgresql://x"}, "unknown key `database-url`"),
    ],
)
def test_what_is_wrong_with_a_panel_is_told_with_its_place(suite: dict[str, Any], said: str) -> None:
    assert said in refused(suite)


def test_an_address_of_a_database_has_no_key_and_the_environment_names_it() -> None:
    (asked,) = Settings.from_document(document({"source": "db", "evidence": "excerpt"})).request().suites

    assert asked.asked is not None
    assert (asked.asked.pages, asked.asked.takes.source) == (None, "db")
