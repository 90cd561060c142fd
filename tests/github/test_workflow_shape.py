import pytest

from gate.github.workflow_shape import Permissions, workflow


@pytest.mark.parametrize(
    ("on", "events"),
    [
        ("push", {"push": {}}),
        (["push", "pull_request"], {"push": {}, "pull_request": {}}),
        (
            {"push": {"branches": ["main"]}, "merge_group": ""},
            {"push": {"branches": ["main"]}, "merge_group": {}},
        ),
        (None, {}),
    ],
)
def test_events_in_every_form(on: object, events: object) -> None:
    assert workflow("x.yml", {"on": on}).events == events


@pytest.mark.parametrize(
    ("block", "reads", "writes"),
    [
        ({"contents": "read"}, True, False),
        ({"contents": "write"}, True, True),
        ({"contents": "none"}, False, False),
        ({"contents": "odd"}, False, False),
        ({}, False, False),
        ("read-all", True, False),
        ("write-all", True, True),
    ],
)
def test_a_permission_includes_the_lesser_one(block: object, *, reads: bool, writes: bool) -> None:
    given = workflow("x.yml", {"permissions": block}).permissions

    assert given is not None
    assert (given.allow("contents: read"), given.allow("contents: write")) == (reads, writes)


def test_a_job_s_permissions_replace_the_workflow_s() -> None:
    flow = workflow(
        "x.yml",
        {"permissions": "write-all", "jobs": {"own": {"permissions": {}}, "inherits": {}}},
    )

    own, inherits = flow.jobs
    assert flow.permissions_of(own) == Permissions({})
    assert flow.permissions_of(inherits) == Permissions({}, rest="write")
    assert workflow("x.yml", {}).permissions is None


def test_concurrency_in_both_forms() -> None:
    short = workflow("x.yml", {"concurrency": "a"})
    long = workflow("x.yml", {"concurrency": {"group": "a", "cancel-in-progress": "true"}})

    assert (short.group, short.cancel) == ("a", "")
    assert (long.group, long.cancel) == ("a", "true")
    assert workflow("x.yml", {}).group == ""


def test_steps_that_use_an_action() -> None:
    steps = [
        {"run": "make"},
        {"uses": "o/r@v1", "with": {"config": "c.yml"}, "if": "always()"},
        "no step",
    ]

    (job,) = workflow("x.yml", {"jobs": {"j": {"steps": steps}}}).jobs

    (step,) = job.steps
    assert (step.action, step.given, step.condition) == ("o/r", {"config": "c.yml"}, "always()")


def test_services_and_a_container_of_the_job_s_own() -> None:
    plain, rich = workflow(
        "x.yml",
        {"jobs": {"plain": {}, "rich": {"services": {"search": {"image": "x"}}, "container": "node:22"}}},
    ).jobs

    assert (plain.services, plain.in_container) == (frozenset(), False)
    assert (rich.services, rich.in_container) == ({"search"}, True)


def test_the_name_is_the_path_where_there_is_none() -> None:
    assert workflow("x.yml", {}).name == "x.yml"
    assert workflow("x.yml", {"name": "X"}).name == "X"


@pytest.mark.parametrize("document", [{"jobs": []}, {"jobs": {"a": "b"}}, {"on": 3, "permissions": []}])
def test_another_shape_is_taken_as_absent(document: dict[str, object]) -> None:
    assert all(job.steps == () for job in workflow("x.yml", document).jobs)
