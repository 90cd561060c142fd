import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.systems.wordpiece import MAX_WORD, WordPieces, bert_uncased, words

SMALL = WordPieces(["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "hello", "!", "a"])
PIECES = bert_uncased()


def test_words_are_cut_into_the_longest_known_pieces_between_the_marks() -> None:
    assert SMALL.encode("Hello unaffable!", 20) == [1, 6, 3, 4, 5, 7, 2]


def test_a_word_with_an_unknown_piece_is_unknown_as_a_whole() -> None:
    assert SMALL.encode("unaffably hello", 20) == [1, 0, 6, 2]


def test_an_endless_word_is_unknown() -> None:
    assert SMALL.encode("a" * (MAX_WORD + 1), 20) == [1, 0, 2]


@pytest.mark.parametrize("limit", [2, 3, 5, 100])
def test_no_more_pieces_than_the_model_reads(limit: int) -> None:
    numbers = SMALL.encode("hello " * 50, limit)
    assert numbers == [1, *[6] * min(50, limit - 2), 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Füße, naïve!", ["fuße", ",", "naive", "!"]),
        ("a-b_c", ["a", "-", "b", "_", "c"]),
        ("日本x", ["日", "本", "x"]),
        ("a\0b\ufffdc\u200bd", ["abcd"]),
        ("tab\tnew\nline\u00a0space", ["tab", "new", "line", "space"]),
        ("$5.00", ["$", "5", ".", "00"]),
        ("", []),
    ],
)
def test_text_is_read_as_the_model_was_taught_to(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


def test_the_vocabulary_is_the_models() -> None:
    assert PIECES.encode("Hello world", 10) == [101, 7592, 2088, 102]
    assert PIECES.encode("embeddings", 10) == [101, 7861, 8270, 4667, 2015, 102]


SETTLED = st.one_of(
    st.characters(min_codepoint=first, max_codepoint=last, exclude_categories=["Cn"])
    for first, last in ((0, 0x5FF), (0x2000, 0x2BFF), (0x4E00, 0x4FFF))
)
"""Characters that every version of Unicode puts into the same category."""


@given(st.text(SETTLED, max_size=60))
def test_it_reads_like_the_library_that_the_models_come_with(text: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    unknown = {"unk_token": "[UNK]"}
    theirs = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(PIECES._numbers, max_input_chars_per_word=MAX_WORD, **unknown)
    )
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    assert PIECES.encode(text, 512)[1:-1] == theirs.encode(text).ids
