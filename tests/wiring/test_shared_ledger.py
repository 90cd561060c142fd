from pathlib import Path

from gate.database import Database
from gate.ledgers.postgres import PostgresLedger
from gate.render.checklist import Check
from gate.wiring.checkup import Patient, examine
from gate.wiring.shared_ledger import shared_ledger
from tests.github.fake_github import github
from tests.run_factories import new_record
from tests.wiring.pull_requests import Clock, PullRequest
from tests.workspaces import CONFIG, rows, workspace

ON_DATABASE = CONFIG.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {database: true}")


def test_a_database_is_named_by_the_environment_or_not_at_all(database_url: str) -> None:
    PostgresLedger(Database(database_url)).append(new_record("one"))
    found = shared_ledger({"GATE_DATABASE_URL": database_url})

    assert found is not None
    assert [record.run_id for record in found.read().records] == ["one"]
    assert shared_ledger({}) is None
    assert shared_ledger({"GATE_DATABASE_URL": ""}) is None


def test_a_pull_request_is_compared_with_the_base_s_run_and_cannot_bring_its_own(
    tmp_path: Path, database_url: str
) -> None:
    ledger = PostgresLedger(Database(database_url))
    with github() as fake:
        pull = PullRequest(tmp_path, fake, extra={"GATE_DATABASE_URL": database_url})
        pull.main({"eval-gate.yml": ON_DATABASE.encode(), "base.ndjson": rows([1] * 40)})
        pull.change({"rows/candidate.ndjson": rows([0] * 12 + [1] * 28), "own.ndjson": rows([0] * 40)})
        ledger.append(
            new_record(
                "own", commit=pull.head, params={"output": "own.ndjson"}, ran_at="2026-11-29T00:00:00.000Z"
            )
        )
        alone = pull.run(run_id=100)
        ledger.append(new_record("base", commit=pull.base[:9], params={"output": "base.ndjson"}))

        ran = pull.run(run_id=101)

        assert (alone.code, alone.outputs["reason"]) == (2, "no_baseline")
        assert (ran.code, ran.outputs["reason"]) == (1, "regression")
        assert pull.receipt()["plan"]["baseline"]["rows"][0]["rows"]["commit"] == pull.base  # type: ignore[index]


def test_a_database_that_is_down_fails_the_job_and_is_not_taken_for_a_missing_baseline(
    tmp_path: Path,
) -> None:
    with github() as fake:
        url = "postgresql://ada:hunter2@127.0.0.1:1/brain"
        pull = PullRequest(tmp_path, fake, extra={"GATE_DATABASE_URL": url})
        pull.main({"eval-gate.yml": (ON_DATABASE + "on-inconclusive: {default: pass}\n").encode()})
        pull.change({"rows/candidate.ndjson": rows([1] * 40)})

        ran = pull.run()

        assert ran.code == 69
        assert "cannot be reached" in ran.said("error")
        told = [line for line in ran.log.splitlines() if not line.startswith("::add-mask::")]
        assert "hunter2" not in "".join(told)


def test_the_doctor_says_what_a_baseline_in_a_database_lacks_and_when_it_lacks_nothing(
    tmp_path: Path, database_url: str
) -> None:
    config = workspace(tmp_path, config=ON_DATABASE)
    ledger = PostgresLedger(Database(database_url))

    def told(url: str) -> Check:
        checks = examine(
            Patient(config, tmp_path, {"GATE_DATABASE_URL": url} if url else {}, Clock(), lambda _: None)
        )
        (one,) = [check for check in checks if check.about == "baseline"]
        return one

    unnamed, empty, down = told(""), told(database_url), told("postgresql://ada:hunter2@127.0.0.1:1/brain")
    ledger.append(new_record("base", params={"output": "rows/baseline.ndjson"}))
    there = told(database_url)

    assert ("GATE_DATABASE_URL" in unnamed.said, unnamed.status) == (True, "missing")
    assert "gate ledger import" in unnamed.do
    assert "no run ledger yet" in empty.said
    assert "cannot be reached" in down.said
    assert "hunter2" not in down.said
    assert there.status == "ok"
