from dataclasses import replace

import pytest

from gate.core.drift import digest
from gate.core.plan import Drifted
from gate.core.report import Report
from gate.errors import EvidenceError
from gate.github.drift_note import drift_note, why_no_issue
from gate.github.event import Context, Run
from gate.github.note import check_result
from tests import factories as make

RUN = Run(id=812, attempt=2, url="https://github.example/octo/search/actions/runs/812")
LINK = f"[Summary and artifacts of this run]({RUN.url}/attempts/2)"
HERE = Context(event="schedule", repository="octo/search", default_branch="main")


def watched(**facts: object) -> Report:
    plan = make.plan(purpose="drift", since=Drifted(unknown=("no reference",)))
    return make.report(**{"plan": plan, **facts})


DRIFT = watched(
    verdict="fail", reason="regression", outcomes=(make.outcome(verdict="fail", reason="regression"),)
)


def test_the_note_says_what_was_found_by_which_run() -> None:
    note = drift_note(DRIFT, RUN)
    assert (note.gate, note.age, note.found, note.title) == ("default", (812, 2), "drift", "Drift: default")
    assert note.drifted == digest(["candidate-rows: recall_all@5 significant"])
    assert drift_note(watched(), RUN).drifted == ""


def test_every_rendition_begins_with_who_keeps_the_issue_and_ends_with_the_run() -> None:
    for text in drift_note(DRIFT, RUN).renditions:
        assert text().startswith("<sub>The drift watch of the gate <code>default</code> keeps this issue")
        assert text().endswith(f"<sub>{LINK}, attempt 2</sub>\n")


def test_every_remark_links_the_run_that_it_speaks_of() -> None:
    note = drift_note(DRIFT, RUN)
    assert set(note.remarks) == {"announce", "reopen", "close"}
    assert all(text.endswith(f"{LINK}\n") for text in note.remarks.values())
    assert note.attempt.endswith(LINK)
    assert drift_note(DRIFT, Run()).remarks["reopen"].endswith("no reference.\n")


@pytest.mark.parametrize("gate", ["", "g" * 201])
def test_a_gate_without_a_name_keeps_no_issue(gate: str) -> None:
    with pytest.raises(EvidenceError, match="gate's id"):
        drift_note(watched(gate=gate), RUN)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"head_ref": "main"}, ""),
        ({"head_ref": "feature"}, "this run measured feature, and the issue speaks of main"),
        ({"head_ref": "main", "default_branch": None}, ""),
        ({"event": ""}, "this is no workflow"),
    ],
)
def test_the_issue_speaks_of_the_default_branch(changes: dict[str, str | None], why: str) -> None:
    assert why_no_issue(DRIFT, replace(HERE, **changes)) == why


def test_where_nothing_was_measured_no_issue_is_looked_for() -> None:
    assert "nothing watched has changed" in why_no_issue(watched(reason="not_applicable"), HERE)


@pytest.mark.parametrize(
    ("verdict", "title"),
    [("pass", "No drift"), ("fail", "Drift"), ("inconclusive", "Could not measure")],
)
def test_a_check_run_of_a_watch_speaks_of_drift(verdict: str, title: str) -> None:
    assert check_result(watched(verdict=verdict), RUN).title == title


def test_a_check_run_of_a_watch_whose_system_was_down_speaks_of_no_drift() -> None:
    assert check_result(watched(verdict="fail", reason="suite_failed"), RUN).title == (
        "Could not measure: suite_failed"
    )
