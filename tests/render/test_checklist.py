from gate.render.checklist import checklist, checklist_document, complete, missing, ok, unknown

ALL = (
    ok("git", "a commit"),
    missing("permissions", "lacks one\nand another", "permissions:\n  contents: read"),
    unknown("event", "no workflow"),
)


def test_each_check_is_a_line_with_what_to_do_below_it() -> None:
    assert checklist(ALL) == (
        "✓ git          a commit\n"
        "✗ permissions  lacks one\n"
        "               and another\n"
        "               → permissions:\n"
        "                   contents: read\n"
        "? event        no workflow\n"
        "\n"
        "1 of 3 are missing or wrong (✗); 1 cannot be known from here (?)\n"
    )


def test_what_cannot_be_known_is_not_missing() -> None:
    assert complete((ALL[0], ALL[2]))
    assert not complete(ALL)
    assert checklist((ALL[2],)).endswith("nothing is missing; 1 cannot be known from here (?)\n")
    assert checklist((ALL[0],)).endswith("\n\nnothing is missing\n")


def test_nothing_to_look_at_is_nothing_missing() -> None:
    assert checklist(()) == "\nnothing is missing\n"
    assert checklist((ok("a", ""),)).startswith("✓ a")


def test_names_cannot_draw_on_the_terminal() -> None:
    assert "\x1b" not in checklist((ok("a", "rows/\x1b[2Jx.ndjson"), missing("b", "c", "\x1b]0;d")))


def test_programs_read_the_same() -> None:
    document = checklist_document(ALL)

    assert document["ok"] is False
    assert document["checks"] == [
        {"about": "git", "status": "ok", "said": "a commit", "do": None},
        {
            "about": "permissions",
            "status": "missing",
            "said": "lacks one\nand another",
            "do": "permissions:\n  contents: read",
        },
        {"about": "event", "status": "unknown", "said": "no workflow", "do": None},
    ]
