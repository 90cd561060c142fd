"""A panel of judges as a suite of the action: on pull requests, from forks, in the publishing half."""

import json
from pathlib import Path

from gate.store.data_files import RUBRIC, data_file
from tests.cli.test_run_takes_quality import PANEL, answer
from tests.github.fake_github import FakeGitHub, github
from tests.providers.wire import wire
from tests.takes_factories import take, write_pages
from tests.wiring.pull_requests import FORK, PullRequest
from tests.wiring.test_fork import publish

RULES = "rules: [{metric: accuracy, rule: threshold, at-least: 1}]"


def config(suite: str = "", *keys: str, models: tuple[str, ...] = PANEL) -> bytes:
    members = ", ".join(
        filter(None, ["suite: takes-quality", "pages: brain/", f"models: {json.dumps(models)}", suite])
    )
    return "\n".join(["version: 1", f"suites: [{{{members}}}]", RULES, *keys]).encode()


def pages(folder: Path, **overrides: str) -> dict[str, bytes]:
    """Files of a small brain."""
    write_pages(folder, [take("people/ada", row, **overrides) for row in (1, 2, 3)])
    return {f"brain/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*.md")}


def opened(folder: Path, fake: FakeGitHub, base: bytes, change: dict[str, bytes | None]) -> PullRequest:
    pull = PullRequest(folder, fake)
    pull.main({"eval-gate.yml": base, **pages(folder / "written")})
    pull.change({**change, "notes.md": b"a change"})
    return pull


def judged(pull: PullRequest, score: float, payload: dict[str, object] | None = None, **inputs: str) -> int:
    """The exit code of a step whose three judges all give the same."""
    with wire(answer(score)) as one:
        pull.extra |= {f"{name}_BASE_URL": f"{one.url}/v1" for name in ("FIRST", "SECOND", "THIRD")}
        return pull.run(payload=payload, **inputs).code


def test_a_forks_pull_request_has_no_keys_and_its_panel_is_not_measured(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config(models=("openai:gpt-5.2",)), {})

        ran = pull.run(payload=pull.from_a_fork())

        assert (ran.code, ran.outputs["reason"]) == (2, "not_measured")
        assert "there is no key for openai:gpt-5.2: a pull request from a fork" in ran.log.replace("\n", " ")
        assert pull.receipt()["suites"][0]["panel"] is None  # type: ignore[index]


def test_a_policy_of_its_own_lets_a_fork_without_keys_through(tmp_path: Path) -> None:
    with github() as fake:
        base = config("", "on-inconclusive: {not_measured: pass}", models=("openai:gpt-5.2",))
        pull = opened(tmp_path, fake, base, {})

        ran = pull.run(payload=pull.from_a_fork())

        assert (ran.code, ran.outputs["verdict"]) == (0, "inconclusive")


def test_elsewhere_a_missing_key_is_a_wrong_configuration(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config(models=("openai:gpt-5.2",)), {})

        ran = pull.run()

        assert ran.code == 78
        assert "OPENAI_API_KEY" in ran.said("error")


def test_a_fork_whose_judges_need_no_key_is_judged_and_the_other_half_publishes_it(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config(), {})
        assert judged(pull, 8, pull.from_a_fork()) == 0
        pull.upload(run_id=100)
        fake.world.runs[0].head_repository = FORK
        fake.world.contents["main", "eval-gate.yml"] = config()
        pull.extra = {}

        publish(pull)

        (comment,) = pull.comments()
        assert "The panel passes the takes (8.0 of 10 overall)" in comment


def test_a_change_cannot_bring_an_easier_rubric_fewer_takes_or_its_own_replies(tmp_path: Path) -> None:
    strict = data_file(RUBRIC)
    easy = json.dumps(json.loads(strict) | {"pass_mean": 1, "pass_floor": 1}).encode()
    with github() as fake:
        pull = PullRequest(tmp_path, fake)
        base = config("rubric: rubric.json")
        pull.main({"eval-gate.yml": base, "rubric.json": strict, **pages(tmp_path / "written")})
        softer = config("rubric: rubric.json, limit: 1, cassette: mine.jsonl")
        pull.change({"eval-gate.yml": softer, "rubric.json": easy})

        assert judged(pull, 4) == 1

        inputs = pull.receipt()["plan"]["suites"][0]["inputs"]  # type: ignore[index]
        assert inputs["rubric"]["commit"] == pull.base
        assert (inputs["takes"]["limit"], inputs["cassette"]) == (100, None)
        assert "suites.takes-quality.limit" in pull.comments()[0]


def test_an_input_lowers_the_budget_and_never_raises_it(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path, fake, config("", "budget-usd: 0"), {})

        assert pull.run(**{"budget-usd": "1"}).code == 78
        assert judged(pull, 8, **{"budget-usd": "0"}) == 2
        assert pull.receipt()["reason"] == "budget_exhausted"
