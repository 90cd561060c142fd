from gate.core.flips import KEPT
from gate.core.plan import MetricSpec, Rule
from tests.scenarios import PER_TYPE, SIGNIFICANT, evidence, judged, plan
from tests.tables import table


def test_flips_name_the_question_its_values_and_its_gold_ranks() -> None:
    before = table(10, hit=[1] * 10, types=["t"] * 10, gold_ranks=[2] + [1] * 9)
    after = table(10, hit=[0] + [1] * 9, types=["t"] * 10, gold_ranks=[0] + [1] * 9)

    (flip,) = judged(plan(SIGNIFICANT), evidence(after, before)).suites[0].flips

    assert (flip.question_id, flip.question_type) == ("q000", "t")
    assert (flip.baseline, flip.candidate) == (1, 0)
    assert (flip.rank_before, flip.rank_after) == (2, 0)


def test_unknown_ranks_are_unknown() -> None:
    before = table(10, hit=[1] * 10, gold_ranks=[-1] * 10)
    after = table(10, hit=[0] + [1] * 9)

    (flip,) = judged(plan(SIGNIFICANT), evidence(after, before)).suites[0].flips

    assert (flip.rank_before, flip.rank_after, flip.question_type) == (None, None, None)


def test_the_worst_come_first_then_the_longest_fall_of_the_gold_document() -> None:
    before = table(8, score=[1, 1, 1, 1, 0, 1, 1, 1], gold_ranks=[1, 1, 1, 1, 0, 0, 1, 1])
    after = table(8, score=[0.5, 0, 0, 0, 1, 0, 1, 1], gold_ranks=[3, 5, 0, 9, 1, 0, 1, 1])
    rule = Rule(metric="score", rule="significant")
    spec = MetricSpec(name="score", better="higher")

    report = judged(plan(rule, metrics=[spec]), evidence(after, before))

    assert [flip.question_id for flip in report.suites[0].flips] == [
        "q002",
        "q003",
        "q001",
        "q005",
        "q000",
        "q004",
    ]


def test_lower_is_better_turns_the_order_round() -> None:
    latency = MetricSpec(name="latency_ms", better="lower")
    rows = table(8, latency_ms=[10, 90, 50, *range(5)]), table(8, latency_ms=[50, 50, 50, *range(5)])

    report = judged(plan(Rule(metric="latency_ms", rule="significant"), metrics=[latency]), evidence(*rows))

    assert [flip.question_id for flip in report.suites[0].flips] == ["q001", "q000"]


def test_questions_of_a_broken_type_come_before_worse_ones_elsewhere() -> None:
    types = ["fine"] * 20 + ["broken"] * 20
    after = [0.0] + [1.0] * 19 + [0.5] * 15 + [1.0] * 5
    report = judged(
        plan(PER_TYPE), evidence(table(40, hit=after, types=types), table(40, hit=[1] * 40, types=types))
    )

    assert [flip.question_type for flip in report.suites[0].flips] == ["broken"] * 15 + ["fine"]


def test_a_receipt_keeps_the_worst_flips_and_counts_the_rest() -> None:
    n = KEPT + 10
    suite = judged(plan(SIGNIFICANT), evidence(table(n, hit=[0] * n), table(n, hit=[1] * n))).suites[0]

    assert (len(suite.flips), suite.flips_total) == (KEPT, n)


def test_metrics_that_no_rule_gates_flip_nothing() -> None:
    rows = table(8, hit=[1] * 8, other=[0] * 8), table(8, hit=[1] * 8, other=[1] * 8)

    assert judged(plan(SIGNIFICANT), evidence(*rows)).suites[0].flips == ()


def test_incomparable_metrics_flip_nothing() -> None:
    rows = (
        table(8, hit=[0] * 8, fingerprints={"dataset_sha256": "a"}),
        table(8, hit=[1] * 8, fingerprints={"dataset_sha256": "b"}),
    )

    assert judged(plan(SIGNIFICANT), evidence(*rows)).suites[0].flips == ()


def test_where_one_metric_broke_only_its_questions_are_listed() -> None:
    noise = [float(i) for i in range(40)]
    rows = (
        table(40, hit=[0] * 12 + [1] * 28, score=noise),
        table(40, hit=[1] * 40, score=[value + 1 for value in reversed(noise)]),
    )
    rules = SIGNIFICANT, Rule(metric="score", rule="threshold", at_least=0)

    suite = judged(plan(*rules), evidence(*rows)).suites[0]

    assert {flip.metric for flip in suite.flips} == {"hit"}
    assert suite.flips_total == 12
