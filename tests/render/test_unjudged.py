import pytest

from gate.render.unjudged import Ending, unjudged_alert
from tests.render.github_rules import references, render

HEAD, OTHER = "a" * 40, "b" * 40
URL = "https://github.example/octo/search/actions/runs/9/attempts/2"


def ending(**changes: object) -> Ending:
    said = {
        "head": HEAD,
        "how": "exit code 65",
        "message": "rows.ndjson:3: no JSON",
        "remedy": "correct the line",
        "url": URL,
    }
    return Ending(**{**said, **changes})


def test_the_alert_says_which_commit_why_what_to_do_and_what_follows() -> None:
    assert unjudged_alert(ending(), about=OTHER) == (
        "> [!WARNING]\n"
        "> **Commit <code>aaaaaaa</code> could not be judged: exit code 65.** <code>rows.ndjson:3:</code> no JSON\n"
        ">\n"
        "> → correct the line\n"
        ">\n"
        f"> **What follows is about <code>bbbbbbb</code>.** [The run]({URL})"
    )


def test_what_follows_may_be_an_earlier_word_about_the_same_commit() -> None:
    told = unjudged_alert(ending(url=""), about=HEAD)
    assert told.endswith("> **What follows is what an earlier run said of the same commit.**")


def test_where_nothing_follows_nothing_is_said_of_it() -> None:
    assert unjudged_alert(ending(), about="").endswith(f">\n> [The run]({URL})")
    assert unjudged_alert(ending(url=""), about="").endswith("> → correct the line")


def test_a_cancelled_run_is_no_failure() -> None:
    told = unjudged_alert(ending(cancelled=True, how="its run was cancelled", message=""), about=OTHER)
    assert told.startswith(
        "> [!NOTE]\n> **Commit <code>aaaaaaa</code> is not judged yet: its run was cancelled.**\n>\n> →"
    )


@pytest.mark.parametrize("where", ["message", "remedy"])
@pytest.mark.parametrize(
    "evil", ["@octo/team", "closes #1", "\n\n# big", "<img src=x>", "![x](http://e.example)"]
)
def test_foreign_words_stay_words_and_inside_the_alert(where: str, evil: str) -> None:
    page = render(unjudged_alert(ending(**{where: evil}), about=OTHER))
    assert references(page) == []
    assert "<img" not in page
    assert "<h1" not in page
    assert page.count("<blockquote>") == 1
    assert page.strip().endswith("</blockquote>")


def test_a_message_of_many_lines_and_any_length_is_one_short_line() -> None:
    told = unjudged_alert(ending(message="~" * 9_000, remedy="line\n" * 900), about=OTHER)
    assert len(told.splitlines()) == 6
    assert len(told) < 5_000
