import json
from datetime import datetime

import pytest
from msgspec.structs import replace

from gate.core.plan import (
    BaselineRequest,
    Commits,
    Plan,
    PlannedBaseline,
    Request,
    SuiteRequest,
)
from gate.core.receipt import sealed
from gate.core.records.suite_inputs import LongMemEvalRequest, RetrievalInputs, RetrievalRequest
from gate.core.report import Report
from gate.core.watch import watched
from gate.errors import EvidenceError
from gate.ports import UnusableReceiptError
from gate.suites.planning import World
from gate.suites.planning import make_plan as plan_of
from tests.fakes import NOON, LineHistory, MemoryFiles
from tests.run_factories import run_object
from tests.scenarios import SIGNIFICANT, evidence, judged, plan, ref
from tests.tables import table

HEAD, PARENT, GRANDPARENT = "c" * 40, "b" * 40, "a" * 40
RAN: dict[str, object] = {
    "ran_at": "2026-11-29T10:00:00.000Z",
    "commit": PARENT,
    "params": {"output": "rows/base.ndjson", "topK": 5},
}
HISTORY = LineHistory((HEAD, PARENT, GRANDPARENT))


def make_plan(request: Request, files: MemoryFiles, history: LineHistory, now: datetime) -> Plan:
    return plan_of(request, World(files, files, history, now))


def record(run_id: str = "run-1", **changes: object) -> dict[str, object]:
    return run_object(run_id, **(RAN | changes))


def lines(*records: dict[str, object]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in records).encode()


def ask(*suites: str, baseline: BaselineRequest | None = None) -> Request:
    return Request(
        policy=Plan(rules=(SIGNIFICANT,)),
        suites=tuple(SuiteRequest(suite="rows", name=name, rows=f"rows/{name}.ndjson") for name in suites),
        baseline=baseline,
    )


LEDGER = BaselineRequest(kind="ledger", path="l.jsonl", mode="balanced")


def planned(*records: dict[str, object], asked: BaselineRequest = LEDGER, raw: bytes = b"") -> Plan:
    files = MemoryFiles(
        frozenset({"rows/cand.ndjson", "rows/base.ndjson"}), {"l.jsonl": lines(*records) + raw}
    )
    return make_plan(ask("cand", baseline=asked), files, HISTORY, NOON)


def baseline(given: Plan) -> PlannedBaseline:
    assert given.baseline is not None
    return given.baseline


def test_every_file_is_pinned_by_its_content() -> None:
    made = planned(record())

    assert made.suites[0].rows is not None
    assert made.suites[0].rows.path == "rows/cand.ndjson"
    (rows,) = baseline(made).rows
    assert (rows.rows.path, rows.run_id, rows.commit, rows.mode) == (
        "rows/base.ndjson",
        "run-1",
        PARENT,
        "balanced",
    )
    assert rows.fingerprints["k"] == "5"


def test_the_plan_names_the_commit_under_test_and_the_one_it_is_compared_with() -> None:
    made = planned(record())

    assert (made.commits.head, made.commits.base) == (HEAD, PARENT)


def test_without_a_baseline_the_plan_has_none() -> None:
    files = MemoryFiles(frozenset({"rows/cand.ndjson"}))

    assert make_plan(ask("cand"), files, LineHistory(), NOON).baseline is None


def test_latest_is_the_nearest_ancestor_not_the_newest_date() -> None:
    made = planned(
        record("near", commit=PARENT, ran_at="2026-11-01T00:00:00.000Z"),
        record("far", commit=GRANDPARENT, ran_at="2026-11-29T00:00:00.000Z"),
    )

    assert baseline(made).rows[0].run_id == "near"
    assert "1 commit back" in baseline(made).chosen


def test_a_record_dated_in_the_future_is_refused_with_a_reason() -> None:
    made = planned(record(ran_at="2027-01-01T00:00:00.000Z"))

    (problem,) = baseline(made).problems
    assert problem.reason == "no_baseline"
    assert "dated in the future" in problem.message


def test_a_ledger_that_does_not_exist_is_no_baseline() -> None:
    made = planned(asked=BaselineRequest(kind="ledger", path="none.jsonl"))

    assert baseline(made).problems[0].message == "the ledger none.jsonl does not exist"


def test_a_run_that_names_no_rows_is_no_baseline() -> None:
    assert "names no file of rows" in baseline(planned(record(params={}))).problems[0].message


def test_a_run_whose_rows_are_gone_is_no_baseline_and_names_the_file() -> None:
    made = planned(record(params={"output": "rows/gone.ndjson"}))

    (problem,) = baseline(made).problems
    assert (problem.reason, problem.suite) == ("no_baseline", "cand")
    assert "rows/gone.ndjson" in problem.message


def test_the_candidates_own_rows_are_no_baseline() -> None:
    made = planned(record(params={"output": "rows/cand.ndjson"}))

    assert baseline(made).problems[0].reason == "self_baseline"
    assert baseline(made).rows == ()


def test_torn_lines_and_repeated_run_ids_are_noted() -> None:
    made = planned(record(), record(), raw=b'{"torn": ')

    assert "l.jsonl: 1 torn line skipped" in baseline(made).notes
    assert "l.jsonl: 1 run id stands for more than one record" in baseline(made).notes


def test_a_suite_is_found_in_the_ledger_by_its_own_name() -> None:
    files = MemoryFiles(
        frozenset({"rows/replay.ndjson", "rows/base.ndjson", "rows/r.ndjson"}),
        {
            "l.jsonl": lines(
                record("other"), record("mine", suite="replay", params={"output": "rows/r.ndjson"})
            )
        },
    )

    made = make_plan(ask("replay", baseline=LEDGER), files, HISTORY, NOON)

    assert baseline(made).rows[0].run_id == "mine"


def asked_in(*modes: str, ledger: bytes, asked: BaselineRequest = LEDGER) -> PlannedBaseline:
    """LongMemEval in these modes, against a ledger."""
    suites = tuple(
        SuiteRequest(
            suite="longmemeval",
            name=f"memory-{mode}",
            asked=LongMemEvalRequest(dataset="lme.json", k=5, mode=mode),
        )
        for mode in modes
    )
    request = Request(policy=Plan(rules=(SIGNIFICANT,)), suites=suites, baseline=asked)
    paths = frozenset({"lme.json", "rows/base.ndjson", "rows/t.ndjson"})
    return baseline(make_plan(request, MemoryFiles(paths, {"l.jsonl": ledger}), HISTORY, NOON))


TOKENMAX = record("wide", mode="tokenmax", params={"output": "rows/t.ndjson"})


def test_a_suite_that_is_run_is_compared_with_the_runs_of_its_own_mode() -> None:
    made = asked_in("balanced", "tokenmax", ledger=lines(record("narrow"), TOKENMAX))

    assert [(rows.suite, rows.run_id, rows.mode) for rows in made.rows] == [
        ("memory-balanced", "narrow", "balanced"),
        ("memory-tokenmax", "wide", "tokenmax"),
    ]
    said = "memory-tokenmax runs in mode tokenmax: compared with runs of that mode, not of balanced"
    assert made.notes == (said,)


def test_a_mode_that_was_never_recorded_has_no_baseline() -> None:
    made = asked_in("tokenmax", ledger=lines(record()))

    assert (made.rows, [problem.reason for problem in made.problems]) == ((), ["no_baseline"])


def test_a_run_named_by_its_id_must_be_of_the_suite_s_own_mode() -> None:
    asked = BaselineRequest(kind="ledger", path="l.jsonl", run="wide")
    made = asked_in("balanced", ledger=lines(TOKENMAX), asked=asked)

    assert "run wide is suite longmemeval, mode tokenmax, not" in made.problems[0].message


def test_a_suite_that_is_run_is_never_compared_with_one_of_another_kind() -> None:
    made = asked_in("balanced", ledger=lines(record(suite="retrieval")))

    assert [problem.reason for problem in made.problems] == ["no_baseline"]


def receipt_plan(found: Report | UnusableReceiptError, *, lost_rows: bool = False) -> PlannedBaseline:
    files = MemoryFiles(
        frozenset({"rows/rows.ndjson"}), receipts={"old/receipt.json": found}, lost_rows=lost_rows
    )
    asked = BaselineRequest(kind="receipt", path="old/receipt.json")
    return baseline(make_plan(ask("rows", baseline=asked), files, HISTORY, NOON))


def receipt(name: str = "rows") -> Report:
    report = judged(plan(SIGNIFICANT), evidence(table(8, hit=[1] * 8, fingerprints={"k": "5"}), suite=name))
    suite = report.suites[0]
    kept = replace(suite, candidate=replace(suite.candidate, copy=ref("old/rows/rows.candidate.ndjson")))
    return sealed(replace(report, suites=(kept,)))


def test_a_receipt_gives_its_rows_and_the_definitions_they_were_measured_with() -> None:
    (rows,) = receipt_plan(receipt()).rows

    assert rows.rows.path == "old/rows/rows.candidate.ndjson"
    assert rows.fingerprints == {"k": "5"}
    assert [spec.name for spec in rows.metrics] == ["hit"]


def test_a_receipt_that_cannot_be_trusted_passes_its_reason_on() -> None:
    broken = UnusableReceiptError("its digest does not agree", remedy="", reason="invalid_receipt")

    assert receipt_plan(broken).problems[0].reason == "invalid_receipt"


def test_a_receipt_without_the_suite_is_no_baseline() -> None:
    assert receipt_plan(receipt("another")).problems[0].reason == "no_baseline"


def test_a_receipt_whose_rows_were_changed_is_invalid() -> None:
    assert receipt_plan(receipt(), lost_rows=True).problems[0].reason == "invalid_receipt"


def test_rows_can_be_named_directly() -> None:
    files = MemoryFiles(frozenset({"rows/cand.ndjson", "rows/base.ndjson"}))

    direct = make_plan(
        ask("cand", baseline=BaselineRequest(kind="rows", path="rows/base.ndjson")), files, HISTORY, NOON
    )
    gone = make_plan(
        ask("cand", baseline=BaselineRequest(kind="rows", path="rows/no.ndjson")), files, HISTORY, NOON
    )

    assert baseline(direct).rows[0].rows.path == "rows/base.ndjson"
    assert baseline(gone).problems[0].reason == "no_baseline"


def test_where_nothing_watched_has_changed_nothing_is_read() -> None:
    asked = ask("cand", baseline=LEDGER)
    quiet = replace(asked, policy=replace(asked.policy, watch=watched(["src/"], ["README.md"])))

    made = make_plan(quiet, MemoryFiles(), HISTORY, NOON)

    assert (made.suites, made.baseline) == ((), None)


def test_an_anchor_compares_the_same_rows_with_a_fixed_release() -> None:
    files = MemoryFiles(
        frozenset({"rows/rows.ndjson", "rows/base.ndjson"}),
        {"l.jsonl": lines(record())},
        {"release/receipt.json": receipt()},
    )
    asked = replace(
        ask("rows", baseline=LEDGER),
        anchor=BaselineRequest(kind="accepted", path="release/receipt.json"),
    )

    made = make_plan(asked, files, HISTORY, NOON)

    assert [(suite.name, suite.subject) for suite in made.suites] == [
        ("rows", "rows"),
        ("rows against the anchor", "rows"),
    ]
    assert made.anchor is not None
    assert made.anchor.chosen.startswith("the accepted baseline of 2026-01-01")
    assert made.anchor.rows[0].suite == "rows against the anchor"


def test_ancestors_are_counted_from_the_base_of_a_pull_request() -> None:
    files = MemoryFiles(
        frozenset({"rows/cand.ndjson", "rows/base.ndjson"}),
        {"l.jsonl": lines(record("near", commit=PARENT), record("far", commit=GRANDPARENT))},
    )
    commits = Commits(head=HEAD, base=GRANDPARENT)

    made = plan_of(ask("cand", baseline=LEDGER), World(files, files, HISTORY, NOON, commits))

    assert baseline(made).rows[0].run_id == "far"
    assert made.commits == commits


def retrieval(queries: str | None = None) -> SuiteRequest:
    asked = RetrievalRequest(
        corpus="docs", qrels="q.tsv", queries=queries, cuts=(5,), mode="balanced", limit=3
    )
    return SuiteRequest(suite="retrieval", name="docs", asked=asked)


def planned_inputs(*paths: str, queries: str | None = None) -> RetrievalInputs:
    request = Request(policy=Plan(), suites=(retrieval(queries),))
    (suite,) = make_plan(request, MemoryFiles(frozenset({"docs", "q.tsv", *paths})), HISTORY, NOON).suites
    assert suite.rows is None
    assert isinstance(suite.inputs, RetrievalInputs)
    return suite.inputs


def test_what_a_retrieval_suite_asks_is_pinned() -> None:
    inputs = planned_inputs()
    assert (inputs.corpus.path, inputs.qrels.path, inputs.queries) == ("docs", "q.tsv", None)
    assert (inputs.cuts, inputs.mode, inputs.limit) == ((5,), "balanced", 3)


def test_queries_that_a_corpus_brings_with_it_are_pinned_unless_others_are_named() -> None:
    beside = planned_inputs("docs/queries.jsonl", "mine.tsv").queries
    named = planned_inputs("docs/queries.jsonl", "mine.tsv", queries="mine.tsv").queries
    assert beside is not None
    assert named is not None
    assert (beside.path, named.path) == ("docs/queries.jsonl", "mine.tsv")


def test_a_missing_corpus_is_told_before_anything_runs() -> None:
    request = Request(policy=Plan(), suites=(retrieval(),))
    with pytest.raises(EvidenceError, match="docs: there is no such file"):
        make_plan(request, MemoryFiles(frozenset({"q.tsv"})), HISTORY, NOON)
