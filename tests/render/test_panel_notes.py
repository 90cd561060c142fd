from gate.render.panel_notes import panel_notes


def test_what_was_left_out_or_lost_is_told_with_some_of_its_places() -> None:
    others: dict[str, object] = {
        "left_out": {
            "inactive": 12,
            "TAKES_HOLDER_INVALID": 1,
            "places": ["people/ada: TAKES_HOLDER_INVALID", "a", "b", "c", "d"],
        },
        "calls_charged_at_bound": 2,
        "pages_cut": 1,
        "pages_missing": 3,
        "agreement_alpha": -0.375,
        "remarks": ["openai:x: no temperature"],
    }

    assert list(panel_notes(others)) == [
        "left out or read with a warning: 12 inactive, 1 TAKES_HOLDER_INVALID"
        " (people/ada: TAKES_HOLDER_INVALID; a; b; and 2 more)",
        "2 calls without a known usage: charged the most it could cost",
        "page excerpts: 1 page cut short, 3 pages without text",
        "agreement of the judges over all dimensions: Krippendorff's alpha -0.38",
        "openai:x: no temperature",
    ]


def test_nothing_is_said_of_nothing_and_of_what_another_program_put_there() -> None:
    assert list(panel_notes({})) == []
    strange: dict[str, object] = {
        "left_out": [1],
        "calls_charged_at_bound": True,
        "agreement_alpha": True,
        "remarks": "x",
        "pages_cut": -1,
    }
    assert list(panel_notes(strange)) == []
    assert list(panel_notes({"left_out": {"inactive": 0}})) == []


def test_places_alone_are_shown_and_nothing_hidden_stays_hidden() -> None:
    (line,) = panel_notes({"left_out": {"places": ["a\u202eb\nc", 7, "x" * 300]}})
    assert line.startswith("left out or read with a warning: see the places (a⟨U+202E⟩b c; xxx")
    assert line.endswith("x…)")
