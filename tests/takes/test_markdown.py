import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gate.core.records.ecmascript import number_text
from gate.core.takes.corpus import CorpusNotes, Sample, Scope
from gate.core.takes.fence import BEGIN, END
from gate.core.takes.sampling import Sampling
from gate.errors import EvidenceError
from gate.takes.markdown import MarkdownTakes
from tests.takes_factories import SHARED, row, shared, take, write_pages

ROOT = Path(__file__).parents[2]
ALL = Sampling(limit=1000, seed=1)


def sample(folder: Path, scope: Scope | None = None) -> Sample:
    return MarkdownTakes(folder).sample(scope or Scope(), ALL)


def places(found: Sample) -> list[tuple[str, int]]:
    return sorted((one.page, one.row) for one in found.takes)


def test_pages_give_the_takes_that_the_original_program_imported_from_them() -> None:
    imported = shared("outputs/takes-rows.json")

    found = sample(SHARED / "outputs" / "takes-pages", Scope(inactive="included"))

    assert sorted(
        (one.page, one.row, one.claim, one.kind, one.holder, one.weight, one.since, one.until, one.source, one.active)
        for one in found.takes
    ) == sorted(
        (
            one["slug"], one["row_num"], one["claim"], one["kind"], one["holder"], number_text(one["weight"]),
            one["since_date"], one["until_date"], one["source"], one["active"],
        )
        for one in imported["rows"]
    )  # fmt: skip
    assert found.notes == CorpusNotes(
        pages=imported["result"]["pagesScanned"],
        clamped=1,
        warnings={"TAKES_TABLE_MALFORMED": len(imported["result"]["warnings"])},
        places=("companies/lumen-forge: TAKES_TABLE_MALFORMED",),
    )


def test_inactive_takes_are_left_out_and_counted_unless_asked_for(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("a", 1), take("a", 2, active=False)])

    assert (places(sample(tmp_path)), sample(tmp_path).notes.inactive) == ([("a", 1)], 1)
    assert places(sample(tmp_path, Scope(inactive="included"))) == [("a", 1), ("a", 2)]


def test_a_prefix_is_literal_and_concerns_the_slug(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("people/a_b"), take("people/axb"), take("people/a%b"), take("people_x")])

    assert places(sample(tmp_path, Scope(slug_prefix="people/a_"))) == [("people/a_b", 1)]
    assert places(sample(tmp_path, Scope(slug_prefix="people/a%"))) == [("people/a%b", 1)]
    assert len(places(sample(tmp_path, Scope(slug_prefix="people/")))) == 3


def test_a_weight_is_what_storing_makes_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        f"{BEGIN}\n| # | claim | kind | who | weight | since | source |\n"
        f"| 1 | x | fact | brain | 1.7 | | |\n| 2 | y | fact | brain | 0.82 | | |\n{END}"
    )

    found = sample(tmp_path)

    assert {one.row: one.weight for one in found.takes} == {1: "1", 2: "0.8"}
    assert found.notes.clamped == 1


def test_links_are_not_followed_wherever_they_lead_and_are_counted(tmp_path: Path) -> None:
    outside, pages = tmp_path / "outside", tmp_path / "pages"
    write_pages(outside, [take("secret")])
    write_pages(pages, [take("a")])
    (pages / "file.md").symlink_to(outside / "secret.md")
    (pages / "folder").symlink_to(outside)
    (pages / "loop").symlink_to(pages)
    (pages / "b.md").symlink_to(pages / "a.md")

    found = sample(pages)

    assert (places(found), found.notes.links, found.notes.pages) == ([("a", 1)], 4, 1)


def test_a_folder_that_is_itself_a_link_is_what_the_user_named(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages", [take("a")])
    (tmp_path / "link").symlink_to(tmp_path / "pages")

    assert places(sample(tmp_path / "link")) == [("a", 1)]


def test_hidden_folders_and_other_files_are_no_pages(tmp_path: Path) -> None:
    write_pages(tmp_path, [take(".git/a"), take(".b"), take("c")])
    (tmp_path / "c.txt").write_text("x")

    found = sample(tmp_path)

    assert (places(found), found.notes.pages) == ([("c", 1)], 1)


def test_a_page_that_is_not_utf8_is_read_with_replacements_and_counted(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("a", claim="caf?")])
    path = tmp_path / "a.md"
    path.write_bytes(path.read_bytes().replace(b"caf?", b"caf\xe9"))
    (tmp_path / "no-takes.md").write_bytes(b"\xff\xfe")

    found = sample(tmp_path)

    assert found.takes[0].claim == "caf\ufffd"
    assert (found.notes.misencoded, found.notes.places) == (1, ("a: not UTF-8",))


def test_what_cannot_be_read_is_counted_and_named_and_stops_nothing(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("z")])
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve.md")).write_text("x")

    found = sample(tmp_path)

    assert (places(found), found.notes.unreadable) == ([("z", 1)], 2)
    assert sorted(found.notes.places) == [
        "(a name that is not UTF-8): no regular file",
        "pipe: no regular file",
    ]


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling
from gate.takes.markdown import MarkdownTakes
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
found = MarkdownTakes(Path(sys.argv[1])).sample(Scope(), Sampling(limit=9, seed=1))
print([one.page for one in found.takes], found.notes.unreadable, found.notes.places)
"""


def test_pages_and_folders_nobody_may_read_are_counted() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        write_pages(folder, [take("open"), take("shut"), take("private/page")])
        (folder / "shut.md").chmod(0)
        (folder / "private").chmod(0)

        command = [sys.executable, "-c", UNPRIVILEGED, name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        (folder / "private").chmod(0o755)

    assert done.stdout.strip() == "['open'] 2 ('shut: Permission denied', 'private/: Permission denied')", (
        done.stderr
    )


def test_warnings_are_counted_by_code_and_the_first_places_named_without_any_claim(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"page-{number:02}.md").write_text(f"{BEGIN}\n| secret claim | b |\n")

    notes = sample(tmp_path).notes

    assert notes.warnings == {"TAKES_FENCE_UNBALANCED": 30}
    assert notes.places == tuple(f"page-{number:02}: TAKES_FENCE_UNBALANCED" for number in range(10))


@pytest.mark.parametrize("name", ["none", "file.txt", "a\0b"])
def test_a_folder_that_is_none_is_an_input_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").write_text("")

    with pytest.raises(EvidenceError, match="folder of pages cannot be read") as caught:
        sample(tmp_path / name)

    assert "Markdown pages" in caught.value.remedy


def test_takes_are_found_by_page_and_row_without_reading_other_pages(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("a", 1), take("a", 2), take("b", 1), take("c", 1, active=False)])
    os.mkfifo(tmp_path / "pipe.md")

    found = MarkdownTakes(tmp_path).find(Scope(), [("a", 2), ("c", 1), ("gone", 1), ("b", 7)])

    assert found == (take("a", 2),)


def test_a_folder_without_takes_is_an_empty_sample(tmp_path: Path) -> None:
    assert sample(tmp_path) == Sample(takes=(), eligible=0)


def test_factories_write_what_they_are_given(tmp_path: Path) -> None:
    write_pages(tmp_path, [take("a", 3, claim="x | y", until="2027")])

    assert sample(tmp_path).takes == (take("a", 3, claim="x | y", until="2027"),)
    assert row(3).row == 3
