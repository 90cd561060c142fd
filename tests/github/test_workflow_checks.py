import re
from collections.abc import Callable
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.github.workflow_checks import Known, judging_workflow, uses, workflow_checks
from gate.github.workflow_shape import workflow
from gate.render.checklist import Check

KNOWN = Known(needs_pushes=True)
Document = dict[str, Any]
Change = Callable[[Document], object]


def written(name: str) -> Document:
    """A workflow as `gate init` writes it, with an action that exists."""
    text = files("gate").joinpath("data", "workflows", name).read_text()
    named = text.replace("OWNER/REPO", "octo/retrieval-quality-gate")
    document: Document = yaml.load(named, Loader=yaml.BaseLoader)  # noqa: S506  # texts only
    return document


FIRST = written("eval-gate.yml")
SECOND = written("eval-gate-publish.yml")
WATCH = written("eval-drift.yml")
SWEEP = written("eval-sweep.yml")


def checks(*documents: Document, known: Known = KNOWN) -> tuple[Check, ...]:
    flows = [workflow(f".github/workflows/{number}.yml", one) for number, one in enumerate(documents)]
    return workflow_checks(uses(flows, known), known)


def changed(document: Document, change: Change) -> Document:
    other = deepcopy(document)
    change(other)
    return other


def gate_step(document: Document) -> Document:
    found: Document = next(step for step in document["jobs"]["gate"]["steps"] if step.get("id") == "gate")
    return found


def steps(document: Document) -> list[Document]:
    found: list[Document] = document["jobs"]["gate"]["steps"]
    return found


def about(found: tuple[Check, ...], name: str) -> list[Check]:
    return [one for one in found if one.about == name]


def test_what_init_writes_lacks_nothing() -> None:
    assert [one for one in checks(FIRST, SECOND) if one.status != "ok"] == []
    assert [one for one in checks(FIRST, SECOND, WATCH, SWEEP) if one.status != "ok"] == []


CHANGES: dict[str, tuple[Change, str, str, str]] = {
    "placeholder": (
        lambda flow: gate_step(flow).update(uses="OWNER/REPO@v1"),
        "action",
        "missing",
        "placeholder",
    ),
    "no pull requests": (lambda flow: flow["on"].pop("pull_request"), "events", "missing", "pull requests"),
    "no pushes": (lambda flow: flow["on"].pop("push"), "events", "missing", "they are the baseline"),
    "no queue": (lambda flow: flow["on"].pop("merge_group"), "events", "unknown", "merge queue"),
    "target": (
        lambda flow: flow["on"].update(pull_request_target=""),
        "events",
        "missing",
        "refused under pull_request_target",
    ),
    "paths": (
        lambda flow: flow["on"].update(pull_request={"paths": ["src/**"]}),
        "path filters",
        "missing",
        "stay pending",
    ),
    "ignored paths": (
        lambda flow: flow["on"].update(pull_request={"paths-ignore": ["docs/**"]}),
        "path filters",
        "missing",
        "stay pending",
    ),
    "no comment": (
        lambda flow: flow["jobs"]["gate"]["permissions"].pop("pull-requests"),
        "permissions",
        "missing",
        "`pull-requests: write`",
    ),
    "check run": (
        lambda flow: gate_step(flow)["with"].update({"check-run": "true"}),
        "permissions",
        "missing",
        "`checks: write`",
    ),
    "no block": (
        lambda flow: (flow.pop("permissions"), flow["jobs"]["gate"].pop("permissions")),
        "permissions",
        "missing",
        "repository's setting",
    ),
    "everything": (
        lambda flow: flow["jobs"]["gate"].update(permissions="write-all"),
        "permissions",
        "missing",
        "far more",
    ),
    "no group": (lambda flow: flow.pop("concurrency"), "concurrency", "missing", "race"),
    "cancels main": (
        lambda flow: flow["concurrency"].update({"cancel-in-progress": "true"}),
        "concurrency",
        "missing",
        "default branch",
    ),
    "one group": (
        lambda flow: flow["concurrency"].update(group="gate"),
        "concurrency",
        "missing",
        "all pull requests",
    ),
    "credentials": (
        lambda flow: steps(flow)[0]["with"].pop("persist-credentials"),
        "checkout",
        "missing",
        "token",
    ),
    "depth": (
        lambda flow: steps(flow)[0]["with"].pop("fetch-depth"),
        "checkout",
        "unknown",
        "one commit deep",
    ),
    "no upload": (lambda flow: steps(flow).pop(), "upload", "missing", "not uploaded"),
    "other name": (
        lambda flow: steps(flow)[-1]["with"].update(name="x"),
        "upload",
        "missing",
        "not uploaded",
    ),
    "only green": (lambda flow: steps(flow)[-1].pop("if"), "upload", "missing", "red runs"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_is_missing_is_said_with_what_to_do(change: tuple[Change, str, str, str]) -> None:
    apply, name, status, words = change

    found = [one for one in checks(changed(FIRST, apply), SECOND) if one.status != "ok"]

    told = [one for one in found if one.about == name]
    assert [one.status for one in told] == [status]
    assert words in told[0].said
    assert told[0].do
    assert ".github/workflows/0.yml, job gate" in told[0].said


def test_the_permissions_to_add_are_a_whole_block() -> None:
    found = checks(changed(FIRST, lambda flow: flow["jobs"]["gate"].update(permissions={})))

    (told,) = about(found, "permissions")
    assert yaml.safe_load(told.do) == {
        "permissions": {"contents": "read", "actions": "read", "pull-requests": "write"}
    }


def test_without_a_comment_the_permission_for_it_is_not_needed() -> None:
    def quiet(flow: Document) -> None:
        gate_step(flow)["with"]["comment"] = "off"
        flow["jobs"]["gate"]["permissions"].pop("pull-requests")

    (told,) = about(checks(changed(FIRST, quiet)), "permissions")
    assert told.status == "ok"


def test_pushes_are_needed_only_where_they_are_the_baseline() -> None:
    flow = changed(FIRST, lambda one: one["on"].pop("push"))

    (told,) = about(checks(flow, known=Known(needs_pushes=False)), "events")
    assert told.status == "unknown"


def test_no_workflow_at_all_is_missing() -> None:
    (told,) = checks()
    assert (told.status, told.about) == ("missing", "workflow")
    assert "gate init" in told.do


def test_without_the_second_half_forks_are_not_answered() -> None:
    (told,) = about(checks(FIRST), "second half")
    assert told.status == "unknown"


SECOND_CHANGES: dict[str, tuple[Change, str, str]] = {
    "other name": (
        lambda flow: flow["on"]["workflow_run"].update(workflows=["Tests"]),
        "missing",
        "no such workflow",
    ),
    "no name": (
        lambda flow: flow["on"].update(workflow_run={"workflows": "x"}),
        "missing",
        "no such workflow",
    ),
    "wrong event": (lambda flow: flow.update(on="push"), "missing", "no use under push"),
    "foreign code": (
        lambda flow: flow["jobs"]["publish"]["steps"].insert(
            0, {"uses": "actions/checkout@v6", "with": {"ref": "${{ github.event.workflow_run.head_sha }}"}}
        ),
        "missing",
        "pull request's code",
    ),
    "the gate's own group": (
        lambda flow: flow.update(concurrency=FIRST["concurrency"]),
        "missing",
        "shares its concurrency group",
    ),
    "cancelling": (
        lambda flow: flow["concurrency"].update({"cancel-in-progress": "true"}),
        "missing",
        "cancels what is being posted",
    ),
    "no second run": (
        lambda flow: flow["jobs"]["accept"]["permissions"].update(actions="read"),
        "unknown",
        "by hand",
    ),
}


@pytest.mark.parametrize("change", SECOND_CHANGES.values(), ids=SECOND_CHANGES)
def test_the_second_half_is_looked_at_too(change: tuple[Change, str, str]) -> None:
    apply, status, words = change

    told = [
        one for one in about(checks(FIRST, changed(SECOND, apply)), "second half") if one.status == status
    ]

    assert told
    assert all(words in one.said for one in told)


def watching(flow: Document) -> Document:
    found: Document = flow["jobs"]["drift"]
    return found


WATCH_CHANGES: dict[str, tuple[Change, str, str, str]] = {
    "no issues": (
        lambda flow: watching(flow)["permissions"].pop("issues"),
        "permissions",
        "missing",
        "`issues: write`",
    ),
    "only reading issues": (
        lambda flow: watching(flow)["permissions"].update(issues="read"),
        "permissions",
        "missing",
        "`issues: write`",
    ),
    "pull requests": (
        lambda flow: flow["on"].update(pull_request=""),
        "events",
        "missing",
        "refused under pull_request",
    ),
    "secrets": (lambda flow: flow["on"].update(workflow_run=""), "events", "missing", "workflow_run"),
    "by hand": (lambda flow: flow["on"].pop("schedule"), "events", "unknown", "nothing starts"),
    "no group": (lambda flow: flow.pop("concurrency"), "concurrency", "missing", "race for one issue"),
    "cancelling": (
        lambda flow: flow["concurrency"].update({"cancel-in-progress": "true"}),
        "concurrency",
        "missing",
        "race for one issue",
    ),
    "placeholder": (
        lambda flow: next(s for s in watching(flow)["steps"] if s.get("id") == "gate").update(
            uses="OWNER/REPO@v1"
        ),
        "action",
        "missing",
        "placeholder",
    ),
    "depth": (
        lambda flow: watching(flow)["steps"][0]["with"].update({"fetch-depth": "2"}),
        "checkout",
        "unknown",
        "since the reference is asked of GitHub",
    ),
    "cancelling job": (
        lambda flow: watching(flow).update(concurrency={"group": "x", "cancel-in-progress": "true"}),
        "concurrency",
        "missing",
        "race for one issue",
    ),
    "no upload": (lambda flow: watching(flow)["steps"].pop(), "upload", "missing", "not uploaded"),
}


def test_a_group_of_the_job_is_as_good_as_one_of_the_workflow() -> None:
    def moved(flow: Document) -> None:
        watching(flow)["concurrency"] = flow.pop("concurrency")

    assert [one for one in checks(FIRST, SECOND, changed(WATCH, moved)) if one.status != "ok"] == []


@pytest.mark.parametrize("change", WATCH_CHANGES.values(), ids=WATCH_CHANGES)
def test_a_drift_watch_is_looked_at_too(change: tuple[Change, str, str, str]) -> None:
    apply, name, status, words = change

    (told,) = [one for one in checks(FIRST, SECOND, changed(WATCH, apply)) if one.status != "ok"]

    assert (told.about, told.status) == (name, status)
    assert words in told.said
    assert told.do


def sweeping(flow: Document) -> Document:
    found: Document = flow["jobs"]["sweep"]
    return found


SWEEP_CHANGES: dict[str, tuple[Change, str, str]] = {
    "merge queue": (lambda flow: flow["on"].update(merge_group=""), "events", "refused under merge_group"),
    "no artifacts": (
        lambda flow: sweeping(flow)["permissions"].pop("actions"),
        "permissions",
        "`actions: read`",
    ),
    "no upload": (lambda flow: sweeping(flow)["steps"].pop(), "upload", "not uploaded"),
    "placeholder": (
        lambda flow: next(s for s in sweeping(flow)["steps"] if s.get("id") == "gate").update(
            uses="OWNER/REPO@v1"
        ),
        "action",
        "placeholder",
    ),
}


@pytest.mark.parametrize("change", SWEEP_CHANGES.values(), ids=SWEEP_CHANGES)
def test_a_sweep_is_looked_at_too(change: tuple[Change, str, str]) -> None:
    apply, name, words = change

    (told,) = [one for one in checks(FIRST, SECOND, changed(SWEEP, apply)) if one.status != "ok"]

    assert (told.about, told.status) == (name, "missing")
    assert words in told.said
    assert told.do


@pytest.mark.parametrize(
    ("document", "option"),
    [(FIRST, "--workflows"), (WATCH, "--drift"), (SWEEP, "--sweep")],
    ids=["judges", "watches", "sweeps"],
)
def test_a_placeholder_is_replaced_by_the_option_that_writes_the_file(
    document: Document, option: str
) -> None:
    def unnamed(flow: Document) -> None:
        for job in flow["jobs"].values():
            for step in job["steps"]:
                if "octo/" in step.get("uses", ""):
                    step["uses"] = "OWNER/REPO@v1"

    (told,) = [one.do for one in checks(changed(document, unnamed)) if "placeholder" in one.said]

    assert re.findall(r"--(?:workflows|drift|sweep)", told) == [option]


def test_a_sweep_alone_judges_no_pull_requests() -> None:
    said = [one.said for one in checks(SWEEP) if one.status != "ok"]
    assert said == ["no workflow judges pull requests with this action"]


def test_a_watch_without_an_issue_needs_no_permission_for_it() -> None:
    def quiet(flow: Document) -> None:
        next(s for s in watching(flow)["steps"] if s.get("id") == "gate")["with"]["comment"] = "off"
        watching(flow)["permissions"].pop("issues")

    assert [one for one in checks(FIRST, SECOND, changed(WATCH, quiet)) if one.status != "ok"] == []


def test_a_watch_on_pushes_starts_by_itself() -> None:
    flow = changed(WATCH, lambda one: one.update(on={"push": {"branches": ["main"]}}))
    assert [one for one in checks(FIRST, SECOND, flow) if one.status != "ok"] == []


def test_a_watch_alone_judges_no_change() -> None:
    found = checks(WATCH)
    assert [one.about for one in found if one.status == "missing"] == ["workflow"]
    assert about(found, "permissions")[0].status == "ok"


def test_the_workflow_that_judges_measures_the_baseline_on_pushes_if_there_is_one() -> None:
    manual = changed(FIRST, lambda one: one["on"].pop("push"))
    flows = {"a.yml": WATCH, "b.yml": SECOND, "c.yml": manual, "d.yml": FIRST}
    found = uses([workflow(path, flow) for path, flow in flows.items()], KNOWN)

    assert judging_workflow(found, "a.yml") == "d.yml"
    assert judging_workflow(found, "c.yml") == "c.yml"
    assert judging_workflow(uses([workflow("a.yml", WATCH)], KNOWN), "a.yml") is None


def test_comments_alone_are_a_second_half() -> None:
    flow = changed(SECOND, lambda one: one["on"].pop("workflow_run"))

    assert about(checks(FIRST, flow), "second half") == []


@pytest.mark.parametrize(
    ("step", "known", "ours"),
    [
        ({"uses": "octo/retrieval-quality-gate@v1"}, Known(), True),
        ({"uses": "octo/retrieval-quality-gate/composite@v1"}, Known(), True),
        ({"uses": "octo/mirror@v1", "with": {"config": "eval-gate.yml"}}, Known(), True),
        ({"uses": "octo/mirror@v1", "with": {"config": "other.yml"}}, Known(), False),
        ({"uses": "octo/mirror/composite@v1"}, Known(actions=frozenset({"octo/mirror"})), True),
        ({"uses": "./"}, Known(is_own_repository=True), True),
        ({"uses": "./composite"}, Known(is_own_repository=True), True),
        ({"uses": "./other"}, Known(is_own_repository=True), False),
        ({"uses": "./", "with": {"config": "eval-gate.yml"}}, Known(), False),
        ({"uses": "./.github/actions/gate", "with": {"config": "eval-gate.yml"}}, Known(), True),
        ({"uses": "./.github/actions/setup"}, Known(), False),
        ({"uses": "actions/checkout@v6"}, Known(), False),
    ],
)
def test_steps_of_ours_are_recognised(step: Document, known: Known, *, ours: bool) -> None:
    flow = workflow("x.yml", {"jobs": {"j": {"steps": [step]}}})

    assert bool(uses([flow], known)) is ours


def renamed(document: Document, uses: str) -> Document:
    """The same workflow with the gate under another name."""
    text = yaml.safe_dump(document).replace("octo/retrieval-quality-gate@v1", uses)
    other: Document = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # texts only
    return other


def test_an_action_of_any_name_that_is_given_our_config_is_ours_in_the_second_half_too() -> None:
    first, second = renamed(FIRST, "me/gate@v1"), renamed(SECOND, "me/gate@v1")

    assert [one for one in checks(first, second) if one.status != "ok"] == []
    assert [one.status for one in about(checks(first), "second half")] == ["unknown"]
    (told,) = about(checks(first, renamed(SECOND, "you/other@v1")), "second half")
    assert told.status == "unknown"


def test_a_local_action_that_is_given_our_config_vouches_for_no_other_local_one() -> None:
    first, second = renamed(FIRST, "./.github/gate"), renamed(SECOND, "./.github/other")

    assert [one.status for one in about(checks(first, second), "second half")] == ["unknown"]


SHARDED = yaml.load(
    (Path(__file__).parents[2] / "examples/sharded/.github/workflows/eval-sharded.yml")
    .read_text()
    .replace("OWNER/REPO", "octo/retrieval-quality-gate"),
    Loader=yaml.BaseLoader,  # noqa: S506  # texts only
)


def of_job(flow: Document, job: str) -> list[Document]:
    found: list[Document] = flow["jobs"][job]["steps"]
    return found


def test_a_job_that_measures_a_part_needs_no_right_to_write_and_its_merge_is_the_gate() -> None:
    found = checks(SHARDED, SECOND)
    assert [one for one in found if one.status == "missing" and one.about != "second half"] == []
    permissions = [one.said for one in about(found, "permissions") if "0.yml" in one.said]
    assert permissions == [
        ".github/workflows/0.yml, job judge: contents: read, actions: read, pull-requests: write",
        ".github/workflows/0.yml, job measure: contents: read",
    ]


SHARD_CHANGES: dict[str, tuple[Change, str, str]] = {
    "skipped": (lambda flow: flow["jobs"]["judge"].pop("if"), "merge", "a skipped check counts as passed"),
    "no rights": (
        lambda flow: flow["jobs"]["measure"].update(permissions={}),
        "permissions",
        "`contents: read`",
    ),
    "no upload": (lambda flow: of_job(flow, "measure").pop(), "upload", "not uploaded"),
}


@pytest.mark.parametrize("change", SHARD_CHANGES.values(), ids=SHARD_CHANGES)
def test_a_sharded_workflow_is_looked_at_too(change: tuple[Change, str, str]) -> None:
    apply, name, words = change
    told = [one for one in about(checks(changed(SHARDED, apply)), name) if one.status == "missing"]
    assert [words in one.said for one in told] == [True]


def test_parts_that_nobody_merges_are_judged_by_nobody() -> None:
    alone = changed(SHARDED, lambda flow: flow["jobs"].pop("judge"))
    (told,) = about(checks(alone, FIRST), "merge")
    assert told.said.endswith("job measure: no job of this workflow judges the parts")
    (told,) = about(checks(alone), "workflow")
    assert told.status == "missing"
