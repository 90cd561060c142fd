import os
import threading
import time
from pathlib import Path

import pytest

from gate.core.records.system import Capabilities, Document, Hit, Query
from gate.core.records.system_messages import BATCH_BYTES
from gate.ports import SystemFailed
from gate.systems.command import RESTARTS, CommandSystem
from gate.systems.process import Command
from tests.programs import FINDS_ALL, open_folder, searching, system

__all__ = ["open_folder"]

PAGES = [Document(id=name, text=f"page {name}") for name in "abc"]
ASKED = Query(id="q", text="private words", k=2, mode="balanced")


def test_a_program_is_reset_fed_and_asked(open_folder: Path) -> None:
    tested = system(searching(FINDS_ALL), open_folder)
    try:
        assert tested.capabilities() == Capabilities(name="program", modes=("balanced",), concurrency=1)
        tested.reset()
        tested.ingest(PAGES[:2])
        tested.ingest(PAGES[2:])
        assert [hit.doc_id for hit in tested.search(ASKED).hits] == ["a", "b"]
        assert tested.answer(ASKED, [Hit(doc_id="a", score=1.0, rank=1)]).text == "because"
        tested.reset()
        assert tested.search(ASKED).hits == ()
    finally:
        tested.close()


def test_a_corpus_of_any_size_is_handed_over_in_parts(open_folder: Path) -> None:
    tested = system(searching(FINDS_ALL), open_folder)
    try:
        tested.ingest([Document(id=str(n), text="x" * (BATCH_BYTES // 2)) for n in range(5)])
        assert len(tested.search(Query(id="q", text="t", k=9, mode="balanced")).hits) == 5
    finally:
        tested.close()


BAD_REPLIES = {
    "no json": ('print("loading the model …", flush=True)', "is not of the protocol"),
    "another shape": ('return {"hits": [{"doc_id": 7}]}', "is not of the protocol"),
    "no number": (
        'return {"hits": [{"doc_id": "a", "score": float("nan"), "rank": 1}]}',
        "is not of the protocol",
    ),
    "another call's": ('print(\'{"id": 1, "result": {"hits": []}}\', flush=True)', "answers call 1"),
    "nothing in it": ("print('{\"id\": 3}', flush=True)", "neither `result` nor `error`"),
}


@pytest.mark.parametrize("case", BAD_REPLIES)
def test_nonsense_is_garbage_and_costs_one_question(open_folder: Path, case: str) -> None:
    nonsense, said = BAD_REPLIES[case]
    source = f"""
def search(query, known):
    if query["id"] == "bad":
        {nonsense}
    return {{"hits": [{{"doc_id": name, "score": 1.0, "rank": 1}} for name in known][:1]}}
"""
    tested = system(searching(source), open_folder)
    try:
        tested.reset()
        tested.ingest(PAGES)
        with pytest.raises(SystemFailed, match=said) as caught:
            tested.search(Query(id="bad", text="private words", k=2, mode="balanced"))
        assert caught.value.kind == "garbage"
        assert "private" not in caught.value.message
        assert len(tested.search(ASKED).hits) == 1
    finally:
        tested.close()


def test_an_honest_error_is_a_refusal_and_the_program_lives_on(open_folder: Path) -> None:
    source = """
import json, sys, os
for line in sys.stdin:
    call = json.loads(line)
    reply = {"error": {"message": f"no index for {call['params'].get('text')}"}}
    if call["method"] == "capabilities":
        reply = {"result": {"name": str(os.getpid())}}
    print(json.dumps({"id": call["id"], **reply}), flush=True)
"""
    tested = system(source, open_folder)
    try:
        before = tested.capabilities().name
        with pytest.raises(SystemFailed, match="answered with an error") as caught:
            tested.search(ASKED)
        assert (caught.value.kind, caught.value.detail) == ("refused", "no index for private words")
        assert tested.capabilities().name == before
    finally:
        tested.close()


ENDINGS = {
    "it exits": ("os._exit(7)", "crash", "exit code 7"),
    "it hangs": ("time.sleep(600)", "timeout", "did not answer within 1 s"),
    "it closes mid-message": (
        'os.write(1, b\'{"id": 3, "result"\'); os._exit(0)',
        "crash",
        "before it had answered",
    ),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_a_program_that_ends_is_started_again_with_its_documents(open_folder: Path, case: str) -> None:
    ending, kind, said = ENDINGS[case]
    source = f"""
import os, time
def search(query, known):
    if query["id"] == "bad":
        {ending}
    return {{"hits": [{{"doc_id": name, "score": 1.0, "rank": 1}} for name in sorted(known)][:2]}}
"""
    tested = system(searching(source), open_folder, seconds=1)
    try:
        tested.reset()
        tested.ingest(PAGES)
        with pytest.raises(SystemFailed, match=said) as caught:
            tested.search(Query(id="bad", text="t", k=2, mode="balanced"))
        assert caught.value.kind == kind
        assert [hit.doc_id for hit in tested.search(ASKED).hits] == ["a", "b"]
    finally:
        tested.close()


def test_a_program_that_always_ends_is_not_started_for_ever(open_folder: Path) -> None:
    log = open_folder / "starts"
    log.touch()
    log.chmod(0o666)
    source = f"open({str(log)!r}, 'a').write('x')\nimport sys\nsys.exit(1)\n"
    tested = system(source, open_folder)
    try:
        for _ in range(RESTARTS + 6):
            with pytest.raises(SystemFailed):
                tested.search(ASKED)
        with pytest.raises(SystemFailed, match="has ended 4 times and is not started again"):
            tested.search(ASKED)
        assert len(log.read_text()) == RESTARTS + 1
    finally:
        tested.close()


def test_documents_that_get_lost_are_noticed(open_folder: Path) -> None:
    source = """
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "result": {"documents": 0}}), flush=True)
"""
    tested = system(source, open_folder)
    try:
        tested.reset()
        with pytest.raises(SystemFailed, match="it holds 0 documents; 3 were handed over") as caught:
            tested.ingest(PAGES)
        assert caught.value.kind == "garbage"
    finally:
        tested.close()


def test_a_program_that_cannot_be_started_is_a_crash(open_folder: Path) -> None:
    tested = CommandSystem(Command(argv=("./missing",), folder=open_folder), seconds=1, setup_seconds=1)
    with pytest.raises(SystemFailed, match="'missing' cannot be started"):
        tested.capabilities()
    tested.close()


def test_many_threads_may_ask_and_the_program_sees_one_call_at_a_time(open_folder: Path) -> None:
    tested = system(searching(FINDS_ALL), open_folder)
    found: list[int] = []
    try:
        tested.ingest(PAGES)
        threads = [
            threading.Thread(target=lambda: found.append(len(tested.search(ASKED).hits))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [2] * 8
    finally:
        tested.close()


def test_closing_ends_a_question_that_is_being_asked(open_folder: Path) -> None:
    tested = system(
        searching("import time\ndef search(query, known): time.sleep(600)\n"), open_folder, seconds=60
    )
    failures: list[str] = []

    def ask() -> None:
        try:
            tested.search(ASKED)
        except SystemFailed as error:
            failures.append(error.kind)

    tested.reset()
    thread = threading.Thread(target=ask)
    thread.start()
    time.sleep(0.3)
    tested.close()
    thread.join(10)

    assert failures == ["crash"]
    with pytest.raises(SystemFailed, match="was closed"):
        tested.search(ASKED)
    tested.close()


def test_closing_what_was_never_started_is_fine() -> None:
    CommandSystem(Command(argv=("x",), folder=Path(os.curdir)), seconds=1, setup_seconds=1).close()


def test_replies_of_ten_megabytes_are_read(open_folder: Path) -> None:
    source = """
def search(query, known):
    return {"hits": [{"doc_id": "a", "score": 1.0, "rank": 1, "chunk_id": "x" * 10_000_000}]}
"""
    tested = system(searching(source), open_folder, seconds=60)
    try:
        tested.reset()
        assert len(tested.search(ASKED).hits[0].chunk_id or "") == 10_000_000
    finally:
        tested.close()
