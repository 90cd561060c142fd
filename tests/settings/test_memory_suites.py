"""What the settings make of suites that ask about memory, and of gbrain as the system they are asked of."""

from typing import Any

import pytest

from gate.core.plan import FileRef, PlannedSystem, Request, Waits
from gate.core.records.suite_inputs import (
    BrainbenchRequest,
    LongMemEvalRequest,
    ReplayLimits,
    ReplayRequest,
)
from gate.errors import ConfigError
from gate.settings import Settings
from gate.store.config_file import ConfigFile
from gate.store.schema_files import load

RULES = [{"metric": "recall_all@5", "rule": "threshold", "at-least": 0.5}]
GBRAIN = {"kind": "gbrain", "run": ["gbrain"]}
LME = {"suite": "longmemeval", "dataset": "lme.json"}
REPLAY = {"suite": "replay", "against": "c.ndjson"}


def document(*suites: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 1, "system": {"kind": "reference"}, "suites": list(suites), "rules": RULES, **more}


def request(*suites: dict[str, Any], **more: Any) -> Request:
    return Settings.from_document(document(*suites, **more)).request()


def refused(*suites: dict[str, Any], **more: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        request(*suites, **more)
    return caught.value.message


def test_a_longmemeval_suite_has_a_name_a_k_and_a_mode_without_saying_so() -> None:
    (suite,) = request(LME).suites
    assert (suite.suite, suite.name, suite.rows) == ("longmemeval", "longmemeval", None)
    assert suite.asked == LongMemEvalRequest(dataset="lme.json", k=5, mode="balanced", seed=42)
    stated = load("config.v1")["$defs"]["longmemeval-suite"]["properties"]
    assert [stated[key]["default"] for key in ("name", "k", "modes", "answers")] == [
        "longmemeval",
        5,
        ["balanced"],
        False,
    ]


def test_everything_that_a_longmemeval_suite_can_say() -> None:
    said = LME | {
        "name": "memory",
        "sha256": "a" * 64,
        "k": 8,
        "modes": ["balanced", "tokenmax"],
        "limit": 40,
        "seed": 7,
        "question-ids": "ids.txt",
        "answers": True,
        "gbrain-options": ["--judge"],
    }
    asked = request(said, system=GBRAIN)
    assert [suite.name for suite in asked.suites] == ["memory-balanced", "memory-tokenmax"]
    assert [suite.asked for suite in asked.suites] == [
        LongMemEvalRequest(
            dataset="lme.json",
            sha256="a" * 64,
            k=8,
            mode=mode,
            limit=40,
            seed=7,
            question_ids="ids.txt",
            reader="on",
            options=("--judge",),
        )
        for mode in ("balanced", "tokenmax")
    ]


def test_suites_draw_with_the_configurations_seed_unless_they_name_one() -> None:
    brainbench = {"suite": "brainbench", "result": "r.json"}
    asked = request(LME, LME | {"name": "other", "seed": 1}, brainbench, stats={"seed": 9})
    seeds = [suite.asked.seed for suite in asked.suites if not isinstance(suite.asked, ReplayRequest | None)]  # type: ignore[union-attr]
    assert seeds == [9, 1, 9]


def test_a_replay_suite() -> None:
    said = REPLAY | {
        "corpus": "docs",
        "modes": ["a", "b"],
        "compare-limit": 5,
        "limit": 9,
        "thresholds": {"jaccard": 0.9, "top1": 0, "latency-multiplier": 3},
    }
    asked = request(said)
    assert [suite.name for suite in asked.suites] == ["replay-a", "replay-b"]
    assert asked.suites[0].asked == ReplayRequest(
        against="c.ndjson",
        corpus="docs",
        mode="a",
        compare_limit=5,
        limit=9,
        limits=ReplayLimits(jaccard=0.9, top1=0, latency_multiplier=3),
    )
    (plain,) = request(REPLAY, system={"kind": "http", "url": "http://x"}).suites
    assert plain.asked == ReplayRequest(against="c.ndjson", mode="balanced")


def test_a_brainbench_suite() -> None:
    said = {"suite": "brainbench", "baseline": "main.json", "allow-regression": "smaller index"}
    (suite,) = request(said, system=GBRAIN).suites
    assert (suite.name, suite.asked) == (
        "brainbench",
        BrainbenchRequest(baseline="main.json", allowed="smaller index"),
    )


def test_paths_start_at_the_configurations_folder() -> None:
    suites = (
        LME | {"question-ids": "../ids"},
        REPLAY | {"corpus": "docs"},
        {"suite": "brainbench", "result": "r.json", "baseline": "m.json"},
    )
    config = ConfigFile(
        name="evals/g.yml", document=document(*suites), sha256="", bytes=0, lines={}, problems=()
    )
    source = FileRef(path="evals/g.yml", sha256="0" * 64, bytes=1)
    lme, replay, brainbench = (
        suite.asked for suite in Settings.from_file(config, source=source).request().suites
    )
    assert isinstance(lme, LongMemEvalRequest)
    assert isinstance(replay, ReplayRequest)
    assert isinstance(brainbench, BrainbenchRequest)
    assert (lme.dataset, lme.question_ids) == ("evals/lme.json", "ids")
    assert (replay.against, replay.corpus) == ("evals/c.ndjson", "evals/docs")
    assert (brainbench.result, brainbench.baseline) == ("evals/r.json", "evals/m.json")


def test_gbrain_is_planned_with_the_defaults_that_the_schema_states() -> None:
    planned = request(LME, system=GBRAIN | {"env": ["KEY"]}).policy.system
    assert planned == PlannedSystem(kind="gbrain", run=("gbrain",), env=("KEY",), waits=Waits(question=3600))
    assert load("config.v1")["$defs"]["gbrain-system"]["properties"]["timeout"]["default"] == 3600
    assert request(LME, system=GBRAIN | {"timeout": 5}).policy.system.waits.question == 5


@pytest.mark.parametrize(
    "wrong",
    [
        LME | {"k": 0},
        LME | {"sha256": "abc"},
        LME | {"modes": []},
        LME | {"modes": ["a/b"]},
        LME | {"limit": 0},
        LME | {"seed": -1},
        LME | {"answers": "yes"},
        {"suite": "longmemeval"},
        REPLAY | {"corpus": "docs", "thresholds": {"jaccard": 2}},
        REPLAY | {"corpus": "docs", "thresholds": {"latency-multiplier": 0}},
        REPLAY | {"corpus": "docs", "thresholds": {"speed": 1}},
        REPLAY | {"corpus": "docs", "thresholds": {"jaccard": float("nan")}},
        REPLAY | {"corpus": "docs", "mode": "balanced"},
        {"suite": "brainbench", "result": "r.json", "baseline": "m.json", "allow-regression": " "},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    assert refused(wrong)
