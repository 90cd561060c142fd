from datetime import date

import pytest
from msgspec.structs import replace

from gate.core.acceptance import acknowledged, failed_rules, unacknowledged, why_not
from gate.core.plan import Commits
from gate.core.receipt import sealed
from gate.core.report import Acceptance, Report
from tests.scenarios import SIGNIFICANT, evidence, flipped, floor, judged, plan
from tests.tables import table

HEAD = "4f2c1aa" + "0" * 33
TODAY = date(2026, 11, 30)
GOOD = Acceptance(by="alice-example", reason="known: new corpus", until="2026-12-31", head="4f2c1aa")


def failing() -> Report:
    before, after = flipped(40, losses=12)
    given = replace(plan(SIGNIFICANT, floor(0.9)), commits=Commits(head=HEAD))
    return sealed(judged(given, evidence(table(40, hit=after), table(40, hit=before))))


def test_an_accepted_failure_stays_a_failure_and_lets_the_job_go_on() -> None:
    report = acknowledged(failing(), GOOD, TODAY)

    assert (report.verdict, report.reason, report.exit_code) == ("fail", "acknowledged", 0)
    assert report.acceptance == GOOD
    assert report.receipt_sha256 != failing().receipt_sha256


def test_without_an_acceptance_it_is_what_it_was() -> None:
    noted = sealed(replace(failing(), acceptance_notes=("somebody tried",)))
    assert unacknowledged(acknowledged(failing(), GOOD, TODAY)) == failing()
    assert unacknowledged(noted) == failing()
    assert unacknowledged(failing()) == failing()


def test_a_forged_acceptance_leaves_nothing_behind_whatever_it_stands_on() -> None:
    forged = sealed(replace(failing(), outcomes=(), acceptance=GOOD, reason="acknowledged", exit_code=0))
    advisory = replace(failing(), plan=replace(failing().plan, mode="advisory"), acceptance=GOOD)
    assert (unacknowledged(forged).acceptance, unacknowledged(forged).reason) == (None, None)
    assert (unacknowledged(forged).exit_code, unacknowledged(advisory).exit_code) == (1, 0)


def test_it_holds_on_its_last_day_and_not_a_day_longer() -> None:
    assert why_not(failing(), GOOD, date(2026, 12, 31)) is None
    assert why_not(failing(), GOOD, date(2027, 1, 1)) == "it expired on 2026-12-31"


@pytest.mark.parametrize(
    ("acceptance", "refusal"),
    [
        (replace(GOOD, head="9d07e51"), "it accepts 9d07e51, but 4f2c1aa was judged"),
        (replace(GOOD, head="4f2c"), "it accepts 4f2c, but 4f2c1aa was judged"),
        (replace(GOOD, reason="  "), "it gives no reason"),
        (replace(GOOD, rules=("something else",)), "other rules have failed since"),
    ],
)
def test_what_does_not_speak_about_this_report_is_refused(acceptance: Acceptance, refusal: str) -> None:
    with pytest.raises(ValueError, match=refusal):
        acknowledged(failing(), acceptance, TODAY)


def test_it_holds_for_the_rules_that_had_failed() -> None:
    assert why_not(failing(), replace(GOOD, rules=failed_rules(failing())), TODAY) is None


def test_a_pass_needs_no_acceptance() -> None:
    passing = judged(plan(SIGNIFICANT), evidence(table(40, hit=[1] * 40), table(40, hit=[1] * 40)))

    assert why_not(passing, GOOD, TODAY) == "there is no failing verdict to accept"


def test_an_unknown_commit_can_be_accepted_by_nobody() -> None:
    report = replace(failing(), plan=replace(failing().plan, commits=Commits()))

    assert why_not(report, GOOD, TODAY) == "it accepts 4f2c1aa, but an unknown commit was judged"
