from typing import Any

import pytest
from msgspec.structs import replace

from gate.core.departures import departures
from gate.core.plan import (
    BaselineRequest,
    FileRef,
    Limits,
    MetricSpec,
    Plan,
    PlannedBaseline,
    PlannedSuite,
    Request,
    Rule,
    Stats,
    SuiteRequest,
    Watched,
)
from gate.core.records.panel_terms import PanelTerms, TakesAsked, TakesInputs, TakesRequest
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    BrainbenchRequest,
    ReplayInputs,
    ReplayLimits,
    ReplayRequest,
)

POLICY = Plan(
    mode="advisory",
    metrics=(MetricSpec(name="hit", better="higher"),),
    rules=(Rule(metric="hit", rule="significant"),),
    hold_fixed=("reader",),
    require=("vector",),
    on_inconclusive={"default": "fail", "not_measured": "pass"},
    watch=Watched(patterns=("src/",)),
)
ASKED = Request(policy=POLICY, suites=(), baseline=BaselineRequest(kind="artifact", path=""))
FOLLOWED = replace(
    POLICY,
    baseline=PlannedBaseline(kind="artifact", source="gate-tests"),
    watch=Watched(patterns=("src/",), changed=2, matched=("src/a",)),
)
FILE = FileRef(path="f", sha256="0" * 64, bytes=1)


def test_a_plan_that_follows_the_configuration_departs_nowhere() -> None:
    assert departures(FOLLOWED, ASKED) == ()


@pytest.mark.parametrize(
    "stricter",
    [
        {"mode": "blocking"},
        {"hold_fixed": ("reader", "prompt")},
        {"require": ("vector", "reranker")},
        {"on_inconclusive": {"default": "fail"}},
        {"on_inconclusive": {}},
        {"stats": Stats(draws=20_000, seed=7)},
        {"watch": None},
        {"metrics": (*POLICY.metrics, MetricSpec(name="extra"))},
        {"budget_usd": 1.0, "deadline_seconds": 5.0, "show_text": True, "gate": "another-leg"},
    ],
    ids=lambda changes: " ".join(changes) + str(len(str(changes))),
)
def test_what_is_stricter_or_judges_nothing_is_no_departure(stricter: dict[str, Any]) -> None:
    assert departures(replace(FOLLOWED, **stricter), ASKED) == ()


@pytest.mark.parametrize(
    ("key", "milder"),
    [
        ("rules", {"rules": ()}),
        ("metrics", {"metrics": (MetricSpec(name="hit", better="lower"),)}),
        ("limits", {"limits": Limits(errors=1.0)}),
        ("hold-fixed", {"hold_fixed": ()}),
        ("require", {"require": ()}),
        ("on-inconclusive", {"on_inconclusive": {"default": "pass"}}),
        ("stats", {"stats": Stats(draws=1)}),
        ("watch", {"watch": Watched(patterns=("docs/",))}),
        ("baseline", {"baseline": None}),
        ("anchor", {"anchor": PlannedBaseline(kind="rows", source="mine")}),
    ],
)
def test_what_is_milder_is_named_by_its_key(key: str, milder: dict[str, Any]) -> None:
    assert departures(replace(FOLLOWED, **milder), ASKED) == (key,)


def test_a_watch_list_and_a_mode_that_the_configuration_does_not_have_are_departures() -> None:
    blocking = replace(ASKED, policy=replace(POLICY, mode="blocking", watch=None))
    assert departures(FOLLOWED, blocking) == ("mode", "watch")


def test_a_receipt_of_another_purpose_is_no_judgement_of_a_change() -> None:
    assert departures(replace(FOLLOWED, purpose="drift"), ASKED) == ("purpose",)


def test_where_nothing_watched_has_changed_there_are_no_suites_and_no_baseline_to_hold_it_to() -> None:
    nothing = replace(FOLLOWED, baseline=None, watch=Watched(patterns=("src/",), changed=1))
    replay = SuiteRequest(suite="replay", name="replay", asked=ReplayRequest(against="c", mode="n/a"))
    assert departures(nothing, replace(ASKED, suites=(replay,))) == ()


LIMITS = ReplayLimits(jaccard=0.9)
TAKES = TakesAsked(source="fs")
PANEL = PanelTerms(cycles=3)
REPLAY = ReplayRequest(against="c", mode="n/a", limits=LIMITS)
BRAIN = BrainbenchRequest(baseline="b", allowed=None)
PANEL_OF_BASE = TakesRequest(takes=TAKES, panel=PANEL)
REPLAYED = ReplayInputs(against=FILE, mode="n/a", limits=LIMITS)
BENCHED = BrainbenchInputs(baseline="b")
GONE = ("suites main",)
CHOSEN = replace(PANEL, models=("a:b",))
JUDGED = TakesInputs(takes=TAKES, panel=CHOSEN)


@pytest.mark.parametrize(
    ("asked", "found", "said"),
    [
        (None, None, ()),
        (REPLAY, REPLAYED, ()),
        (REPLAY, replace(REPLAYED, limits=ReplayLimits()), GONE),
        (REPLAY, None, GONE),
        (BRAIN, BENCHED, ()),
        (BRAIN, replace(BENCHED, allowed="trust me"), GONE),
        (BRAIN, None, GONE),
        (PANEL_OF_BASE, JUDGED, ()),
        (PANEL_OF_BASE, replace(JUDGED, panel=replace(CHOSEN, cycles=1)), GONE),
        (PANEL_OF_BASE, replace(JUDGED, takes=replace(TAKES, slug_prefix="good/")), GONE),
        (replace(PANEL_OF_BASE, panel=replace(PANEL, models=("c:d",))), JUDGED, GONE),
        (PANEL_OF_BASE, None, GONE),
    ],
    ids=[
        *("rows", "replay", "replay-limits", "replay-gone", "brainbench", "brainbench-allowed", "brainbench-gone"),
        *("panel", "panel-cycles", "panel-takes", "panel-models", "panel-gone"),
    ],
)  # fmt: skip
def test_a_suite_that_judges_itself_is_there_and_judges_as_the_configuration_says(
    asked: Any, found: Any, said: tuple[str, ...]
) -> None:
    wanted = replace(ASKED, suites=(SuiteRequest(suite="s", name="main", asked=asked),))
    plan = replace(FOLLOWED, suites=(PlannedSuite(suite="s", name="main", inputs=found),))
    assert departures(plan, wanted) == said
