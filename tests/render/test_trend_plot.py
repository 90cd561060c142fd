from typing import Any
from xml.etree import ElementTree

from gate.core.judging.trend import TrendRow
from gate.core.records.takes_receipt import DIMENSIONS
from gate.render.trend_plot import trend_plot

SVG = "{http://www.w3.org/2000/svg}"


def row(day: int, mean: float | None = 8.0, **overrides: Any) -> TrendRow:
    members = {
        "ts": f"2026-11-{day:02d}T12:00:00.000Z",
        "rubric_version": "gate-1",
        "verdict": "pass",
        "overall": mean,
        "cost": 0.5,
        "corpus_sha8": "aaaaaaaa",
        "dimensions": {} if mean is None else dict.fromkeys(DIMENSIONS, mean),
    }
    return TrendRow(**{**members, **overrides})


def drawn(*rows: TrendRow) -> ElementTree.Element:
    return ElementTree.fromstring(trend_plot(rows))  # noqa: S314 - our own text


def points(svg: ElementTree.Element) -> list[int]:
    return [len(line.attrib["points"].split()) for line in svg.iter(f"{SVG}polyline")]


def texts(svg: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


def test_every_dimension_is_a_line_from_the_oldest_run_to_the_newest() -> None:
    svg = drawn(row(3, 9.0), row(2), row(1, 7.0))

    assert points(svg) == [3] * 5
    first = next(svg.iter(f"{SVG}polyline")).attrib["points"].split()
    x, y = zip(*(map(float, point.split(",")) for point in first), strict=True)
    assert list(x) == sorted(x)
    assert list(y) == sorted(y, reverse=True)
    assert {*DIMENSIONS, "11-01", "11-02", "11-03"} <= set(texts(svg))


def test_runs_of_two_rubrics_are_never_joined_and_the_boundary_is_named() -> None:
    svg = drawn(row(4), row(3), row(2, rubric_version="<v0>"), row(1, rubric_version="<v0>"))

    assert points(svg) == [2] * 10
    assert {"rubric gate-1", "rubric <v0>"} <= set(texts(svg))


def test_names_of_rubrics_that_judged_few_runs_do_not_run_into_each_other() -> None:
    many = [row(day, rubric_version=f"a rubric with a long name {day}") for day in range(20, 0, -1)]
    svg = drawn(*many, row(1, rubric_version="x"))

    shown = [text for text in texts(svg) if text.startswith("rubric")]
    named = [title.text for title in svg.iter(f"{SVG}title") if (title.text or "").startswith("rubric")]
    assert shown == []
    assert named == ["rubric x", *(f"rubric a rubric with a long name {day}" for day in range(1, 21))]
    assert "rubric a rubric with a long name that goes" in " ".join(
        texts(
            drawn(*(row(day, rubric_version="a rubric with a long name that goes on" * 9) for day in (2, 1)))
        )
    )


def test_a_run_without_scores_breaks_the_line_and_keeps_its_mark() -> None:
    svg = drawn(row(3), row(2, None, verdict="inconclusive"), row(1, verdict="fail"))

    assert points(svg) == [1] * 10
    marks = [text for group in svg.iter(f"{SVG}g") for text in texts(group)]
    assert marks[1:] == ["✕", "○", "●"]


def test_no_runs_are_a_picture_that_says_so() -> None:
    assert "No runs yet." in texts(drawn())


def test_many_runs_do_not_crowd_their_dates() -> None:
    svg = drawn(*(row(day) for day in range(28, 0, -1)))

    assert len([text for text in texts(svg) if text.startswith("11-")]) == 7
