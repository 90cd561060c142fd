# The pages stand here as they are written: their lines are as long as they are.
# ruff: noqa: E501

import re

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace as with_fields

from gate.core.mode_margins import Margin
from gate.core.mode_report import ModeReport
from gate.core.plan import Commits, LeftOut
from gate.core.release import Recorded, Release, ReleasedSuite, released
from gate.core.report import Report, SuiteReport
from gate.core.sweep import Estimate
from gate.render.release_page import release_page, renditions
from tests.factories import mean
from tests.panel_factories import judge, panel
from tests.render.github_rules import references, render
from tests.sweep_factories import compared, hits, measured, recall, recorded, swept, three_modes
from tests.tables import table

NOTHING = Estimate(retrieval_usd=0, answer_usd=0, per_suite={})
COMMIT = "4f2c1aa9" * 5


def release(
    report: Report, *runs: Recorded, suites: tuple[ReleasedSuite, ...] = (), **more: object
) -> Release:
    modes = compared(*runs)
    return Release(
        suites or released(report, modes, runs), modes, estimate=NOTHING, commands=("gate sweep",), **more
    )  # type: ignore[arg-type]  # keywords


def page(report: Report, *runs: Recorded, **more: object) -> str:
    return release_page(report, release(report, *runs, **more))  # type: ignore[arg-type]  # keywords


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n\n")[1].split("\n\n## ", maxsplit=1)[0]


def test_the_modes_stand_side_by_side_with_the_lead_of_the_best() -> None:
    found, runs = three_modes()
    shown = re.sub(r"p 0\.5\d?\)", "p 0.5)", section(page(found, *runs), "Search modes side by side"))
    assert shown == snapshot("""\
### m

| metric | conservative<br>500&nbsp;questions | balanced<br>500&nbsp;questions | tokenmax<br>500&nbsp;questions | best&nbsp;−&nbsp;next&nbsp;best&nbsp;[95&nbsp;%&nbsp;CI] |
|:--|--:|--:|--:|:--|
| recall_all@5&nbsp;↑&nbsp;(gated) | 60.0&nbsp;% | 90.0&nbsp;% | 100.0&nbsp;% | tokenmax − balanced: +10.0 points [0.0, +25.0], not significant (Holm p 0.5) |\
""")


def test_wins_and_losses_name_the_questions() -> None:
    found, runs = three_modes()
    assert section(page(found, *runs), "Wins and losses, question by question") == snapshot("""\
Each mode against the best of the others: the questions it wins and loses by the greatest margin.

### m, by recall_all@5 ↑

| mode | against | won&nbsp;/&nbsp;lost&nbsp;/&nbsp;tied | greatest&nbsp;wins | greatest&nbsp;losses |
|:--|:--|--:|:--|:--|
| conservative | tokenmax | 0&nbsp;/&nbsp;8&nbsp;/&nbsp;12 | none | <code>q000</code> by 100.0 points<br><code>q001</code> by 100.0 points<br><code>q002</code> by 100.0 points |
| balanced | tokenmax | 0&nbsp;/&nbsp;2&nbsp;/&nbsp;18 | none | <code>q000</code> by 100.0 points<br><code>q001</code> by 100.0 points |
| tokenmax | balanced | 2&nbsp;/&nbsp;0&nbsp;/&nbsp;18 | <code>q000</code> by 100.0 points<br><code>q001</code> by 100.0 points | none |\
""")


def test_a_significant_lead_is_strong() -> None:
    found = swept(measured("m", "balanced", recall(0.6)), measured("m-tokenmax", "tokenmax", recall(1.0)))
    runs = recorded("m", "balanced", hits(20, 8)), recorded("m-tokenmax", "tokenmax", hits(20, 0))
    said = page(found, *runs)
    assert "| 60.0&nbsp;% | **100.0&nbsp;%** | tokenmax − balanced: +40.0 points" in said
    assert re.search(r", significant \(Holm p 0\.0\d+\)", said)


def test_a_mode_that_leads_only_where_the_other_has_no_answer_is_not_strong() -> None:
    found = swept(measured("m", "balanced", recall(40 / 60)), measured("m-tokenmax", "tokenmax", recall(0.6)))
    hard, easy = [0.6] * 20, [None] * 40
    runs = (
        recorded("m", "balanced", hits(60, 20)),
        recorded(
            "m-tokenmax",
            "tokenmax",
            table(60, recall_all_at_k=hard + easy, errored=range(20, 60), fingerprints={"k": "5"}),
        ),
    )
    said = page(found, *runs)
    assert "| 66.7&nbsp;% | 60.0&nbsp;% | balanced − tokenmax: −60.0 points" in said
    assert re.search(
        r", significant \(Holm p [^)]+\), the other way on the 20 questions that both measured \|", said
    )


def test_what_was_left_out_and_noted_is_on_the_page_and_counted_on_the_short_one() -> None:
    found, runs = three_modes()
    noted = with_fields(found, notes=("the limit of 99 questions cannot be kept by qa",))
    assert section(page(noted, *runs), "Left out and noted").endswith(
        "- the limit of 99 questions cannot be kept by qa"
    )
    *_, short = renditions(noted, release(noted, *runs))
    assert "Left out and noted: " in short()
    bare = swept(measured("m", "balanced", recall(0.9), abstentions=0))
    assert section(page(bare), "Left out and noted") == "Nothing."


def test_equal_modes_are_called_equal() -> None:
    found = swept(measured("m", "balanced", recall(0.9)), measured("m-tokenmax", "tokenmax", recall(0.9)))
    runs = recorded("m", "balanced", hits(20, 2)), recorded("m-tokenmax", "tokenmax", hits(20, 2))
    said = page(found, *runs)
    assert "balanced − tokenmax: equal on 20 questions |" in said
    assert "### m, by recall_all@5 ↑\n\nNo question has another value in another mode.\n" in said


def test_what_was_not_measured_or_not_compared_is_no_number() -> None:
    plain = mean(metric="mystery", better=None, unit=None, mean=3.0)
    found = swept(
        measured("m", "balanced", recall(0.9), plain), measured("m-tokenmax", "tokenmax", recall(0.8))
    )
    alone = mean(metric="hit", mean=0.5)
    found = with_fields(
        found,
        suites=(
            found.suites[0],
            with_fields(
                found.suites[1],
                candidate=with_fields(found.suites[1].candidate, means=(recall(0.8), alone)),
            ),
        ),
    )
    said = page(found, recorded("m", "balanced", hits(20, 2)), recorded("m-tokenmax", "tokenmax", None))
    assert "| mystery | 3.000 | – | no direction is declared |" in said
    assert "| hit&nbsp;↑ | – | 50.0&nbsp;% | – |" in said
    assert "balanced − tokenmax: not compared: a run has no rows |" in said


def test_a_suite_without_modes_has_one_column_and_a_failed_one_says_why() -> None:
    found = swept(measured("b", "n/a", recall(0.9)), measured("m", "balanced"))
    failed = recorded("m", "balanced", None, status="failed", error="suite_failed: @octocat broke")
    said = page(found, recorded("b", "n/a", hits(20, 2)), failed)
    assert "| metric | measured<br>500&nbsp;questions |\n" in said
    assert "### m\n\nNothing was measured.\n\n<code>m</code> is recorded as failed: suite_failed:" in said
    assert "<code>@octocat</code>" in said


def test_unknown_cost_is_unknown_and_never_zero() -> None:
    paid, some = (mean(metric="cost_usd", mean=0.25, n=n, better="lower", unit="usd") for n in (500, 4))
    found = swept(
        measured("m", "balanced", paid), measured("m-tokenmax", "tokenmax", some), measured("b", "n/a")
    )
    runs = (
        recorded("m", "balanced", table(2, cost_usd=[0.25, 0.25])),
        recorded("m-tokenmax", "tokenmax", table(2, cost_usd=[0.25, 0.25])),
        recorded("b", "n/a", None, params={"measured": "elsewhere"}),
    )
    assert section(page(found, *runs, panels={"takes": None, "notes": 0.5}), "What it cost") == snapshot("""\
| suite | mode | questions | errors | time | cost |
|:--|:--|--:|--:|--:|:--|
| m | balanced | 500 | 0 | 1,000&nbsp;ms | 125.00 USD |
| m-tokenmax | tokenmax | 500 | 0 | 1,000&nbsp;ms | at least 1.00 USD: known of 4 of 500 questions |
| b | – | 500 | 0 | – | unknown |

- Estimated before: no suite asks anybody who may be paid.
- Estimated before: an unknown amount for one cycle of the panel <code>takes</code>.
- Estimated before: at most 0.5000 USD for one cycle of the panel <code>notes</code>.

Known cost: 126.00 USD. Unknown, and not zero: the cost of 2 of 3 runs.\
""")


def test_everything_known_is_a_sum_and_the_estimate_stands_beside_it() -> None:
    paid = mean(metric="cost_usd", mean=0.25, n=500, better="lower", unit="usd")
    found = swept(measured("m", "balanced", paid))
    estimate = Estimate(retrieval_usd=1.0, answer_usd=0.5, per_suite={"m": 1.5})
    runs = (recorded("m", "balanced", table(1, cost_usd=[0.25])),)
    modes = compared(*runs)
    said = release_page(found, Release(released(found, modes, runs), modes, estimate))
    without_limit = "1 suite without a limit taken to have 500 questions"
    assert f"Estimated before: about 1.50 USD for the suites that ask somebody, {without_limit}." in said
    assert "Known cost: 125.00 USD.\n" in said


def test_the_estimate_is_a_bound_where_every_suite_that_costs_has_a_limit() -> None:
    found = swept(measured("m", "balanced"))
    (planned,) = found.plan.suites
    limited = with_fields(planned, inputs=with_fields(planned.inputs, limit=20))  # type: ignore[type-var]
    found = with_fields(found, plan=with_fields(found.plan, suites=(limited,)))
    estimate = Estimate(retrieval_usd=1.0, answer_usd=0.5, per_suite={"m": 1.5})
    said = release_page(found, Release((), compared(), estimate))
    assert "Estimated before: at most about 1.50 USD for the suites that ask somebody." in said


def test_a_run_without_a_record_has_no_time() -> None:
    assert "| m | balanced | 500 | 0 | – | unknown |" in page(swept(measured("m", "balanced")))
    assert "seed not stated by any row or receipt" in page(swept(measured("m", "balanced")))


def test_how_to_do_it_again_names_commit_data_seeds_and_models_that_are_stated() -> None:
    found, runs = three_modes()
    stated = {
        "dataset_sha256": "d" * 64,
        "k": "5",
        "embedder": "minilm",
        "reader_model": "gpt-x",
        "judge_model": "claude-y",
        "mode": "balanced",
    }
    first = with_fields(
        found.suites[0],
        candidate=with_fields(found.suites[0].candidate, fingerprints=stated),
        panel=panel(judges=(judge("openai:a"), judge("google:b"))),
    )
    other = found.suites[1]
    judged = with_fields(
        other, candidate=with_fields(other.candidate, fingerprints={"judge_model": "claude-y"})
    )
    plan = with_fields(found.plan, commits=Commits(head=COMMIT))
    said = section(
        page(with_fields(found, plan=plan, suites=(first, judged, found.suites[2])), *runs),
        "How to reproduce this",
    )
    assert f"- commit: <code>{COMMIT}</code>\n" in said
    assert (
        f"dataset sha256 <code>{'d' * 64}</code>; corpus sha256 not stated by any row or receipt; k 5; seed 0"
        in said
    )
    assert "models: embedder <code>minilm</code>, reader <code>gpt-x</code>;" in said
    assert "judges: <code>openai:a</code>, <code>google:b</code>, <code>claude-y</code>" in said
    assert "```\ngate sweep\n```" in said


def test_the_line_below_the_title_says_what_was_measured() -> None:
    found, runs = three_modes()
    stated = {"system": "ours", "system_version": "2.1"}
    first, *rest = found.suites
    told = with_fields(first, candidate=with_fields(first.candidate, fingerprints=stated))
    bare = with_fields(first, candidate=with_fields(first.candidate, fingerprints={"system": "other"}))
    plan = with_fields(found.plan, commits=Commits(head=COMMIT))

    def line(*suites: SuiteReport, **more: object) -> str:
        made = with_fields(found, plan=plan, suites=(*suites, *rest))
        return page(made, *runs, **more).splitlines()[2]

    at = f"commit <code>{COMMIT[:12]}</code>"
    assert line(told) == (
        f"Gate <code>default</code> · system <code>ours</code> <code>2.1</code> · {at} · "
        f"<code>{found.created_at}</code>"
    )
    assert "· system <code>other</code> (no version stated) ·" in line(bare)
    assert f"{at} with 2 uncommitted files ·" in line(told, uncommitted=("a", "b"))
    said = page(found, *runs)
    assert "· system not stated by any row or receipt · commit unknown ·" in said


def test_a_commit_that_does_not_hold_everything_is_told_with_what_it_lacks() -> None:
    found, runs = three_modes()
    some = section(page(found, *runs, uncommitted=("a.yml", "b.md")), "How to reproduce this")
    assert "- commit: unknown, with 2 uncommitted files: <code>a.yml</code>, <code>b.md</code>\n" in some
    many = page(found, *runs, uncommitted=tuple("abcdefg"))
    assert ", with 7 uncommitted files: <code>a</code>, " in many
    assert "<code>e</code> and 2 more\n" in many
    torn = page(found, *runs, unseen="the index is damaged")
    assert "- commit: unknown, with or without uncommitted files: the index is damaged\n" in torn


def test_what_nobody_states_is_said_to_be_absent() -> None:
    found, runs = three_modes()
    said = section(page(found, *runs), "How to reproduce this")
    assert "- commit: unknown\n" in said
    assert "dataset sha256 not stated by any row or receipt" in said
    assert "models: not stated by any row or receipt; judges: not stated by any row or receipt" in said


def test_the_tested_merge_is_the_commit() -> None:
    found, runs = three_modes()
    plan = with_fields(found.plan, commits=Commits(head="a" * 40, tested="b" * 40))
    assert f"- commit: <code>{'b' * 40}</code>" in page(with_fields(found, plan=plan), *runs)


def test_what_was_left_out_is_said_at_once() -> None:
    found, runs = three_modes()
    plan = with_fields(found.plan, left_out=(LeftOut(suite="docs", why="only m was asked for"),))
    said = page(with_fields(found, plan=plan), *runs)
    assert said.index("<code>docs</code> was left out: only m was asked for") < said.index("## Search modes")


def test_a_page_that_has_no_room_is_shortened_before_it_is_cut() -> None:
    found, runs = three_modes()
    made = release(found, *runs)
    full, whole, short = (text() for text in renditions(found, made))
    assert whole == release_page(found, made)
    assert full.startswith(whole)
    assert "<summary>Everything that was measured</summary>" in full
    assert len(short) < len(whole) < len(full)
    assert short.startswith("# Release sweep\n\nGate <code>default</code> · ")
    assert "tokenmax − balanced: +10.0 points" in short
    assert "Left out here for its size" in short
    assert "q000" not in short


def test_the_short_page_shows_what_is_gated_and_where_nothing_is_everything() -> None:
    other = mean(metric="hit", mean=0.5, n=20)
    found, (balanced, *_) = three_modes()
    suite = found.suites[0]
    means = (*suite.candidate.means, other)
    found = with_fields(
        found, suites=(with_fields(suite, candidate=with_fields(suite.candidate, means=means)),)
    )
    short = renditions(found, release(found, balanced))[2]()
    assert "| recall_all@5&nbsp;↑&nbsp;(gated)" in short
    assert "| hit&nbsp;↑ |" not in short
    free = with_fields(found, plan=with_fields(found.plan, rules=()))
    assert "| hit&nbsp;↑ |" in renditions(free, release(free, balanced))[2]()


EVIL = ("a|b", "`x`", "# h", "<img src=x>", "@octocat", "owner/repo#1", "https://evil.example", "*x*", "a\nb")


@pytest.mark.parametrize("text", EVIL)
def test_names_that_somebody_else_chose_mean_nothing_but_themselves(text: str) -> None:
    found, runs = three_modes()
    (suite,) = released(found, compared(*runs), runs)
    margins = tuple(
        each.__class__(each.mode, each.against, (Margin(text, 1, 0, 1, text),), (), 1)
        for each in suite.margins
    )
    evil = ReleasedSuite(text, suite.runs, suite.metrics, suite.judged_by, margins)
    plain = ReleasedSuite("name", suite.runs, suite.metrics, suite.judged_by, margins)
    said = release_page(found, release(found, *runs, suites=(evil,), panels={text: None}))
    assert references(render(said)) == []
    assert render(said).count("<tr") == render(
        release_page(found, release(found, *runs, suites=(plain,), panels={"name": None}))
    ).count("<tr")


def test_a_sweep_of_nothing_is_a_page_too() -> None:
    empty = swept()
    assert "## What it cost" in release_page(empty, Release((), ModeReport(draws=1000, seed=42), NOTHING))
