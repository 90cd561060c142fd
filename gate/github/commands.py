"""Workflow commands and command files, by the runner's own rules.

The runner reads both streams line by line (CR, LF and CRLF end a line). ``::name properties::data`` counts
after leading white space; the older ``##[name properties]data`` counts anywhere in a line. Every text that is
not ours therefore goes through an escape here, or through `quiet_foreign`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from gate.render.fitting import cut_chars, cut_utf16
from gate.render.visible import HIDDEN, reveal

Level = Literal["error", "warning", "notice"]

A_STEP_SHOWS = 10
"""Annotations of one level that the runner keeps for one step; the rest it drops without a word."""

_MESSAGE_UNITS = 4096
_TITLE_CHARS = 255
_LINE_END = re.compile(r"\r\n|\r|\n")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_OUTPUT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_TOKEN = re.compile(r"[A-Za-z0-9]{16,128}")
_DRAWS = 8

# Hidden characters weigh nothing where the runner compares text by culture, so they hide nothing here.
_COMMAND_AT_START = re.compile(rf"[\s{HIDDEN}]*:[{HIDDEN}]*:")
_OLD_COMMAND = re.compile(rf"#(?=[{HIDDEN}]*#[{HIDDEN}]*\[)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark beside the run or a file's line; ``line`` counts from 1 and needs ``file``."""

    level: Level
    message: str
    title: str = ""
    file: str = ""
    line: int | None = None


def escape_data(text: str) -> str:
    """The text as the data of a command: one line, whatever it holds."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """The text as the value of a command's property: it can neither end the value nor the command."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def annotation(
    level: Level, message: str, *, title: str = "", file: str = "", line: int | None = None
) -> str:
    """The command for one annotation; message and title are cut to what the runner keeps."""
    place = {"file": reveal(file), "line": "" if line is None else str(line)}
    named = {"title": cut_chars(reveal(" ".join(title.split())), _TITLE_CHARS), **place}
    properties = ",".join(f"{name}={_property(value)}" for name, value in named.items() if value)
    enough = message[: 2 * _MESSAGE_UNITS + 2].replace("\r\n", "\n")
    shown = cut_utf16(reveal(enough, keep="\n\t"), _MESSAGE_UNITS)
    return f"::{level}{' ' if properties else ''}{properties}::{escape_data(shown)}"


def annotations(found: Sequence[Annotation]) -> list[str]:
    """The commands for one step's annotations, by level, at most ten of each.

    What is over is folded into the tenth, which says how many it holds.
    """
    levels = dict.fromkeys(one.level for one in found)
    kept = (one for level in levels for one in _folded([one for one in found if one.level == level]))
    return [annotation(one.level, one.message, title=one.title, file=one.file, line=one.line) for one in kept]


def output_entry(name: str, value: str, *, delimiter: str) -> str:
    """One entry for GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV, to be appended as UTF-8.

    Carriage returns and NUL are removed, lone surrogates replaced; everything else arrives as it is. Raises
    ValueError for a name or delimiter that would not be read back.
    """
    if not _OUTPUT_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of an output")
    _require_token(delimiter)
    if delimiter in value:
        raise ValueError("the delimiter occurs in the value; draw another one")
    clean = _LONE_SURROGATE.sub("\ufffd", value.replace("\r", "").replace("\0", ""))
    return f"{name}<<{delimiter}\n{clean}\n{delimiter}\n"


def mask_commands(secret: str) -> list[str]:
    """The commands that hide a secret in the log, one for each of its lines that is not blank.

    Never to be printed while commands are stopped: the runner would show them.
    """
    return [f"::add-mask::{escape_data(line)}" for line in _LINE_END.split(secret) if line.strip()]


def stop_commands(token: str) -> str:
    """The command that makes the runner take every line for text until `resume_commands` by this token."""
    return f"::stop-commands::{_require_token(token)}"


def resume_commands(token: str) -> str:
    """The command that ends `stop_commands`."""
    return f"::{_require_token(token)}::"


def unused_token(draw: Callable[[], str], *texts: str) -> str:
    """The first token drawn that occurs in none of the texts; ``draw`` is the caller's randomness."""
    for _ in range(_DRAWS):
        token = _require_token(draw())
        if not any(_occurs(token, text) for text in texts):
            return token
    raise ValueError(f"{_DRAWS} tokens in a row occur in the text: the source of randomness is broken")


def quiet_foreign(text: str, token: str) -> str:
    """Foreign output to be written in one piece to either stream: no line of it is taken for a command.

    Commands are stopped around it, and since the runner reads the two streams in no fixed order and a resume
    on one resumes both, every line that could be a command is defused as well: a bar before ``::``, a gap in
    ``##[``.
    """
    if _occurs(token, text):
        raise ValueError("the token occurs in the text; draw another one")
    lines = _LINE_END.split(text)
    body = (_defused(line) for line in (lines if lines[-1] else lines[:-1]))
    return "".join(f"{line}\n" for line in (stop_commands(token), *body, resume_commands(token)))


def _property(value: str) -> str:
    """The runner swallows equals signs at a value's beginning; a blank before them keeps them."""
    return escape_property(f" {value}" if value.startswith("=") else value)


def _folded(same_level: Sequence[Annotation]) -> Iterable[Annotation]:
    if len(same_level) <= A_STEP_SHOWS:
        return same_level
    kept, over = same_level[: A_STEP_SHOWS - 1], same_level[A_STEP_SHOWS - 1 :]
    return [*kept, _summary(over)]


def _summary(over: Sequence[Annotation]) -> Annotation:
    said = "\n".join(": ".join(part for part in (one.title, one.message) if part) for one in over)
    title = f"{len(over)} more, folded into one because a step shows {A_STEP_SHOWS} of a level"
    return Annotation(level=over[0].level, title=title, message=said)


def _require_token(token: str) -> str:
    if not _TOKEN.fullmatch(token):
        raise ValueError("a token or delimiter is 16 to 128 ASCII letters and digits, drawn at random")
    return token


def _occurs(token: str, text: str) -> bool:
    return token.lower() in text.lower()


def _defused(line: str) -> str:
    parted = _OLD_COMMAND.sub("# ", line)
    return f"| {parted}" if _COMMAND_AT_START.match(parted) else parted
