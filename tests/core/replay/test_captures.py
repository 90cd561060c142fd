"""Captures and baselines are read strictly: what they state about themselves must be true."""

from pathlib import Path

import pytest

from gate.core.replay.captures import CaptureError, mean_latency, query_hash, read_captures, source_hash
from tests.core.replay.captures import capture, lines, row

BASELINE = Path(__file__).parents[4] / "shared" / "data" / "gbrain" / "v0.41-launch.baseline.ndjson"

HEADER: dict[str, object] = {
    "schema_version": 1,
    "_kind": "baseline_metadata",
    "label": "launch",
    "published_at": "2026-05-24T00:00:00.000Z",
    "source_hash": "bd9f9a630389c924209f777df417e4a1ce7021f6c860a48bb870951699e19b20",
    "thresholds": {"jaccard": 0.85, "top1": 0.8, "latency_multiplier": 2},
    "row_count": 1,
    "baseline_mean_latency_ms": 20,
}


def header(**overrides: object) -> dict[str, object]:
    return {**HEADER, **overrides}


def without(line: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in line.items() if key != name}


def hashed(**overrides: object) -> dict[str, object]:
    return row(query="hello world", query_hash="b94d27b9934d3e08", **overrides)


@pytest.mark.parametrize(
    "text", ["hello world", "  Hello\t\n WORLD ", "hello\u00a0world", "\ufeffhello\u3000\u2028world"]
)
def test_a_query_is_known_whatever_its_case_and_blanks(text: str) -> None:
    assert query_hash(text) == "b94d27b9934d3e08"  # the figure that the contract publishes


def test_a_control_character_is_no_blank() -> None:
    assert query_hash("hello\x1cworld") != query_hash("hello world")


def test_the_published_baseline_says_the_truth_about_itself() -> None:
    if not BASELINE.exists():
        pytest.skip(f"no shared data at {BASELINE}")
    file = read_captures(BASELINE.read_bytes())
    assert file.header is not None
    assert file.header.source_hash.startswith("34e88041")
    assert (file.header.row_count, file.header.mean_latency_ms, len(file.captures)) == (12, 26.75, 12)
    assert file.header.thresholds.latency_multiplier == 2
    assert source_hash(file.captures) == file.header.source_hash
    assert len(set(file.names())) == 12


def test_blank_lines_are_counted_and_the_end_of_the_file_is_none() -> None:
    assert read_captures(lines(row(), b"\n", row(id=8))).blank_lines == 1
    assert read_captures(lines(row())).blank_lines == 0


def test_a_file_cut_off_after_its_last_row_is_read_alike() -> None:
    assert read_captures(lines(row()).rstrip()).captures == read_captures(lines(row())).captures


def test_pages_found_twice_count_once_in_their_first_place() -> None:
    assert capture(retrieved_slugs=["b", "a", "b"]).slugs == ("b", "a")


def test_what_a_capture_does_not_say_stays_unknown() -> None:
    seen = read_captures(
        lines({"schema_version": 1, "tool_name": "search", "query": "q", "retrieved_slugs": []})
    ).captures[0]
    assert (seen.latency_ms, seen.id, seen.sources) == (None, None, ())


def test_every_capture_has_a_name_of_its_own() -> None:
    file = read_captures(
        lines(row(id=None), row(id=None), row(id=3), row(id=3), row(id="3~2"), row("other", id=None))
    )
    first, second, *others, last = file.names()
    assert (first, second) == (f"query:{query_hash('who runs widget-co')}", f"{first}~2")
    assert others == ["3", "3~3", "3~2"]
    assert last == f"query:{query_hash('other')}"


def test_the_content_hash_follows_the_question_and_what_was_found() -> None:
    same = capture(latency_ms=900, id=1).content_hash()
    assert capture().content_hash() == same
    assert capture(retrieved_slugs=["people/b", "people/a"]).content_hash() != same
    assert capture(query="who runs acme").content_hash() != same


def test_a_header_that_holds_is_read() -> None:
    file = read_captures(lines(header(), hashed()))
    assert file.header is not None
    assert file.header.label == "launch"


def test_a_header_may_have_rounded_its_mean() -> None:
    rows = [
        hashed(latency_ms=milliseconds) | {"source_ids": [name]}
        for name, milliseconds in (("a", 10), ("b", 10), ("c", 11))
    ]
    digest = source_hash([capture(query="hello world")] * 3)
    stated = header(row_count=3, source_hash=digest, baseline_mean_latency_ms=10.33)
    assert read_captures(lines(stated, *rows)).header is not None


def test_a_header_is_believed_where_no_row_knows_its_latency() -> None:
    file = read_captures(lines(header(), hashed(latency_ms=None)))
    assert file.header is not None
    assert file.header.mean_latency_ms == 20


def test_a_mean_of_unknown_latencies_is_unknown() -> None:
    assert mean_latency([capture(latency_ms=None)]) is None
    assert mean_latency([capture(latency_ms=10), capture(latency_ms=None)]) == 10


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no captured query"),
        (lines(header(row_count=0)), "no captured query"),
        (lines(row(), b"{torn\n"), "line 2: not JSON"),
        (lines(b"[1]\n"), "line 1: expected an object"),
        (lines(row(schema_version=2)), "`schema_version` must be 1"),
        (lines(row(schema_version=True)), "`schema_version` must be 1"),
        (lines(row(schema_version=None)), "`schema_version` must be 1"),
        (lines(row(), header()), "line 2: a second header"),
        (lines(header(), header(), hashed()), "line 2: a second header"),
        (lines(header(row_count=2), hashed()), "`row_count` 2, but there are 1 rows"),
        (lines(header(source_hash="0" * 64), hashed()), "`source_hash` 0000"),
        (lines(header(), row("hello world")), "row 1 of the baseline has no `query_hash`"),
        (lines(header(), without(hashed(), "source_ids")), "row 1 of the baseline has no `source_ids`"),
        (lines(without(header(), "baseline_mean_latency_ms"), hashed()), "latency_ms` must be a number of"),
        (lines(header(baseline_mean_latency_ms=None), hashed()), "latency_ms` must be a number of"),
        (lines(header(baseline_mean_latency_ms="20"), hashed()), "latency_ms` must be a number of"),
        (lines(header(baseline_mean_latency_ms=2000), hashed()), "latency_ms` 2000, but the rows' is 20"),
        (lines(header(baseline_mean_latency_ms=0), hashed()), "latency_ms` 0, but the rows' is 20"),
        (lines(hashed() | {"query": "bye"}), "line 1: `query_hash` is not the hash of the query"),
        (lines(row(tool_name="think")), "`tool_name` must be search or query"),
        (lines(row(query=None)), "`query` must be a text"),
        (lines(row(retrieved_slugs="a")), "`retrieved_slugs` must be a list of texts"),
        (lines(row(source_ids=[1])), "`source_ids` must be a list of texts"),
        (lines(row(latency_ms=-1)), "`latency_ms` must be a number of milliseconds"),
        (lines(row(latency_ms=True)), "`latency_ms` must be a number of milliseconds"),
        (lines(header(label=None), hashed()), "`label` must be a text"),
        (lines(header(row_count="1"), hashed()), "`row_count` must be a whole number"),
        (lines(header(row_count=-1), hashed()), "`row_count` must be a whole number"),
        (lines(header(row_count=True), hashed()), "`row_count` must be a whole number"),
        (lines(header(thresholds=None), hashed()), "`thresholds` must hold the numbers"),
        (lines(header(thresholds={"jaccard": True, "top1": 1, "latency_multiplier": 1})), "must hold"),
        (lines(header(thresholds={"jaccard": 2, "top1": 1, "latency_multiplier": 1})), "between 0 and 1"),
        (lines(b'{"schema_version":1,"latency_ms":NaN}\n'), "NaN is not a JSON number"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(CaptureError, match=said):
        read_captures(data)
