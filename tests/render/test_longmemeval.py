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
1 question not asked\
""")


def test_a_share_of_nothing_is_a_dash() -> None:
    assert "–" in recall_table(summarise(run("q1"), ()))
