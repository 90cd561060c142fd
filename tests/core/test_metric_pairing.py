import pytest

from gate.core.metric_pairing import Prepared, Side, prepare
from gate.core.mode_comparison import PAIRING
from gate.core.plan import MetricSpec
from gate.core.records.rows import RowTable
from gate.errors import EvidenceError
from tests.run_factories import run
from tests.tables import table


def prepared(
    before: RowTable,
    after: RowTable,
    *,
    before_params: dict[str, object] | None = None,
    after_params: dict[str, object] | None = None,
    declared: dict[str, MetricSpec] | None = None,
    **overrides: object,
) -> Prepared:
    baseline = run("a", params=before_params or {})
    candidate = run("b", params=after_params or {}, **overrides)
    return prepare(Side(baseline, before), Side(candidate, after), pairing=PAIRING, declared=declared or {})


def recall(**more: object) -> RowTable:
    return table(3, recall_all_at_k=[1, 1, 0], qa_accuracy=[1, 0, 1], latency_ms=[9, 8, 7], **more)  # type: ignore[arg-type]  # passes keywords on


def names(found: Prepared) -> list[str]:
    return [metric.metric for metric in found.metrics]


def blocked(found: Prepared) -> dict[str, list[str]]:
    return {item.metric: [diff.field for diff in item.fields] for item in found.report.incomparable}


def test_runs_under_the_same_conditions_are_comparable_in_every_metric() -> None:
    found = prepared(recall(), recall())

    assert names(found) == ["recall_all@k", "qa_accuracy", "latency_ms"]
    assert blocked(found) == {}
    assert found.notes == ()
    assert found.report.read


@pytest.mark.parametrize("field", ["dataset_sha256", "corpus_sha256"])
def test_another_dataset_or_corpus_makes_every_metric_incomparable(field: str) -> None:
    found = prepared(recall(), recall(), before_params={field: "x"}, after_params={field: "y"})

    assert names(found) == []
    assert blocked(found) == {name: [field] for name in ("recall_all@k", "qa_accuracy", "latency_ms")}


def test_another_k_makes_the_metrics_at_k_incomparable_and_the_fields_say_so() -> None:
    found = prepared(recall(), recall(), before_params={"topK": 5}, after_params={"topK": 8})

    assert names(found) == ["qa_accuracy", "latency_ms"]
    (item,) = found.report.incomparable
    assert [(diff.field, diff.baseline, diff.candidate) for diff in item.fields] == [("k", "5", "8")]


@pytest.mark.parametrize("field", ["judge_model", "judge_prompt_version"])
def test_another_judge_makes_judged_metrics_incomparable_only(field: str) -> None:
    found = prepared(
        recall(),
        recall(),
        before_params={"qa_accuracy": {field: "x"}},
        after_params={"qa_accuracy": {field: "y"}},
    )

    assert names(found) == ["recall_all@k", "latency_ms"]
    assert blocked(found) == {"qa_accuracy": [field]}


def test_another_cache_makes_latency_incomparable_only() -> None:
    found = prepared(
        recall(), recall(), before_params={"cache": {"sha256": "x"}}, after_params={"cache": {"sha256": "y"}}
    )

    assert names(found) == ["recall_all@k", "qa_accuracy"]


def test_what_only_one_side_states_blocks_nothing_and_is_noted() -> None:
    found = prepared(recall(), recall(fingerprints={"k": "5"}), before_params={"dataset_sha256": "x"})

    assert blocked(found) == {}
    assert found.notes == (
        "a → b: only the baseline states its dataset_sha256, so nobody can tell whether it is the same",
        "a → b: only the candidate states its k, so nobody can tell whether it is the same",
    )


def test_what_is_under_test_may_differ_and_is_shown() -> None:
    found = prepared(
        recall(),
        recall(),
        before_params={"embedder": "x", "reader": {"config_hash": "1"}, "retrieval_config_hash": "r"},
        after_params={"embedder": "y", "reader": {"config_hash": "2"}, "retrieval_config_hash": "s"},
        commit="fffffff",
        mode="tokenmax",
    )

    assert blocked(found) == {}
    assert [(diff.field, diff.baseline, diff.candidate) for diff in found.report.differs] == [
        ("commit", "a1b2c3d", "fffffff"),
        ("embedder", "x", "y"),
        ("mode", "balanced", "tokenmax"),
        ("reader_config_hash", "1", "2"),
        ("retrieval_config_hash", "r", "s"),
    ]


def test_a_run_without_a_commit_states_none() -> None:
    found = prepared(recall(), recall(), commit="unknown")

    assert [(diff.field, diff.candidate) for diff in found.report.differs] == [("commit", None)]
    assert found.notes == ()


def test_where_record_and_rows_both_state_a_condition_the_rows_count() -> None:
    found = prepared(
        recall(fingerprints={"k": "5"}), recall(), before_params={"topK": 8}, after_params={"topK": 5}
    )

    assert blocked(found) == {}


def test_an_edited_dataset_with_content_hashes_compares_the_unchanged_questions() -> None:
    before = table(3, content_hashes=["1", "2", "3"], fingerprints={"dataset_sha256": "x"}, hit=[1, 1, 1])
    after = table(3, content_hashes=["1", "9", "3"], fingerprints={"dataset_sha256": "y"}, hit=[1, 1, 1])

    found = prepared(before, after)

    assert found.metrics[0].pairs.ids == ("q000", "q002")
    assert (found.report.joined, found.report.changed) == (2, 1)


def test_units_that_differ_make_a_metric_incomparable() -> None:
    before = table(2, units={"t": "ms"}, t=[900, 800])
    after = table(2, units={"t": "s"}, t=[0.9, 0.8])

    assert blocked(prepared(before, after)) == {"t": ["t unit", "t scale"]}


def test_a_unit_that_one_side_leaves_open_is_no_difference() -> None:
    assert blocked(prepared(table(2, units={"t": "ms"}, t=[9, 8]), table(2, t=[9, 8]))) == {}


def test_a_share_against_a_percentage_is_incomparable_not_a_huge_difference() -> None:
    found = prepared(table(3, recall_at_5=[0.5, 0.2, 1]), table(3, recall_at_5=[50, 20, 100]))

    assert blocked(found) == {"recall@5": ["recall@5 scale"]}


def test_a_declared_share_may_not_leave_its_range_on_one_side() -> None:
    before, after = table(2, score=[0.5, 0.9]), table(2, score=[0.5, 1.5])

    assert blocked(prepared(before, after)) == {}
    declared = {"score": MetricSpec(name="score", unit="share")}
    assert blocked(prepared(before, after, declared=declared)) == {"score": ["score scale"]}


def test_a_metric_without_one_pair_of_values_is_left_out_and_noted() -> None:
    found = prepared(table(2, hit=[1, 1], x=[None, 1]), table(2, hit=[1, 1], x=[1, None]))

    assert names(found) == ["hit"]
    assert found.notes == ("a → b: no question has a value of x on both sides",)


@pytest.mark.parametrize(
    ("metric", "declared", "better"),
    [
        ("recall_all_at_k", {}, "higher"),
        ("latency_ms", {}, "lower"),
        ("mine", {}, None),
        ("mine", {"mine": "lower"}, "lower"),
        ("latency_ms", {"latency_ms": "higher"}, "higher"),
        ("mine_at_k", {"mine@5": "higher"}, "higher"),
        ("mine_at_k", {"mine@8": "higher"}, None),
        ("mine_at_5", {"mine@k": "higher"}, None),
    ],
)
def test_the_direction_is_declared_or_from_the_glossary_or_unknown(
    metric: str, declared: dict[str, str], better: str | None
) -> None:
    rows = table(2, fingerprints={"k": "5"}, **{metric: [1, 0]})
    specs = {name: MetricSpec(name=name, better=value) for name, value in declared.items()}  # type: ignore[arg-type]  # literals

    assert prepared(rows, rows, declared=specs).metrics[0].better == better


def test_abstention_questions_outside_recall_are_noted() -> None:
    rows = table(3, abstentions=[1], recall_all_at_k=[1, 1, 0])

    assert prepared(rows, rows).notes == ("a → b: 1 abstention question stays outside recall",)


def test_rankings_that_changed_under_equal_metrics_are_noted() -> None:
    before = table(3, rankings=["x", "y", "z"], hit=[1, 0, 1])
    after = table(3, rankings=["x", "Y", "Z"], hit=[1, 0, 1])

    assert prepared(before, after).notes == (
        "a → b: every metric ties on every question, yet 2 rankings changed",
    )
    assert prepared(before, before).notes == ()
    assert prepared(before, table(3, rankings=["x", "Y", "Z"], hit=[1, 1, 1])).notes == ()


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 1e307])
def test_values_that_cannot_be_added_up_are_refused_by_name(value: float) -> None:
    with pytest.raises(EvidenceError, match="huge: values up to"):
        prepared(table(4, huge=[value] * 4), table(4, huge=[0] * 4))


def test_large_values_that_can_be_added_up_are_compared() -> None:
    assert names(prepared(table(4, large=[1e300] * 4), table(4, large=[-1e300] * 4))) == ["large"]
