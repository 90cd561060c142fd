import re
import unicodedata
from itertools import count, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.github.commands import (
    A_STEP_SHOWS,
    Annotation,
    annotation,
    annotations,
    escape_data,
    escape_property,
    mask_commands,
    output_entry,
    quiet_foreign,
    resume_commands,
    stop_commands,
    unused_token,
)
from gate.render.visible import reveal
from tests.github.runner_rules import NAMES, Command, Step, StepFailedError, parsed, read_command_file

TOKEN = "3f9c2a7b51d04e8896ab"  # noqa: S105  # a delimiter, no secret

MARKS = [
    "::",
    ":",
    "##[",
    "#",
    "[",
    "]",
    "%",
    "%0A",
    "%250A",
    ",",
    ";",
    "=",
    "<<",
    "|",
    "::error::",
    "##[error]",
]
SPACES = [
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\0",
    "\u200b",
    "\u2028",
    "\x85",
    "\xa0",
    "\ufeff",
    "\x1b[31m",
    "\ud800",
]
WORDS = ["error", "add-mask", "set-output name=x", "stop-commands", TOKEN[:-1], "a", "\u00e9", "\U0001f600"]
PIECES = st.sampled_from([*MARKS, *SPACES, *WORDS])
FOREIGN = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(st.characters(), max_size=40))


def without_weightless(text: str) -> str:
    """The text as a comparison by culture sees it: control and format characters weigh nothing."""
    return "".join(c for c in text if c in "\t\r\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs"})


def bare(level: str, count: int) -> list[Annotation]:
    return [Annotation(level=level, message=f"m{i}", title=f"t{i}") for i in range(count)]  # type: ignore[arg-type]  # levels are literals


def test_an_annotation_is_one_line_that_the_runner_reads_back() -> None:
    line = annotation("error", "50% worse:\nsee, q-1", title="a: b, c", file="src/x.py", line=7)
    assert line == "::error title=a%3A b%2C c,file=src/x.py,line=7::50%25 worse:%0Asee, q-1"
    properties = (("title", "a: b, c"), ("file", "src/x.py"), ("line", "7"))
    assert parsed(line) == Command("error", "50% worse:\nsee, q-1", properties)


def test_an_annotation_without_a_place_has_no_properties() -> None:
    assert annotation("notice", "done") == "::notice::done"


@settings(deadline=None)
@given(FOREIGN, FOREIGN, FOREIGN)
def test_no_message_title_or_file_makes_another_command(message: str, title: str, file: str) -> None:
    line = annotation("warning", message, title=title, file=file, line=1)
    step = Step()
    (command,) = step.read(line)
    assert step.shown == []
    assert command.name == "warning"
    assert command.data == reveal(message.replace("\r\n", "\n"), keep="\n\t")
    assert dict(command.properties)["line"] == "1"
    assert {name for name, _ in command.properties} <= {"title", "file", "line"}
    assert dict(command.properties).get("title", "").strip() == reveal(" ".join(title.split()))
    assert [c.name for c in Step().read(without_weightless(line))] == ["warning"]


def test_a_title_keeps_the_equals_signs_the_runner_would_swallow() -> None:
    command = parsed(annotation("error", "m", title="=1"))
    assert command is not None
    assert command.properties == (("title", " =1"),)


def test_a_message_is_cut_to_what_the_runner_keeps_in_its_own_units() -> None:
    command = parsed(annotation("error", "\U0001f600" * 3000))
    assert command is not None
    assert len(command.data.encode("utf-16-le")) // 2 <= 4096
    assert command.data == "\U0001f600" * 2047 + "\u2026"


def test_a_title_is_one_line_of_at_most_255_characters() -> None:
    command = parsed(annotation("error", "m", title="a\n\tb" + "x" * 300))
    assert command is not None
    (title,) = (value for name, value in command.properties if name == "title")
    assert title.startswith("a bx")
    assert len(title) == 255


def test_hidden_characters_are_shown_in_annotations_too() -> None:
    assert annotation("error", "a\u202eb\tc") == "::error::a\u27e8U+202E\u27e9b\tc"


def test_ten_of_a_level_are_shown_and_the_tenth_says_what_it_holds() -> None:
    lines = annotations([*bare("error", 12), *bare("notice", 10)])
    commands = [command for line in lines if (command := parsed(line))]
    errors = [command for command in commands if command.name == "error"]
    assert len(errors) == A_STEP_SHOWS == 10
    assert [command.data for command in errors[:9]] == [f"m{i}" for i in range(9)]
    assert dict(errors[9].properties)["title"].startswith("3 more")
    assert errors[9].data == "t9: m9\nt10: m10\nt11: m11"
    assert len([command for command in commands if command.name == "notice"]) == 10


def test_a_folded_annotation_without_a_title_is_its_message() -> None:
    lines = annotations([Annotation(level="error", message=f"m{i}") for i in range(11)])
    last = parsed(lines[-1])
    assert last is not None
    assert last.data == "m9\nm10"


def test_annotations_keep_their_place_and_their_order_within_a_level() -> None:
    found = [
        Annotation(level="notice", message="n", file="a.py", line=3),
        Annotation(level="error", message="e"),
        Annotation(level="notice", message="o"),
    ]
    assert annotations(found) == ["::notice file=a.py,line=3::n", "::notice::o", "::error::e"]


def test_no_annotations_are_no_lines() -> None:
    assert annotations([]) == []


@given(st.text(st.characters()))
def test_escaped_data_and_properties_are_read_back_as_they_were(text: str) -> None:
    command = parsed(f"::error title=a{escape_property(text)}z::{escape_data(text)}")
    assert command == Command("error", text, (("title", f"a{text}z"),))


@given(st.lists(st.tuples(st.sampled_from(["verdict", "report-json", "_x"]), FOREIGN), max_size=4))
def test_outputs_are_read_back_as_they_were_and_none_makes_another(entries: list[tuple[str, str]]) -> None:
    file = "".join(output_entry(name, value, delimiter=TOKEN) for name, value in entries)
    clean = {
        name: re.sub("[\ud800-\udfff]", "\ufffd", value.replace("\r", "").replace("\0", ""))
        for name, value in entries
    }
    assert read_command_file(file) == clean
    assert file.encode("utf-8").decode("utf-8") == file


@pytest.mark.parametrize("name", ["", "a b", "a=b", "a<<b", "a\nb", "1a"])
def test_a_name_that_would_not_be_read_back_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name of an output"):
        output_entry(name, "v", delimiter=TOKEN)


@pytest.mark.parametrize(
    "delimiter", ["", "EOF", "has space in the middle", "a" * 20 + "\n", "stop-commands-------"]
)
def test_a_delimiter_that_can_be_guessed_or_misread_is_refused(delimiter: str) -> None:
    with pytest.raises(ValueError, match="16 to 128"):
        output_entry("name", "v", delimiter=delimiter)


def test_a_delimiter_that_occurs_in_the_value_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs in the value"):
        output_entry("name", f"a\n{TOKEN}\nevil=1", delimiter=TOKEN)


def test_every_line_of_a_secret_is_masked_and_blank_ones_are_not() -> None:
    masked = Step().read("\n".join(mask_commands("-----BEGIN KEY-----\r\n50%\n\n \t\nlast")))
    assert masked == [Command("add-mask", line) for line in ("-----BEGIN KEY-----", "50%", "last")]
    assert mask_commands("\n") == []


@given(FOREIGN)
def test_masks_are_read_back_as_the_lines_of_the_secret(secret: str) -> None:
    masked = Step().read("\n".join(mask_commands(secret)))
    assert [command.data for command in masked] == [
        line for line in re.split(r"\r\n|\r|\n", secret) if line.strip()
    ]
    assert {command.name for command in masked} <= {"add-mask"}


def test_commands_stop_and_resume_by_their_token() -> None:
    step = Step()
    step.read(f"{stop_commands(TOKEN)}\n::error::no\n")
    assert step.shown == ["::error::no"]
    assert step.read(f"{resume_commands(TOKEN)}\n::error::yes") == [Command("error", "yes")]


@pytest.mark.parametrize(
    "token", ["", "error", "pause-logging", "short7x", "has space in the middle", "a" * 129]
)
def test_a_weak_token_is_refused(token: str) -> None:
    for command in (stop_commands, resume_commands):
        with pytest.raises(ValueError, match="16 to 128"):
            command(token)


@settings(deadline=None, max_examples=300)
@given(FOREIGN)
def test_foreign_output_makes_no_command_whatever_it_is(text: str) -> None:
    step = Step()
    assert step.read(quiet_foreign(text, TOKEN)) == [Command("stop-commands", TOKEN)]
    assert step.token is None
    assert step.read("::error::after") == [Command("error", "after")]


@settings(deadline=None, max_examples=300)
@given(FOREIGN)
def test_foreign_output_is_harmless_even_where_commands_are_not_stopped(text: str) -> None:
    """The runner reads the streams in no fixed order, so a line may arrive before the stop or after the resume."""
    body = quiet_foreign(text, TOKEN).split("\n", 1)[1].rsplit("\n", 2)[0]
    assert Step().read(body) == []
    assert Step().read(without_weightless(body)) == []
    assert not re.search(r"##\[", body)


def test_harmless_foreign_lines_stay_as_they_were() -> None:
    text = "\x1b[32mok\x1b[0m 100%\r\n  a::b\n# [x]\n\nlast"
    shown = "\x1b[32mok\x1b[0m 100%\n  a::b\n# [x]\n\nlast"
    assert quiet_foreign(text, TOKEN) == f"::stop-commands::{TOKEN}\n{shown}\n::{TOKEN}::\n"


def test_lines_that_could_be_commands_stay_readable() -> None:
    quiet = quiet_foreign("  ::error::x\nlog ##[warning]y\r\u200b::z::", TOKEN).split("\n")[1:4]
    assert quiet == ["|   ::error::x", "log # #[warning]y", "| \u200b::z::"]


def test_foreign_output_that_knows_the_token_is_refused_in_any_case() -> None:
    with pytest.raises(ValueError, match="occurs in the text"):
        quiet_foreign(f"::{TOKEN.upper()}::", TOKEN)


def test_a_token_is_drawn_until_it_occurs_in_no_text() -> None:
    numbers = count()
    assert unused_token(lambda: f"{next(numbers):020d}", "0" * 20, f"x{1:020d}") == f"{2:020d}"


def test_a_source_of_randomness_that_repeats_itself_is_a_bug() -> None:
    same = repeat(TOKEN)
    with pytest.raises(ValueError, match="randomness is broken"):
        unused_token(lambda: next(same), TOKEN)


class TestTheModelOfTheRunner:
    """The oracle itself, against the runner's documented behaviour."""

    def test_the_old_form_counts_anywhere_in_a_line_and_the_new_one_after_white_space(self) -> None:
        assert parsed("log: ##[error file=a;line=1]x%5D") == Command(
            "error", "x]", (("file", "a"), ("line", "1"))
        )
        assert parsed("\u3000\t::ERROR::x") == Command("ERROR", "x")
        assert parsed("log ::error::x") is None
        assert parsed("::unknown::x") is None
        assert parsed("::error") is None
        assert parsed("##[error") is None
        assert parsed("##[unknown]") is None
        assert "error" in NAMES

    def test_while_stopped_only_the_token_counts(self) -> None:
        step = Step()
        step.read("::stop-commands::abc\r::error::x\r\n##[ABC]\n::error::y")
        assert [command.data for command in step.done] == ["abc", "y"]
        assert step.shown == ["::error::x"]
        with pytest.raises(StepFailedError):
            Step().read("::stop-commands::error")

    def test_a_file_of_outputs_is_read_as_the_runner_reads_it(self) -> None:
        assert read_command_file("a=1<<2\n\nb<<X\none\ntwo\nX\nc<<X\nX") == {
            "a": "1<<2",
            "b": "one\ntwo",
            "c": "",
        }
        for broken in ("a<<X\none\nX2\n", "a<<X\none X", "<<X\nX\n", "word\n", "a<<\n"):
            with pytest.raises(StepFailedError):
                read_command_file(broken)
