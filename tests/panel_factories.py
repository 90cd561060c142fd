"""Reports of panels of judges for tests: plain functions, keyword overrides."""

from typing import Any

from gate.core.judging.judgement import RULE
from gate.core.plan import MetricSpec, PlannedSuite, Rule
from gate.core.records.panel_figures import PanelDimension, PanelJudge, PanelReport, PanelRun
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.report import Report, SuiteReport
from tests.factories import comparison, file_ref, mean, outcome, plan, report, side

MODELS = ("openai:gpt-5.2", "anthropic:claude-opus-4-7", "google:gemini-2.0-flash")
FLOOR = Rule(metric="accuracy", rule="threshold", at_least=7)


def dimension(name: str = "accuracy", **overrides: Any) -> PanelDimension:
    """8 on average, the judges one point apart."""
    members: dict[str, Any] = {
        "name": name,
        "mean": 8.0,
        "least": 7.5,
        "greatest": 8.5,
        "range": 1.0,
        "sd": 0.5,
        **overrides,
    }
    return PanelDimension(**members)


def judge(model: str = MODELS[0], **overrides: Any) -> PanelJudge:
    """A judge who gives eight for everything."""
    members: dict[str, Any] = {"scores": dict.fromkeys(DIMENSIONS, 8.0), **overrides}
    return PanelJudge(model=model, **members)


def panel_run(**overrides: Any) -> PanelRun:
    """100 of 240 takes in one batch and one cycle."""
    members: dict[str, Any] = {
        "source": "fs",
        "takes": 100,
        "eligible": 240,
        "cycles": 1,
        "calls": 3,
        **overrides,
    }
    return PanelRun(**members)


def panel(**overrides: Any) -> PanelReport:
    """A panel that passes."""
    members: dict[str, Any] = {
        "receipt": file_ref("gate-out/takes/takes-quality-1.json"),
        "verdict": "pass",
        "overall": 8.0,
        "dimensions": tuple(map(dimension, DIMENSIONS)),
        "judges": tuple(map(judge, MODELS)),
        "units": 1,
        "run": panel_run(),
        "cost_usd": 0.0421,
        "budget_usd": 5.0,
        "rubric_version": "gate-1",
        "rubric_sha8": "f34348cd",
        "corpus_sha8": "5bb9d23c",
        "prompt_sha8": "5a793a4c",
        "models_sha8": "8b36fee4",
        **overrides,
    }
    return PanelReport(**members)


def panel_suite(**overrides: Any) -> SuiteReport:
    """The suite of a panel, compared with nothing."""
    members: dict[str, Any] = {
        "suite": "takes-quality",
        "name": "takes-quality",
        "candidate": side(
            questions=3,
            abstentions=0,
            fingerprints={"rubric_sha8": "f34348cd"},
            means=(mean(metric="accuracy", n=3, mean=8.0, unit=None),),
        ),
        "panel": panel(),
        **overrides,
    }
    return SuiteReport(**members)


def scored(**overrides: Any) -> Any:
    """Accuracy of 8 batches and 3 judges, batch by batch."""
    members: dict[str, Any] = {
        "suite": "takes-quality",
        "metric": "accuracy",
        "unit": None,
        "matters": None,
        "n": 24,
        "clusters": 8,
        "nontied_clusters": 6,
        "baseline_mean": 7.6,
        "candidate_mean": 8.0,
        "delta": 0.4,
        "lower95": 0.1,
        "upper95": 0.7,
        "p_value": 0.03,
        "holm_p_value": None,
        "significant": None,
        "gated": False,
        "detectable": None,
        "wins": 10,
        "losses": 2,
        "ties": 12,
        **overrides,
    }
    return comparison(**members)


def objection(reason: str, message: str) -> Any:
    """What the panel holds against its takes, as the verdict's rules say it."""
    verdict = "fail" if reason == "panel_fail" else "inconclusive"
    return outcome(
        rule=RULE,
        metric="",
        suite="takes-quality",
        verdict=verdict,
        reason=reason,
        message=f"takes-quality: {message}",
        value=None,
        limit=None,
    )


def panel_gate(*objections: Any, suite: SuiteReport | None = None, **overrides: Any) -> Report:
    """A gate whose one suite is a panel, and whose one rule is a floor that holds."""
    floor = outcome(rule=FLOOR.id, metric="accuracy", suite="takes-quality", value=8.0, limit=7.0)
    verdict = objections[0].verdict if objections else "pass"
    members: dict[str, Any] = {
        "plan": plan(
            suites=(PlannedSuite(suite="takes-quality", name="takes-quality"),),
            rules=(FLOOR,),
            metrics=(MetricSpec(name="accuracy", better="higher"),),
            baseline=None,
        ),
        "suites": (suite or panel_suite(),),
        "outcomes": (*objections, floor),
        "verdict": verdict,
        "reason": objections[0].reason if objections else None,
        "cost_usd": 0.0421,
        **overrides,
    }
    return report(**members)
