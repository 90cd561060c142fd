import pytest

from gate.core.records.row_fields import BOOKKEEPING, RESERVED, is_metric_field


@pytest.mark.parametrize(
    "name",
    [
        "recall@5",
        "ndcg@10",
        "mrr",
        "hit@1",
        "latency_ms",
        "cost_usd",
        "tokens",
        "judge_score",
        "reciprocal_rank",
    ],
)
def test_measurements_are_metrics(name: str) -> None:
    assert is_metric_field(name)


@pytest.mark.parametrize(
    "name", ["rank", "gold_rank", "rank_before", "doc_id", "chunk_ids", "row_index", "created_at"]
)
def test_ranks_ids_and_times_are_no_metrics(name: str) -> None:
    assert not is_metric_field(name)


def test_no_listed_field_is_a_metric() -> None:
    assert not any(map(is_metric_field, (*RESERVED, *BOOKKEEPING)))


def test_no_field_is_listed_twice() -> None:
    assert len(set(BOOKKEEPING)) == len(BOOKKEEPING)
    assert RESERVED.isdisjoint(BOOKKEEPING)
