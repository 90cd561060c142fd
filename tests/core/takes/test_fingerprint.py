import hashlib
import json
from typing import Any

from gate.core.takes.fingerprint import (
    corpus_sha8,
    models_sha8,
    prompt_sha8,
    rubric_sha8,
    take_sha8,
    takes_text,
    takes_text_with_pages,
)
from gate.core.takes.take import Take
from gate.core.takes.weight import weight_text
from tests.takes_factories import golden, take


def independently(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def from_golden(row: dict[str, Any]) -> Take:
    return take(
        str(row["slug"] or "unsaid"),
        weight=weight_text(str(row["weight"])),
        since=row["since_date"],
        **{name: row[name] for name in ("claim", "kind", "holder", "source")},
    )


def test_text_and_digest_of_takes_are_the_originals() -> None:
    for case in golden("corpus"):
        lines = [
            (takes_text if row["slug"] is None else takes_text_with_pages)((from_golden(row),))
            for row in case["rows"]
        ]
        text = "\n".join(lines)

        assert text == case["takes_text"]
        assert corpus_sha8(text) == case["corpus_sha8"]


def test_the_digest_of_a_panel_is_the_originals_and_knows_no_order() -> None:
    for case in golden("models_sha8"):
        assert models_sha8(case["models"]) == case["sha8"]
        assert models_sha8(reversed(case["models"])) == case["sha8"]


def test_takes_are_joined_by_newlines_and_none_are_no_text() -> None:
    text = takes_text([take(claim="a"), take(claim="b")])

    assert text.count("\n") == 3
    assert not text.endswith("\n")
    assert takes_text([]) == ""


def test_what_is_not_said_is_a_dash_and_what_is_empty_stays_empty() -> None:
    assert takes_text([take(since=None, source=None)]).splitlines()[0].endswith("| since=— | src=—")
    assert takes_text([take(since="", source="")]).splitlines()[0].endswith("| since= | src=")


def test_a_prompt_is_digested_as_it_is() -> None:
    assert prompt_sha8("a\nb—c") == independently("a\nb—c")


def test_half_a_surrogate_pair_counts_as_the_replacement_character() -> None:
    assert prompt_sha8("a\ud800b") == independently("a\ufffdb")
    assert prompt_sha8("\U0001f600") == independently("\U0001f600")


def test_a_rubrics_digest_is_over_its_compact_json_in_the_contracts_order() -> None:
    definitions = {"one": "First: “ä”.", "two": "Second."}
    text = '{"version":"v1","dimensions":["two","one"],"defs":' + json.dumps(
        definitions, ensure_ascii=False, separators=(",", ":")
    )

    found = rubric_sha8(
        version="v1",
        dimensions=["two", "one"],
        definitions=definitions,
        pass_mean=7,
        pass_floor=5.5,
        min_successes=2,
    )

    assert found == independently(text + ',"pass_mean":7,"pass_floor":5.5,"min_successes":2}')


def test_the_digest_of_a_take_changes_with_what_judges_read_and_not_with_its_place() -> None:
    same = take_sha8(take("a", 1, claim="c"))

    assert take_sha8(take("b", 2, claim="c", active=False)) == same
    assert take_sha8(take("a", 1, claim="c", weight="0.8")) != same
