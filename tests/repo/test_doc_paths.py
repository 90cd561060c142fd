"""What the documents name is there: files, links, make targets."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
FOLDERS = "gate|docs|tests|schemas|examples|benchmarks|composite"
PATH = re.compile(rf"`((?:{FOLDERS}|\.ci|\.github)/[\w./-]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TARGET = re.compile(r"(?m)(?:^|`)make ([a-z]+)")


@EACH
def test_every_path_in_code_type_exists(page: Path) -> None:
    missing = [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()]
    assert missing == []


@EACH
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@EACH
def test_every_make_target_is_one(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(TARGET.findall(page.read_text())) <= targets


def test_the_readme_begins_with_the_two_commands() -> None:
    fenced = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert fenced[:2] == ["make demo\n", "make test\n"]


def test_every_decision_has_a_number_of_its_own() -> None:
    numbers = [path.name.split("-")[0] for path in sorted((ROOT / "docs/adr").glob("*.md"))]
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
