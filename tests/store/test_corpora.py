import hashlib
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from gate.core.records.system import Document
from gate.errors import EvidenceError
from gate.store.confinement import OutsideRoot
from gate.store.corpora import beir_queries, pin_corpus, read_corpus


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def folder_of_pages(root: Path) -> None:
    write(root / "docs/b.md", b"# second\n")
    write(root / "docs/people/a.txt", b"first")
    write(root / "docs/.hidden.md", b"hidden")
    write(root / "docs/.git/x.md", b"hidden")
    write(root / "docs/picture.png", b"\x89PNG")


def test_a_folder_gives_its_pages_by_path_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder_of_pages(tmp_path)
    assert read_corpus(tmp_path, pin_corpus(tmp_path, "docs")) == (
        Document(id="b", text="# second\n"),
        Document(id="people/a", text="first"),
    )


def test_the_digest_of_a_folder_is_that_of_its_sorted_listing(tmp_path: Path) -> None:
    folder_of_pages(tmp_path)
    listing = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        for name, data in (("b.md", b"# second\n"), ("people/a.txt", b"first"))
    )

    pinned = pin_corpus(tmp_path, "docs")

    assert pinned.sha256 == hashlib.sha256(listing.encode()).hexdigest()
    assert (pinned.path, pinned.bytes) == ("docs", 14)


@pytest.mark.parametrize("change", ["edited", "added", "renamed", "removed"])
def test_a_corpus_that_changed_after_planning_is_refused(tmp_path: Path, change: str) -> None:
    folder_of_pages(tmp_path)
    pinned = pin_corpus(tmp_path, "docs")
    page = tmp_path / "docs/b.md"
    match change:
        case "edited":
            page.write_bytes(b"# other!\n")
        case "added":
            write(tmp_path / "docs/c.md", b"")
        case "renamed":
            page.rename(tmp_path / "docs/d.md")
        case _:
            page.unlink()
    with pytest.raises(EvidenceError, match="docs: changed since the run was planned"):
        read_corpus(tmp_path, pinned)


def test_json_lines_are_a_corpus(tmp_path: Path) -> None:
    data = b'{"_id": "a", "text": "x"}\n{"_id": "b", "text": "y"}\n'
    write(tmp_path / "corpus.ndjson", data)

    pinned = pin_corpus(tmp_path, "corpus.ndjson")

    assert (pinned.sha256, pinned.bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    assert [document.id for document in read_corpus(tmp_path, pinned)] == ["a", "b"]


def test_a_file_that_changed_after_planning_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", b'{"_id": "a", "text": "x"}\n')
    pinned = replace(pin_corpus(tmp_path, "c.jsonl"), sha256="0" * 64)
    with pytest.raises(EvidenceError, match="changed since"):
        read_corpus(tmp_path, pinned)


def test_a_beir_folder_is_its_corpus_file_and_knows_its_queries(tmp_path: Path) -> None:
    write(tmp_path / "nq/corpus.jsonl", b'{"_id": "a", "title": "", "text": "x"}\n')
    write(tmp_path / "nq/queries.jsonl", b'{"_id": "q", "text": "?"}\n')

    assert [document.id for document in read_corpus(tmp_path, pin_corpus(tmp_path, "nq"))] == ["a"]
    assert beir_queries(tmp_path, "nq") == beir_queries(tmp_path, "nq/corpus.jsonl") == "nq/queries.jsonl"


def test_what_is_no_beir_folder_has_no_queries(tmp_path: Path) -> None:
    folder_of_pages(tmp_path)
    write(tmp_path / "c.jsonl", b"")
    assert beir_queries(tmp_path, "docs") is None
    assert beir_queries(tmp_path, "c.jsonl") is None


def test_no_corpus_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(EvidenceError, match="nowhere: there is no such corpus"):
        pin_corpus(tmp_path, "nowhere")
    with pytest.raises(EvidenceError, match="empty: no page"):
        pin_corpus(tmp_path, "empty")


def test_a_corpus_lies_below_the_root(tmp_path: Path) -> None:
    write(tmp_path / "outside/a.md", b"x")
    (tmp_path / "root").mkdir()
    with pytest.raises(OutsideRoot):
        pin_corpus(tmp_path / "root", "../outside")


def test_links_are_not_followed(tmp_path: Path) -> None:
    folder_of_pages(tmp_path)
    secret = write(tmp_path / "secret/key.md", b"secret")
    (tmp_path / "docs/link.md").symlink_to(secret)
    (tmp_path / "docs/linked").symlink_to(secret.parent)
    assert [document.id for document in read_corpus(tmp_path, pin_corpus(tmp_path, "docs"))] == [
        "b",
        "people/a",
    ]


def test_two_pages_with_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md", b"1")
    write(tmp_path / "docs/a.txt", b"2")
    with pytest.raises(EvidenceError, match="docs: the document id 'a' is there twice"):
        read_corpus(tmp_path, pin_corpus(tmp_path, "docs"))


def test_a_page_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md", b"\xff")
    with pytest.raises(EvidenceError, match=r"docs: a.md: not UTF-8"):
        read_corpus(tmp_path, pin_corpus(tmp_path, "docs"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    folder_of_pages(tmp_path)
    (tmp_path / "docs/people").chmod(0)
    with pytest.raises(EvidenceError, match="cannot be read"):
        pin_corpus(tmp_path, "docs")
