import pytest

from gate.core.glossary import GLOSSARY, GROUPS, OWN, direction, lookup

LISTED = {
    "precision@k", "recall@k", "mrr", "ndcg@k", "hit@1", "hit@3", "avg_rank1_score", "create_safety", "jaccard@k",
    "top1_stability", "p_value", "confidence_interval", "cache_hit_rate", "avg_results", "avg_tokens",
    "cost_per_query_usd", "p99_latency_ms", "autocut.signal", "autocut.gap_ratio", "know_to_ask_failure_rate",
    "false_fire_rate", "push_precision", "push_recall", "write_back_fidelity", "provenance_accuracy",
    "continuity_rate", "extraction_recall", "extraction_precision", "source_isolation_violations",
    "avg_injected_tokens", "recall_all@k", "recall_any@k", "qa_accuracy", "mean_returned_results",
    "mean_returned_est_tokens",
}  # fmt: skip


def test_every_metric_of_the_contract_is_described_once() -> None:
    names = [name for group in GROUPS for name in group.entries]

    assert set(names) == LISTED
    assert len(names) == len(set(names)) == len(GLOSSARY)


def test_the_groups_stand_in_the_order_of_the_contract() -> None:
    assert [group.title.split()[0] for group in GROUPS] == [
        "Retrieval", "Retrieval", "Set", "Statistical", "Operation", "Result", "BrainBench", "LongMemEval",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "key"), [("ndcg@10", "ndcg@k"), ("recall_all@5", "recall_all@k"), ("hit@3", "hit@3")]
)
def test_a_cut_is_looked_up_exactly_and_then_as_at_k(metric: str, key: str) -> None:
    assert lookup(metric) is GLOSSARY[key]


@pytest.mark.parametrize("metric", ["ndcg", "ndcg@", "ndcg@ten", "ndcg@10@5", "@5", "", "NDCG@10", "ndcg@٣"])
def test_what_is_not_listed_is_not_guessed(metric: str) -> None:
    assert lookup(metric) is None


def test_what_only_our_suites_measure_is_described_beside_the_contract() -> None:
    assert not OWN.entries.keys() & GLOSSARY.keys()
    assert lookup("hit@5") is OWN.entries["hit@k"]
    assert lookup("hit@3") is GLOSSARY["hit@3"]
    assert (direction("map"), direction("delivered_tokens")) == ("higher", None)
    assert all(entry.text.endswith(".") for entry in OWN.entries.values())


@pytest.mark.parametrize(
    "metric",
    [
        "latency_ms", "p50_ms", "wall_seconds", "judge_cost_usd", "error_rate", "judge_error_rate", "parse_errors",
        "latency", "latency_p95", "false_fire_rate", "source_isolation_violations",
    ],
)  # fmt: skip
def test_times_costs_and_errors_are_better_when_lower(metric: str) -> None:
    assert direction(metric) == "lower"


@pytest.mark.parametrize("metric", ["recall_all@k", "recall_all@5", "qa_accuracy", "mrr", "ndcg@10"])
def test_qualities_are_better_when_higher(metric: str) -> None:
    assert direction(metric) == "higher"


@pytest.mark.parametrize(
    "metric",
    [
        "my_score",
        "rooms",
        "ms",
        "errors_fixed",
        "p_value",
        "avg_tokens",
        "mean_returned_results",
        "terror_rates",
        "",
    ],
)
def test_where_nobody_declared_a_direction_there_is_none(metric: str) -> None:
    assert direction(metric) is None


@pytest.mark.parametrize("name", sorted(LISTED))
def test_an_entry_is_one_or_a_few_finished_sentences(name: str) -> None:
    entry = GLOSSARY[name]

    assert entry.text.endswith(".")
    assert "\n" not in entry.text
    assert 20 < len(entry.text) < 300
