"""A change cannot leave the rules of the base by naming another configuration."""

from pathlib import Path

import pytest

from tests.github.fake_github import FakeGitHub, github
from tests.wiring.pull_requests import ACCEPTED_CONFIG, NUMBER, PullRequest, Ran
from tests.workspaces import rows

SOFT = ACCEPTED_CONFIG.replace("rule: significant", "rule: threshold, at-least: 0")
ADVISORY = ACCEPTED_CONFIG + "mode: advisory\n"


def losing(folder: Path, fake: FakeGitHub, base: dict[str, bytes], change: dict[str, bytes]) -> PullRequest:
    """Main has a gate and its baseline; the change loses every question and brings files of its own."""
    pull = PullRequest(folder, fake)
    pull.main({"base.ndjson": rows([1] * 40), "search/base.ndjson": rows([1] * 40), **base})
    lost = rows([0] * 40)
    pull.change({"rows/candidate.ndjson": lost, "search/rows/candidate.ndjson": lost, **change})
    return pull


def told(pull: PullRequest, ran: Ran) -> list[str]:
    """Everywhere that a reader may look first, on one line each."""
    return [" ".join(text.split()) for text in (pull.comments()[0], ran.summary, ran.log)]


@pytest.mark.parametrize("soft", [SOFT, ADVISORY], ids=["a threshold", "advisory"])
def test_another_file_for_the_same_gate_is_judged_as_the_base_says(soft: str, tmp_path: Path) -> None:
    with github() as fake:
        pull = losing(
            tmp_path, fake, {"eval-gate.yml": ACCEPTED_CONFIG.encode()}, {"soft.yml": soft.encode()}
        )

        ran = pull.run(config="soft.yml")

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["policy"]["origin"] == "base"  # type: ignore[index]
        for text in told(pull, ran):
            assert "edits the gate's own configuration" in text
            assert "eval-gate.yml" in text
            assert "soft.yml" in text


def test_an_input_that_gives_a_new_file_the_base_s_id_changes_nothing(tmp_path: Path) -> None:
    soft = SOFT.replace("gate: tests", "gate: other")
    with github() as fake:
        pull = losing(
            tmp_path, fake, {"eval-gate.yml": ACCEPTED_CONFIG.encode()}, {"soft.yml": soft.encode()}
        )

        assert pull.run(config="soft.yml", gate="tests").code == 1


@pytest.mark.parametrize(
    ("id_in_file", "given"), [("tests", {}), ("default", {"gate": "tests"})], ids=["the file", "the workflow"]
)
def test_a_config_that_the_base_s_workflow_names_is_found_wherever_it_lies(
    id_in_file: str, given: dict[str, str], tmp_path: Path
) -> None:
    named = f"gate: {given['gate']}, " if given else ""
    workflow = f"jobs: {{a: {{steps: [{{uses: o/r@v1, with: {{{named}config: search/gate.yml}}}}]}}}}\n"
    base = {
        ".github/workflows/gate.yml": workflow.encode(),
        ".github/workflows/broken.yml": b"jobs: [",
        "search/gate.yml": ACCEPTED_CONFIG.replace("gate: tests", f"gate: {id_in_file}").encode(),
    }
    with github() as fake:
        pull = losing(tmp_path, fake, base, {"search/soft.yml": SOFT.encode()})

        assert pull.run(config="search/soft.yml", **given).code == 1


def test_the_same_gate_in_another_folder_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with github() as fake:
        base = {"eval-gate.yml": ACCEPTED_CONFIG.encode()}
        pull = losing(tmp_path, fake, base, {"search/soft.yml": SOFT.encode()})

        ran = pull.run(config="search/soft.yml")

        assert ran.code == 78
        assert "a change cannot bring its own rules" in ran.said("error")
        assert "first merge a copy at the new place" in ran.said("error")
        (told,) = pull.comments()  # that the commit could not be judged, and why
        assert "a change cannot bring its own rules" in told
        assert "verdict" not in ran.outputs


def test_a_gate_with_an_id_of_its_own_is_new_and_says_so_and_names_the_others(tmp_path: Path) -> None:
    with github() as fake:
        new = SOFT.replace("gate: tests", "gate: fresh")
        base = {
            "eval-gate.yml": ACCEPTED_CONFIG.encode(),
            "mkdocs.yml": b"site_name: x\n",
            "odd.yml": b"a: [",
        }
        pull = losing(tmp_path, fake, base, {"new.yml": new.encode()})
        assert pull.run(run_id=99).code == 1
        (first,) = pull.comments()

        ran = pull.run(config="new.yml")

        assert (ran.code, ran.outputs["verdict"]) == (0, "pass")
        (kept, comment) = fake.world.bodies(NUMBER)
        assert kept == first
        for text in (comment, ran.summary, ran.log):
            said = " ".join(text.split())
            assert "Introducing the gate" in said
            assert "judged by the rules that it brings itself" in said
            assert "eval-gate.yml (gate tests)" in said
            assert "mkdocs" not in said
            assert "odd.yml" not in said


def test_a_first_gate_is_introduced_also_where_there_is_something_to_compare_with(tmp_path: Path) -> None:
    with github() as fake:
        pull = losing(tmp_path, fake, {}, {"eval-gate.yml": ACCEPTED_CONFIG.encode()})

        ran = pull.run()

        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        for text in told(pull, ran):
            assert "Introducing the gate" in text
            assert "others" not in text.partition("Introducing the gate")[2].split(".")[1]
