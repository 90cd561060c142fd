import cmarkgfm
import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.github.marker import Marker, digest, found_in, normalised, without_marker, written

HEAD = "a" * 40


def marker(**changes: object) -> Marker:
    said = {
        "gate": "default",
        "head": HEAD,
        "run": 812,
        "attempt": 1,
        "verdict": "pass",
        "body": "0123456789abcdef",
    }
    return Marker(**{**said, **changes})


def test_the_marker_is_one_hidden_line_that_names_its_version() -> None:
    assert written(marker()) == (
        '<!-- retrieval-quality-gate v1 {"gate":"default","head":"' + HEAD + '","run":812,"attempt":1,'
        '"verdict":"pass","body":"0123456789abcdef"} -->\n'
    )


@given(st.text(min_size=1, max_size=200), st.text(max_size=60), st.integers(0, 10**12), st.integers(0, 99))
def test_whatever_a_gate_is_called_its_marker_is_read_back(
    gate: str, verdict: str, run: int, attempt: int
) -> None:
    there = marker(gate=gate, verdict=verdict, run=run, attempt=attempt)
    body = written(there) + "> [!NOTE]\n> **Passed**\n"
    assert found_in(body) == there
    assert without_marker(body) == "> [!NOTE]\n> **Passed**\n"


@pytest.mark.parametrize(
    "gate", ["-->", "--!>", "a\n\n# b", "<script>", '"}', "--", "]]>", "\r\n-->", "\u2028", "`"]
)
def test_no_gate_id_gets_out_of_the_html_comment(gate: str) -> None:
    body = written(marker(gate=gate)) + "visible **text**"
    page = html5lib.parseFragment(
        cmarkgfm.github_flavored_markdown_to_html(body, cmarkgfm.Options.CMARK_OPT_UNSAFE)
    )
    assert "".join(page.itertext()).strip() == "visible text" or body.count("visible") == 1
    shown = [child for child in page if isinstance(child.tag, str)]
    assert [child.tag.rsplit("}", 1)[-1] for child in shown] == ["p"]


def test_a_marker_that_github_returned_with_carriage_returns_is_read() -> None:
    assert found_in(written(marker()).replace("\n", "\r\n") + "text") == marker()


def test_only_the_beginning_of_a_comment_can_be_a_marker() -> None:
    assert found_in("as the gate said:\n" + written(marker())) is None
    assert found_in("> " + written(marker())) is None
    assert found_in("```\n" + written(marker()) + "```") is None


@pytest.mark.parametrize(
    "line",
    [
        '<!-- retrieval-quality-gate v1 {"gate":"default"} -->',  # the least an older version wrote
        '<!-- retrieval-quality-gate v1 {"gate":"default","invented":[1,2]} -->',
        '<!-- retrieval-quality-gate v9 {"gate":"default","attempt":3,"later":{"a":1}} -->',
    ],
)
def test_older_and_newer_markers_are_recognised(line: str) -> None:
    found = found_in(f"{line}\ntext")
    assert found is not None
    assert found.gate == "default"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<!-- retrieval-quality-gate -->",
        "<!-- retrieval-quality-gate v1 default -->",
        "<!-- retrieval-quality-gate v1 {} -->",
        '<!-- retrieval-quality-gate v1 {"gate":""} -->',
        '<!-- retrieval-quality-gate v1 {"gate":7} -->',
        '<!-- retrieval-quality-gate v1 {"gate":"a","run":"x"} -->',
        '<!-- retrieval-quality-gate v1 {"gate":"a"} --> text on the same line',
        '<!-- retrieval-quality-gate v1 {"gate":"' + "a" * 201 + '"} -->',
        '<!-- another-gate v1 {"gate":"default"} -->',
        '<!-- retrieval-quality-gate v1 {"gate":"a"\n} -->',
    ],
)
def test_what_is_no_marker_is_not_taken_for_one(line: str) -> None:
    assert found_in(f"{line}\ntext") is None


BODY = """> [!NOTE]
> **Passed.** Nothing to do.

| metric | base | this PR |
|---|--:|--:|
| latency_ms | 350 ms | 420 ms |
| recall_all@5 | 93.2 % | 93.6 % |

<sub>candidate `4f2c1aa` · baseline `a1b2c3d` (2 h old) · receipt `9f3e51cc0d1e` · took 3.2 s ·
[run](https://github.com/octo/search/actions/runs/812/attempts/1), attempt 1</sub>
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2 h old", "3 d old"),
        ("9f3e51cc0d1e", "000051cc0d1e"),
        ("took 3.2 s", "took 1,000 ms"),
        ("runs/812/attempts/1", "runs/9000/attempts/2"),
        ("attempt 1", "attempt 2"),
        ("\n", "\r\n"),
    ],
)
def test_what_changes_from_run_to_run_is_not_the_result(before: str, after: str) -> None:
    assert normalised(BODY.replace(before, after)) == normalised(BODY)
    assert digest(BODY.replace(before, after)) == digest(BODY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("420 ms", "421 ms"),
        ("93.6", "93.7"),
        ("4f2c1aa", "4f2c1ab"),
        ("a1b2c3d", "a1b2c3e"),
        ("Passed", "Failed"),
        ("| latency_ms", "| p95"),
    ],
)
def test_the_result_itself_is_never_normalised_away(before: str, after: str) -> None:
    assert digest(BODY.replace(before, after)) != digest(BODY)


def test_the_marker_is_not_part_of_the_result() -> None:
    assert (
        digest(written(marker()) + BODY)
        == digest(written(marker(run=9, verdict="fail")) + BODY)
        == digest(BODY)
    )


def test_a_receipt_digest_in_code_of_either_kind_is_left_out() -> None:
    assert normalised("receipt <code>9f3e51cc0d1e</code>.") == normalised(
        "receipt <code>aaaa51cc0d1e</code>."
    )
