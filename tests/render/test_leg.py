from inline_snapshot import snapshot
from msgspec.structs import replace

from gate.core.leg import Leg, LegSuite
from gate.render.leg import leg_summary, leg_text

LEG = Leg(
    gate="default",
    shard="2/4",
    suites=(
        LegSuite(
            name="docs",
            suite="retrieval",
            split=True,
            whole=1500,
            own=380,
            rows=377,
            errors=2,
            shortfalls={"deadline": 3},
        ),
        LegSuite(
            name="lme",
            suite="longmemeval",
            split=True,
            whole=0,
            own=0,
            rows=0,
            errors=0,
            shortfalls={},
            withheld=("there is no API_KEY: a fork gets no secrets",),
        ),
    ),
    notes=("panel: takes-quality cannot be split, and is run whole by shard 1/4",),
    watched=True,
    exit_code=2,
)


def test_a_log_says_what_was_measured_and_that_nothing_is_judged() -> None:
    assert leg_text(LEG) == snapshot("""\
measured 2/4, nothing is judged
suite  questions of this part  of the whole  rows  errors  what fell short
docs                      380         1,500   377       2  deadline: 3 questions
lme                         0             0     0       0  there is no API_KEY: a fork gets no secrets
panel: takes-quality cannot be split, and is run whole by shard 1/4
the job that merges the parts judges them\
""")


def test_a_job_summary_says_the_same_in_markdown() -> None:
    assert leg_summary(LEG) == snapshot("""\
### default: measured 2/4, nothing is judged

| suite | questions&nbsp;of&nbsp;this&nbsp;part | of&nbsp;the&nbsp;whole | rows | errors | what&nbsp;fell&nbsp;short |
|:--|--:|--:|--:|--:|:--|
| docs | 380 | 1,500 | 377 | 2 | deadline: 3 questions |
| lme | 0 | 0 | 0 | 0 | there is no API_KEY: a fork gets no secrets |

- panel: takes-quality cannot be split, and is run whole by shard 1/4
- the job that merges the parts judges them
""")


def test_names_of_somebody_else_mean_nothing_but_themselves() -> None:
    hostile = replace(LEG.suites[0], name="@everyone <img src=x>|", shortfalls={})
    shown = leg_summary(replace(LEG, suites=(hostile,), notes=("![x](http://evil.example)",)))
    assert "<img" not in shown
    assert "![x](" not in shown
    assert "\x1b" not in leg_text(replace(LEG, suites=(replace(hostile, name="\x1b[31m"),)))


def test_where_nothing_watched_has_changed_nothing_else_is_said() -> None:
    unwatched = replace(LEG, suites=(), watched=False)
    assert leg_text(unwatched) == "nothing that is watched has changed: nothing is measured as 2/4"
