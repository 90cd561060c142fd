from typing import Any

import pytest

from gate.core.plan import PlannedSystem
from gate.github.reaching import reaching_checks
from gate.github.workflow_checks import Known, Use, uses
from gate.github.workflow_shape import workflow
from gate.render.checklist import Check

DOCKER = "octo/retrieval-quality-gate@v1"
COMPOSITE = "octo/retrieval-quality-gate/composite@v1"
OWN_IMAGE = "./.github/actions/gate"


def judged_by(action: str, **job: Any) -> tuple[Use, ...]:
    step = {"uses": action, "with": {"config": "eval-gate.yml"}}
    flow = workflow("gate.yml", {"jobs": {"gate": {"steps": [step], **job}}})
    found = uses([flow], Known())
    assert len(found) == 1
    return found


def missing(system: PlannedSystem, action: str, **job: Any) -> list[Check]:
    first, *others = reaching_checks(system, judged_by(action, **job))
    assert first.status == "ok"
    assert {one.status for one in others} <= {"missing"}
    return others


def program(*run: str) -> PlannedSystem:
    return PlannedSystem(kind="command", run=run)


def service(url: str) -> PlannedSystem:
    return PlannedSystem(kind="http", url=url)


@pytest.mark.parametrize(
    ("system", "recipe"),
    [
        (PlannedSystem(kind="rows"), "recipe a"),
        (PlannedSystem(kind="reference"), "built into the gate"),
        (service("http://search:1"), "recipe b"),
        (program("node"), "recipe c"),
    ],
)
def test_every_kind_has_its_recipe_also_without_a_workflow(system: PlannedSystem, recipe: str) -> None:
    (told,) = reaching_checks(system, ())
    assert (told.status, recipe in told.said) == ("ok", True)


def test_gbrain_is_a_program_like_any_other() -> None:
    gbrain = PlannedSystem(kind="gbrain", run=("bun", "run", "src/cli.ts"))
    assert missing(gbrain, COMPOSITE) == []
    assert "no `bun`" in missing(gbrain, DOCKER)[0].said


@pytest.mark.parametrize("kind", ["rows", "reference"])
@pytest.mark.parametrize("action", [DOCKER, COMPOSITE, OWN_IMAGE])
def test_rows_and_the_built_in_system_are_reached_everywhere(kind: Any, action: str) -> None:
    assert missing(PlannedSystem(kind=kind), action) == []


@pytest.mark.parametrize("run", [("python3", "w.py"), ("python", "w.py"), ("./search",), ("/opt/search",)])
def test_python_and_what_comes_with_the_repository_run_in_the_action_s_image(run: tuple[str, ...]) -> None:
    assert missing(program(*run), DOCKER) == []


@pytest.mark.parametrize("action", [COMPOSITE, OWN_IMAGE])
def test_on_the_runner_and_in_an_image_of_one_s_own_any_program_may_be(action: str) -> None:
    assert missing(program("node", "w.ts"), action) == []


def test_the_action_s_image_has_no_other_runtime() -> None:
    (told,) = missing(program("node", "w.ts"), DOCKER)
    assert "no `node`" in told.said
    assert f"- uses: {COMPOSITE}" in told.do


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
@pytest.mark.parametrize("action", [DOCKER, OWN_IMAGE])
def test_localhost_is_the_action_s_own_container(host: str, action: str) -> None:
    (told,) = missing(service(f"http://{host}:8080"), action)
    assert "the container itself" in told.said
    assert "http://runner-host:PORT" in told.do
    assert missing(service(f"http://{host}:8080"), COMPOSITE) == []


@pytest.mark.parametrize(
    "url", ["http://runner-host:8080", "https://search.example.org", "http://[fd00::1]:80", "http://[", ""]
)
@pytest.mark.parametrize("action", [DOCKER, COMPOSITE, OWN_IMAGE])
def test_what_is_no_service_of_the_job_is_not_looked_for(url: str, action: str) -> None:
    assert missing(service(url), action) == []


SERVICES = {"services": {"search": {"image": "x"}}}


def test_a_service_is_known_by_its_name_in_the_job_s_network() -> None:
    system = service("http://search:8080")
    assert missing(system, DOCKER, **SERVICES) == []
    assert missing(system, COMPOSITE, container="node:22", **SERVICES) == []
    (told,) = missing(system, DOCKER)
    assert (told.said, told.do.split()[:2]) == (
        "gate.yml, job gate: the job has no service `search`",
        ["services:", "search:"],
    )


def test_steps_on_the_runner_reach_it_by_its_published_port() -> None:
    (told,) = missing(service("http://search:8080"), COMPOSITE, **SERVICES)
    assert "do not know `search`" in told.said
    assert "http://localhost:PORT" in told.do
