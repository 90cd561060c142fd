import json

import pytest
from msgspec.structs import replace

from gate.core.plan import BaselineRows, Plan, PlannedBaseline
from gate.errors import Cancelled, ExitCode
from gate.pipeline import differences, run
from gate.ports import Ports
from tests.fakes import FixedClock, MemoryOutput, MemoryRows, Stages
from tests.scenarios import SIGNIFICANT, flipped, plan, ref
from tests.tables import table


def given_plan() -> Plan:
    rows = BaselineRows(suite="rows", rows=ref("baseline.ndjson"), run_id="base")
    return plan(SIGNIFICANT, baseline=PlannedBaseline(kind="ledger", source="l.jsonl", rows=(rows,)))


def ports(losses: int = 12, *, interrupt_with: BaseException | None = None) -> Ports:
    before, after = flipped(40, losses=losses)
    tables = {"rows.ndjson": table(40, hit=after), "baseline.ndjson": table(40, hit=before)}
    return Ports(
        clock=FixedClock(),
        rows=MemoryRows(tables, interrupt_with=interrupt_with),
        output=MemoryOutput(),
        progress=Stages(),
    )


def written(given: Ports) -> MemoryOutput:
    assert isinstance(given.output, MemoryOutput)
    return given.output


def test_a_regression_goes_down_the_whole_line() -> None:
    given = ports(12)

    report = run(given_plan(), given, tool_version="9.9.9")

    assert (report.verdict, report.reason, report.exit_code) == ("fail", "regression", 1)
    assert report.tool_version == "9.9.9"
    assert report.created_at == "2026-11-30T12:00:00.000Z"


def test_the_receipt_is_on_disk_before_anything_that_is_shown() -> None:
    given = ports()

    run(given_plan(), given, tool_version="0")

    assert list(written(given).files) == [
        "receipt.json",
        "report.json",
        "comment.md",
        "summary.md",
        "junit.xml",
    ]
    assert written(given).opened


def test_the_receipt_says_that_it_is_complete_and_how_long_it_took() -> None:
    given = ports()

    run(given_plan(), given, tool_version="0")

    receipt = json.loads(written(given).files["receipt.json"])
    assert receipt["complete"] is True
    assert receipt["durations_ms"] == {"rows": 250, "copies": 250, "compare": 250}


def test_both_sides_rows_are_kept_without_text() -> None:
    given = ports()

    report = run(given_plan(), given, tool_version="0")

    assert list(written(given).rows) == ["rows/rows.candidate.ndjson", "rows/rows.baseline.ndjson"]
    assert report.suites[0].candidate.copy == ref("rows/rows.candidate.ndjson")


def test_equal_inputs_give_equal_bytes() -> None:
    one, two = ports(), ports()

    run(given_plan(), one, tool_version="0")
    run(given_plan(), two, tool_version="0")

    assert written(one).files == written(two).files


def test_a_cancelled_run_leaves_a_truthful_receipt_and_is_still_cancelled() -> None:
    given = ports(interrupt_with=Cancelled(ExitCode.TERMINATED))

    with pytest.raises(Cancelled) as stopped:
        run(given_plan(), given, tool_version="0")

    assert stopped.value.exit_code == 143
    receipt = json.loads(written(given).files["receipt.json"])
    assert (receipt["verdict"], receipt["reason"], receipt["complete"]) == (
        "inconclusive",
        "cancelled",
        False,
    )
    assert receipt["exit_code"] == 143


def kept(given: Ports) -> MemoryRows:
    return MemoryRows(written(given).rows)


def test_a_finished_run_re_derives_from_its_own_copies() -> None:
    given = ports()
    report = run(given_plan(), given, tool_version="0")

    assert differences(report, kept(given)) == ()


def test_a_verdict_that_was_changed_does_not_re_derive() -> None:
    given = ports()
    report = run(given_plan(), given, tool_version="0")

    assert differences(replace(report, verdict="pass", exit_code=0), kept(given)) == (
        "verdict differs",
        "exit_code differs",
    )


def test_a_rule_that_was_changed_does_not_re_derive() -> None:
    given = ports()
    report = run(given_plan(), given, tool_version="0")

    assert "plan_sha256 differs" in differences(
        replace(report, plan=replace(report.plan, gate="x")), kept(given)
    )


def test_rows_that_were_changed_do_not_re_derive() -> None:
    given = ports(12)
    report = run(given_plan(), given, tool_version="0")
    before, after = flipped(40, losses=1)
    other = MemoryRows(
        {
            "rows/rows.candidate.ndjson": table(40, hit=after),
            "rows/rows.baseline.ndjson": table(40, hit=before),
        }
    )

    assert "verdict differs" in differences(report, other)
