# The pages stand here as they are written: their lines are as long as they are.
# ruff: noqa: E501

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from gate.core.report import Report
from gate.render.comment import comment, renditions
from gate.render.fitting import fit
from gate.render.summary import summary
from tests.factories import comparison, outcome, report, suite_report, typed
from tests.render.github_rules import outline, references, render, runs
from tests.render.reports import NAMES, any_report, renamed
from tests.render.scenarios import SCENARIOS
from tests.render.test_neutral import ANY_TEXT

# A report is so large that shrinking one takes longer than reading it.
WITHOUT_SHRINKING = settings(
    max_examples=60,
    suppress_health_check=list(HealthCheck),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
ELEMENTS = {
    "DOCUMENT_FRAGMENT", "blockquote", "br", "details", "h3", "li", "p", "pre", "strong", "sub", "summary",
    "table", "tbody", "td[align=left]", "td[align=right]", "th[align=left]", "th[align=right]", "thead", "tr", "ul",
}  # fmt: skip


def test_a_pass() -> None:
    assert comment(SCENARIOS["passed"]()) == snapshot("""\
> [!NOTE]
> **Passed: no drop detected in <code>recall_all@5</code>.** Nothing to do.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>✅&nbsp;not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |

<code>recall_all@5</code>: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either. A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often.

**By question type**, <code>recall_all@5</code> ↑:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| temporal-reasoning | 127 | 88.2&nbsp;% | 89.8&nbsp;% | +1.6&nbsp;[−1.5,&nbsp;+4.7] | 0.63 | 3&nbsp;/&nbsp;1 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[−2.3,&nbsp;+2.3] | 1 | 1&nbsp;/&nbsp;1 |
| knowledge-update | 72 | 97.2&nbsp;% | 97.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 98.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 93.3&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |

No rule gates single types: these p are not adjusted and decide nothing.

<details><summary>6 questions changed, the worst first</summary>

| question | type | change | gold&nbsp;rank |
|:--|:--|:--|--:|
| <code>q-0077</code> | multi-session | broken | 4&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0412</code> | temporal-reasoning | broken | 5&nbsp;→&nbsp;7 |
| <code>q-0001</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;1 |
| <code>q-0002</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;2 |
| <code>q-0003</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;3 |
| <code>q-0004</code> | multi-session | fixed | not&nbsp;found&nbsp;→&nbsp;3 |

</details>

<details><summary>All metrics: 1 compared</summary>

| metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |

</details>

<details><summary>What differs: 1 fingerprint</summary>

Same dataset, k.

| what | baseline | candidate | effect |
|:--|:--|:--|:--|
| retrieval_config_hash | <code>71b0aa52</code> | <code>9d41c07e</code> | shown only |

</details>

<details><summary>Left out and noted: 2 entries</summary>

- candidate: 30 abstention questions outside the denominator of recall
- baseline: 30 abstention questions outside the denominator of recall

</details>

<details><summary>How to read this</summary>

- The example is <code>recall_all@5</code>.
- Paired: the same 470 questions on both sides. Only those that changed carry evidence: 4 fixed, 2 broken.
- p = 0.69: how often a difference at least this large would come up if each changed question had been as likely to go the other way.
- Holm p = 0.69: the same as p, because it is the only gated comparison. At most 0.05, with an interval that excludes 0, is significant; this one is "not significant".
- 95 % CI [−0.6, +1.4]: differences in points that these questions make plausible for others of their kind; not adjusted for the number of comparisons.
- A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often. With 6 changed questions the smallest p within reach was 0.031; fewer than 6 changes, all the same way, are never significant.
- "not significant" means that chance alone explains the difference well enough. It does not mean that nothing got worse: a small drop can hide below it.
- Both sides were measured once: what a rerun of the same commit would change is part of these numbers.

</details>

<details><summary>How to reproduce this</summary>

```
gate run --config eval-gate.yml
gate verify gate-out/receipt.json
gate compare --rows gate-out/rows/candidate-rows.baseline.ndjson gate-out/rows/candidate-rows.candidate.ndjson --draws 10000 --seed 42 --config eval-gate.yml
```

</details>

<sub>gate <code>default</code> · same dataset, k · p by Monte Carlo sign flips, intervals by percentile bootstrap (10,000 draws, seed 42) · one gated comparison, nothing to adjust · receipt <code>51cc0a9b12de</code></sub>
""")


def test_a_regression_in_one_type() -> None:
    assert comment(SCENARIOS["regression_in_one_type"]()) == snapshot("""\
> [!CAUTION]
> **Regression of <code>recall_all@5</code> in <code>temporal-reasoning</code>: 16 of 127 questions broke, 2 were fixed (−11.0 points).** Start with the questions that changed, the worst first. 1 more rule failed.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| **recall_all@5**&nbsp;↑<br>❌&nbsp;significantly&nbsp;worse<br>❌&nbsp;worse&nbsp;in&nbsp;1&nbsp;type | 470 | 93.2&nbsp;% | 90.0&nbsp;% | −3.2<br>[−5.4,&nbsp;−1.0] | 0.0081 | 0.016 | 7&nbsp;fixed<br>22&nbsp;broken<br>441&nbsp;same |

**By question type**, <code>recall_all@5</code> ↑:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | Holm&nbsp;p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| ❌ **temporal-reasoning** | 127 | 88.2&nbsp;% | 77.2&nbsp;% | −11.0&nbsp;[−17.3,&nbsp;−4.7] | 0.0092 | 2&nbsp;/&nbsp;16 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[−4.0,&nbsp;+4.0] | 1 | 3&nbsp;/&nbsp;3 |
| knowledge-update | 72 | 97.2&nbsp;% | 95.8&nbsp;% | −1.4&nbsp;[−6.1,&nbsp;+3.3] | 1 | 1&nbsp;/&nbsp;2 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 100.0&nbsp;% | +1.8&nbsp;[−1.7,&nbsp;+5.3] | 1 | 1&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 90.0&nbsp;% | −3.3&nbsp;[−9.9,&nbsp;+3.2] | 1 | 0&nbsp;/&nbsp;1 |

Types without a mark: not significant.

**29 questions changed, the worst first**:

| question | type | change | gold&nbsp;rank |
|:--|:--|:--|--:|
| <code>q-0116</code> | temporal-reasoning | broken | 1&nbsp;→&nbsp;9 |
| <code>q-0120</code> | temporal-reasoning | broken | 2&nbsp;→&nbsp;14 |
| <code>q-0124</code> | temporal-reasoning | broken | 1&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0128</code> | temporal-reasoning | broken | 4&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0132</code> | temporal-reasoning | broken | 3&nbsp;→&nbsp;8 |
| <code>q-0136</code> | temporal-reasoning | broken | 5&nbsp;→&nbsp;11 |
| <code>q-0140</code> | temporal-reasoning | broken | 2&nbsp;→&nbsp;6 |
| <code>q-0144</code> | temporal-reasoning | broken | 1&nbsp;→&nbsp;7 |
| <code>q-0148</code> | temporal-reasoning | broken | 5&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0152</code> | temporal-reasoning | broken | 4&nbsp;→&nbsp;6 |

19 more changed; the receipt lists 3 of them, the row files hold all.

<details><summary>All metrics: 2 compared</summary>

| metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>significantly&nbsp;worse | 470 | 93.2&nbsp;% | 90.0&nbsp;% | −3.2<br>[−5.4,&nbsp;−1.0] | 0.0081 | 0.016 | 7&nbsp;fixed<br>22&nbsp;broken<br>441&nbsp;same |
| qa_accuracy&nbsp;↑<br>not&nbsp;gated | 500 | 78.2&nbsp;% | 76.8&nbsp;% | −1.4<br>[−4.7,&nbsp;+1.9] | 0.47 | – | 31&nbsp;fixed<br>38&nbsp;broken<br>431&nbsp;same |

</details>

<details><summary>What differs: 1 fingerprint</summary>

Same dataset, k · not stated on both sides: judge.

| what | baseline | candidate | effect |
|:--|:--|:--|:--|
| retrieval_config_hash | <code>71b0aa52</code> | <code>9d41c07e</code> | shown only |

</details>

<details><summary>Left out and noted: 2 entries</summary>

- candidate: 30 abstention questions outside the denominator of recall
- baseline: 30 abstention questions outside the denominator of recall

</details>

<details><summary>How to read this</summary>

- The example is <code>recall_all@5</code>, <code>temporal-reasoning</code>.
- Paired: the same 127 questions on both sides. Only those that changed carry evidence: 2 fixed, 16 broken.
- p = 0.0013: how often a difference at least this large would come up if each changed question had been as likely to go the other way.
- Holm p = 0.0092: p, made stricter because 7 gated comparisons could have raised a false alarm. At most 0.05, with an interval that excludes 0, is significant; this one is "significantly worse".
- 95 % CI [−17.3, −4.7]: differences in points that these questions make plausible for others of their kind; not adjusted for the number of comparisons.
- A true drop of 11.3 points would pass here unseen about 1 time in 5, a smaller one more often. With 18 changed questions the smallest p within reach was <0.0001; fewer than 9 changes, all the same way, are never significant.
- "not significant" means that chance alone explains the difference well enough. It does not mean that nothing got worse: a small drop can hide below it.
- Both sides were measured once: what a rerun of the same commit would change is part of these numbers.

</details>

<details><summary>How to reproduce this</summary>

```
gate run --config eval-gate.yml
gate verify gate-out/receipt.json
gate compare --rows gate-out/rows/candidate-rows.baseline.ndjson gate-out/rows/candidate-rows.candidate.ndjson --draws 10000 --seed 42 --config eval-gate.yml
```

</details>

<sub>gate <code>default</code> · same dataset, k · not stated on both sides: judge · p by Monte Carlo sign flips, intervals by percentile bootstrap (10,000 draws, seed 42) · Holm over 7 gated comparisons, intervals unadjusted · receipt <code>51cc0a9b12de</code></sub>
""")


def top(made: Report) -> str:
    """What stands before the folded sections."""
    return comment(made).split("\n\n<details>")[0]


def test_a_missed_threshold() -> None:
    assert top(SCENARIOS["threshold_missed"]()) == snapshot("""\
> [!CAUTION]
> **Failed: <code>ndcg@10</code> misses its limit (64.96 % < 65 %).** Bring the metric back within its limit; the limit itself can only be changed on the base branch.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| **ndcg@10**&nbsp;↑<br>❌&nbsp;64.96&nbsp;%&nbsp;<&nbsp;65&nbsp;% | 470 | 65.8&nbsp;% | 65.0&nbsp;% | −0.9<br>[−2.1,&nbsp;+0.4] | 0.19 | – | 61&nbsp;better<br>78&nbsp;worse<br>331&nbsp;same |
| recall_all@5&nbsp;↑<br>✅&nbsp;not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |

<code>recall_all@5</code>: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either. A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often.

**By question type**, <code>recall_all@5</code> ↑:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| temporal-reasoning | 127 | 88.2&nbsp;% | 89.8&nbsp;% | +1.6&nbsp;[−1.5,&nbsp;+4.7] | 0.63 | 3&nbsp;/&nbsp;1 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[−2.3,&nbsp;+2.3] | 1 | 1&nbsp;/&nbsp;1 |
| knowledge-update | 72 | 97.2&nbsp;% | 97.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 98.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 93.3&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |

No rule gates single types: these p are not adjusted and decide nothing.

**6 questions changed, the worst first**:

| question | type | change | gold&nbsp;rank |
|:--|:--|:--|--:|
| <code>q-0077</code> | multi-session | broken | 4&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0412</code> | temporal-reasoning | broken | 5&nbsp;→&nbsp;7 |
| <code>q-0001</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;1 |
| <code>q-0002</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;2 |
| <code>q-0003</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;3 |
| <code>q-0004</code> | multi-session | fixed | not&nbsp;found&nbsp;→&nbsp;3 |\
""")


def test_too_few_questions_to_tell() -> None:
    assert top(SCENARIOS["too_few"]()) == snapshot("""\
> [!WARNING]
> **Cannot tell: 4 paired questions are too few: no outcome could have been significant.** Add questions: fewer than 6 that change, all the same way, are never more than chance. Not evidence against this change, but the policy (`on-inconclusive`) blocks what cannot be told.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 4 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>⚠️&nbsp;too&nbsp;few&nbsp;questions | 4 | 100.0&nbsp;% | 75.0&nbsp;% | −25.0<br>[−74.0,&nbsp;+24.0] | 1 | 1 | 0&nbsp;fixed<br>1&nbsp;broken<br>3&nbsp;same |

**1 question changed**:

| question | change |
|:--|:--|
| <code>q-0003</code> | broken |\
""")


def test_sides_that_cannot_be_compared() -> None:
    assert top(SCENARIOS["incomparable"]()) == snapshot("""\
> [!WARNING]
> **Cannot tell: the two sides differ in what must be equal: k (10 → 5).** Measure both sides alike, or set a new baseline on purpose. Not evidence against this change, but the policy (`on-inconclusive`) blocks what cannot be told.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate |
|:--|--:|--:|--:|
| recall_all@5&nbsp;↑<br>⚠️&nbsp;not&nbsp;comparable | 470 | – | 93.6&nbsp;% |\
""")


def test_no_baseline_let_through() -> None:
    assert comment(SCENARIOS["no_baseline"]()) == snapshot("""\
> [!WARNING]
> **Cannot tell: the ledger has no completed run in mode balanced.** Let the gate run once on the base branch, or name a run or a receipt under `baseline` in the config. Not evidence against this change; the policy lets it through.

Candidate <code>4f2c1aa</code> · no usable baseline in <code>.gbrain-evals/eval-results.jsonl</code> · 500 questions measured

| gated&nbsp;metric | n | baseline | candidate |
|:--|--:|--:|--:|
| recall_all@5&nbsp;↑<br>⚠️&nbsp;no&nbsp;baseline | 470 | – | 93.6&nbsp;% |

<details><summary>Left out and noted: 2 entries</summary>

- candidate: 30 abstention questions outside the denominator of recall
- the ledger has no completed run in mode balanced

</details>

<details><summary>How to read this</summary>

Nothing was compared, so there is no p and no interval to read.

</details>

<details><summary>How to reproduce this</summary>

```
gate run --config eval-gate.yml
gate verify gate-out/receipt.json
```

</details>

<sub>gate <code>default</code> · receipt <code>51cc0a9b12de</code></sub>
""")


def test_an_advisory_gate_says_would_have_failed() -> None:
    assert top(SCENARIOS["advisory"]()).splitlines()[:2] == snapshot(
        [
            "> [!TIP]",
            "> **Would have failed: regression of <code>recall_all@5</code> in <code>temporal-reasoning</code>: 16 of 127 questions broke, 2 were fixed (−11.0 points).** Start with the questions that changed, the worst first. 1 more rule failed. Advisory mode: nothing is blocked.",
        ]
    )


def test_everything_tied_and_no_ranking_changed() -> None:
    assert top(SCENARIOS["identical"]()) == snapshot("""\
> [!NOTE]
> **Passed: no drop detected in <code>recall_all@5</code>; every compared question scored the same and no ranking changed.** Nothing to do.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>✅&nbsp;all&nbsp;tied | 470 | 93.2&nbsp;% | 93.2&nbsp;% | 0.0<br>[0.0,&nbsp;0.0] | 1 | 1 | 0&nbsp;fixed<br>0&nbsp;broken<br>470&nbsp;same |

<code>recall_all@5</code>: 0 fixed, 0 broken, 470 the same (n = 470). Fewer than 6 broken with none fixed (1.3 points) could not have been significant.

**By question type**, <code>recall_all@5</code> ↑:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| temporal-reasoning | 127 | 88.2&nbsp;% | 88.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| knowledge-update | 72 | 97.2&nbsp;% | 97.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 98.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 93.3&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |

No rule gates single types: these p are not adjusted and decide nothing.\
""")


def test_ties_with_other_rankings_are_not_called_identical() -> None:
    found = comment(SCENARIOS["rankings_changed"]())
    assert found.splitlines()[:2] == snapshot(
        [
            "> [!NOTE]",
            "> **Passed: no drop detected in <code>recall_all@5</code>; every compared question scored the same, though 61 rankings changed.** Nothing to do.",
        ]
    )
    assert "identical" not in found


def test_a_faster_candidate_is_an_improvement() -> None:
    found = top(SCENARIOS["faster"]())
    assert found == snapshot("""\
> [!NOTE]
> **Passed: no drop detected in <code>recall_all@5</code>; <code>latency_ms</code> is significantly better (−38.3 ms).** Nothing to do.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 500 questions on both sides

| gated&nbsp;metric | n | baseline | candidate | Δ<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>✅&nbsp;not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4&nbsp;points<br>[−0.6,&nbsp;+1.4] | 0.69 | 1 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |
| latency_ms&nbsp;↓<br>✅&nbsp;significantly&nbsp;better | 470 | 812.4&nbsp;ms | 774.2&nbsp;ms | −38.3&nbsp;ms<br>[−55.9,&nbsp;−20.1] | <0.0001 | 0.0002 | 318&nbsp;better<br>152&nbsp;worse<br>0&nbsp;same |

- <code>recall_all@5</code>: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either. A true drop of 1.6 points would pass here unseen about 1 time in 5, a smaller one more often.
- <code>latency_ms</code>: 318 better, 152 worse, 0 the same (n = 470). A true rise of 26.4 ms would pass here unseen about 1 time in 5, a smaller one more often. That is more than the 20.0 ms declared to matter.

**By question type**, <code>recall_all@5</code> ↑:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| temporal-reasoning | 127 | 88.2&nbsp;% | 89.8&nbsp;% | +1.6&nbsp;[−1.5,&nbsp;+4.7] | 0.63 | 3&nbsp;/&nbsp;1 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[−2.3,&nbsp;+2.3] | 1 | 1&nbsp;/&nbsp;1 |
| knowledge-update | 72 | 97.2&nbsp;% | 97.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 98.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 93.3&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |

No rule gates single types: these p are not adjusted and decide nothing.\
""")
    assert "❌" not in found


def test_introducing_the_gate_is_reported_kindly() -> None:
    assert top(SCENARIOS["introducing"]()) == snapshot("""\
> [!TIP]
> **Introducing the gate: there is nothing to compare with yet.** Nothing to do: once this is merged, later changes are compared with what was measured here.

Candidate <code>4f2c1aa</code> · no usable baseline in <code>.gbrain-evals/eval-results.jsonl</code> · 500 questions measured

| gated&nbsp;metric | n | baseline | candidate |
|:--|--:|--:|--:|
| recall_all@5&nbsp;↑<br>✅&nbsp;first&nbsp;run | 470 | – | 93.6&nbsp;% |\
""")


def test_a_cancelled_run_says_first_that_only_a_part_was_measured() -> None:
    assert top(SCENARIOS["cancelled"]()) == snapshot("""\
> [!WARNING]
> **Only a part was measured. Cannot tell: the run was cancelled after 212 of 500 questions.** Run it again. Not evidence against this change, but the policy (`on-inconclusive`) blocks what cannot be told.

Candidate <code>4f2c1aa</code> · no usable baseline in <code>.gbrain-evals/eval-results.jsonl</code> · 212 questions measured

| gated&nbsp;metric | n | baseline | candidate |
|:--|--:|--:|--:|
| recall_all@5&nbsp;↑<br>⚠️&nbsp;cancelled | – | – | – |\
""")


def test_two_suites_are_told_apart_and_everything_left_out_is_listed() -> None:
    assert comment(SCENARIOS["two_suites"]()) == snapshot("""\
> [!NOTE]
> **Passed: no drop detected in <code>recall_all@5</code>.** Nothing to do.

Candidate <code>4f2c1aa</code> · baseline <code>a1b2c3d</code> (parent of the tested merge, 2 h old) · 705 questions on both sides, 14 not paired · cost 1.23 USD

| gated&nbsp;metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>candidate-rows<br>✅&nbsp;not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |
| recall_all@5&nbsp;↑<br>docs<br>✅&nbsp;not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |

- <code>recall_all@5</code>, <code>candidate-rows</code>: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either. A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often.
- <code>recall_all@5</code>, <code>docs</code>: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either. A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often.

**By question type**, <code>recall_all@5</code> ↑, <code>candidate-rows</code>:

| question&nbsp;type | n | baseline | candidate | Δ&nbsp;points&nbsp;[95&nbsp;%&nbsp;CI] | p | fixed&nbsp;/&nbsp;broken |
|:--|--:|--:|--:|--:|--:|--:|
| temporal-reasoning | 127 | 88.2&nbsp;% | 89.8&nbsp;% | +1.6&nbsp;[−1.5,&nbsp;+4.7] | 0.63 | 3&nbsp;/&nbsp;1 |
| multi-session | 121 | 90.9&nbsp;% | 90.9&nbsp;% | 0.0&nbsp;[−2.3,&nbsp;+2.3] | 1 | 1&nbsp;/&nbsp;1 |
| knowledge-update | 72 | 97.2&nbsp;% | 97.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-user | 64 | 98.4&nbsp;% | 98.4&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-assistant | 56 | 98.2&nbsp;% | 98.2&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |
| single-session-preference | 30 | 93.3&nbsp;% | 93.3&nbsp;% | 0.0&nbsp;[0.0,&nbsp;0.0] | 1 | 0&nbsp;/&nbsp;0 |

No rule gates single types: these p are not adjusted and decide nothing.

<details><summary>6 questions changed, the worst first</summary>

| question | type | change | gold&nbsp;rank |
|:--|:--|:--|--:|
| <code>q-0077</code> | multi-session | broken | 4&nbsp;→&nbsp;not&nbsp;found |
| <code>q-0412</code> | temporal-reasoning | broken | 5&nbsp;→&nbsp;7 |
| <code>q-0001</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;1 |
| <code>q-0002</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;2 |
| <code>q-0003</code> | temporal-reasoning | fixed | 8&nbsp;→&nbsp;3 |
| <code>q-0004</code> | multi-session | fixed | not&nbsp;found&nbsp;→&nbsp;3 |

</details>

<details><summary>All metrics: 2 compared</summary>

| metric | n | baseline | candidate | Δ&nbsp;points<br>[95&nbsp;%&nbsp;CI] | p | Holm&nbsp;p | questions |
|:--|--:|--:|--:|--:|--:|--:|--:|
| recall_all@5&nbsp;↑<br>candidate-rows<br>not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |
| recall_all@5&nbsp;↑<br>docs<br>not&nbsp;significant | 470 | 93.2&nbsp;% | 93.6&nbsp;% | +0.4<br>[−0.6,&nbsp;+1.4] | 0.69 | 0.69 | 4&nbsp;fixed<br>2&nbsp;broken<br>464&nbsp;same |

</details>

<details><summary>What differs: 2 fingerprints</summary>

Same dataset, k.

| what | baseline | candidate | effect |
|:--|:--|:--|:--|
| retrieval_config_hash<br>candidate-rows | <code>71b0aa52</code> | <code>9d41c07e</code> | shown only |
| retrieval_config_hash<br>docs | <code>71b0aa52</code> | <code>9d41c07e</code> | shown only |

</details>

<details><summary>Left out and noted: 14 questions not paired, 14 entries</summary>

- <code>candidate-rows</code>: candidate: 30 abstention questions outside the denominator of recall
- <code>candidate-rows</code>: baseline: 30 abstention questions outside the denominator of recall
- <code>docs</code>: 5 questions only in the baseline
- <code>docs</code>: 7 questions only in the candidate
- <code>docs</code>: 2 questions edited since the baseline (their content hash differs)
- <code>docs</code>: not paired: <code>d-1</code>, <code>d-2</code>, <code>d-3</code> and 11 more
- <code>docs</code>: candidate: 3 questions ended in an error and have no value
- <code>docs</code>: candidate: 2 answers without a judgement, counted as wrong
- <code>docs</code>: candidate: 4 repeats averaged into their questions
- <code>docs</code>: candidate: 3 torn lines skipped
- <code>docs</code>: <code>recall_all@5</code>: 3 questions without a value on one side or both
- <code>docs</code>: <code>recall_all@5</code>: 2 questions with a failed judgement
- <code>docs</code>: 2 rows without a question type
- the ledger has 1 torn line

</details>

<details><summary>How to read this</summary>

- The example is <code>recall_all@5</code>.
- Paired: the same 470 questions on both sides. Only those that changed carry evidence: 4 fixed, 2 broken.
- p = 0.69: how often a difference at least this large would come up if each changed question had been as likely to go the other way.
- Holm p = 0.69: p, made stricter because 2 gated comparisons could have raised a false alarm. At most 0.05, with an interval that excludes 0, is significant; this one is "not significant".
- 95 % CI [−0.6, +1.4]: differences in points that these questions make plausible for others of their kind; not adjusted for the number of comparisons.
- A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often. With 6 changed questions the smallest p within reach was 0.031; fewer than 7 changes, all the same way, are never significant.
- "not significant" means that chance alone explains the difference well enough. It does not mean that nothing got worse: a small drop can hide below it.
- Both sides were measured once: what a rerun of the same commit would change is part of these numbers.

</details>

<details><summary>How to reproduce this</summary>

```
gate run --config eval-gate.yml
gate verify gate-out/receipt.json
gate compare --rows gate-out/rows/candidate-rows.baseline.ndjson gate-out/rows/candidate-rows.candidate.ndjson --draws 10000 --seed 42 --config eval-gate.yml
gate compare --rows gate-out/rows/candidate-rows.baseline.ndjson gate-out/rows/candidate-rows.candidate.ndjson --draws 10000 --seed 42 --config eval-gate.yml
```

</details>

<sub>gate <code>default</code> · same dataset, k · p by Monte Carlo sign flips, intervals by percentile bootstrap (10,000 draws, seed 42) · Holm over 2 gated comparisons, intervals unadjusted · receipt <code>51cc0a9b12de</code></sub>
""")


@pytest.mark.parametrize("made", SCENARIOS.values(), ids=SCENARIOS)
def test_a_pass_of_a_significant_rule_never_claims_that_there_is_no_regression(
    made: Callable[[], Report],
) -> None:
    assert "no regression" not in comment(made()).lower()


def test_many_types_share_a_row_and_significant_ones_never_do() -> None:
    small = typed({"temporal-reasoning": (0, 40)}, gated=True, family=6)
    many = tuple(
        replace(one, question_type=f"type-{number:02}", n=10 + number, significant=number == 6)
        for number, one in enumerate(small * 2)
    )
    found = comment(report(suites=(suite_report(by_type=many),)))
    rows = re.findall(r"^\| (?:❌ \*\*|✅ )?(type-\d\d|other \d types)", found, re.MULTILINE)
    assert rows[0] == "type-06"
    assert rows[-1] == "other 5 types"
    assert len(rows) == 8


def test_types_that_decide_nothing_are_folded_beside_types_that_do() -> None:
    slower = replace(comparison(), metric="latency_ms", gated=True)
    types = typed(gated=True, family=6) + tuple(replace(one, metric="latency_ms") for one in typed())
    made = report(
        suites=(suite_report(comparisons=(comparison(), slower), by_type=types),),
        outcomes=(outcome(metric="latency_ms"), outcome()),
    )
    page = comment(made)
    assert page.index("**By question type**, <code>recall_all@5</code>") < page.index("<details>")
    assert "<details><summary>By question type: <code>latency_ms</code> ↑</summary>" in page
    assert page.index("**By question type**, <code>latency_ms</code>") > page.index("<details>")


def test_each_rendition_is_shorter_and_says_what_it_left_out() -> None:
    made = SCENARIOS["regression_in_one_type"]()
    full, without_questions, gated_only, headline_only = (rendition() for rendition in renditions(made))
    assert full == comment(made)
    assert len(full) > len(without_questions) > len(gated_only) > len(headline_only)
    assert "q-0116" in full
    assert "q-0116" not in without_questions
    assert "By question type" in without_questions
    assert "By question type" not in gated_only
    assert "| gated&nbsp;metric |" in gated_only
    assert "<table>" not in render(headline_only)
    for shorter in (without_questions, gated_only, headline_only):
        assert "Left out here for its size" in shorter
        assert "51cc0a9b12de" in shorter
        assert shorter.startswith(full.split("\n\n")[0])


def test_a_report_with_thousands_of_metrics_still_fits_a_comment() -> None:
    one = suite_report()
    many = tuple(replace(one.comparisons[0], metric=f"metric_{number}") for number in range(1_500))
    made = report(suites=(replace(one, comparisons=one.comparisons + many),))
    fitted = fit(renditions(made), max_chars=60_000, max_bytes=240_000)
    assert fitted.rung == 2
    assert "recall_all@5" in fitted.text


@WITHOUT_SHRINKING
@given(any_report)
def test_any_report_becomes_a_page_of_our_own_elements_only(made: Report) -> None:
    for text in (*(rendition() for rendition in renditions(made)), summary(made)):
        page = render(text)
        assert {step for run in runs(page) for step in run.path} <= ELEMENTS
        assert references(page) == []
        assert text.count("<details>") == text.count("</details>")
        assert tables(page) == drawn(text)


@WITHOUT_SHRINKING
@given(any_report, st.lists(ANY_TEXT, min_size=len(NAMES), max_size=len(NAMES), unique=True))
def test_nothing_untrusted_becomes_markup(made: Report, texts: list[str]) -> None:
    """A page with evil names differs from the same page with plain names in nothing but words."""
    evil = renamed(made, dict(zip(NAMES, texts, strict=True)))
    for write in (comment, summary):
        plain_page, evil_page = render(write(made)), render(write(evil))
        assert references(evil_page) == []
        assert shape(evil_page) == shape(plain_page)
        assert tables(evil_page) == tables(plain_page)


def shape(page: str) -> dict[tuple[str, ...], int]:
    """How often each kind of element holds text; not in which order, because names are sorted."""
    found: dict[tuple[str, ...], int] = {}
    for path, _ in outline(page):
        found[path] = found.get(path, 0) + 1
    return found


def tables(page: str) -> list[list[int]]:
    """For every table the number of cells of every row."""
    return [
        [len(re.findall("<t[hd]", row)) for row in re.findall("<tr>.*?</tr>", table, re.DOTALL)]
        for table in re.findall("<table>.*?</table>", page, re.DOTALL)
    ]


def drawn(text: str) -> list[list[int]]:
    """The same, counted in the Markdown: every cell stands between two bars with spaces."""
    found: list[list[int]] = []
    for block in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE):
        head, _, *body = [line.split("|")[1:-1] for line in block.splitlines()]
        found.append([len(row) for row in (head, *body)])
    return found
