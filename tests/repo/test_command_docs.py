"""Commands shown in the documents are commands: they exist with the options shown, and the guide runs as written."""

import re
import shlex
from importlib.resources import files
from pathlib import Path

import click
import pytest

from gate.cli import COMMANDS, program
from gate.github.inputs import INPUTS, OUTPUTS
from tests.program import gate
from tests.repositories import repository

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GUIDE = (ROOT / "docs" / "github-action.md").read_text()
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(gate [a-z][^`\n]*)`")
ONLY_GITHUB_KNOWS = {"token": "the workflow's own", "matrix": "filled in by GitHub"}


def lines(text: str) -> list[str]:
    """The calls of the gate in shell blocks, without their remarks."""
    shown = (line.split("#")[0].strip() for block in SHELL.findall(text) for line in block.splitlines())
    return [line for line in shown if line.startswith("gate ")]


SHOWN = [pytest.param(line, id=f"{page.name}: {line}") for page in PAGES for line in lines(page.read_text())]


def command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words call, and what is left for it."""
    found: click.Command = program
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        inner = found.get_command(click.Context(found), words[0])
        assert inner is not None, f"there is no command {words[0]}"
        found, words = inner, words[1:]
    return found, words


@pytest.mark.parametrize("line", SHOWN)
def test_every_call_shown_is_one_that_the_command_line_takes(line: str) -> None:
    found, words = command(shlex.split(line)[1:])

    assert not isinstance(found, click.Group)
    found.make_context(line, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_in_a_sentence_exists(page: Path) -> None:
    named = {call.split()[1] for call in INLINE.findall(page.read_text()) if call.split()[1].isalpha()}

    assert named - set(COMMANDS) == set()


@pytest.mark.parametrize("name", ["eval-gate.yml", "eval-gate-publish.yml"])
def test_the_guide_shows_the_workflows_that_init_writes(name: str) -> None:
    written = files("gate").joinpath("data", "workflows", name).read_text()

    assert f"As .github/workflows/{name}:\n\n```yaml\n{written}```\n" in GUIDE


@pytest.mark.parametrize("name", ["drift", "sweep"])
def test_a_workflow_that_init_writes_besides_is_shown_on_its_own_page(name: str) -> None:
    written = files("gate").joinpath("data", "workflows", f"eval-{name}.yml").read_text()

    page = (ROOT / "docs" / f"{name}.md").read_text()
    assert f"As .github/workflows/eval-{name}.yml:\n\n```yaml\n{written}```\n" in page


def test_the_guide_runs_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository(tmp_path)
    monkeypatch.chdir(tmp_path)

    codes = [gate(capsys, *shlex.split(line)[1:]).code for line in lines(GUIDE)]

    assert codes == [0, 78]  # init writes; the doctor finds the placeholder and the example
    assert gate(capsys, "run").code == 0


def table(heading: str) -> list[list[str]]:
    """The cells of the one table below a heading of the guide."""
    section = GUIDE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def test_every_input_is_documented_in_order_with_its_default_and_its_choices() -> None:
    told = {name.strip("`"): (default.strip("`"), text) for name, default, text in table("Inputs")}

    assert list(told) == [one.name for one in INPUTS]
    for one in INPUTS:
        default, text = told[one.name]
        assert default == ONLY_GITHUB_KNOWS.get(one.name, one.default or "–")
        assert [choice for choice in one.choices if f"`{choice}`" not in f"{text} `{one.default}`"] == []


def test_every_output_is_documented_in_order() -> None:
    assert tuple(name.strip("`") for name, _ in table("Outputs")) == OUTPUTS
