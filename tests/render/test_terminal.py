import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from gate.render.palette import ANSI
from gate.render.terminal import terminal
from gate.render.text_table import display_width
from tests.factories import outcome, report
from tests.render.reports import NAMES, any_report, renamed
from tests.render.scenarios import SCENARIOS
from tests.render.test_neutral import ANY_TEXT


def test_a_pass() -> None:
    assert terminal(SCENARIOS["passed"]()) == snapshot("""\
Passed: no drop detected in recall_all@5.

Nothing to do.

Candidate 4f2c1aa · baseline a1b2c3d (parent of the tested merge, 2 h old) · 500 questions on both
sides

gated metric         n  baseline  candidate      Δ points     p  Holm p  questions
                                                [95 % CI]
recall_all@5 ↑     470    93.2 %     93.6 %          +0.4  0.69    0.69    4 fixed
✓ not significant                            [−0.6, +1.4]                 2 broken
                                                                          464 same

- recall_all@5: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed
  either. A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more
  often.

recall_all@5 by question type
question type                n  baseline  candidate  Δ points [95 % CI]     p  fixed / broken
temporal-reasoning         127    88.2 %     89.8 %   +1.6 [−1.5, +4.7]  0.63           3 / 1
multi-session              121    90.9 %     90.9 %    0.0 [−2.3, +2.3]     1           1 / 1
knowledge-update            72    97.2 %     97.2 %      0.0 [0.0, 0.0]     1           0 / 0
single-session-user         64    98.4 %     98.4 %      0.0 [0.0, 0.0]     1           0 / 0
single-session-assistant    56    98.2 %     98.2 %      0.0 [0.0, 0.0]     1           0 / 0
single-session-preference   30    93.3 %     93.3 %      0.0 [0.0, 0.0]     1           0 / 0
No rule gates single types: these p are not adjusted and decide nothing.

6 questions changed, the worst first
question  type                change      gold rank
q-0077    multi-session       broken  4 → not found
q-0412    temporal-reasoning  broken          5 → 7
q-0001    temporal-reasoning  fixed           8 → 1
q-0002    temporal-reasoning  fixed           8 → 2
q-0003    temporal-reasoning  fixed           8 → 3
q-0004    multi-session       fixed   not found → 3

What differs
what                   baseline  candidate  effect
retrieval_config_hash  71b0aa52  9d41c07e   shown only

Left out and noted
- candidate: 30 abstention questions outside the denominator of recall
- baseline: 30 abstention questions outside the denominator of recall

Same dataset, k · p by Monte Carlo sign flips, intervals by percentile bootstrap (10,000 draws, seed
42) · one gated comparison, nothing to adjust · receipt 51cc0a9b12de
""")


def test_a_regression_in_one_type() -> None:
    assert terminal(SCENARIOS["regression_in_one_type"]()) == snapshot("""\
Regression of recall_all@5 in temporal-reasoning: 16 of 127 questions broke, 2 were fixed (−11.0
points).

Start with the questions that changed, the worst first. 1 more rule failed.

Candidate 4f2c1aa · baseline a1b2c3d (parent of the tested merge, 2 h old) · 500 questions on both
sides

gated metric             n  baseline  candidate      Δ points       p  Holm p  questions
                                                    [95 % CI]
recall_all@5 ↑         470    93.2 %     90.0 %          −3.2  0.0081   0.016    7 fixed
✗ significantly worse                            [−5.4, −1.0]                  22 broken
✗ worse in 1 type                                                               441 same

recall_all@5 by question type
question type                n  baseline  candidate   Δ points [95 % CI]  Holm p  fixed / broken
✗ temporal-reasoning       127    88.2 %     77.2 %  −11.0 [−17.3, −4.7]  0.0092          2 / 16
multi-session              121    90.9 %     90.9 %     0.0 [−4.0, +4.0]       1           3 / 3
knowledge-update            72    97.2 %     95.8 %    −1.4 [−6.1, +3.3]       1           1 / 2
single-session-user         64    98.4 %     98.4 %       0.0 [0.0, 0.0]       1           0 / 0
single-session-assistant    56    98.2 %    100.0 %    +1.8 [−1.7, +5.3]       1           1 / 0
single-session-preference   30    93.3 %     90.0 %    −3.3 [−9.9, +3.2]       1           0 / 1
Types without a mark: not significant.

29 questions changed, the worst first
question  type                change      gold rank
q-0116    temporal-reasoning  broken          1 → 9
q-0120    temporal-reasoning  broken         2 → 14
q-0124    temporal-reasoning  broken  1 → not found
q-0128    temporal-reasoning  broken  4 → not found
q-0132    temporal-reasoning  broken          3 → 8
q-0136    temporal-reasoning  broken         5 → 11
q-0140    temporal-reasoning  broken          2 → 6
q-0144    temporal-reasoning  broken          1 → 7
q-0148    temporal-reasoning  broken  5 → not found
q-0152    temporal-reasoning  broken          4 → 6
19 more changed; the receipt lists 3 of them, the row files hold all.

What differs
what                   baseline  candidate  effect
retrieval_config_hash  71b0aa52  9d41c07e   shown only

Left out and noted
- candidate: 30 abstention questions outside the denominator of recall
- baseline: 30 abstention questions outside the denominator of recall

Same dataset, k · not stated on both sides: judge · p by Monte Carlo sign flips, intervals by
percentile bootstrap (10,000 draws, seed 42) · Holm over 7 gated comparisons, intervals unadjusted ·
receipt 51cc0a9b12de
""")


def test_a_narrow_terminal_says_which_columns_it_has_no_room_for() -> None:
    assert terminal(SCENARIOS["regression_in_one_type"](), width=60) == snapshot("""\
Regression of recall_all@5 in temporal-reasoning: 16 of 127
questions broke, 2 were fixed (−11.0 points).

Start with the questions that changed, the worst first. 1
more rule failed.

Candidate 4f2c1aa · baseline a1b2c3d (parent of the tested
merge, 2 h old) · 500 questions on both sides

gated metric             n  baseline  candidate
recall_all@5 ↑         470    93.2 %     90.0 %
✗ significantly worse
✗ worse in 1 type
(too narrow for: Δ points [95 % CI], p, Holm p, questions)

recall_all@5 by question type
question type    n  baseline  candidate   Δ points [95 % CI]
✗ temporal-r…  127    88.2 %     77.2 %  −11.0 [−17.3, −4.7]
multi-session  121    90.9 %     90.9 %     0.0 [−4.0, +4.0]
knowledge-up…   72    97.2 %     95.8 %    −1.4 [−6.1, +3.3]
single-sessi…   64    98.4 %     98.4 %       0.0 [0.0, 0.0]
single-sessi…   56    98.2 %    100.0 %    +1.8 [−1.7, +5.3]
single-sessi…   30    93.3 %     90.0 %    −3.3 [−9.9, +3.2]
(too narrow for: Holm p, fixed / broken)
Types without a mark: not significant.

29 questions changed, the worst first
question  type                change      gold rank
q-0116    temporal-reasoning  broken          1 → 9
q-0120    temporal-reasoning  broken         2 → 14
q-0124    temporal-reasoning  broken  1 → not found
q-0128    temporal-reasoning  broken  4 → not found
q-0132    temporal-reasoning  broken          3 → 8
q-0136    temporal-reasoning  broken         5 → 11
q-0140    temporal-reasoning  broken          2 → 6
q-0144    temporal-reasoning  broken          1 → 7
q-0148    temporal-reasoning  broken  5 → not found
q-0152    temporal-reasoning  broken          4 → 6
19 more changed; the receipt lists 3 of them, the row files
hold all.

What differs
what                   baseline  candidate  effect
retrieval_config_hash  71b0aa52  9d41c07e   shown only

Left out and noted
- candidate: 30 abstention questions outside the denominator
  of recall
- baseline: 30 abstention questions outside the denominator
  of recall

Same dataset, k · not stated on both sides: judge · p by
Monte Carlo sign flips, intervals by percentile bootstrap
(10,000 draws, seed 42) · Holm over 7 gated comparisons,
intervals unadjusted · receipt 51cc0a9b12de
""")


def test_no_baseline() -> None:
    assert terminal(SCENARIOS["no_baseline"]()) == snapshot("""\
Cannot tell: the ledger has no completed run in mode balanced.

Let the gate run once on the base branch, or name a run or a receipt under `baseline` in the config.
Not evidence against this change; the policy lets it through.

Candidate 4f2c1aa · no usable baseline in .gbrain-evals/eval-results.jsonl · 500 questions measured

gated metric      n  baseline  candidate
recall_all@5 ↑  470         –     93.6 %
? no baseline

Left out and noted
- candidate: 30 abstention questions outside the denominator of recall
- the ledger has no completed run in mode balanced

Receipt 51cc0a9b12de
""")


def test_two_suites() -> None:
    assert "recall_all@5 by question type, candidate-rows" in terminal(SCENARIOS["two_suites"]())


@pytest.mark.parametrize("width", [0, 40, 72, 100, 200])
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_line_is_wider_than_asked(name: str, width: int) -> None:
    text = terminal(SCENARIOS[name](), width=width)
    longest = max(map(display_width, text.splitlines()))
    assert longest <= max(width, 60)  # below 60 the columns that are always shown need their room


def test_colour_only_adds_escape_sequences() -> None:
    made = SCENARIOS["regression_in_one_type"]()
    coloured = terminal(made, colour=ANSI)
    assert coloured != terminal(made)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == terminal(made)


def test_escape_sequences_of_others_are_shown_and_not_obeyed() -> None:
    text = terminal(report(outcomes=(outcome(metric="\x1b]0;pwned\x07\x9b31m"),)))
    assert "\x1b" not in text
    assert "\u241b]0;pwned\u2407" in text


@settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    any_report, st.lists(ANY_TEXT, min_size=len(NAMES), max_size=len(NAMES), unique=True), st.integers(0, 120)
)
def test_any_report_can_be_shown_without_control_characters(
    made: object, texts: list[str], width: int
) -> None:
    text = terminal(renamed(made, dict(zip(NAMES, texts, strict=True))), width=width)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
