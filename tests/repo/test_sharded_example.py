"""The example of sharded jobs: what its workflow writes, uploads, joins and judges fits together."""

from pathlib import Path
from typing import Any

import yaml

from gate.github.inputs import INPUTS
from gate.github.sharded import PREFIX
from gate.settings import Settings
from gate.store.config_file import read_config

EXAMPLE = Path(__file__).parents[2] / "examples" / "sharded"
CONFIG: dict[str, Any] = yaml.safe_load((EXAMPLE / "eval-gate.yml").read_text())
JOBS: dict[str, Any] = yaml.safe_load((EXAMPLE / ".github/workflows/eval-sharded.yml").read_text())["jobs"]


def using(job: str, action: str) -> list[dict[str, Any]]:
    return [step for step in JOBS[job]["steps"] if step.get("uses", "").startswith(action)]


def test_every_shard_of_the_matrix_is_one_of_as_many_as_there_are() -> None:
    shards = JOBS["measure"]["strategy"]["matrix"]["shard"]
    (gate,) = using("measure", "OWNER/REPO")
    assert shards == list(range(1, len(shards) + 1))
    assert gate["with"] == {"shard": f"${{{{ matrix.shard }}}}/{len(shards)}"}


def test_the_configuration_names_the_suite_itself_and_both_jobs_put_its_dataset_where_it_is_read() -> None:
    (suite,) = Settings.from_file(read_config(EXAMPLE / "eval-gate.yml")).request().suites
    (named,) = CONFIG["suites"]
    assert suite.suite == "longmemeval"
    for job in JOBS.values():
        (script,) = [step["run"] for step in job["steps"] if "run" in step]
        assert f"--output {named['dataset']} " in script


def test_every_attempt_uploads_under_its_own_name_and_all_are_downloaded_where_merging_looks() -> None:
    (upload,), (download,) = (
        using("measure", "actions/upload-artifact"),
        using("judge", "actions/download-artifact"),
    )
    assert upload["with"]["name"] == "${{ steps.gate.outputs.artifact-name }}"
    assert download["with"]["pattern"] == f"{PREFIX}*"
    assert download["with"]["path"] == next(one.default for one in INPUTS if one.name == "shards")


def test_a_failed_shard_never_skips_the_job_that_judges() -> None:
    assert JOBS["judge"]["if"] == "always()"
    assert JOBS["measure"]["strategy"]["fail-fast"] is False
    (gate,) = using("judge", "OWNER/REPO")
    assert gate["with"] == {"command": "merge"}
