"""What the metrics mean, in plain words, and which direction is better."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Better = Literal["higher", "lower"]

SHARE: Final = "share"
"""The unit of a part of a whole: 0 to 1, shown as percent."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One metric: its name in the field, what it says, its range, the better direction and its unit.

    `better` None = neither direction is better by itself; `unit` None = it has none, or it is no number.
    """

    term: str
    text: str
    range: str
    better: Better | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Metrics that are read together."""

    title: str
    entries: Mapping[str, Entry]


def lookup(metric: str) -> Entry | None:
    """The entry of a metric: under its exact name, else a cut such as ndcg@10 under ndcg@k, else None."""
    exact = _KNOWN.get(metric)
    if exact is not None:
        return exact
    cut = _CUT.fullmatch(metric)
    return _KNOWN.get(f"{cut[1]}@k") if cut else None


def direction(metric: str) -> Better | None:
    """Which direction of a metric is better: as listed, else by the endings of its name, else None.

    Times, costs and error counts are better when lower, whoever named them.
    """
    entry = lookup(metric)
    if entry is not None:
        return entry.better
    return "lower" if _LOWER.search(metric) else None


_CUT: Final = re.compile(r"(.+)@[0-9]+")
_LOWER: Final = re.compile(r"(_ms|_seconds|_usd|(^|_)error_rate|_errors)$|^latency")


def _more(term: str, text: str) -> Entry:
    """A share of which more is better."""
    return Entry(term, text, "0 to 1", better="higher", unit=SHARE)


def _less(term: str, text: str) -> Entry:
    """A share of which less is better."""
    return Entry(term, text, "0 to 1", better="lower", unit=SHARE)


GROUPS: Final = (
    Group(
        "Retrieval",
        {
            "precision@k": _more(
                "Precision at k",
                "The share of the first k results that are relevant. The divisor stays k when fewer come "
                "back.",
            ),
            "recall@k": _more(
                "Recall at k",
                "The share of everything relevant that appears among the first k results.",
            ),
            "mrr": Entry(
                "Mean reciprocal rank",
                "One divided by the position of the first relevant result, averaged: 1 when it is always on "
                "top, 0.5 when it is second.",
                "0 to 1",
                better="higher",
            ),
            "ndcg@k": Entry(
                "Normalised discounted cumulative gain at k",
                "How close the order of the first k results comes to the best possible order; a relevant "
                "result counts less the lower it stands. 0.65 at k = 10 is often quoted as good enough to "
                "ship.",
                "0 to 1",
                better="higher",
            ),
        },
    ),
    Group(
        "Retrieval quality and evidence",
        {
            "hit@1": _more(
                "Hit rate at 1",
                "The share of questions whose first result is relevant.",
            ),
            "hit@3": _more(
                "Hit rate at 3",
                "The share of questions with at least one relevant result among the first three.",
            ),
            "avg_rank1_score": Entry(
                "Average rank-1 match score",
                "The matching score of the first result, averaged. Scores of different settings are not on "
                "one scale: watch its trend, do not gate on it.",
                "0 to 1",
            ),
            "create_safety": Entry(
                "Create-safety hint",
                "Whether the page about to be created is already there.",
                "exists, probable or unknown",
            ),
        },
    ),
    Group(
        "Set similarity",
        {
            "jaccard@k": Entry(
                "Set Jaccard",
                "How much two result lists share: common results divided by all different results, whatever "
                "their order. 1 means the same set.",
                "0 to 1",
                better="higher",
            ),
            "top1_stability": _more(
                "Top-1 stability rate",
                "The share of queries whose first result is the one it was before.",
            ),
        },
    ),
    Group(
        "Statistical significance",
        {
            "p_value": Entry(
                "p-value",
                "How often a difference at least this large would appear if the sign of every question's "
                "difference were a coin toss. Small means hard to explain by chance; it says nothing about "
                "how large the difference is. The Holm p-value also accounts for the number of comparisons.",
                "0 to 1, smaller is stronger evidence",
            ),
            "confidence_interval": Entry(
                "95% confidence interval",
                "A range of differences that the questions at hand are compatible with, from resampling "
                "them. When 0 lies inside, no change is one of them. Not adjusted for the number of "
                "comparisons.",
                "a pair [low, high] in the unit of the metric",
            ),
        },
    ),
    Group(
        "Operation and cost",
        {
            "cache_hit_rate": Entry(
                "Cache hit rate",
                "The share of lookups answered from the cache.",
                "0 to 1",
                unit=SHARE,
            ),
            "avg_results": Entry(
                "Average results returned",
                "How many results a query gets, on average.",
                "0 to the search limit",
            ),
            "avg_tokens": Entry(
                "Average tokens delivered",
                "How many tokens of results a query hands on, estimated at four characters a token.",
                "0 to the token budget",
                unit="tokens",
            ),
            "cost_per_query_usd": Entry(
                "Cost per query",
                "What one query costs, in US dollars.",
                "0 and more",
                better="lower",
                unit="USD",
            ),
            "p99_latency_ms": Entry(
                "99th percentile latency",
                "The time within which 99 of 100 queries are answered.",
                "0 and more",
                better="lower",
                unit="ms",
            ),
        },
    ),
    Group(
        "Result sizing",
        {
            "autocut.signal": Entry(
                "Autocut signal",
                "What the cut of the result list was based on: the reranker's scores, or nothing.",
                "rerank or none",
            ),
            "autocut.gap_ratio": Entry(
                "Autocut gap ratio",
                "How large the largest drop between neighbouring scores is, relative to their whole range.",
                "0 to 1",
            ),
        },
    ),
    Group(
        "BrainBench",
        {
            "know_to_ask_failure_rate": _less(
                "Know-to-ask failure rate",
                "The share of moments that needed a memory lookup and got none.",
            ),
            "false_fire_rate": _less(
                "False fire rate",
                "The share of moments that needed no memory lookup and got one.",
            ),
            "push_precision": _more(
                "Push precision",
                "The share of what was pushed unasked that was worth pushing.",
            ),
            "push_recall": _more(
                "Push recall",
                "The share of what was worth pushing that was pushed.",
            ),
            "write_back_fidelity": _more(
                "Write-back fidelity",
                "The share of facts that were stored as they were stated.",
            ),
            "provenance_accuracy": _more(
                "Provenance accuracy",
                "The share of stored facts that name the source they came from.",
            ),
            "continuity_rate": _more(
                "Continuity rate",
                "The share of facts from an earlier session that a later session knows.",
            ),
            "extraction_recall": _more(
                "Extraction recall",
                "The share of the facts in a text that were taken out of it.",
            ),
            "extraction_precision": _more(
                "Extraction precision",
                "The share of the facts taken out of a text that are really in it.",
            ),
            "source_isolation_violations": Entry(
                "Source isolation violations",
                "How often something came from a source that must not be visible here.",
                "a count; anything above 0 is a defect",
                better="lower",
            ),
            "avg_injected_tokens": Entry(
                "Average injected tokens",
                "How many tokens of memory are put into a prompt, on average. Shown, never gated by itself.",
                "0 and more",
                unit="tokens",
            ),
        },
    ),
    Group(
        "LongMemEval",
        {
            "recall_all@k": _more(
                "Strict session recall at k",
                "The share of questions whose every evidence session is among the first k results. Never "
                "above the lenient recall.",
            ),
            "recall_any@k": _more(
                "Lenient session recall at k",
                "The share of questions with at least one evidence session among the first k results.",
            ),
            "qa_accuracy": _more(
                "Judged answer accuracy",
                "The share of questions whose answer a judge model found correct. A gate counts questions "
                "the judge failed on as wrong; a comparison of two runs leaves them out and says how many.",
            ),
            "mean_returned_results": Entry(
                "Mean returned results",
                "How many results are handed on per question. Fewer is better only while recall holds.",
                "0 to k",
            ),
            "mean_returned_est_tokens": Entry(
                "Mean returned tokens",
                "How many tokens are handed on per question, estimated. Fewer is better only while recall "
                "holds.",
                "0 and more",
                unit="tokens",
            ),
        },
    ),
)
"""Every metric the contract names, in the order in which reports explain them."""

GLOSSARY: Final = {name: entry for group in GROUPS for name, entry in group.entries.items()}

OWN: Final = Group(
    "What the gate's own suites measure besides",
    {
        "hit@k": _more(
            "Hit rate at k",
            "The share of questions with at least one relevant result among the first k.",
        ),
        "map": Entry(
            "Mean average precision",
            "The precision at the position of every relevant result, averaged over everything relevant: 1 when "
            "all of it stands on top.",
            "0 to 1",
            better="higher",
        ),
        "expected_top1_hit": _more(
            "Expected first result",
            "The share of questions whose first result is the one that was expected there, over the questions "
            "that expect one.",
        ),
        "delivered_tokens": Entry(
            "Delivered tokens",
            "How large the results of a question are, in tokens. Fewer is better only while quality holds.",
            "0 and more",
            unit="tokens",
        ),
    },
)
"""Metrics that the contract has no word for."""

_KNOWN: Final = {**OWN.entries, **GLOSSARY}
