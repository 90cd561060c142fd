"""What every system must do, whoever wrote it and however it is reached."""

import pytest

from gate.core.records.system import Document, Query
from gate.ports import System

PAGES = (
    Document(id="gulls", text="Gulls drink salt water.", title="Sea birds"),
    Document(id="swifts", text="Swifts sleep in the air above the water."),
    Document(id="owls/é", text="Owls hunt at night."),
)


def check(system: System) -> None:
    """Every promise of the protocol that can be tried on any system with a word search."""
    said = system.capabilities()
    assert said == system.capabilities()
    mode = said.modes[0]
    system.reset()
    assert system.search(Query(id="q0", text="water", k=5, mode=mode)).hits == ()
    system.ingest(PAGES[:1])
    system.ingest(PAGES[1:])
    reply = system.search(Query(id="q1", text="water", k=5, mode=mode))
    assert {hit.doc_id for hit in reply.hits} == {"gulls", "swifts"}
    assert [hit.rank for hit in reply.hits] == [1, 2]
    assert reply.hits[0].score >= reply.hits[1].score
    assert len(system.search(Query(id="q2", text="water", k=1, mode=mode)).hits) == 1
    assert [hit.doc_id for hit in system.search(Query(id="q3", text="owls hunt", k=5, mode=mode)).hits] == [
        "owls/é"
    ]
    assert system.search(Query(id="q4", text="zebra", k=5, mode=mode)).hits == ()
    system.reset()
    assert system.search(Query(id="q5", text="water", k=5, mode=mode)).hits == ()
    system.ingest(PAGES)
    assert system.search(Query(id="q1", text="water", k=5, mode=mode)).hits == reply.hits
    with pytest.raises(Exception, match=r".") as caught:
        system.answer(Query(id="q6", text="water", k=1, mode=mode), reply.hits)
    assert getattr(caught.value, "kind", None) == "refused"
    assert not said.answers
