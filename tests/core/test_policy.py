from hypothesis import given
from hypothesis import strategies as st

from gate.core.policy import judged_by_base

BASE = {
    "gate": "default",
    "rules": [{"metric": "hit", "rule": "threshold", "at-least": 0.65}],
    "limits": {"errors": 0.02, "unpaired": 0.05},
    "suites": [{"suite": "rows", "name": "a", "rows": "a.ndjson"}],
}


def said(proposed: dict[str, object]) -> list[tuple[str, str | None, str | None]]:
    _, changes = judged_by_base(BASE, proposed)
    return [(change.place, change.base, change.proposed) for change in changes]


def test_a_pull_request_is_judged_by_the_rules_of_the_base() -> None:
    softer = BASE | {"rules": [{"metric": "hit", "rule": "threshold", "at-least": 0.1}]}

    deciding, _ = judged_by_base(BASE, softer)

    assert deciding["rules"] == BASE["rules"]


def test_what_it_would_change_is_shown_place_by_place() -> None:
    proposed = BASE | {"limits": {"errors": 0.5, "unpaired": 0.05}, "mode": "advisory"}

    assert said(proposed) == [("limits.errors", "0.02", "0.5"), ("mode", None, '"advisory"')]


def test_rules_that_go_and_rules_that_come_are_both_shown() -> None:
    rule = {"metric": "mrr", "rule": "significant"}

    assert said(BASE | {"rules": [rule]}) == [
        ("rules", '{"metric":"hit","rule":"threshold","at-least":0.65}', None),
        ("rules", None, '{"metric":"mrr","rule":"significant"}'),
    ]


def test_a_list_in_another_order_is_a_change_too() -> None:
    base = {"rules": [1, 2]}
    _, changes = judged_by_base(base, {"rules": [2, 1]})

    assert [(change.base, change.proposed) for change in changes] == [("[1,2]", "[2,1]")]


def test_a_key_that_goes_is_shown() -> None:
    without = {key: value for key, value in BASE.items() if key != "limits"}

    assert said(without) == [("limits", '{"errors":0.02,"unpaired":0.05}', None)]


def test_what_is_measured_comes_from_the_pull_request() -> None:
    moved = BASE | {
        "suites": [{"suite": "rows", "name": "a", "rows": "moved.ndjson"}],
        "system": {"kind": "rows"},
    }

    deciding, changes = judged_by_base(BASE, moved)

    assert deciding["suites"] == moved["suites"]
    assert deciding["system"] == {"kind": "rows"}
    assert changes == ()


def test_a_suite_that_the_pull_request_removes_is_gone() -> None:
    deciding, _ = judged_by_base(BASE, {key: value for key, value in BASE.items() if key != "suites"})

    assert "suites" not in deciding


REPLAY = {"suite": "replay", "against": "c.ndjson", "thresholds": {"jaccard": 0.85}, "limit": 10}


def test_a_suite_that_judges_itself_is_judged_as_the_base_says() -> None:
    softer = REPLAY | {"thresholds": {"jaccard": 0.1, "top1": 0.1}, "against": "mine.ndjson", "limit": 5}

    deciding, changes = judged_by_base({"suites": [REPLAY]}, {"suites": [softer]})

    assert deciding["suites"] == [REPLAY | {"limit": 5}]
    assert [(change.place, change.base, change.proposed) for change in changes] == [
        ("suites.replay.against", '"c.ndjson"', '"mine.ndjson"'),
        ("suites.replay.thresholds.jaccard", "0.85", "0.1"),
        ("suites.replay.thresholds.top1", None, "0.1"),
    ]


def test_a_suite_that_judges_itself_cannot_be_removed() -> None:
    rows = {"suite": "rows", "name": "replay-rows", "rows": "r.ndjson"}

    for proposed in ({"suites": [rows]}, {"suites": [rows, REPLAY | {"name": "other"}]}):
        deciding, changes = judged_by_base({"suites": [REPLAY]}, proposed)

        assert deciding["suites"] == [*proposed["suites"], REPLAY]
        assert [(change.place, change.proposed) for change in changes] == [("suites.replay", None)]


def test_a_panel_is_asked_as_the_base_says_and_about_what_the_change_has() -> None:
    panel = {"suite": "takes-quality", "pages": "brain/", "rubric": "r.json", "limit": 100}
    softer = panel | {
        "pages": "notes/",
        "rubric": "mine.json",
        "limit": 1,
        "cassette": "mine.jsonl",
        "min-alpha": -1,
    }

    deciding, changes = judged_by_base({"suites": [panel]}, {"suites": [softer]})

    assert deciding["suites"] == [panel | {"pages": "notes/"}]
    assert {change.place for change in changes} == {
        f"suites.takes-quality.{key}" for key in ("rubric", "limit", "cassette", "min-alpha")
    }


def test_a_suite_that_is_new_judges_itself_as_it_says() -> None:
    brainbench = {"suite": "brainbench", "baseline": "b.json", "allow-regression": "why not"}

    deciding, changes = judged_by_base({"suites": []}, {"suites": [brainbench]})

    assert (deciding["suites"], changes) == ([brainbench], ())


def test_true_is_not_one() -> None:
    assert len(judged_by_base({"show-text": 1}, {"show-text": True})[1]) == 1


@given(st.dictionaries(st.sampled_from(["rules", "mode", "limits"]), st.integers() | st.lists(st.integers())))
def test_an_unchanged_policy_changes_nothing(document: dict[str, object]) -> None:
    deciding, changes = judged_by_base(document, document)

    assert (deciding, changes) == (document, ())
