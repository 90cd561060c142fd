import pytest

from gate.core.records.corpus import CorpusError, document_of_page, documents_of_lines, unique
from gate.core.records.system import Document


def test_a_line_is_a_document_as_beir_writes_it_or_with_a_plain_id() -> None:
    lines = [
        b'{"_id": "d1", "title": "T", "text": "words", "metadata": {"url": 1}}\n',
        b"  \n",
        b'{"id": "d2", "title": "", "text": "", "session_id": "s", "date": "2026-10-07"}\n',
        b"",
    ]
    assert list(documents_of_lines(lines)) == [
        Document(id="d1", text="words", title="T"),
        Document(id="d2", text="", session_id="s", date="2026-10-07"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"text": "a"}', "line 2: expected an `_id`"),
        (b'{"_id": "", "text": "a"}', "line 2: expected an `_id`"),
        (b'{"_id": "a"}', "line 2: expected an object with `_id` and `text`"),
        (b'{"_id": 1, "text": "a"}', "line 2: expected an object with `_id` and `text`"),
        (b"[]", "line 2: expected an object"),
        (b"nope", "line 2: no JSON object"),
        (b'{"_id": "a", "text": "\xff"}', "line 2: no JSON object"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(line: bytes, said: str) -> None:
    with pytest.raises(CorpusError, match=said):
        list(documents_of_lines([b'{"_id": "ok", "text": ""}', line]))


def test_a_page_is_named_by_its_path_without_the_suffix() -> None:
    assert document_of_page("people/a.b.md", "\ufeff# é\n".encode()) == Document(
        id="people/a.b", text="# é\n"
    )


def test_a_page_that_is_not_utf8_is_refused_with_its_name() -> None:
    with pytest.raises(CorpusError, match=r"people/a.md: not UTF-8 \(at byte 2\)"):
        document_of_page("people/a.md", b"a\xff")


def test_two_documents_with_one_id_are_refused() -> None:
    pages = [Document(id="a", text="1"), Document(id="b", text="2")]
    assert unique(pages) == tuple(pages)
    with pytest.raises(CorpusError, match="the document id 'a' is there twice"):
        unique([*pages, Document(id="a", text="3")])
