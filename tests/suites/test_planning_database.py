"""A baseline that the ledger in a database names; the ledger here holds the lines it would have on disk."""

from gate.core.plan import BaselineRequest, Commits, Plan, PlannedBaseline, Request, SuiteRequest
from gate.suites.planning import World, make_plan
from tests.fakes import NOON, LineHistory, MemoryFiles
from tests.run_factories import ledger_bytes, run_object
from tests.scenarios import SIGNIFICANT
from tests.store_fakes import MemoryLedger

HEAD, PARENT, GRANDPARENT, ELSEWHERE = "c" * 40, "b" * 40, "a" * 40, "d" * 40
RAN: dict[str, object] = {
    "ran_at": "2026-11-29T10:00:00.000Z",
    "commit": PARENT,
    "params": {"output": "rows/base.ndjson", "topK": 5},
}
ASKED = BaselineRequest(kind="database", path="the database", mode="balanced")
DIGEST = f"{len('rows/base.ndjson'):064x}"
"""What MemoryFiles says the rows' digest is."""


def record(run_id: str = "run-1", **changes: object) -> bytes:
    return ledger_bytes(run_object(run_id, **(RAN | changes)))


def planned(
    *records: bytes,
    asked: BaselineRequest = ASKED,
    commits: Commits | None = None,
    ledger: MemoryLedger | None = None,
) -> PlannedBaseline:
    files = MemoryFiles(frozenset({"rows/cand.ndjson", "rows/base.ndjson"}))
    database = ledger or MemoryLedger()
    database.lines += records
    request = Request(
        policy=Plan(rules=(SIGNIFICANT,)),
        suites=(SuiteRequest(suite="rows", name="cand", rows="rows/cand.ndjson"),),
        baseline=asked,
    )
    history = LineHistory((HEAD, PARENT, GRANDPARENT))
    found = make_plan(request, World(files, files, history, NOON, commits, database)).baseline
    assert found is not None
    return found


def test_the_nearest_run_by_ancestry_is_the_latest_one() -> None:
    found = planned(record("far", commit=GRANDPARENT), record("near"), record("mode", mode="tokenmax"))

    assert (found.kind, found.source) == ("database", "the database")
    assert [(rows.run_id, rows.rows.path) for rows in found.rows] == [("near", "rows/base.ndjson")]
    assert found.rows[0].fingerprints["k"] == "5"


def test_a_run_can_be_named_by_its_id() -> None:
    asked = BaselineRequest(kind="database", path="the database", run="far")
    assert planned(record("far", commit=GRANDPARENT), record("near"), asked=asked).rows[0].run_id == "far"


def test_no_database_no_ledger_in_it_and_no_run_are_no_baseline() -> None:
    files = MemoryFiles(frozenset({"rows/cand.ndjson"}))
    suites = (SuiteRequest(suite="rows", name="cand", rows="rows/cand.ndjson"),)
    request = Request(policy=Plan(), suites=suites, baseline=ASKED)
    unnamed = make_plan(request, World(files, files, LineHistory(), NOON)).baseline
    assert unnamed is not None

    for found, said in (
        (unnamed, "GATE_DATABASE_URL"),
        (planned(), "no run ledger yet"),
        (planned(record(mode="tokenmax")), "no baseline for mode balanced"),
    ):
        (problem,) = found.problems
        assert (problem.reason, said in problem.message) == ("no_baseline", True), problem.message


def test_a_run_whose_rows_are_not_here_is_no_baseline_and_names_the_file() -> None:
    (problem,) = planned(record(params={"output": "rows/gone.ndjson"})).problems
    assert (problem.reason, "rows/gone.ndjson" in problem.message) == ("no_baseline", True)


def test_rows_that_are_not_those_of_the_run_are_no_baseline() -> None:
    same = planned(record(params={"output": "rows/base.ndjson", "output_sha256": DIGEST}))
    other = planned(record(params={"output": "rows/base.ndjson", "output_sha256": "f" * 64}))

    assert same.problems == ()
    (problem,) = other.problems
    assert problem.reason == "no_baseline"
    assert "not the rows it recorded (sha256 ffffffffffff…" in problem.message


def test_on_a_pull_request_only_runs_of_the_base_s_own_commits_are_its_latest() -> None:
    own = record("own", commit=ELSEWHERE, ran_at="2026-11-30T10:00:00.000Z")
    commits = Commits(head=ELSEWHERE, base=PARENT)

    with_base = planned(record("base", commit=GRANDPARENT), own, commits=commits)
    without = planned(own, commits=commits)
    named = planned(
        own, commits=commits, asked=BaselineRequest(kind="database", path="the database", run="own")
    )

    assert with_base.rows[0].run_id == "base"
    assert with_base.notes == (
        "the database: 1 runs of commits that are not known to be before the base are passed over",
    )
    assert without.rows == ()
    assert without.problems[0].reason == "no_baseline"
    assert named.rows[0].run_id == "own"


def test_elsewhere_the_newest_run_stands_in_where_git_knows_no_commit() -> None:
    found = planned(record("own", commit=ELSEWHERE), commits=Commits(head=HEAD))

    assert found.rows[0].run_id == "own"
    assert "by date (none of their commits" in found.chosen


def test_torn_lines_are_noted() -> None:
    assert "the database: 1 torn line skipped" in planned(record(), b"{").notes
