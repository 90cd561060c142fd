"""Sweeps for tests: suites in several modes, their records, and the comparison of both."""

from typing import Any

from gate.core.mode_comparison import Options, Selection, Unavailable, compare_modes
from gate.core.mode_report import ModeReport
from gate.core.plan import FileRef, Plan, PlannedSuite, Rule
from gate.core.records.ledger import Ledger, RunRecord
from gate.core.records.rows import RowTable
from gate.core.records.suite_inputs import ReplayInputs
from gate.core.release import Recorded, ReleasedSuite, released
from gate.core.report import Mean, Report, SuiteReport
from tests.factories import file_ref, mean, report, side, suite_report
from tests.run_factories import run
from tests.tables import table

FILE = FileRef(path="file", sha256="0" * 64, bytes=1)
FAST = Options(draws=1000)


def measured(name: str, mode: str, *means: Mean, **more: Any) -> tuple[PlannedSuite, SuiteReport]:
    """A suite as it was planned and as the report has it."""
    planned = PlannedSuite(suite="replay", name=name, inputs=ReplayInputs(against=FILE, mode=mode))
    fingerprints = {"mode": mode, "k": "5"}
    candidate = side(means=means, fingerprints=fingerprints, rows=file_ref(f"{name}.ndjson"), **more)
    return planned, suite_report(suite="replay", name=name, candidate=candidate, baseline=None)


def recorded(name: str, mode: str, rows: RowTable | None, **more: Any) -> Recorded:
    return Recorded(name, run(name, suite="m", mode=mode, **more), rows)


def swept(*suites: tuple[PlannedSuite, SuiteReport], rules: tuple[Rule, ...] = ()) -> Report:
    plan = Plan(suites=tuple(planned for planned, _ in suites), rules=rules)
    return report(plan=plan, suites=tuple(found for _, found in suites))


def compared(*every: Recorded) -> ModeReport:
    tables = {each.record.run_id: each.table for each in every}

    def rows_of(record: RunRecord) -> RowTable | Unavailable:
        return tables[record.run_id] or Unavailable("there are none")

    return compare_modes(Ledger(records=tuple(each.record for each in every)), Selection(), rows_of, FAST)


def hits(count: int, wrong: int, **more: Any) -> RowTable:
    """Questions that all hit but the first `wrong`."""
    found = [float(index >= wrong) for index in range(count)]
    return table(count, recall_all_at_k=found, fingerprints={"k": "5"}, **more)


def recall(value: float, **more: Any) -> Mean:
    return mean(metric="recall_all@5", mean=value, n=20, better="higher", unit="share", **more)


def three_modes() -> tuple[Report, tuple[Recorded, ...]]:
    """20 questions: conservative misses eight, balanced two, tokenmax none."""
    found = swept(
        measured("m", "balanced", recall(0.9)),
        measured("m-tokenmax", "tokenmax", recall(1.0)),
        measured("m-conservative", "conservative", recall(0.6)),
        rules=(Rule(metric="recall_all@5", rule="threshold", at_least=0.5),),
    )
    runs = (
        recorded("m", "balanced", hits(20, 2)),
        recorded("m-tokenmax", "tokenmax", hits(20, 0)),
        recorded("m-conservative", "conservative", hits(20, 8)),
    )
    return found, runs


def only(report: Report, *runs: Recorded) -> ReleasedSuite:
    (suite,) = released(report, compared(*runs), runs)
    return suite
