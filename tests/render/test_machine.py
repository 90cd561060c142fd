import json

from gate.render.machine import machine
from tests.factories import comparison, report, suite_report


def read(better: str | None) -> dict[str, object]:
    made = comparison(better=better, wins=4, losses=2)
    printed: dict[str, list[dict[str, object]]] = json.loads(
        machine(report(suites=(suite_report(comparisons=(made,)),)))
    )
    return printed["comparisons"][0]


def test_a_program_is_told_how_many_questions_got_better_whatever_direction_is_good() -> None:
    raw = ("wins", "losses", "got_better", "got_worse")

    assert [read("higher")[key] for key in raw] == [4, 2, 4, 2]
    assert [read("lower")[key] for key in raw] == [4, 2, 2, 4]
    assert [read(None)[key] for key in raw] == [4, 2, None, None]
