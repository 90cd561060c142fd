from inline_snapshot import snapshot

from gate.core.longmemeval.summary import summarise
from gate.render.longmemeval import recall_table
from tests.core.longmemeval.factories import run


def test_recall_is_shown_by_type_with_what_stands_outside() -> None:
    rows = (
        b'{"question_id":"q1","question_type":"a\\u001b[31m b","recall_all_hit":false,"recall_any_hit":true}',
        b'{"question_id":"q2","question_type":"a\\u001b[31m b","recall_all_hit":true,"recall_any_hit":true}',
        b'{"question_id":"q3_abs","abstention":true,"recall_all_hit":true}',
        b'{"question_id":"q4","error":"timeout"}',
    )
    assert recall_table(summarise(run("q1", "q2", "q3_abs", "q4", "q5"), rows)) == snapshot("""\
question type  questions  all sessions found  any session found
a␛[31m b               2              50.0 %            100.0 %
all, k = 5             2              50.0 %            100.0 %
1 question to abstain from, outside recall
1 question with errors
1 question not asked
qa_accuracy: not measured, the rows hold no judgement of an answer\
""")


def test_a_share_of_nothing_is_a_dash() -> None:
    assert "–" in recall_table(summarise(run("q1"), ()))


def test_judged_answers_are_shown_with_what_could_not_be_judged() -> None:
    rows = (
        b'{"question_id":"q1","judge_correct":true}',
        b'{"question_id":"q2","judge_error":"timeout"}',
    )
    assert recall_table(summarise(run("q1", "q2"), rows)).splitlines()[-1] == (
        "qa_accuracy: 50.0 %, 1 of 2 right; 1 answer not judged, counted as wrong"
    )
    assert (
        recall_table(summarise(run("q1"), rows[:1])).splitlines()[-1] == "qa_accuracy: 100.0 %, 1 of 1 right"
    )
