"""Settings: the configuration and what is given beside it, checked as a whole."""

import copy
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st
from pydantic import ValidationError

from gate.core.plan import BaselineRequest, FileRef, Limits, MetricSpec, Plan, Rule, Stats, SuiteRequest
from gate.core.reasons import INCONCLUSIVE
from gate.core.validate import problems
from gate.errors import ConfigError
from gate.settings import Settings, check, load_settings
from gate.store.config_file import parse_config
from gate.store.schema_files import load

SCHEMA = load("config.v1")
TEXT = """\
version: 1
suites:
  - {suite: rows, name: candidate, rows: rows/a.ndjson}
rules:
  - {metric: recall_all@5, rule: significant, suite: candidat}
"""


def suite(name: str = "candidate", **more: Any) -> dict[str, Any]:
    return {"suite": "rows", "name": name, "rows": "rows/a.ndjson", **more}


def significant(metric: str = "recall_all@5", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "rule": "significant", **more}


def threshold(metric: str = "ndcg@10", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "rule": "threshold", **(more or {"at-least": 0.5})}


def document(**more: Any) -> dict[str, Any]:
    return {"version": 1, "suites": [suite()], "rules": [significant()], **more}


def refused(given_document: object, **overrides: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        Settings.from_document(given_document, overrides=overrides)
    return caught.value.message


def test_the_smallest_configuration_gets_the_defaults_of_schema_and_plan() -> None:
    settings = Settings.from_document(document())

    policy = settings.policy()
    stated = SCHEMA["properties"]
    assert (settings.config, settings.out) == ("eval-gate.yml", "gate-out")
    assert (policy.gate, policy.mode, policy.show_text) == (Plan().gate, Plan().mode, Plan().show_text)
    assert (policy.gate, policy.mode) == (stated["gate"]["default"], stated["mode"]["default"])
    assert policy.show_text == stated["show-text"]["default"]
    assert policy.limits == Limits() == Limits(**stated["limits"]["default"])
    assert policy.stats == Stats() == Stats(**stated["stats"]["default"])
    assert policy.on_inconclusive == stated["on-inconclusive"]["default"]
    assert policy.hold_fixed == tuple(stated["hold-fixed"]["default"])
    assert settings.system.model_dump() == stated["system"]["default"]
    assert settings.request().baseline is None


def test_the_defaults_inside_the_schema_are_the_defaults_outside() -> None:
    for group in ("limits", "stats", "on-inconclusive"):
        inner = {
            key: part["default"]
            for key, part in SCHEMA["properties"][group]["properties"].items()
            if "default" in part
        }

        assert inner == SCHEMA["properties"][group]["default"]


def test_settings_know_exactly_the_keys_of_the_schema() -> None:
    known = {name.replace("_", "-") for name in Settings.model_fields}

    assert known == set(SCHEMA["properties"]) | {"config", "config-file", "out", "narrowing"}


def test_the_inconclusive_reasons_are_exactly_those_that_exist() -> None:
    assert set(SCHEMA["properties"]["on-inconclusive"]["properties"]) == {"default", *INCONCLUSIVE}


@pytest.mark.parametrize("example", SCHEMA["examples"])
def test_the_schema_s_examples_are_settings(example: object) -> None:
    Settings.from_document(example)


def test_everything_a_configuration_says_stands_in_the_request() -> None:
    settings = Settings.from_document(
        document(
            gate="memory",
            mode="advisory",
            suites=[suite(k=5, **{"dataset-sha256": "a" * 64, "judge-model": "m"}), suite("second")],
            baseline={"ledger": "l.jsonl", "mode": "balanced"},
            metrics={"latency_ms": {"better": "lower", "unit": "ms", "matters": 5}},
            rules=[significant(per="question-type"), threshold(**{"at-most": 0.1, "suite": "second"})],
            limits={"errors": 0},
            stats={"draws": 2000.0, "seed": 7},
            **{"hold-fixed": ["embedder"], "on-inconclusive": {"no_baseline": "pass"}, "show-text": True},
        )
    )

    request = settings.request()

    assert request.suites == (
        SuiteRequest(
            suite="rows",
            name="candidate",
            rows="rows/a.ndjson",
            fingerprints={"dataset_sha256": "a" * 64, "k": "5", "judge_model": "m"},
        ),
        SuiteRequest(suite="rows", name="second", rows="rows/a.ndjson"),
    )
    assert request.baseline == BaselineRequest(kind="ledger", path="l.jsonl", run="latest", mode="balanced")
    assert request.policy == Plan(
        gate="memory",
        mode="advisory",
        metrics=(
            MetricSpec(name="latency_ms", better="lower", unit="ms", matters=5.0),
            MetricSpec(name="recall_all@5", better="higher", unit="share"),
            MetricSpec(name="ndcg@10", better="higher"),
        ),
        rules=(
            Rule(metric="recall_all@5", rule="significant", per="question-type"),
            Rule(metric="ndcg@10", rule="threshold", at_most=0.1, suite="second"),
        ),
        limits=Limits(errors=0.0),
        hold_fixed=("embedder",),
        on_inconclusive={"default": "fail", "no_baseline": "pass"},
        show_text=True,
        stats=Stats(draws=2000, seed=7),
    )


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [
        ({"ledger": "l", "run": "r1"}, BaselineRequest(kind="ledger", path="l", run="r1")),
        ({"receipt": "r.json"}, BaselineRequest(kind="receipt", path="r.json")),
        ({"rows": "b.ndjson"}, BaselineRequest(kind="rows", path="b.ndjson")),
    ],
)
def test_each_kind_of_baseline_is_asked_for(baseline: dict[str, str], expected: BaselineRequest) -> None:
    assert Settings.from_document(document(baseline=baseline)).request().baseline == expected


def test_the_configuration_s_word_on_a_metric_goes_before_the_glossary_s() -> None:
    metrics = {
        "recall_all@k": {"unit": "percent"},
        "qa_accuracy": {"better": "lower"},
        "mine": {"better": "higher"},
    }
    settings = Settings.from_document(document(metrics=metrics))

    assert settings.definition("recall_all@5") == MetricSpec(
        name="recall_all@5", better="higher", unit="percent"
    )
    assert settings.definition("qa_accuracy").better == "lower"
    assert settings.definition("mine") == MetricSpec(name="mine", better="higher")
    assert settings.definition("warmup_ms").better == "lower"


def test_settings_do_not_change() -> None:
    settings = Settings.from_document(document())

    with pytest.raises(ValidationError):
        settings.gate = "other"  # type: ignore[misc]  # the very thing that is refused


def test_every_problem_of_document_and_inputs_is_told_at_once() -> None:
    message = refused(document(mode="blockin", colour={}), seed="x", mod=1, gate="A")

    assert message.splitlines() == [
        "eval-gate.yml: 5 problems:",
        "  eval-gate.yml: colour: unknown key `colour` in the configuration; valid here: `anchor`, `baseline`, "
        "`budget-usd`, "
        "`deadline`, `gate`, `hold-fixed`, `limits`, `metrics`, `mode`, `on-inconclusive`, `owners`, `require`, "
        "`rules`, `show-text`, `stats`, `suites`, `system`, `version`, `watch`",
        '  eval-gate.yml: mode: expected one of "blocking", "advisory", found "blockin"; did you mean "blocking"?',
        "  input `gate`: expected an id of lower-case letters, digits, `.`, `_` and `-`, at most 63 characters, "
        'that begins with a letter or a digit, found "A"',
        "  input `mod`: unknown key `mod`; did you mean `mode`?",
        '  input `seed`: expected a whole number from 0 to 9007199254740991, found "x"',
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"rules": []},
            "rules: expected a list of at least one rule (a gate without rules decides nothing), found an empty list",
        ),
        (
            {"suites": []},
            "suites: expected a list of at least one suite (a gate without suites measures nothing), "
            "found an empty list",
        ),
        (
            {"suites": [suite("a"), suite("b"), suite("a")]},
            "suites[2].name: the name `a` is taken by suites[0]",
        ),
        (
            {"rules": [significant(), threshold(), significant()]},
            "rules[2]: asks the same as rules[0]; keep one of them",
        ),
        (
            {"rules": [threshold(**{"at-least": 0.5}), threshold(**{"at-least": 0.6})]},
            "rules[1]: asks the same as rules[0]; keep one of them",
        ),
        (
            {"rules": [significant(suite="candidat")]},
            "rules[0].suite: there is no suite `candidat`; did you mean `candidate`?; the suites are `candidate`",
        ),
        (
            {"rules": [significant(suite="zzz")]},
            "rules[0].suite: there is no suite `zzz`; the suites are `candidate`",
        ),
        (
            {"rules": [significant("wibble")]},
            "rules[0].metric: nothing says which direction of `wibble` is better; "
            "say it under `metrics`: `better: higher` or `lower`",
        ),
        (
            {"rules": [significant("wibbel")], "metrics": {"wibble": {"better": "lower"}}},
            "rules[0].metric: nothing says which direction of `wibbel` is better; "
            "did you mean `wibble`?; say it under `metrics`: `better: higher` or `lower`",
        ),
        (
            {"rules": [threshold(**{"at-least": math.inf})]},
            "rules[0].at-least: expected a finite number, found inf",
        ),
        (
            {"rules": [threshold(**{"at-most": math.nan})]},
            "rules[0].at-most: expected a finite number, found nan",
        ),
        ({"metrics": {"a": {"matters": math.inf}}}, "metrics.a.matters: expected a finite number, found inf"),
    ],
)
def test_what_a_schema_cannot_say_is_checked_too(changes: dict[str, Any], expected: str) -> None:
    assert refused(document(**changes)) == f"eval-gate.yml: {expected}"


def test_a_floor_and_a_ceiling_are_two_rules() -> None:
    rules = [
        threshold(**{"at-least": 0.5}),
        threshold(**{"at-most": 0.9}),
        significant(),
        significant(per="question-type"),
    ]

    assert len(Settings.from_document(document(rules=rules)).rules) == 4


def test_a_threshold_needs_no_direction() -> None:
    Settings.from_document(document(rules=[threshold("wibble")]))


def test_what_is_given_beside_the_file_goes_before_it() -> None:
    settings = Settings.from_document(
        document(gate="a", stats={"draws": 5000, "seed": 1}, **{"on-inconclusive": {"no_baseline": "pass"}}),
        overrides={
            "gate": "b",
            "mode": "advisory",
            "seed": "7",
            "out": "elsewhere",
            "on-inconclusive": "fail",
        },
    )

    assert (settings.gate, settings.mode, settings.out) == ("b", "advisory", "elsewhere")
    assert (settings.stats.draws, settings.stats.seed) == (5000, 7)
    assert settings.policy().on_inconclusive == {"default": "fail"}


def test_an_empty_input_is_not_given() -> None:
    plain = Settings.from_document(document())

    assert Settings.from_document(document(), overrides={"gate": "", "seed": None, "mode": ""}) == plain


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("draws", "999", "found 999"),
        ("draws", 10**9, "found 1000000000"),
        ("seed", "-1", "found -1"),
        ("seed", str(2**53), "found 9007199254740992"),
        ("seed", "1.5", 'found "1.5"'),
        ("on-inconclusive", "no_baseline=pass", 'found "no_baseline=pass"'),
        ("gate", 5, "found 5 (text goes in quotes)"),
        ("budget-usd", "-1", "found -1.0"),
        ("budget-usd", "much", 'found "much"'),
    ],
)
def test_an_input_is_held_to_what_the_file_is_held_to(name: str, value: str | int, said: str) -> None:
    message = refused(document(), **{name: value})

    assert message.startswith(f"input `{name}`: expected ")
    assert message.endswith(said)


@pytest.mark.parametrize(
    ("own", "given", "budget"),
    [(None, "2.50", 2.5), (None, None, None), (5, None, 5), (5, "0", 0), (5, "5", 5), (5, 1, 1)],
)
def test_an_input_sets_a_budget_or_lowers_it(
    own: float | None, given: float | str | None, budget: float | None
) -> None:
    settings = Settings.from_document(
        document(**({} if own is None else {"budget-usd": own})), overrides={"budget-usd": given}
    )

    assert settings.policy().budget_usd == budget


@pytest.mark.parametrize(
    ("own", "given", "seconds"),
    [(None, None, None), ("45m", None, 2700), (None, "90s", 90), ("1h", "45m", 2700), ("60m", "1h", 3600)],
)
def test_an_input_sets_a_deadline_or_shortens_it(
    own: str | None, given: str | None, seconds: float | None
) -> None:
    settings = Settings.from_document(
        document(**({} if own is None else {"deadline": own})), overrides={"deadline": given}
    )

    assert settings.policy().deadline_seconds == seconds


def test_an_input_never_moves_a_deadline_back() -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_document(document(deadline="45m"), overrides={"deadline": "1h"})

    assert "input `deadline`: 1h is more than the configuration's 45m, which an input may only tighten" in (
        caught.value.message
    )


def test_an_input_never_raises_a_budget() -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_document(document(**{"budget-usd": 2}), overrides={"budget-usd": "2.01"})

    assert (
        "input `budget-usd`: 2.01 is more than the configuration's 2, which an input may only tighten"
        in str(caught.value)
    )


def test_a_gate_named_by_digits_may_be_given() -> None:
    assert Settings.from_document(document(), overrides={"gate": "42"}).gate == "42"


def test_settings_of_a_file_carry_its_digest_and_tell_lines(tmp_path: Path) -> None:
    path = tmp_path / "conf" / "eval-gate.yml"
    path.parent.mkdir()
    path.write_text(TEXT.replace("candidat}", "candidate}"))

    settings = load_settings(path, tmp_path, {"seed": 3})

    read = parse_config(path.read_bytes(), name="x")
    assert settings.config == str(path)
    assert settings.policy().config == FileRef(
        path="conf/eval-gate.yml", sha256=read.sha256, bytes=read.bytes
    )
    assert settings.stats.seed == 3

    path.write_text(TEXT)
    with pytest.raises(ConfigError) as caught:
        load_settings(path, tmp_path)
    assert caught.value.message == (
        f"{path}:5: rules[0].suite: there is no suite `candidat`; did you mean `candidate`?; the suites are `candidate`"
    )


def test_a_check_tells_what_settings_would_refuse() -> None:
    config = parse_config(TEXT.encode(), name="e.yml")

    assert [problem.place for problem in check(config)] == ["rules[0].suite"]
    assert check(parse_config(TEXT.replace("candidat}", "candidate}").encode(), name="e.yml")) == ()


VALUES = st.sampled_from(
    [None, True, 0, 1, 0.5, 5, "rows", "a", "pass", "latest", [], ["a"], {}, {"a": 1}, {"kind": "rows"}]
)
KEYS = st.sampled_from(
    [*SCHEMA["properties"], "k", "per", "suite", "at-least", "errors", "draws", "default", "mode", "extra"]
)


@profile(deadline=None)  # the first call imports jsonschema
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "suites", "rules", "stats", "limits", "baseline"]), KEYS, VALUES),
        max_size=4,
    )
)
def test_whatever_the_schema_allows_settings_can_hold(changes: list[tuple[str, str, Any]]) -> None:
    base = document(stats={}, limits={}, baseline={"ledger": "a"}, rules=[threshold()])
    for part, key, value in copy.deepcopy(changes):
        holder = base.get(part) if part else base
        holder = holder[0] if isinstance(holder, list) and holder else holder
        if isinstance(holder, dict):
            holder[key] = value

    try:
        Settings.from_document(base)
    except ConfigError:
        return
    assert problems(base, SCHEMA) == ()


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        ("", "rows/a.ndjson", "rows/a.ndjson"),
        ("eval", "rows/a.ndjson", "eval/rows/a.ndjson"),
        ("eval/deep", "../../b.ndjson", "b.ndjson"),
    ],
)
def test_paths_start_at_the_folder_of_the_configuration(
    tmp_path: Path, folder: str, path: str, expected: str
) -> None:
    config = tmp_path / folder / "eval-gate.yml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(
        TEXT.replace(", suite: candidat", "").replace("rows/a.ndjson", path) + f"baseline: {{rows: {path}}}\n"
    )

    request = load_settings(config, tmp_path).request()

    assert request.suites[0].rows == expected
    assert request.baseline is not None
    assert request.baseline.path == expected


@pytest.mark.parametrize("path", ["../../b.ndjson", "/b.ndjson"])
def test_a_path_that_leads_out_of_the_workspace_is_refused_with_its_line(tmp_path: Path, path: str) -> None:
    config = tmp_path / "eval" / "eval-gate.yml"
    config.parent.mkdir()
    config.write_text(TEXT.replace(", suite: candidat", "").replace("rows/a.ndjson", path))

    with pytest.raises(ConfigError) as caught:
        load_settings(config, tmp_path)

    assert f'eval-gate.yml:3: suites[0]: "{path}" lies outside the workspace' in str(caught.value)


def test_each_kind_of_baseline_becomes_its_request() -> None:
    def path(**source: object) -> tuple[str, str]:
        asked = Settings.from_document(document(baseline=source, gate="docs")).request().baseline
        assert asked is not None
        return asked.kind, asked.path

    assert path(accepted=True) == ("accepted", ".gate/baselines/docs/receipt.json")
    assert path(artifact=True) == ("artifact", "")
    assert path(artifact="named") == ("artifact", "named")
    assert path(receipt="old/receipt.json") == ("receipt", "old/receipt.json")
    assert path(database=True, run="r1", mode="balanced") == ("database", "the database")


def test_an_anchor_is_a_second_baseline() -> None:
    asked = Settings.from_document(document(anchor={"receipt": "v1/receipt.json"})).request().anchor

    assert asked is not None
    assert (asked.kind, asked.path) == ("receipt", "v1/receipt.json")
    assert Settings.from_document(document()).request().anchor is None


def test_a_watch_list_is_its_preset_and_its_own_paths() -> None:
    watch = Settings.from_document(document(watch={"preset": "gbrain", "paths": ["prompts/"]})).watch

    assert watch is not None
    assert watch.patterns()[0] == "src/core/search/"
    assert watch.patterns()[-1] == "prompts/"
    own = Settings.from_document(document(watch={"paths": ["prompts/"]})).watch
    assert own is not None
    assert own.patterns() == ("prompts/",)
