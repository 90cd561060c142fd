"""What a program that crashes wrote to standard error is shown where it failed, and kept nowhere."""

import json
from pathlib import Path

import pytest

from gate.action import act
from gate.runner import Runner
from tests.cli.calls import Shell
from tests.github.runner_rules import Step
from tests.longmemeval_files import array, document
from tests.programs import FINDS_ALL, everybodys_python, open_folder, searching

__all__ = ["open_folder"]

IMPORTS_NOTHING = "import nonexistent_module\n"
REASON = "  | ModuleNotFoundError: No module named 'nonexistent_module'"
SUITES = {
    "retrieval": "{suite: retrieval, corpus: docs, qrels: q.json}",
    "longmemeval": "{suite: longmemeval, dataset: lme.json}",
}
CALLS = {
    "retrieval": ("--corpus", "docs", "--qrels", "q.json"),
    "longmemeval": ("lme.json",),
}


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    tmp_path.chmod(0o755)
    judged = [{"id": f"q{number}", "query": f"text {number}", "relevant": ["a"]} for number in range(3)]
    shell.write("q.json", json.dumps({"version": 1, "queries": judged}))
    for page in "abc":
        shell.write(f"docs/{page}.md", f"page {page}")
    array(tmp_path / "lme.json", [document(number) for number in range(3)])
    return shell


def configured(shell: Shell, folder: Path, source: str, suite: str = SUITES["retrieval"]) -> None:
    (folder / "search.py").write_text(source)
    shell.write(
        "eval-gate.yml",
        "version: 1\n"
        f"system: {{kind: command, run: [{everybodys_python()}, -I, {folder / 'search.py'}]}}\n"
        f"suites: [{suite}]\n"
        "rules: [{metric: mrr, rule: threshold, at-least: 0}]\n",
    )


def kept(shell: Shell) -> str:
    return "".join(
        path.read_text() for path in sorted((shell.folder / "gate-out").rglob("*")) if path.is_file()
    )


@pytest.mark.parametrize("suite", ["retrieval", "longmemeval"])
def test_a_program_that_cannot_start_is_shown_with_its_own_reason(
    shell: Shell, open_folder: Path, suite: str
) -> None:
    configured(shell, open_folder, IMPORTS_NOTHING, SUITES[suite])

    done = shell.gate("run")

    assert done.code == 1
    assert done.err.count(REASON) == 1
    assert "nonexistent_module" not in done.out + kept(shell)
    assert "Read the log of this run" in kept(shell)


@pytest.mark.parametrize("suite", CALLS)
def test_a_suite_by_itself_shows_it_too(shell: Shell, open_folder: Path, suite: str) -> None:
    configured(shell, open_folder, IMPORTS_NOTHING)

    done = shell.gate("suite", suite, *CALLS[suite])

    assert done.code != 0
    assert done.err.count(REASON) == 1


def test_a_mistyped_file_is_named_by_the_interpreter(shell: Shell, open_folder: Path) -> None:
    configured(shell, open_folder, IMPORTS_NOTHING)
    (open_folder / "search.py").unlink()

    assert "can't open file" in shell.gate("run").err


def test_json_stays_json_and_the_reason_goes_to_standard_error(shell: Shell, open_folder: Path) -> None:
    configured(shell, open_folder, IMPORTS_NOTHING)

    done = shell.gate("run", "--json")

    assert done.document["verdict"] == "fail"
    assert REASON in done.err


def test_a_program_that_crashes_at_every_question_is_shown_once(shell: Shell, open_folder: Path) -> None:
    configured(
        shell,
        open_folder,
        searching("def search(query, known):\n    sys.exit('no index for ' + query['text'])\n"),
    )

    done = shell.gate("run")

    assert done.code == 1
    assert done.err.count("  | no index for text 0") == 1
    assert "no index for" not in done.out + kept(shell)


def test_a_program_that_answers_is_not_overheard_however_much_it_logs(
    shell: Shell, open_folder: Path
) -> None:
    source = searching(FINDS_ALL).replace(
        "known = {}", "known = {}\nprint('a remark', file=sys.stderr, flush=True)", 1
    )
    configured(shell, open_folder, source)

    done = shell.gate("run")

    assert "a remark" not in done.err + done.out
    assert done.err.splitlines() == [line for line in done.err.splitlines() if line.endswith("…")]


def test_in_the_log_of_a_step_the_last_words_command_nothing(shell: Shell, open_folder: Path) -> None:
    configured(shell, open_folder, "import sys\nsys.exit('::error::mine ##[warning]mine too')\n")
    written: list[str] = []

    code = act(Runner({}, shell.folder, written.append))
    log = "".join(written)

    assert code == 1
    assert "  | ::error::mine # #[warning]mine too" in log
    assert all("mine" not in command.data for command in Step().read(log))
