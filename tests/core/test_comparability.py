import pytest

from gate.core.comparability import definition_differs, differing, outside_share, scale_differs
from gate.core.plan import MetricSpec

METRICS = ("recall_all@k", "qa_accuracy", "latency_ms")


def blocks(
    field: str, before: str | None = "a", after: str | None = "b", **kwargs: tuple[str, ...]
) -> tuple[str, ...]:
    sides = [{} if value is None else {field: value} for value in (before, after)]
    diffs = differing(*sides, metrics=METRICS, **kwargs)  # type: ignore[arg-type]  # two mappings
    return diffs[0].blocks if diffs else ("nothing differs",)


@pytest.mark.parametrize(
    ("field", "blocked"),
    [
        ("dataset_sha256", METRICS),
        ("corpus_sha256", METRICS),
        ("k", ("recall_all@k",)),
        ("judge_model", ("qa_accuracy",)),
        ("judge_prompt_version", ("qa_accuracy",)),
        ("cache", ("latency_ms",)),
        ("embedder", ()),
        ("retrieval_config_hash", ()),
        ("mode", ()),
    ],
)
def test_each_fingerprint_blocks_the_metrics_it_matters_for(field: str, blocked: tuple[str, ...]) -> None:
    assert blocks(field) == blocked


def test_another_rubric_blocks_what_a_panel_scores_and_nothing_else() -> None:
    (diff,) = differing(
        {"rubric_sha8": "a"}, {"rubric_sha8": "b"}, metrics=("accuracy", "signal_density", "recall_all@k")
    )

    assert diff.blocks == ("accuracy", "signal_density")


def test_equal_fingerprints_are_not_listed() -> None:
    assert differing({"k": "5"}, {"k": "5"}, metrics=METRICS) == ()


def test_a_fingerprint_that_only_one_side_states_is_listed_and_blocks_nothing() -> None:
    assert blocks("dataset_sha256", before=None) == ()
    assert blocks("dataset_sha256", after=None) == ()


def test_what_is_held_fixed_blocks_everything_even_when_a_side_does_not_state_it() -> None:
    assert blocks("embedder", hold_fixed=("embedder",)) == METRICS
    assert blocks("embedder", before=None, hold_fixed=("embedder",)) == METRICS
    assert blocks("embedder", before=None, after=None, hold_fixed=("embedder",)) == METRICS
    assert blocks("embedder", after="a", hold_fixed=("embedder",)) == ("nothing differs",)


def test_a_content_hash_per_question_settles_an_edited_dataset() -> None:
    diffs = differing(
        {"dataset_sha256": "a"},
        {"dataset_sha256": "b"},
        metrics=METRICS,
        settled=frozenset({"dataset_sha256"}),
    )

    assert [diff.blocks for diff in diffs] == [()]


def test_a_metric_whose_unit_or_direction_differs_is_another_metric() -> None:
    before = MetricSpec(name="latency", unit="s", better="lower")
    after = MetricSpec(name="latency", unit="ms", better="higher")

    assert [diff.field for diff in definition_differs(before, after)] == ["latency unit", "latency better"]


def test_a_definition_that_one_side_leaves_open_is_no_difference() -> None:
    assert definition_differs(None, MetricSpec(name="x", unit="ms")) == ()
    assert definition_differs(MetricSpec(name="x"), MetricSpec(name="x", unit="ms")) == ()


def test_a_share_against_a_percentage_is_not_a_huge_difference() -> None:
    diff = scale_differs("accuracy", (0.0, 1.0), (0.0, 93.0))

    assert diff is not None
    assert (diff.field, diff.baseline, diff.candidate) == ("accuracy scale", "0 to 1", "0 to 93")
    assert diff.blocks == ("accuracy",)


@pytest.mark.parametrize(
    "spans",
    [
        ((0, 1), (0, 1)),
        ((0, 1), (0, 3)),
        ((0, 0), (0, 90)),
        ((120, 900), (110, 950)),
        ((-1, 0.5), (0, 40)),
        ((0, 1), (-5, 40)),
    ],
)
def test_ordinary_values_are_on_one_scale(spans: tuple[tuple[float, float], tuple[float, float]]) -> None:
    assert scale_differs("score", *spans) is None


def test_a_declared_share_may_leave_its_range_on_neither_side_alone() -> None:
    assert outside_share("recall", (0, 1), (0, 1)) is None
    assert outside_share("recall", (0, 100), (0, 100)) is None
    diff = outside_share("recall", (0, 1), (0, 1.5))
    assert diff is not None
    assert diff.blocks == ("recall",)


def test_a_run_that_states_several_judges_matches_no_run_not_even_one_that_states_the_same() -> None:
    mixed = {"judge_model": "mixed: a, b", "reader_model": "mixed: a, b"}

    diffs = differing(mixed, mixed, metrics=("qa_accuracy", "recall_all@k"))

    assert [(diff.field, diff.blocks) for diff in diffs] == [("judge_model", ("qa_accuracy",))]


def test_scores_of_judges_that_saw_more_are_not_compared() -> None:
    (shown,) = differing(
        {"judge_prompt_version": "v1"},
        {"judge_prompt_version": "v1+excerpt"},
        metrics=("accuracy", "qa_accuracy", "recall@k"),
    )

    assert shown.blocks == ("accuracy", "qa_accuracy")
