from msgspec.structs import replace

from gate.core.report import Attempt
from gate.render.attempts import attempt_lines
from gate.render.comment import comment
from gate.render.dialect import PLAIN
from gate.render.reading import reading
from gate.render.summary import summary
from gate.render.terminal import terminal
from tests.factories import comparison, mean, outcome, report, side, suite_report

METRIC = comparison().metric
ATTEMPTS = (
    Attempt(name="attempt 1", questions=10, means=(mean(metric=METRIC, mean=0.4),)),
    Attempt(name="attempt 2", questions=10, means=(mean(metric=METRIC, mean=1.0),)),
    Attempt(name="attempt 3", questions=10),
)
ONCE = suite_report()
REPEATED = suite_report(candidate=side(attempts=ATTEMPTS, repeats=20))
SAID = "attempt 1: 40.0 %, attempt 2: 100.0 %, attempt 3: not measured"


def test_every_attempt_of_a_gated_metric_is_shown_wherever_the_report_is() -> None:
    made = report(suites=(REPEATED,), outcomes=(outcome(), outcome(metric="other")))
    assert attempt_lines(made, PLAIN)[0] == f"{METRIC}: {SAID}"
    for page in (comment(made), summary(made), terminal(made, width=200)):
        assert "Every attempt of this run" in page
        assert "attempt 2: 100" in page


def test_what_ran_once_says_nothing_of_attempts() -> None:
    assert attempt_lines(report(suites=(ONCE,)), PLAIN) == ()
    assert "Every attempt" not in comment(report(suites=(ONCE,)))


def test_with_several_suites_each_line_names_its_own() -> None:
    other = replace(REPEATED, name="second", comparisons=())
    made = report(suites=(REPEATED, other), outcomes=(outcome(), outcome(suite="second")))
    lines = attempt_lines(made, PLAIN)
    assert [line.partition(":")[0] for line in lines] == [
        f"{METRIC}, {REPEATED.name}",
        f"{METRIC}, second",
    ]


def test_how_to_read_it_says_how_often_each_side_was_measured() -> None:
    once, candidate = report(suites=(ONCE,)), report(suites=(REPEATED,))
    assert any(line.startswith("Both sides were measured once") for line in reading(once, PLAIN))
    assert any(
        line.startswith("The candidate was measured more than once") for line in reading(candidate, PLAIN)
    )
    both = replace(REPEATED, baseline=side(repeats=3))
    assert any(
        line.startswith("Both sides were measured more than once")
        for line in reading(report(suites=(both,)), PLAIN)
    )
