"""Which fields of a row mean something to the gate, and which numbers are never metrics.

Any other number or boolean at the top level of a generic row is a metric. The list is published in
docs/rows.md and in schemas/question-row.v1.schema.json; a test compares the three.
"""

from typing import Final

RECALL_ALL: Final = "recall_all@k"
RECALL_ANY: Final = "recall_any@k"
QA_ACCURACY: Final = "qa_accuracy"

NATIVE_HITS: Final = ("recall_all_hit", "recall_any_hit", "recall_hit", "judge_correct")
"""The booleans that the metrics of a native LongMemEval row are made of."""

NATIVE_FIELDS: Final = (*NATIVE_HITS, "judge_error", "hypothesis", "retrieved_session_ids")
"""Any of these, with a value, makes rows native ones."""

FINGERPRINT_FIELDS: Final = (
    "dataset_sha256",
    "corpus_sha256",
    "k",
    "judge_model",
    "judge_prompt_version",
    "judge_config_hash",
    "retrieval_config_hash",
    "reader_config_hash",
    "reader_model",
    "reader_mode",
    "reader_prompt_version",
    "embedder",
    "mode",
)
"""Fields by which a row says how its run was made; the same in every row of a run."""

RESERVED: Final = frozenset(
    {
        *NATIVE_FIELDS,
        *FINGERPRINT_FIELDS,
        "question_id",
        "question_type",
        "cluster_id",
        "repeat",
        "kind",
        "schema_version",
        "error",
        "abstention",
        "content_hash",
        "gold_rank",
        "answer_session_ids",
        "retrieved",
        "ranking_digest",
    }
)
"""Fields with a meaning of their own: never a metric, whatever a rule says."""

BOOKKEEPING: Final = (
    # what was asked and answered
    "question",
    "query",
    "answer",
    "expected",
    "ground_truth",
    # counters of retrieval and gold documents
    "gold_total",
    "gold_found",
    "gold_missing_from_haystack",
    "distinct_sessions_in_top_k",
    "num_haystack",
    "slug_collision",
    "slug_collision_gold",
    "expansion_variants",
    "expansion_replayed",
    "expansion_replay_miss",
    "trajectory_points",
    "entity_resolved",
    "retrieval_only",
    "rerank_pool",
    "search_meta",
    # the reader and the judge of native rows
    "reader_max_tokens",
    "reader_context_chars",
    "reader_context_sessions",
    "reader_sessions_truncated",
    "reader_model_snapshot",
    "reader_finish_reason",
    "reader_partial_output",
    "judge_attempts",
    "judge_skipped",
    "judge_raw",
    "judge_error_detail",
    "judge_model_snapshot",
    "judge_prompt_kind",
    # how and when the run was made
    "seed",
    "limit",
    "top_k",
    "topK",
    "attempt",
    "attempts",
    "retries",
    "shard",
    "cache",
    "model",
    "ts",
    "timestamp",
    "date",
    # where a row stands
    "id",
    "index",
    "row",
    "line",
    "rank",
)
"""Fields that are no metric, unless a rule names one."""

BOOKKEEPING_PREFIXES: Final = ("rank_",)
BOOKKEEPING_SUFFIXES: Final = (
    "_rank",
    "_id",
    "_ids",
    "_index",
    "_hash",
    "_sha",
    "_sha256",
    "_version",
    "_at",
)
METRIC_SUFFIXES: Final = ("reciprocal_rank",)
"""Names that only look like a rank: these are metrics."""

_NEVER: Final = RESERVED | frozenset(BOOKKEEPING)


def is_metric_field(name: str) -> bool:
    """Whether a number or boolean of this name is a metric of a generic row."""
    if name.endswith(METRIC_SUFFIXES):
        return True
    looks_like_bookkeeping = name.startswith(BOOKKEEPING_PREFIXES) or name.endswith(BOOKKEEPING_SUFFIXES)
    return name not in _NEVER and not looks_like_bookkeeping
