from typing import Any

from gate.core.judging.trend import TrendRow
from gate.core.records.takes_receipt import DIMENSIONS
from gate.render.trend_chart import MOST_RUNS, trend_chart
from tests.core.judging.test_trend import row


def scored(day: int, *values: float, **overrides: Any) -> TrendRow:
    """A run with these scores, the first of them on accuracy; one value stands for all five."""
    scores = values * len(DIMENSIONS) if len(values) == 1 else values
    return row(day, **{"dimensions": dict(zip(DIMENSIONS, scores, strict=False)), **overrides})


def test_every_dimension_is_a_line_every_run_a_column_and_every_verdict_a_mark() -> None:
    newest_first = [
        scored(3, 10, 10, 10, 10, 10),
        scored(2, 1, 10, 10, 10, 10, verdict="fail"),
        row(1, verdict="inconclusive"),
    ]

    assert trend_chart(newest_first).splitlines() == [
        "rubric               gate-1",
        "accuracy             ·▁█     10.0, lowest 1.0",
        "attribution          ·██     10.0, lowest 10.0",
        "weight_calibration   ·██     10.0, lowest 10.0",
        "kind_classification  ·██     10.0, lowest 10.0",
        "signal_density       ·██     10.0, lowest 10.0",
        "verdict              ○✕●",
        "● pass  ✕ fail  ○ inconclusive  · no score; ▁ is 1, █ is 10; the oldest run is on the left",
    ]


def test_scores_of_two_rubrics_are_never_in_one_line_nor_in_one_figure() -> None:
    newest_first = [
        scored(4, 9, rubric_version="gate-2"),
        scored(3, 8, rubric_version="gate-2"),
        scored(2, 2),
        scored(1, 3),
    ]

    lines = trend_chart(newest_first).splitlines()

    assert lines[0] == "rubric               gate-1 │ gate-2"
    assert lines[1] == "accuracy             ▂▁     │ ▇█      9.0, lowest 8.0"
    assert lines[6] == "verdict              ●●     │ ●●"


def test_rubrics_of_one_name_and_other_words_are_two_and_told_apart() -> None:
    ours, theirs = scored(2, 9, rubric_sha8="aaaaaaaa"), scored(1, 9, rubric_sha8="bbbbbbbb")
    assert trend_chart([ours, theirs]).splitlines()[0].endswith("gate-1 (bbbbbbbb) │ gate-1 (aaaaaaaa)")


def test_a_rubric_without_any_score_has_no_figures() -> None:
    lines = trend_chart([row(2, rubric_version="new"), scored(1, 9)]).splitlines()
    assert lines[1] == "accuracy             █      │ ·"


def test_more_runs_than_fit_are_told() -> None:
    lines = trend_chart([scored(1, 7)] * (MOST_RUNS + 3)).splitlines()
    assert lines[1].count("▆") == MOST_RUNS
    assert lines[-1] == "the newest 50 of 53 runs; --plot FILE.svg draws all of them"


def test_a_name_of_somebody_else_stays_on_its_line_and_is_cut() -> None:
    first = trend_chart([scored(1, 7, rubric_version="a\n\x1b[2J" + "b" * 40)]).splitlines()[0]
    assert "\x1b" not in first
    assert first.endswith("…")


def test_no_run_is_no_chart() -> None:
    assert trend_chart([]) == ""
