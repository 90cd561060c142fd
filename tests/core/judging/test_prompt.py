import json

from hypothesis import given
from hypothesis import strategies as st

from gate.core.judging.prompt import SYSTEM, Evidence, corrected, judge_prompt, reply_schema
from gate.core.takes.take import DEFAULT_ORIGIN, Take
from tests.core.judging.adversarial import CLAIMS
from tests.core.judging.factories import NAMES, rubric, take

ANY_TEXT = st.text() | st.sampled_from(CLAIMS)
TAKES = st.lists(
    st.builds(
        Take,
        page=ANY_TEXT,
        row=st.integers(1, 99),
        claim=ANY_TEXT,
        kind=ANY_TEXT,
        holder=ANY_TEXT,
        weight=ANY_TEXT,
        since=st.none() | ANY_TEXT,
        source=st.none() | ANY_TEXT,
        origin=st.just(DEFAULT_ORIGIN) | ANY_TEXT,
    ),
    max_size=4,
)


def block(text: str, name: str) -> list[str]:
    """The lines between a fence's two marks; fails unless each mark stands there exactly once."""
    lines = text.split("\n")
    (begin,) = [i for i, line in enumerate(lines) if line == f"<{name}>"]
    (end,) = [i for i, line in enumerate(lines) if line == f"</{name}>"]
    return lines[begin + 1 : end]


def outside(text: str, *names: str) -> str:
    for name in names:
        text = text.replace("\n".join(["", *block(text, name), ""]), "\n")
    return text


def test_a_prompt_holds_rubric_takes_and_the_shape_of_the_reply() -> None:
    prompt = judge_prompt(rubric(), [take(1), take(2, claim="Strong at hiring")])

    assert prompt.system == SYSTEM
    assert [line for line in prompt.text.split("\n") if line.startswith("#")] == [
        "# Rubric",
        *[f"## {name}" for name in NAMES],
        "# Data",
        "# Reply",
    ]
    assert "2 takes stand between `<takes>` and `</takes>`" in prompt.text
    assert json.loads(block(prompt.text, "takes")[1]) == {
        "page": "people/ada-quill",
        "row": 2,
        "kind": "fact",
        "holder": "world",
        "weight": "1",
        "since": "2019-03",
        "source": "company registry",
        "claim": "Strong at hiring",
    }


def test_the_same_takes_give_the_same_prompt() -> None:
    assert judge_prompt(rubric(), [take()]) == judge_prompt(rubric(), [take()])


@given(TAKES)
def test_no_take_can_close_its_fence_or_add_a_section(takes: list[Take]) -> None:
    plain = [take() for _ in takes]

    text = judge_prompt(rubric(), takes).text

    assert len(block(text, "takes")) == len(takes)
    assert outside(text, "takes") == outside(judge_prompt(rubric(), plain).text, "takes")


@given(TAKES)
def test_every_take_reads_back_as_it_was(takes: list[Take]) -> None:
    lines = block(judge_prompt(rubric(), takes).text, "takes")

    for line, original in zip(lines, takes, strict=True):
        read = json.loads(line)
        assert (read["claim"], read["holder"], read["source"]) == (
            original.claim,
            original.holder,
            original.source,
        )
        assert read.get("repository", DEFAULT_ORIGIN) == original.origin


@given(TAKES)
def test_nothing_invisible_reaches_a_judge(takes: list[Take]) -> None:
    text = judge_prompt(rubric(), takes).text

    assert all(line.isprintable() for line in text.split("\n"))


@given(TAKES, st.lists(ANY_TEXT, max_size=4))
def test_no_page_can_leave_its_fence_either(takes: list[Take], pages: list[str]) -> None:
    keys = list(dict.fromkeys((each.origin, each.page) for each in takes))[: len(pages)]
    evidence = Evidence(dict(zip(keys, pages, strict=False)), limit=50)

    prompt = judge_prompt(rubric(), takes, evidence)

    if keys:
        shown = [json.loads(line)["text"] for line in block(prompt.text, "pages")]
        assert shown == [page.strip()[:50] for page in pages[: len(keys)]]
        assert "# Reply" in outside(prompt.text, "takes", "pages")


def test_pages_are_shown_without_their_table_of_takes_and_cut_with_a_count() -> None:
    page = "# Ada\n\nFounded it.\n<!--- gbrain:takes:begin -->\n| 1 | x |\n<!--- gbrain:takes:end -->\nAfter."
    pages = {(DEFAULT_ORIGIN, "people/ada-quill"): page, (DEFAULT_ORIGIN, "people/long"): "a" * 2000}
    takes = [take(), take(page="people/long"), take(page="people/gone"), take(row=2)]

    prompt = judge_prompt(rubric(), takes, Evidence(pages))

    shown = [json.loads(line) for line in block(prompt.text, "pages")]
    assert shown == [
        {"page": "people/ada-quill", "text": "# Ada\n\nFounded it.\n\nAfter.", "cut": False},
        {"page": "people/long", "text": "a" * 1500, "cut": True},
    ]
    assert (prompt.pages_cut, prompt.pages_missing) == (1, 1)


def test_without_any_page_there_is_no_empty_fence() -> None:
    prompt = judge_prompt(rubric(), [take()], Evidence({}))

    assert "<pages>" not in prompt.text
    assert prompt.pages_missing == 1


def test_a_correction_is_the_same_prompt_and_what_was_wrong() -> None:
    prompt = judge_prompt(rubric(), [take()])

    again = corrected(prompt, "missing dim(s) [accuracy]; accuracy is null")

    assert again.startswith(prompt.text)
    assert "could not be used: missing dim(s) [accuracy]; accuracy is null." in again


def test_the_schema_asks_for_every_dimension_and_nothing_else() -> None:
    schema = reply_schema(rubric())

    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["scores"]["required"] == list(NAMES)
    assert properties["scores"]["additionalProperties"] is False
