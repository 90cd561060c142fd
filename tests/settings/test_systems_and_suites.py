"""What the settings make of `system`, of suites that ask it, and of what bounds them."""

from typing import Any

import pytest

from gate.core.plan import FileRef, PlannedSystem, Request, Waits
from gate.core.records.suite_inputs import RetrievalRequest
from gate.errors import ConfigError
from gate.settings import Settings, seconds_of
from gate.store.config_file import ConfigFile
from gate.store.schema_files import load

RULES = [{"metric": "ndcg@10", "rule": "threshold", "at-least": 0.5}]
SUITE = {"suite": "retrieval", "corpus": "docs", "qrels": "q.tsv"}


def document(**more: Any) -> dict[str, Any]:
    return {"version": 1, "system": {"kind": "reference"}, "suites": [SUITE], "rules": RULES, **more}


def request(**more: Any) -> Request:
    return Settings.from_document(document(**more)).request()


def refused(**more: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        request(**more)
    return caught.value.message


def test_a_retrieval_suite_has_a_name_a_cut_and_a_mode_without_saying_so() -> None:
    (suite,) = request().suites
    assert (suite.suite, suite.name, suite.rows) == ("retrieval", "retrieval", None)
    assert suite.asked == RetrievalRequest(corpus="docs", qrels="q.tsv", cuts=(10,), mode="balanced")
    properties = load("config.v1")["$defs"]["retrieval-suite"]["properties"]
    assert [properties[key]["default"] for key in ("name", "k", "modes")] == ["retrieval", 10, ["balanced"]]


def test_every_mode_is_a_suite_and_cuts_are_sorted() -> None:
    asked = request(
        suites=[{**SUITE, "name": "docs", "k": [10, 1], "modes": ["a", "b"], "limit": 7, "queries": "q"}]
    )
    assert [suite.name for suite in asked.suites] == ["docs-a", "docs-b"]
    assert [suite.asked for suite in asked.suites] == [
        RetrievalRequest(corpus="docs", qrels="q.tsv", queries="q", cuts=(1, 10), mode=mode, limit=7)
        for mode in ("a", "b")
    ]


def test_rules_name_a_suite_of_one_mode() -> None:
    suites = [{**SUITE, "modes": ["a", "b"]}]
    assert (
        request(suites=suites, rules=[{**RULES[0], "suite": "retrieval-b"}]).policy.rules[0].suite
        == "retrieval-b"
    )
    assert "there is no suite `retrieval`" in refused(
        suites=suites, rules=[{**RULES[0], "suite": "retrieval"}]
    )


def test_a_name_that_a_mode_makes_is_taken_too() -> None:
    suites = [{**SUITE, "modes": ["a", "b"]}, {"suite": "rows", "name": "retrieval-b", "rows": "r.ndjson"}]
    assert "suites[1].name: the name `retrieval-b` is taken by suites[0]" in refused(suites=suites)


def test_paths_of_a_suite_and_of_a_program_start_at_the_configurations_folder() -> None:
    config = ConfigFile(
        name="evals/eval-gate.yml",
        document=document(system={"kind": "command", "run": ["./x"]}, suites=[{**SUITE, "queries": "../q"}]),
        sha256="",
        bytes=0,
        lines={},
        problems=(),
    )
    source = FileRef(path="evals/eval-gate.yml", sha256="0" * 64, bytes=1)
    asked = Settings.from_file(config, source=source).request()
    retrieval = asked.suites[0].asked
    assert isinstance(retrieval, RetrievalRequest)
    assert (retrieval.corpus, retrieval.qrels, retrieval.queries) == ("evals/docs", "evals/q.tsv", "q")
    assert asked.policy.system.folder == "evals"


@pytest.mark.parametrize(
    ("system", "planned"),
    [
        ({"kind": "reference"}, PlannedSystem(kind="reference")),
        ({"kind": "http", "url": "http://x"}, PlannedSystem(kind="http", url="http://x")),
        (
            {
                "kind": "http",
                "url": "https://x/api",
                "token-env": "KEY",
                "header": "X-Api-Key",
                "concurrency": 8,
                "attempts": 1,
                "timeout": 0.5,
                "setup-timeout": 9,
                "start-timeout": 2,
            },
            PlannedSystem(
                kind="http",
                url="https://x/api",
                token_env="KEY",  # noqa: S106 - a variable's name
                header="X-Api-Key",
                concurrency=8,
                attempts=1,
                waits=Waits(question=0.5, setup=9, start=2),
            ),
        ),
        (
            {"kind": "command", "run": ["node", "w.ts"], "env": ["KEY"]},
            PlannedSystem(kind="command", run=("node", "w.ts"), env=("KEY",)),
        ),
    ],
)
def test_a_system_is_planned_with_the_defaults_that_the_schema_states(
    system: dict[str, Any], planned: PlannedSystem
) -> None:
    assert request(system=system).policy.system == planned


def test_the_defaults_of_schema_settings_and_plan_are_the_same() -> None:
    stated = load("config.v1")["$defs"]["http-system"]["properties"]
    plain = PlannedSystem()
    assert (
        stated["timeout"]["default"],
        stated["setup-timeout"]["default"],
        stated["start-timeout"]["default"],
    ) == (
        plain.waits.question,
        plain.waits.setup,
        plain.waits.start,
    )
    assert (stated["concurrency"]["default"], stated["attempts"]["default"], stated["header"]["default"]) == (
        plain.concurrency,
        plain.attempts,
        plain.header,
    )


def test_a_suite_that_asks_needs_a_system() -> None:
    assert "suites[0].suite: `retrieval` asks the system under test" in refused(system={"kind": "rows"})
    plain = document()
    del plain["system"]
    with pytest.raises(ConfigError, match="asks the system under test"):
        Settings.from_document(plain)


def test_what_must_not_be_missing_and_how_long_it_may_take_are_policy() -> None:
    policy = request(require=["reranker"], deadline="45m").policy
    assert (policy.require, policy.deadline_seconds) == (("reranker",), 2700.0)
    assert request().policy.deadline_seconds is None


@pytest.mark.parametrize(("duration", "seconds"), [("90s", 90), ("45m", 2700), ("2h", 7200)])
def test_a_duration_is_a_number_with_its_unit(duration: str, seconds: float) -> None:
    assert seconds_of(duration) == seconds


@pytest.mark.parametrize(
    "wrong",
    [
        {"deadline": "45"},
        {"deadline": "0m"},
        {"require": ["reranker", "reranker"]},
        {"require": ["coffee"]},
        {"suites": [{**SUITE, "k": 0}]},
        {"suites": [{**SUITE, "k": []}]},
        {"suites": [{**SUITE, "k": [5, 5]}]},
        {"suites": [{**SUITE, "modes": []}]},
        {"suites": [{**SUITE, "modes": ["a/b"]}]},
        {"suites": [{"suite": "retrieval", "corpus": "docs"}]},
        {"system": {"kind": "command", "run": "node w.ts"}},
        {"system": {"kind": "command", "run": ["a\0b"]}},
        {"system": {"kind": "http", "url": "http://x", "timeout": 0}},
        {"system": {"kind": "http", "url": "http://x", "token-env": "1 2"}},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    assert refused(**wrong)
