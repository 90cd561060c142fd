from pathlib import Path

import pytest

from gate.errors import UnavailableError
from gate.github.summary import MOST_BYTES, append

LIMIT = 1024 * 1024


def test_the_summary_is_appended_after_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("# of an earlier command\n", encoding="utf-8")
    written = append(file, [lambda: "> [!NOTE]\n> **Passed**\n"])
    assert file.read_text(encoding="utf-8") == "# of an earlier command\n\n> [!NOTE]\n> **Passed**\n"
    assert written is not None
    assert (written.rung, written.bytes) == (0, 24)


def test_a_file_that_is_not_there_yet_is_made(tmp_path: Path) -> None:
    append(tmp_path / "summary.md", [lambda: "text"])
    assert (tmp_path / "summary.md").read_bytes() == b"text\n"


@pytest.mark.parametrize("glyph", ["a", "é", "字", "🧪"])
@pytest.mark.parametrize("there", [0, 500_000, 921_000, 921_599])
def test_the_file_never_grows_beyond_the_runners_limit(tmp_path: Path, glyph: str, there: int) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * there)
    append(file, [lambda: glyph * 400_000, lambda: glyph * 100_000, lambda: f"headline {glyph * 300}"])
    assert file.stat().st_size <= max(MOST_BYTES, there) < LIMIT
    file.read_text(encoding="utf-8")


def test_what_is_there_counts_and_a_shorter_rendition_is_chosen(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * 900_000)
    written = append(file, [lambda: "y" * 100_000, lambda: "short"])
    assert written is not None
    assert written.rung == 1
    assert file.read_bytes().endswith(b"x\nshort\n")


@pytest.mark.parametrize("there", [MOST_BYTES, MOST_BYTES - 1, MOST_BYTES - 3, LIMIT])
def test_a_full_file_is_left_as_it_is(tmp_path: Path, there: int) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"x" * there)
    assert append(file, [lambda: "y" * 10]) is None
    assert file.stat().st_size == there


def test_a_lone_surrogate_does_not_stop_the_summary(tmp_path: Path) -> None:
    append(tmp_path / "summary.md", [lambda: "a\ud800b"])
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == "a?b\n"


def test_a_summary_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"summary\.md"):
        append(tmp_path / "missing" / "summary.md", [lambda: "text"])
    with pytest.raises(UnavailableError):
        append(tmp_path, [lambda: "text"])
