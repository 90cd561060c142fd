import pytest

from gate.core.watch import PRESETS, matches, watched


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/core/search/", "src/core/search/bm25.ts", True),
        ("src/core/search/", "src/core/search/deep/er.ts", True),
        ("src/core/search/", "src/core/searching.ts", False),
        ("src/core/search/**", "src/core/search/a/b.ts", True),
        ("src/*.ts", "src/a.ts", True),
        ("src/*.ts", "src/deep/a.ts", False),
        ("**/prompts/*.md", "prompts/a.md", True),
        ("**/prompts/*.md", "x/y/prompts/a.md", True),
        ("src/core/embedding.ts", "src/core/embedding.ts", True),
        ("src/core/embedding.ts", "src/core/embedding.tsx", False),
        ("src/core/embedding.ts", "src/core/embeddingXts", False),
        ("a?.txt", "ab.txt", True),
        ("a?.txt", "a/.txt", False),
        ("[x]+", "[x]+", True),
        ("**", "any\nthing/at all", True),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:  # noqa: FBT001 - a table of cases
    assert matches([pattern], path) is expected


def test_something_watched_applies() -> None:
    seen = watched(["src/"], ["README.md", "src/a.py"])

    assert (seen.applies, seen.changed, seen.matched) == (True, 2, ("src/a.py",))


def test_nothing_watched_does_not_apply() -> None:
    assert not watched(["src/"], ["README.md"]).applies
    assert not watched(["src/"], []).applies


def test_what_could_not_be_told_applies() -> None:
    assert watched(["src/"], None).applies


def test_the_preset_watches_what_affects_retrieval() -> None:
    preset = PRESETS["gbrain"]

    assert matches(preset, "src/core/search/hybrid.ts")
    assert matches(preset, "src/core/ai/recipes/openai.ts")
    assert not matches(preset, "src/cli.ts")
