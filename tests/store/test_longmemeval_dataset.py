import hashlib
import json
import threading
from pathlib import Path

import pytest

from gate.errors import EvidenceError
from gate.store.longmemeval_dataset import QuestionStream, read_dataset
from tests.longmemeval_files import array, document, lines

DATA = Path(__file__).parents[3] / "shared" / "data" / "gbrain"


def test_an_array_and_lines_hold_the_same_questions_and_are_pinned_by_their_own_bytes(tmp_path: Path) -> None:
    documents = [document(number) for number in range(9)]
    one, other = array(tmp_path / "a.json", documents), lines(tmp_path / "b.jsonl", documents)
    first, second = read_dataset(one), read_dataset(other)
    assert first.questions == second.questions
    assert [each.id for each in first.questions] == [f"q{number:03}" for number in range(9)]
    for path, read in ((one, first), (other, second)):
        assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert read.bytes == path.stat().st_size


def test_pretty_printed_arrays_with_a_mark_and_room_around_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(
        b"\xef\xbb\xbf" + b" \n" * 300_000 + json.dumps([document(1)], indent=2).encode() + b"\n\n"
    )
    read = read_dataset(path)
    assert len(read.questions) == 1
    assert read.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_lines_may_be_blank_end_with_a_carriage_return_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\r\n".join((json.dumps(document(1)).encode(), b"", json.dumps(document(2)).encode())))
    assert len(read_dataset(path).questions) == 2


@pytest.mark.parametrize("name", ["longmemeval-mini.jsonl", "outputs/longmemeval-nightly.jsonl"])
def test_the_published_small_datasets_are_read(name: str) -> None:
    path = DATA / name
    if not path.exists():
        pytest.skip("the published datasets lie in ../shared, which is not here")
    read = read_dataset(path)
    assert len(read.questions) == len(path.read_text().splitlines())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps([document(1), document(1)]), "'q001' is there twice"),
        (json.dumps([document(1), {**document(2), "question": None}]), r"question 'q002' \(number 2\): Expected `str`"),
        (json.dumps([document(1)])[:-40], "no valid JSON after question number 0"),
        (json.dumps([document(1), document(2)])[:-40], "no valid JSON after question number 1"),
        (json.dumps([document(1)]) + "]", "no valid JSON after question number 1"),
        ("[]", "no question in it"),
        ("", "no question in it"),
        ("\n \n", "no question in it"),
        ('{"a": 1}', "question number 1: .*missing required field"),
        (json.dumps(document(1)) + "\nnonsense\n", "question number 2: no valid JSON"),
        ("[1]", "question number 1: Expected `object`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_the_file_and_the_question(
    tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "data.json"
    path.write_text(content)
    with pytest.raises(EvidenceError, match=rf"data\.json: .*{said}"):
        read_dataset(path)


def test_a_missing_file_is_evidence_that_is_missing(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(EvidenceError, match="no such file"):
            read_dataset(path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"question_id": "' + b"x" * 2**21)
    with pytest.raises(EvidenceError, match="a line is longer than 1048576 bytes"):
        read_dataset(path, longest_line=2**20)


def test_wanted_questions_come_out_whole_whoever_asks_first(tmp_path: Path) -> None:
    dataset = read_dataset(array(tmp_path / "a.json", [document(number) for number in range(40)]))
    wanted = [each.id for each in dataset.questions][::3]
    stream = QuestionStream(dataset, wanted)
    taken: dict[str, str] = {}

    def take(ids: list[str]) -> None:
        for each in ids:
            taken[each] = stream.take(each).content_hash()

    threads = [threading.Thread(target=take, args=(wanted[part::2],)) for part in (1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == {each.id: each.content_hash for each in dataset.questions if each.id in wanted}


def test_a_dataset_that_changes_under_the_run_is_noticed(tmp_path: Path) -> None:
    path = array(tmp_path / "a.json", [document(1), document(2)])
    dataset = read_dataset(path)
    array(path, [document(1), {**document(2), "answer": "another"}])
    stream = QuestionStream(dataset, ["q001", "q002"])
    assert stream.take("q001").id == "q001"
    with pytest.raises(EvidenceError, match="changed while"):
        stream.take("q002")
    array(path, [document(1)])
    with pytest.raises(EvidenceError, match="changed while"):
        QuestionStream(dataset, ["q002"]).take("q002")
