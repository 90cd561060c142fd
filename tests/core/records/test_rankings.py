from hashlib import blake2b

from msgspec import UNSET, Raw

from gate.core.records.rankings import gold_ranks, ranking_digests, retrieved_ids, stated_ranks


def test_the_digest_is_blake2b_over_compact_json() -> None:
    expected = blake2b('["a","ü"]'.encode(), digest_size=8).hexdigest()
    assert ranking_digests([["a", "ü"], None, []]) == [
        expected,
        None,
        blake2b(b"[]", digest_size=8).hexdigest(),
    ]


def test_the_first_name_a_hit_has_identifies_it() -> None:
    hits = b'[{"slug":"s","chunk_id":40},{"page_id":7},{"id":"i","doc_id":"d"},"plain",{"doc_id":"d","chunk_id":0}]'
    assert retrieved_ids(Raw(hits)) == ("s#40", "7", "i", "plain", "d#0")


def test_hits_without_a_name_are_no_ranking() -> None:
    assert retrieved_ids(Raw(b'["a",{"score":1}]')) is None
    assert retrieved_ids(Raw(b'{"a":1}')) is None


def test_the_best_gold_document_counts() -> None:
    found = ["a", "b", "c"]
    retrieved = [found, found, found, found, None, found, found]
    gold = [["b"], ["c", "b"], ["x"], ["x", "y"], ["a"], [], None]
    assert gold_ranks(retrieved, gold) == [2, 2, 0, 0, -1, -1, -1]


def test_a_document_retrieved_twice_has_its_first_rank() -> None:
    assert gold_ranks([["a", "b", "b"]], [["b"]]) == [2]


def test_stated_ranks_tell_unknown_from_not_found() -> None:
    assert stated_ranks([3.0, 0.0, None, UNSET]) == [3, 0, 0, -1]
