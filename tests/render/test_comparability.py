from gate.core.report import FieldDiff, Report
from gate.render.comparability import differing, differs_table, shortened, statement
from gate.render.dialect import PLAIN
from tests.factories import DATASET, baseline_side, comparison, report, side, suite_report


def stated(baseline: dict[str, str], candidate: dict[str, str], *metrics: str) -> Report:
    suite = suite_report(
        candidate=side(fingerprints=candidate),
        baseline=baseline_side(fingerprints=baseline),
        comparisons=tuple(comparison(metric=metric) for metric in metrics),
        by_type=(),
    )
    return report(suites=(suite,))


def test_what_both_sides_state_alike_is_the_same() -> None:
    both = {"dataset_sha256": DATASET, "corpus_sha256": "c", "k": "5", "judge_model": "m"}
    assert statement(stated(both, both, "recall_all@5")) == "same dataset, corpus, k, judge"


def test_what_differs_is_named() -> None:
    assert statement(stated({"k": "10"}, {"k": "5"}, "qa_accuracy")) == (
        "differs: k · not stated on both sides: dataset, judge"
    )


def test_what_only_one_side_states_is_not_the_same() -> None:
    assert statement(stated({"k": "5"}, {}, "hit")) == "not stated on both sides: dataset, k"


def test_what_nothing_depends_on_is_not_asked_for() -> None:
    assert statement(stated({}, {}, "hit")) == "not stated on both sides: dataset"


def test_without_a_baseline_there_is_nothing_to_state() -> None:
    assert statement(report(suites=(suite_report(baseline=None),))) == ""


def test_every_difference_says_what_it_means() -> None:
    suite = suite_report(
        differs=(
            FieldDiff(field="k", baseline="10", candidate="5", blocks=("a", "b", "c", "d", "e")),
            FieldDiff(field="judge_model", baseline=None, candidate="m", blocks=("qa_accuracy",)),
            FieldDiff(field="dataset_sha256", baseline=DATASET, candidate=None),
        )
    )
    made = report(suites=(suite,))
    assert [row.cells for row in differs_table(made, PLAIN).rows] == [
        ("k", "10", "5", "not compared: a, b, c and 2 more"),
        ("judge_model", "not stated", "m", "not compared: qa_accuracy"),
        ("dataset_sha256", DATASET[:12], "not stated", "shown only"),
    ]
    assert differing(made) == 3


def test_only_digests_are_shortened() -> None:
    assert shortened("a" * 40) == "a" * 12
    assert shortened("z" * 40) == "z" * 40
    assert shortened("abc") == "abc"
