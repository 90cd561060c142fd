"""The example of sharded jobs: what its workflow writes, uploads, joins and judges fits together."""

from pathlib import Path
from typing import Any

import yaml

from gate.core.longmemeval.row_file import file_name
from gate.github.inputs import INPUTS

EXAMPLE = Path(__file__).parents[2] / "examples" / "sharded"
CONFIG: dict[str, Any] = yaml.safe_load((EXAMPLE / "eval-gate.yml").read_text())
JOBS: dict[str, Any] = yaml.safe_load((EXAMPLE / ".github/workflows/eval-sharded.yml").read_text())["jobs"]


def using(job: str, action: str) -> list[dict[str, Any]]:
    return [step for step in JOBS[job]["steps"] if step.get("uses", "").startswith(action)]


def test_every_shard_of_the_matrix_is_one_of_as_many_as_there_are() -> None:
    shards = JOBS["measure"]["strategy"]["matrix"]["shard"]
    (script,) = [step["run"] for step in JOBS["measure"]["steps"] if "--shard" in step.get("run", "")]
    assert shards == list(range(1, len(shards) + 1))
    assert f'--shard "$SHARD/{len(shards)}"' in script


def test_the_configuration_judges_the_file_that_merging_writes() -> None:
    (suite,) = CONFIG["suites"]
    assert suite["rows"] == f"gate-out/rows/{file_name('balanced')}.ndjson"


def test_every_attempt_uploads_under_its_own_name_and_all_are_downloaded_where_merging_looks() -> None:
    (upload,), (download,) = (
        using("measure", "actions/upload-artifact"),
        using("judge", "actions/download-artifact"),
    )
    assert "github.run_attempt" in upload["with"]["name"]
    assert upload["with"]["name"].startswith(download["with"]["pattern"].rstrip("*"))
    assert download["with"]["path"] == next(one.default for one in INPUTS if one.name == "shards")


def test_a_failed_shard_never_skips_the_job_that_judges() -> None:
    assert JOBS["judge"]["if"] == "always()"
    assert JOBS["measure"]["strategy"]["fail-fast"] is False
    (gate,) = using("judge", "OWNER/REPO")
    assert gate["with"] == {"command": "merge"}
