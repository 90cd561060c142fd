from hypothesis import given
from hypothesis import strategies as st

from gate.github.drift_marker import DriftMarker, Parts, body_of, parts_of
from gate.github.marker import Marker, found_in, written

MARKER = DriftMarker(gate="default", run=812, attempt=1, drifted="0123456789abcdef")


def test_the_marker_is_one_hidden_line_and_the_rest_is_the_text() -> None:
    assert body_of(Parts(marker=MARKER, text="> [!CAUTION]\n")) == (
        '<!-- retrieval-quality-gate-drift v1 {"gate":"default","run":812,"attempt":1,'
        '"drifted":"0123456789abcdef"} -->\n> [!CAUTION]\n'
    )


@given(st.text(min_size=1, max_size=200), st.text(max_size=80), st.integers(0, 10**12), st.integers(0, 99))
def test_whatever_a_gate_is_called_its_issue_is_taken_apart_again(
    gate: str, drifted: str, run: int, attempt: int
) -> None:
    marker = DriftMarker(gate=gate, run=run, attempt=attempt, drifted=drifted, tried_run=run, moved=attempt)
    parts = Parts(marker=marker, attempt="> Last attempt: **no**", text="> [!CAUTION]\n> **Drift**\n")
    assert parts_of(body_of(parts)) == parts


def test_the_line_about_the_last_attempt_comes_and_goes() -> None:
    plain = Parts(marker=MARKER, text="numbers\n")
    told = Parts(marker=MARKER, attempt="> could not measure", text="numbers\n")
    assert "> could not measure" in body_of(told)
    assert parts_of(body_of(told)) == told
    assert parts_of(body_of(plain)) == plain


def test_an_issue_that_somebody_saved_in_the_browser_is_still_ours() -> None:
    parts = Parts(marker=MARKER, attempt="> could not measure", text="a\nb\n")
    assert parts_of(body_of(parts).replace("\n", "\r\n")) == parts


def test_what_does_not_begin_with_the_marker_is_none_of_ours() -> None:
    whole = body_of(Parts(marker=MARKER, text="x"))
    for body in (
        "",
        "plain",
        f"quoted:\n{whole}",
        whole.replace("{", "[", 1),
        whole.replace('"run":812', '"run":"x"'),
    ):
        assert parts_of(body) is None
    assert parts_of(body_of(Parts(marker=DriftMarker(gate="")))) is None
    assert parts_of(body_of(Parts(marker=DriftMarker(gate="g" * 201)))) is None


def test_the_sticky_comments_marker_and_the_issues_are_never_taken_for_each_other() -> None:
    assert found_in(body_of(Parts(marker=MARKER))) is None
    assert parts_of(written(Marker(gate="default"))) is None
