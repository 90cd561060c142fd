# The tables stand here as they are written.
# ruff: noqa: E501

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from gate.core.records.panel_figures import PanelReport
from gate.render.comment import comment, renditions
from gate.render.dialect import MARKDOWN, PLAIN
from gate.render.headline import headline
from gate.render.junit import junit
from gate.render.palette import NO_COLOUR
from gate.render.panel import dimension_table, judge_table, panel_lines, panel_numbers, panel_verdict, panels
from gate.render.summary import summary
from gate.render.terminal import terminal
from gate.render.text_table import text_table
from tests.factories import report
from tests.panel_factories import (
    MODELS,
    dimension,
    judge,
    objection,
    panel,
    panel_gate,
    panel_run,
    panel_suite,
    scored,
)


def lines(found: PanelReport, **overrides: object) -> str:
    return "\n".join(panel_lines(panel_suite(panel=found, **overrides), found, PLAIN))


def table(found: PanelReport, **overrides: object) -> str:
    suite = panel_suite(panel=found, **overrides)
    return text_table(dimension_table(suite, found, PLAIN), width=120, palette=NO_COLOUR)


def test_a_report_without_panels_shows_none() -> None:
    assert panels(report()) == ()


def test_one_batch_shows_means_and_no_interval() -> None:
    suite = panel_suite(comparisons=(scored(clusters=1, lower95=0.4, upper95=0.4),))
    found = panel(dimensions=(dimension(before=7.6, delta=0.4),))

    assert table(found, comparisons=suite.comparisons) == snapshot("""\
dimension  mean  baseline      Δ  lowest  range    sd
accuracy    8.0       7.6  +0.40     7.5    1.0  0.50\
""")
    assert "One batch: no uncertainty can be given" in lines(found)


def test_several_batches_show_the_interval_and_p_of_what_both_runs_judged() -> None:
    found = panel(
        dimensions=(dimension(alpha=0.81), dimension("attribution", before=8.2, delta=-0.2)),
        run=panel_run(batches=8, calls=24),
        alpha=0.77,
        units=8,
    )

    assert table(found, comparisons=(scored(),)) == snapshot("""\
dimension    mean  baseline      Δ         95 % CI     p  lowest  range    sd  alpha
accuracy      8.0       7.6  +0.40  [+0.10, +0.70]  0.03     7.5    1.0  0.50   0.81
attribution   8.0       8.2   −0.2               –     –     7.5    1.0  0.50      –\
""")
    said = lines(found, comparisons=(scored(),))
    assert "Differences are over 24 pairs of batch and judge that both runs have, in 8 batches." in said
    assert "Krippendorff's alpha 0.77 over 8 units (1 is perfect, 0 is chance)" in said
    assert "no uncertainty" not in said


def test_several_batches_of_which_one_is_shared_have_no_interval() -> None:
    found = panel(dimensions=(dimension(),), run=panel_run(batches=8))

    assert "CI" not in table(found, comparisons=(scored(clusters=1),))


def test_batches_that_were_compared_with_nothing_say_nothing_of_pairs() -> None:
    assert "pairs" not in lines(panel(run=panel_run(batches=8)))


def test_a_dimension_that_failed_is_marked() -> None:
    found = panel(verdict="fail", dimensions=(dimension(mean=6.3, failed="mean_below_7"),))

    shown = dimension_table(panel_suite(panel=found), found, MARKDOWN)

    assert shown.rows[0].cells[0] == "❌ **accuracy**"
    assert shown.rows[0].tone == "bad"


def test_the_judges_stand_with_their_scores_or_the_kind_of_their_error() -> None:
    found = panel(
        judges=(judge(), judge(MODELS[1], scores={}, error="parse_failed")), dimensions=(dimension(),)
    )

    assert text_table(judge_table(found, PLAIN), width=120, palette=NO_COLOUR) == snapshot("""\
judge                      accuracy  error
openai:gpt-5.2                  8.0  –
anthropic:claude-opus-4-7         –  parse_failed\
""")


def test_what_was_judged_is_said_in_one_sentence() -> None:
    run = panel_run(slug_prefix="people/", cycles=3, cycle_policy="median", batches=2, corrections=1)

    assert lines(panel(run=run)).splitlines()[0] == (
        "Judged: 100 takes of 240 of pages people/, 3 judges, 2 batches, 3 cycles (`median` decides), rubric gate-1. "
        "1 malformed reply asked for once more."
    )


def test_all_takes_of_a_corpus_are_not_said_to_be_a_part_of_it() -> None:
    assert "100 takes, 3 judges" in lines(panel(run=panel_run(eligible=100)))
    assert "100 takes, 3 judges" in lines(panel(run=panel_run(eligible=None)))


def test_agreement_that_cannot_be_told_is_said_to_be_so() -> None:
    assert (
        "Whether the judges agree beyond chance cannot be told from one unit; two of them lie up to 1.0 point apart "
        "(accuracy)." in lines(panel())
    )
    wide = panel(dimensions=(dimension(), dimension("attribution", range=3.5)))
    assert "up to 3.5 points apart (attribution)" in lines(wide)


def test_nothing_is_said_of_agreement_where_nobody_agreed_on_anything() -> None:
    nobody = panel(verdict="inconclusive", dimensions=(), overall=None)
    unknown = panel(dimensions=(dimension(range=None, sd=None),))

    for found in (nobody, unknown):
        assert "agree" not in lines(found)
    assert "uncertainty" not in lines(nobody)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "Cost: 0.0421 USD of a budget of 5.00 USD, 3 replies."),
        ({"budget_usd": None, "cost_usd": 12.5, "run": panel_run(calls=None)}, "Cost: 12.50 USD."),
        ({"cost_usd": 0.0, "run": panel_run(calls=0)}, "Cost: 0 USD of a budget of 5.00 USD, 0 replies."),
        (
            {"cost_usd": 0.00001, "run": panel_run(calls=1)},
            "Cost: <0.0001 USD of a budget of 5.00 USD, 1 reply.",
        ),
        ({"cost_usd": None, "unpriced": ("a:b",)}, "Cost: unknown (no price for a:b)."),
        ({"cost_usd": None}, "Cost: unknown."),
        (
            {"run": panel_run(charged_at_bound=1)},
            "Cost: 0.0421 USD of a budget of 5.00 USD, 3 replies; 1 lost call counted at the most it could cost.",
        ),
        (
            {"run": panel_run(replayed=3), "cost_usd": 0.0},
            "Replayed: 3 replies were played back from a cassette; no model was asked, nothing was paid.",
        ),
        (
            {"run": panel_run(replayed=1), "cost_usd": 0.0},
            "Replayed: 1 reply was played back from a cassette; no model was asked, nothing was paid.",
        ),
    ],
)
def test_the_cost_is_said_as_far_as_it_is_known(members: dict[str, object], said: str) -> None:
    assert lines(panel(**members)).splitlines()[-1] == said


def test_a_panel_of_another_rubric_is_not_compared_and_other_inputs_are_told() -> None:
    assert "Not compared with the baseline's panel: it had another rubric." in lines(
        panel(unlike=("rubric", "takes"))
    )
    assert "The baseline's panel had other models and takes: part of a difference may be that." in lines(
        panel(unlike=("models", "takes"))
    )


def test_the_verdict_is_a_sentence_with_the_difference() -> None:
    found = panel(overall_before=7.7, overall_delta=0.3)
    one = panel_gate(suite=panel_suite(panel=found))
    two = replace(one, suites=(*one.suites, panel_suite(name="other", panel=found)))

    assert panel_verdict(one, one.suites[0], found, PLAIN) == (
        "the panel passes the takes (8.0 of 10 overall, +0.3 against the baseline)"
    )
    assert panel_verdict(two, two.suites[1], found, PLAIN).startswith("the panel of other passes the takes")
    unsure = panel(verdict="inconclusive", overall=None)
    assert panel_verdict(one, one.suites[0], unsure, PLAIN) == "the panel came to no verdict"


def test_a_passed_gate_says_what_the_panel_says() -> None:
    assert headline(panel_gate()).title == (
        "Passed: the panel passes the takes (8.0 of 10 overall); accuracy holds its limit (8.000 ≥ 7)."
    )


@pytest.mark.parametrize(
    ("reason", "message", "title", "action"),
    [
        (
            "panel_fail",
            "the panel fails accuracy (mean 6.3 of 10, 7 is needed)",
            "Failed: takes-quality: the panel fails accuracy (mean 6.3 of 10, 7 is needed).",
            "Read the panel's dimensions, the lowest one first.",
        ),
        (
            "panel_inconclusive",
            "only 1 of 3 judges gave all scores, 2 are needed",
            "Cannot tell: takes-quality: only 1 of 3 judges gave all scores, 2 are needed.",
            "Run the panel again when all of its models answer.",
        ),
        (
            "judge_unreliable",
            "the judges disagree too much to be believed: Krippendorff's alpha 0.20 is below 0.5",
            "Cannot tell: takes-quality: the judges disagree too much to be believed: Krippendorff's alpha 0.20 is below 0.5.",
            "Sharpen the rubric, or replace the judge that stands apart, then run again.",
        ),
        (
            "not_measured",
            "there is no key for openai:gpt-5.2",
            "Cannot tell: takes-quality: there is no key for openai:gpt-5.2.",
            "Run it where the secrets are: on a branch of this repository.",
        ),
    ],
)
def test_every_judgement_of_a_panel_has_its_headline(
    reason: str, message: str, title: str, action: str
) -> None:
    found = headline(panel_gate(objection(reason, message)))

    assert found.title == title
    assert found.action.startswith(action)


def test_the_comment_shows_the_panel_below_the_gated_metrics() -> None:
    shown = comment(panel_gate())
    part = shown.partition("**✅ The panel")[2].partition("<details><summary>Left out")[0]

    assert "**✅ The panel" + part == snapshot("""\
**✅ The panel passes the takes (8.0 of 10 overall)**

| dimension | mean | lowest | range | sd |
|:--|--:|--:|--:|--:|
| accuracy | 8.0 | 7.5 | 1.0 | 0.50 |
| attribution | 8.0 | 7.5 | 1.0 | 0.50 |
| weight_calibration | 8.0 | 7.5 | 1.0 | 0.50 |
| kind_classification | 8.0 | 7.5 | 1.0 | 0.50 |
| signal_density | 8.0 | 7.5 | 1.0 | 0.50 |

- Judged: 100 takes of 240, 3 judges, 1 batch, 1 cycle, rubric gate-1.
- One batch: no uncertainty can be given for these means (`batches`).
- Whether the judges agree beyond chance cannot be told from one unit; two of them lie up to 1.0 point apart (<code>accuracy</code>).
- Cost: 0.0421 USD of a budget of 5.00 USD, 3 replies.

<details><summary>Scores of each judge</summary>

| judge | accuracy | attribution | weight_calibration | kind_classification | signal_density |
|:--|--:|--:|--:|--:|--:|
| openai:gpt-5.2 | 8.0 | 8.0 | 8.0 | 8.0 | 8.0 |
| anthropic:claude-opus-4-7 | 8.0 | 8.0 | 8.0 | 8.0 | 8.0 |
| google:gemini-2.0-flash | 8.0 | 8.0 | 8.0 | 8.0 | 8.0 |

</details>

""")


def test_a_comment_cut_for_its_size_keeps_the_panel_longer_than_the_questions() -> None:
    full, without_questions, gated, headline_only = (make() for make in renditions(panel_gate()))

    assert "The panel passes" in full
    assert "The panel passes" in without_questions
    assert "of a budget of" not in gated
    assert "of a budget of" not in headline_only


def test_the_job_summary_shows_the_judges_and_pins_the_panels_receipt() -> None:
    shown = summary(panel_gate())

    assert "### ✅ The panel passes the takes (8.0 of 10 overall)" in shown
    assert "openai:gpt-5.2" in shown
    assert "| panel | <code>gate-out/takes/takes-quality-1.json</code> |" in shown.replace("&nbsp;", " ")
    assert "cost: 0.0421 USD" in shown


def test_the_terminal_shows_table_and_sentences() -> None:
    shown = terminal(panel_gate(), width=100)

    assert "✓ The panel passes the takes (8.0 of 10 overall)" in shown
    assert "- Cost: 0.0421 USD of a budget of 5.00 USD, 3 replies." in shown
    assert "openai:gpt-5.2" in shown


def test_an_inconclusive_panel_without_scores_still_shows_its_judges() -> None:
    nobody = panel(
        verdict="inconclusive",
        reason="panel_inconclusive",
        overall=None,
        dimensions=(),
        judges=(judge(scores={}, error="provider_error"),),
    )
    found = panel_gate(objection("panel_inconclusive", "nobody"), suite=panel_suite(panel=nobody))

    assert "provider_error" in comment(found)
    assert "provider_error" in terminal(found)


def test_every_dimension_is_a_testcase() -> None:
    low = panel(
        verdict="fail", dimensions=(dimension(mean=6.3, failed="mean_below_7"), dimension("attribution"))
    )
    failed = junit(panel_gate(objection("panel_fail", "it fails"), suite=panel_suite(panel=low)))
    assert '<testcase name="panel: accuracy"' in failed
    assert '<failure message="mean 6.3, lowest 7.5" type="mean_below_7">' in failed
    assert 'tests="4" failures="2" errors="0" skipped="0"' in failed

    unsure = panel(verdict="inconclusive", reason="judge_unreliable", dimensions=(dimension(),))
    doubted = junit(panel_gate(objection("judge_unreliable", "no"), suite=panel_suite(panel=unsure)))
    assert '<skipped message="mean 8.0, lowest 7.5" type="judge_unreliable" />' in doubted


def test_a_dimension_on_one_line_says_how_it_compares() -> None:
    assert (
        panel_numbers(panel_suite(), dimension(delta=-0.4))
        == "mean 8.0, lowest 7.5, −0.4 against the baseline"
    )
    assert panel_numbers(panel_suite(), dimension()) == "mean 8.0, lowest 7.5"
    assert panel_numbers(panel_suite(comparisons=(scored(),)), dimension()).endswith(
        "+0.40 against the baseline"
    )


def test_what_a_foreign_receipt_calls_its_models_means_nothing_but_itself() -> None:
    evil = panel(
        judges=(judge("@alice <img src=x> | `x`"),),
        rubric_version="**bold** #1",
        unlike=("@bob",),
        dimensions=(dimension("<script>"), dimension("a|b", failed="</td>")),
        run=panel_run(slug_prefix="`](http://x)"),
    )
    shown = comment(panel_gate(suite=panel_suite(panel=evil)))

    assert "<img" not in shown
    assert "<script>" not in shown
    assert " @alice" not in shown
    assert "http://x" not in shown
    assert "**bold**" not in shown
