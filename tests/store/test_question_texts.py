from pathlib import Path

import pytest

from gate.errors import EvidenceError
from gate.store.question_texts import LONGEST, question_texts

ROWS = b"""{"kind":"run_info","k":5}
{"question_id":"a","question":"who?","hit":1}
{"question_id":"b","query":"where?","hit":1}
{"question_id":"c","hit":1}
{"question_id":"d","question":7,"hit":1}
{"question_id":"e","question":"not asked for"}
torn
"""


def test_the_words_of_the_questions_asked_for_are_found_under_either_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(ROWS)

    assert question_texts(path, frozenset("abcd"), name="rows") == {"a": "who?", "b": "where?"}


def test_long_words_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_text('{"question_id":"a","question":"' + "x" * 2_000 + '"}\n')

    assert question_texts(path, frozenset("a"), name="rows") == {"a": "x" * LONGEST}


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="rows: cannot be read"):
        question_texts(tmp_path / "none", frozenset("a"), name="rows")
