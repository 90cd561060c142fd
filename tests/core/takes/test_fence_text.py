import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.takes.cells import trimmed
from gate.core.takes.fence import KINDS, QUALITIES, FenceRow, parse_fence
from gate.core.takes.fence_text import fence_text
from gate.core.takes.take import Resolution
from tests.takes_factories import golden, row

texts = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\u2028\u2029~→"), min_size=1).map(
    trimmed
)
words = texts.filter(lambda text: text and "->" not in text and "gbrain:takes" not in text)
maybe = st.none() | words
resolutions = st.builds(
    Resolution, at=maybe, quality=st.sampled_from(QUALITIES), evidence=maybe, unit=maybe, by=maybe
)


@st.composite
def tables(draw: st.DrawFn) -> list[FenceRow]:
    numbers = draw(st.lists(st.integers(1, 999), unique=True, max_size=8))
    return [
        row(
            number,
            claim=draw(words),
            kind=draw(st.sampled_from(KINDS)),
            holder=draw(words),
            weight=draw(st.integers(0, 100)) / 100,
            since=(since := draw(maybe)),
            until=draw(maybe) if since else None,
            source=draw(maybe),
            active=draw(st.booleans()),
            resolution=draw(st.none() | resolutions),
        )
        for number in numbers
    ]


@given(tables())
def test_what_is_written_reads_back_the_same(rows: list[FenceRow]) -> None:
    found = parse_fence(f"# A page\n\n{fence_text(rows)}\n")

    assert found.rows == tuple(rows)
    assert {warning.code for warning in found.warnings} <= {"TAKES_HOLDER_INVALID"}


def test_a_fence_that_was_read_is_written_as_the_original_writes_it() -> None:
    expected = golden("fence")

    assert fence_text(parse_fence(expected["body"]).rows) == expected["rerendered"]


def test_one_resolved_row_widens_the_table() -> None:
    resolution = Resolution(
        at="2026-04-30", quality="correct", evidence="closed", value="50", unit="usd", by="ada"
    )

    text = fence_text([row(1, claim="a", resolution=resolution), row(2, claim="b")])

    assert text.splitlines()[1:-1] == [
        "| # | claim | kind | who | weight | since | source | resolved | quality | evidence | value | unit | by |",
        "|---|-------|------|-----|--------|-------|--------|----------|---------|----------|-------|------|----|",
        "| 1 | a | take | brain | 0.75 |  |  | 2026-04-30 | correct | closed | 50.0 | usd | ada |",
        "| 2 | b | take | brain | 0.75 |  |  |  |  |  |  |  |  |",
    ]
    assert parse_fence(text).rows[0].resolution == resolution


@pytest.mark.parametrize(
    ("weight", "text"),
    [(1, "1.0"), (0.5, "0.5"), (0.125, "0.13"), (0.004, "0"), (12, "12.0"), (-0.5, "-0.5")],
)
def test_weights_have_one_or_two_decimals(weight: float, text: str) -> None:
    assert f"| {text} |" in fence_text([row(1, weight=float(weight))])


@pytest.mark.parametrize(
    "broken",
    [
        [row(1, claim="two\nlines")],
        [row(1, claim=" blank before")],
        [row(1, claim="~~struck~~")],
        [row(1), row(1)],
        [row(1, until="2027")],
        [row(1, kind="opinion")],
        [row(1, claim="<!--- gbrain:takes:end -->")],
        [row(1, resolution=Resolution(at="2026"))],
    ],
)
def test_what_would_not_read_back_the_same_is_refused(broken: list[FenceRow]) -> None:
    with pytest.raises(ValueError, match="reads back"):
        fence_text(broken)
