"""The last words of a system that failed."""

from gate.render.system_words import MOST_CHARS, MOST_LINES, system_words


def test_each_line_stands_behind_a_bar_and_commands_nothing() -> None:
    said = system_words("::error::no\r\n\n\x1b[31mred\tand ##[error]old ###[x]\n")

    assert said.splitlines() == [
        "what the system said last (its own words):",
        "  | ::error::no",
        "  | ␛[31mred\tand # #[error]old ## #[x]",
    ]


def test_of_much_only_the_end_is_shown_and_how_much_that_is() -> None:
    said = system_words("\n".join(f"line {number}" for number in range(1, 46))).splitlines()

    assert said[0] == "what the system said last (20 of 45 lines):"
    assert (said[1], said[-1], len(said)) == ("  | line 26", "  | line 45", MOST_LINES + 1)


def test_a_long_line_is_cut_and_a_secret_taken_out() -> None:
    said = system_words(f"GITHUB_TOKEN=ghp_{'a' * 36} {'x' * 2 * MOST_CHARS}").splitlines()[1]

    assert said.startswith("  | GITHUB_TOKEN=<redacted> xxx")
    assert len(said) == MOST_CHARS + len("  | ")
