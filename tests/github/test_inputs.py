"""Inputs as the runner hands them over."""

import pytest

from gate.errors import UsageError
from gate.github.inputs import INPUTS, read_inputs


def refused(**variables: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_inputs({name.replace("__", "-"): value for name, value in variables.items()})
    return caught.value


def test_what_is_not_given_has_its_default() -> None:
    inputs = read_inputs({"PATH": "/bin", "GITHUB_REF": "refs/heads/main"})
    assert {declared.name: inputs[declared.name] for declared in INPUTS} == {
        "command": "run",
        "config": "eval-gate.yml",
        "gate": "",
        "mode": "",
        "suites": "",
        "modes": "",
        "limit": "",
        "baseline": "",
        "out": "gate-out",
        "seed": "",
        "on-inconclusive": "",
        "budget-usd": "",
        "deadline": "",
        "token": "",
        "comment": "always",
        "notify-on": "silent",
        "publish": "best-effort",
        "check-run": "false",
        "matrix": "",
        "shard": "",
        "shards": "gate-shards",
    }
    assert inputs.overrides() == {}


def test_an_empty_value_is_not_given_and_blanks_do_not_count() -> None:
    inputs = read_inputs({"INPUT_CONFIG": "  ", "INPUT_GATE": " nightly\n"})
    assert inputs["config"] == "eval-gate.yml"
    assert inputs["gate"] == "nightly"


def test_dashes_arrive_as_the_runner_or_a_shell_spells_them() -> None:
    assert read_inputs({"INPUT_ON-INCONCLUSIVE": "fail"})["on-inconclusive"] == "fail"
    assert read_inputs({"INPUT_ON_INCONCLUSIVE": "fail"})["on-inconclusive"] == "fail"


def test_only_the_configurations_own_keys_override_it() -> None:
    inputs = read_inputs(
        {"INPUT_CONFIG": "a.yml", "INPUT_OUT": "o", "INPUT_SEED": "7", "INPUT_BUDGET-USD": "2.5"}
    )
    assert inputs.overrides() == {"seed": "7", "budget-usd": "2.5"}


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [("INPUT_CONFG", "config"), ("INPUT_ON-INCONCLUSIV", "on-inconclusive"), ("INPUT_SEEDS", "seed")],
)
def test_a_misspelt_input_is_answered_with_the_nearest_name(variable: str, nearest: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean `{nearest}`"):
        read_inputs({variable: "x"})


def test_an_unknown_input_is_an_error_even_when_it_is_empty() -> None:
    assert "`zzz`" in refused(INPUT_ZZZ="").message
    assert "did you mean" not in refused(INPUT_ZZZ="").message


def test_every_problem_is_told_at_once_and_the_remedy_lists_the_inputs() -> None:
    error = refused(INPUT_CONFG="x", INPUT_COMMAND="rum", INPUT_MODE="strict")
    assert "`confg`" in error.message
    assert "did you mean `run`" in error.message
    assert "'strict'" in error.message
    assert all(declared.name in error.remedy for declared in INPUTS)


@pytest.mark.parametrize(("name", "value"), [("MODE", "advisory"), ("ON__INCONCLUSIVE", "pass")])
def test_an_input_may_tighten_the_configuration_never_loosen_it(name: str, value: str) -> None:
    assert "only tighten" in refused(**{f"INPUT_{name}": value}).message


def test_one_input_spelt_twice_must_say_the_same() -> None:
    same = {"INPUT_ON-INCONCLUSIVE": "fail", "INPUT_ON_INCONCLUSIVE": "fail"}
    assert read_inputs(same)["on-inconclusive"] == "fail"
    with pytest.raises(UsageError, match="given twice"):
        read_inputs({"INPUT_PR-X": "", "INPUT_GATE": "a", "INPUT_gate": "b"})
