"""Text as the numbers of its word pieces, as uncased BERT models were taught to read.

Devlin, Chang, Lee, Toutanova, "BERT: Pre-training of Deep Bidirectional Transformers" (2019): text is cleaned, lower
case and without accents, punctuation stands alone, and each word is cut into the longest pieces that are known.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Final

MAX_WORD: Final = 100
"""A longer word is unknown as a whole."""

_CJK: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_SPACES: Final = "\t\n\r"


class WordPieces:
    """A vocabulary and the numbers of its pieces."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(pieces)}
        self._unknown = self._numbers["[UNK]"]
        self._begin = self._numbers["[CLS]"]
        self._end = self._numbers["[SEP]"]

    def encode(self, text: str, limit: int) -> list[int]:
        """The numbers of a text between the marks of beginning and end, at most `limit` of them."""
        numbers = [self._begin]
        for word in words(text):
            numbers.extend(self._cut(word))
            if len(numbers) >= limit:
                break
        return [*numbers[: limit - 1], self._end]

    def _cut(self, word: str) -> list[int]:
        if len(word) > MAX_WORD:
            return [self._unknown]
        found, start = [], 0
        while start < len(word):
            end = next((end for end in range(len(word), start, -1) if self._known(word, start, end)), None)
            if end is None:
                return [self._unknown]
            found.append(self._numbers[_piece(word, start, end)])
            start = end
        return found

    def _known(self, word: str, start: int, end: int) -> bool:
        return _piece(word, start, end) in self._numbers


def bert_uncased() -> WordPieces:
    """The vocabulary of the uncased English models."""
    text = (files("gate") / "data" / "bert-uncased-vocabulary.txt").read_text(encoding="utf-8")
    return WordPieces(text.split("\n")[:-1])


def words(text: str) -> Iterator[str]:
    """The words and marks of a text, lower case and without accents."""
    cleaned = "".join(map(_cleaned, text))
    plain = "".join(
        char for char in unicodedata.normalize("NFD", cleaned) if unicodedata.category(char) != "Mn"
    )
    for word in plain.lower().split():
        yield from _apart(word)


def _piece(word: str, start: int, end: int) -> str:
    return word[start:end] if start == 0 else f"##{word[start:end]}"


def _cleaned(char: str) -> str:
    if char in _SPACES or unicodedata.category(char) == "Zs":
        return " "
    if char in "\0\ufffd" or unicodedata.category(char).startswith("C"):
        return ""
    return f" {char} " if any(first <= ord(char) <= last for first, last in _CJK) else char


def _apart(word: str) -> Iterator[str]:
    """Runs of letters and digits, and every mark for itself."""
    start = 0
    for place, char in enumerate(word):
        if _is_mark(char):
            if start < place:
                yield word[start:place]
            yield char
            start = place + 1
    if start < len(word):
        yield word[start:]


def _is_mark(char: str) -> bool:
    return (char.isascii() and char.isprintable() and not char.isalnum()) or unicodedata.category(
        char
    ).startswith("P")
