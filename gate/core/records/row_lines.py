"""Bytes in blocks of any size become blocks of whole lines."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

BOM: Final = b"\xef\xbb\xbf"
MAX_LINE_BYTES: Final = 64 * 2**20
"""A longer line is no row but a file of another kind; reading it whole would cost the memory of the run."""
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


class EndlessLineError(ValueError):
    """A line is longer than MAX_LINE_BYTES; it follows the blocks that were given out before."""


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut after line feeds; only the last block may lack one. A byte order mark is dropped."""
    pending: list[bytes] = []
    for block in _without_bom(blocks):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join((*pending, memoryview(block)[:end]))
            pending = []
        pending.append(block[end:])
        if sum(map(len, pending)) > MAX_LINE_BYTES:
            raise EndlessLineError
    rest = b"".join(pending)
    if rest:
        yield rest


def _without_bom(blocks: Iterable[bytes]) -> Iterator[bytes]:
    start = b""
    remaining = iter(blocks)
    for block in remaining:
        start += block
        if len(start) >= len(BOM):
            break
    yield start.removeprefix(BOM)
    yield from remaining


def without_half_characters(line: bytes) -> bytes:
    r"""The line with every unpaired surrogate escape (\ud83d) replaced by U+FFFD.

    Programs that cut text by UTF-16 code units write such halves; they are no Unicode text, and no ids.
    """
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape["half"] else escape[0], line)
