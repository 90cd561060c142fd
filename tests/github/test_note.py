import pytest

from gate.core.plan import Plan
from gate.errors import EvidenceError
from gate.github.checks import CheckAnnotation
from gate.github.event import Run
from gate.github.marker import Marker, normalised
from gate.github.note import bodies, check_name, check_result, differs, note
from gate.render.comment import comment, renditions
from tests import factories as make

RUN = Run(id=812, attempt=1, url="https://github.com/octo/search/actions/runs/812")


def same_suite(**overrides: object) -> object:
    """A suite on which nothing at all changed."""
    still = make.counted_comparison(make.Counts(470, 438, 0, 0))
    nothing = {"comparisons": (still,), "by_type": (), "flips": (), "flips_total": 0, "rankings_changed": 0}
    return make.suite_report(
        **{**nothing, "baseline_only": 0, "candidate_only": 0, "content_changed": 0, **overrides}
    )


def test_a_note_says_which_gate_judged_which_commit_in_which_run() -> None:
    made = note(make.report(verdict="fail"), head=make.HEAD, run=RUN)
    assert made.marker == Marker(gate="default", head=make.HEAD, run=812, attempt=1, verdict="fail")


def test_every_rendition_is_the_renderers_with_the_link_to_the_run_below() -> None:
    report = make.report()
    link = "<sub>[Summary and artifacts of this run](https://github.com/octo/search/actions/runs/812/attempts/1)</sub>\n"
    assert [text() for text in bodies(report, RUN)] == [text() + link for text in renditions(report)]


def test_a_foreword_comes_before_every_rendition() -> None:
    for text in bodies(make.report(), RUN, "> [!IMPORTANT]\n> Mind this."):
        assert text().startswith("> [!IMPORTANT]\n> Mind this.\n\n> [!NOTE]\n")


def test_outside_a_workflow_there_is_no_run_to_link_to() -> None:
    report = make.report()
    assert bodies(report, Run())[0]() == comment(report)


def test_a_later_attempt_is_named_and_is_not_another_result() -> None:
    report = make.report()
    first = bodies(report, RUN)[0]()
    later = Run(id=999, attempt=3, url=RUN.url.replace("812", "999"))
    second = bodies(make.report(receipt_sha256="f" * 64), later)[0]()
    assert ", attempt 3" in second
    assert normalised(first) == normalised(second)


@pytest.mark.parametrize("gate", ["", "g" * 201])
def test_a_gate_without_a_usable_name_cannot_have_a_comment(gate: str) -> None:
    with pytest.raises(EvidenceError, match="gate's id"):
        note(make.report(gate=gate), head=make.HEAD, run=RUN)


def test_nothing_differs_when_every_value_and_ranking_is_the_same() -> None:
    assert not differs(make.report(suites=(same_suite(),)))
    assert not differs(make.report(suites=()))


@pytest.mark.parametrize(
    "change",
    [
        {"flips_total": 1},
        {"rankings_changed": 1},
        {"content_changed": 1},
        {"baseline_only": 1},
        {"candidate_only": 1},
        {"comparisons": (make.comparison(),)},
        {"by_type": (make.comparison(),)},
    ],
)
def test_anything_that_changed_is_a_difference(change: dict[str, object]) -> None:
    assert differs(make.report(suites=(same_suite(), same_suite(**change))))


def test_a_check_is_named_after_its_gate() -> None:
    assert check_name(make.report()) == "Retrieval Quality Gate (default)"
    assert "\u202e" not in check_name(make.report(gate="a\u202eb"))


def test_a_check_says_the_verdict_and_marks_each_broken_rule_beside_the_configuration() -> None:
    config = make.file_ref("eval-gate.yml")
    broken = make.outcome(
        verdict="fail", reason="regression", message="16 of 127 broke", rule="recall_all@5 significant"
    )
    unsure = make.outcome(
        verdict="inconclusive", reason="not_measured", message="no value", rule="ndcg@10 threshold"
    )
    report = make.report(
        verdict="fail",
        reason="regression",
        outcomes=(broken, make.outcome(), unsure),
        plan=make.plan(config=config),
    )
    said = check_result(report, RUN)
    assert (said.conclusion, said.title) == ("failure", "Failed: regression")
    assert said.annotations == (
        CheckAnnotation(
            path="eval-gate.yml",
            line=1,
            level="failure",
            message="16 of 127 broke",
            title="recall_all@5 significant",
        ),
        CheckAnnotation(
            path="eval-gate.yml", line=1, level="warning", message="no value", title="ndcg@10 threshold"
        ),
    )


def test_a_passing_check_has_no_remarks_and_one_without_a_configuration_has_no_place_for_them() -> None:
    assert (check_result(make.report(), RUN).title, check_result(make.report(), RUN).annotations) == (
        "Passed",
        (),
    )
    broken = make.outcome(verdict="fail", reason="regression")
    report = make.report(verdict="fail", outcomes=(broken,), plan=Plan())
    assert check_result(report, RUN).annotations == ()
