from msgspec.structs import replace as changed

from gate.core.plan import Plan
from gate.core.pooling import pooled
from gate.core.records.rows import RowTable
from gate.core.report import Attempt, Mean, SideReport
from tests.factories import file_ref
from tests.scenarios import SIGNIFICANT, evidence, judged, plan
from tests.tables import table


def candidate(attempts: list[RowTable], *, earlier: int) -> SideReport:
    """The candidate's side of a report about these attempts, the last of which is this run's."""
    made: Plan = plan(SIGNIFICANT)
    read = evidence(pooled(attempts), table(["a", "b"], hit=[1, 1]))
    planned = changed(read.planned, earlier=(file_ref(),) * earlier)
    return judged(made, type(read)(**{**_fields(read), "planned": planned})).suites[0].candidate


def _fields(read: object) -> dict[str, object]:
    return {name: getattr(read, name) for name in read.__dataclass_fields__}  # type: ignore[attr-defined]


def mean(value: float, n: int) -> Mean:
    return Mean(metric="hit", n=n, mean=value, better="higher", unit="share")


def test_every_attempt_keeps_its_own_mean_and_repeats_inside_it_count_once() -> None:
    first = table(["a", "a", "b"], hit=[0, 0, 1], repeats=["1", "2", "1"])
    second = table(["a", "b"], hit=[1, None])
    third = table(["a", "b"], hit=[None, None])

    assert candidate([first, second, third], earlier=2).attempts == (
        Attempt(name="attempt 1", questions=2, means=(mean(0.5, 2),)),
        Attempt(name="attempt 2", questions=2, means=(mean(1.0, 1),)),
        Attempt(name="attempt 3", questions=2),
    )


def test_one_attempt_has_nothing_beside_it_though_its_rows_are_repeats() -> None:
    repeated = table(["a", "a"], hit=[0, 1], repeats=["attempt 1", "attempt 2"])

    assert candidate([repeated], earlier=0).attempts == ()
    assert candidate([table(["a"], hit=[1])], earlier=1).attempts == ()
