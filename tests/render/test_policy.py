from msgspec.structs import replace

from gate.core.plan import PolicyChange, PolicySource, Watched
from gate.core.report import Acceptance
from gate.render.comment import comment, renditions
from gate.render.dialect import PLAIN
from gate.render.policy import accepted_by, policy_notice, policy_table, watched
from gate.render.terminal import terminal
from tests.factories import BASE, plan, report

CHANGES = (
    PolicyChange(place="limits.errors", base="0.02", proposed="0.5"),
    PolicyChange(place="rules", base='{"metric":"hit"}', proposed=None),
    PolicyChange(place="mode", base=None, proposed='"advisory"'),
)
CHANGED = report(plan=plan(policy=PolicySource(origin="base", commit=BASE, changes=CHANGES)))


def test_a_change_of_the_rules_is_shown_and_not_obeyed() -> None:
    assert policy_notice(CHANGED, PLAIN) == (
        "This change edits the gate's own configuration (3 differences)."
        f" It is judged by the configuration of its base at {BASE[:7]}."
    )
    assert [row.cells for row in policy_table(CHANGED, PLAIN).rows] == [
        ("limits.errors", "0.02", "0.5"),
        ("rules", '{"metric":"hit"}', "not set"),
        ("mode", "not set", '"advisory"'),
    ]


def test_it_stands_open_in_every_rendition_and_its_details_folded() -> None:
    page = comment(CHANGED)
    assert page.index("This change edits") < page.index("| gated&nbsp;metric |")
    assert "<summary>What this change would do to the rules</summary>" in page
    assert "What this change would do to the rules\nsetting" in terminal(CHANGED)


def test_an_unknown_base_commit_is_not_invented() -> None:
    made = report(plan=plan(policy=PolicySource(origin="base", changes=CHANGES[:1])))
    assert policy_notice(made, PLAIN).endswith(
        "(1 difference). It is judged by the configuration of its base."
    )


def test_nothing_to_say_is_nothing() -> None:
    assert (policy_notice(report(), PLAIN), accepted_by(report(), PLAIN), watched(report())) == ("", "", "")


def test_what_changed_but_could_not_be_told_is_said() -> None:
    made = report(plan=plan(watch=Watched(patterns=("src/**",))))
    assert watched(made) == "which files changed could not be told, so everything ran"


def test_who_meant_to_accept_a_failure_is_told_why_it_does_not_count() -> None:
    made = report(acceptance_notes=("the acceptance by mallory does not count: only owners may accept",))
    assert policy_notice(made, PLAIN) == ("The acceptance by mallory does not count: only owners may accept.")
    assert "does not count: only owners may accept" in comment(made)


def test_of_many_attempts_the_last_ones_are_shown_and_the_others_counted() -> None:
    made = report(acceptance_notes=tuple(f"attempt {number}" for number in range(5)))
    assert policy_notice(made, PLAIN) == "Attempt 2. Attempt 3. Attempt 4. 2 more before that."


def test_once_a_failure_is_accepted_earlier_attempts_are_no_news() -> None:
    word = Acceptance(by="alice", reason="known", until="2026-12-31", head=BASE)
    made = report(acceptance_notes=("attempt 1",), acceptance=word)
    assert policy_notice(made, PLAIN) == ""


def test_a_new_gate_says_that_it_judges_itself_and_names_the_gates_that_were_there() -> None:
    new = plan(policy=PolicySource(origin="introducing", commit=BASE))
    first = policy_notice(report(plan=new), PLAIN)
    assert first == (
        "Introducing the gate default: the base does not have eval-gate.yml,"
        " so this change is judged by the rules that it brings itself."
    )
    assert "the base does not have this configuration" in policy_notice(
        report(plan=replace(new, config=None)), PLAIN
    )
    beside = replace(new, policy=replace(new.policy, others=("a.yml (gate a)", "b.yml (gate b)")))
    assert policy_notice(report(plan=beside), PLAIN) == (
        f"{first} The base's own configurations are others, and decide nothing here:"
        " a.yml (gate a) and b.yml (gate b)."
    )
    for rendition in renditions(report(plan=new)):
        assert "Introducing the gate" in rendition()
