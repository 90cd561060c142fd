"""`gate takes-quality`, called as a user calls it: real pages, real servers on loopback, real cassettes."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg import connect
from psycopg.conninfo import make_conninfo

from gate.cli import invoke
from gate.core.records.ledger import read_ledger
from gate.core.records.takes_receipt import DIMENSIONS, takes_document
from gate.store.data_files import RUBRIC, data_file
from gate.store.row_files import read_rows
from gate.store.takes_receipts import read_takes_receipt
from tests.cli.calls import Call, called
from tests.core.judging.factories import reply_text, scores
from tests.gbrain_tables import create_tables
from tests.postgres import Server, server
from tests.program import spawn
from tests.providers.wire import Answer, Wire, openai_body, wire
from tests.takes_factories import inconclusive_document, receipt_document, take, write_pages

PANEL = "first:judge-one,second:judge-two,third:judge-three"
TAKES = [take("people/ada", row) for row in (1, 2, 3)] + [take("companies/lumen", row) for row in (1, 2, 3)]


def answer(*values: float, **overrides: Any) -> Answer:
    return Answer(body=openai_body(reply_text(scores(*values))), **overrides)


class Desk:
    """A working directory with pages, three judges, and the gate."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.captured = captured
        self.environment = {"HOME": str(folder / "home")}

    def judges(self, *servers: Wire) -> None:
        for name, judge in zip(("FIRST", "SECOND", "THIRD"), servers, strict=True):
            self.environment[f"{name}_BASE_URL"] = f"{judge.url}/v1"

    def gate(self, *arguments: str) -> Call:
        return called(self.captured, "takes-quality", *arguments, environment=self.environment)

    def run(self, *arguments: str) -> Call:
        return self.gate("run", "--pages", "pages", "--models", PANEL, "--json", *arguments)

    def receipts(self) -> list[Path]:
        folder = self.folder / "home" / ".gbrain" / "eval-receipts"
        return sorted(folder.iterdir()) if folder.exists() else []

    def records(self) -> tuple[Any, ...]:
        path = self.folder / ".gbrain-evals" / "eval-results.jsonl"
        return read_ledger(path.read_bytes()).records if path.exists() else ()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    write_pages(tmp_path / "pages", TAKES)
    return Desk(tmp_path, capsys)


@pytest.fixture
def pleased(desk: Desk) -> Iterator[Desk]:
    """Every judge gives eight."""
    with wire(answer(8)) as one, wire(answer(8)) as two, wire(answer(8)) as three:
        desk.judges(one, two, three)
        yield desk


def test_a_run_of_three_judges_passes_and_leaves_a_valid_receipt_and_a_record(pleased: Desk) -> None:
    done = pleased.run("--output", "rows.ndjson")

    assert done.code == 0
    assert "warning: no price is known for first:judge-one, second:judge-two, third:judge-three" in done.err
    (path,) = pleased.receipts()
    receipt = read_takes_receipt(path, path.name)
    assert done.document == json.loads(path.read_bytes()) == json.loads(json.dumps(takes_document(receipt)))
    assert (receipt.verdict, receipt.overall_score, receipt.corpus.n_takes) == ("pass", 8, 6)
    assert receipt.cost_usd is None
    (record,) = pleased.records()
    assert (record.suite, record.mode, record.status) == ("takes-quality", "n/a", "completed")
    assert dict(record.aggregates) == {**dict.fromkeys(DIMENSIONS, 8), "overall_score": 8}
    assert len(read_rows(Path("rows.ndjson"), name="rows")) == 3


def test_a_low_score_is_exit_code_1_and_two_judges_down_of_three_is_2(desk: Desk) -> None:
    refused = Answer(status=400, body=b'{"error": {"message": "no"}}')
    with wire(answer(8)) as one, wire(answer(4)) as low, wire(refused) as down:
        desk.judges(one, low, low)
        failed = desk.run()
        desk.judges(one, down, down)
        unsure = desk.run()

    assert (failed.code, failed.document["verdict"]) == (1, "fail")
    assert (unsure.code, unsure.document["verdict"]) == (2, "inconclusive")
    assert "only 1 of 3 models" in unsure.document["verdictMessage"]


def test_a_table_is_shown_with_the_verdict_the_judges_and_the_unknown_cost(pleased: Desk) -> None:
    done = pleased.gate("run", "--pages", "pages", "--models", PANEL)

    assert done.out.startswith("PASS: every dim mean >=7 and min >=5 across 3/3 models. Overall 8/10.\n")
    assert "cost: unknown" in done.out
    assert "one batch: no uncertainty can be given" in done.out
    assert "receipt: " in done.err


def test_the_same_seed_judges_the_same_takes_and_a_repeat_gets_its_own_file(pleased: Desk) -> None:
    first, second = pleased.run("--limit", "4"), pleased.run("--limit", "4")

    assert first.document["takes"] == second.document["takes"]
    assert pleased.receipts()[0].name.endswith("-2.json")
    assert len(pleased.receipts()) == len(pleased.records()) == 2


def test_reuse_takes_the_equal_earlier_run_and_asks_nobody(pleased: Desk) -> None:
    first = pleased.run()
    for name in ("FIRST", "SECOND", "THIRD"):
        pleased.environment[f"{name}_BASE_URL"] = "http://127.0.0.1:1/v1"

    again = pleased.run("--reuse")

    assert (again.code, again.document) == (0, first.document)
    assert "no judge was asked" in again.err
    assert len(pleased.receipts()) == len(pleased.records()) == 1


def test_reuse_writes_no_rows_and_says_so(pleased: Desk) -> None:
    pleased.run()

    again = pleased.run("--reuse", "--output", "rows.jsonl")

    assert "rows.jsonl: no rows are written, an earlier run was taken instead" in again.err
    assert not Path("rows.jsonl").exists()


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (1, "1 earlier receipt of that name cannot be read and was not considered"),
        (2, "2 earlier receipts of that name cannot be read and were not considered"),
    ],
)
def test_reuse_leaves_out_receipts_that_are_none_and_counts_them(
    pleased: Desk, broken: int, said: str
) -> None:
    first = pleased.run()
    for number in range(broken):
        pleased.run()
        pleased.receipts()[number].write_text("{")

    again = pleased.run("--reuse")

    assert (again.code, said in again.err) == (0, True)
    assert "no judge was asked" in again.err
    assert again.document["prompt_sha8"] == first.document["prompt_sha8"]


def test_a_cassette_replays_a_run_without_servers_and_says_so(pleased: Desk) -> None:
    recorded = pleased.run("--record", "cassette.jsonl", "--batches", "2")
    pleased.environment = {"HOME": pleased.environment["HOME"]}

    replayed = pleased.gate(
        "run", "--pages", "pages", "--batches", "2", "--models", "recorded:cassette.jsonl"
    )

    assert (recorded.code, replayed.code) == (0, 0)
    assert "6 replies were replayed from a cassette; no model was asked" in replayed.out
    assert read_takes_receipt(pleased.receipts()[0], "r").models == tuple(PANEL.split(","))


def test_a_cassette_that_is_there_is_not_overwritten(pleased: Desk) -> None:
    Path("cassette.jsonl").write_text("somebody's only copy")

    assert pleased.run("--record", "cassette.jsonl").code == 64
    assert Path("cassette.jsonl").read_text() == "somebody's only copy"


def test_a_budget_of_nothing_asks_nobody_and_says_so(desk: Desk) -> None:
    done = desk.gate("run", "--pages", "pages", "--budget-usd", "0", "--json")

    assert done.code == 2
    assert "a budget of $0 allows no model call" in done.document["verdictMessage"]
    assert desk.records()[0].status == "over_budget"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ["--pages", "pages", "--models", "anthropic:claude-3-5-sonnet"],
            78,
            "choose anthropic:claude-sonnet-4-6",
        ),
        (["--pages", "pages", "--models", "gpt-5.2"], 78, "provider:model"),
        (["--pages", "pages", "--models", "nobody:x,nobody:y"], 78, "NOBODY_BASE_URL"),
        (["--pages", "pages", "--models", PANEL, "--budget-usd", "1"], 78, "first:judge-one"),
        (["--pages", "pages", "--models", "openai:gpt-5.2"], 78, "OPENAI_API_KEY"),
        (["--pages", "pages"], 78, "google:gemini-2.0-flash is retired"),
        (["--pages", "nowhere"], 65, "nowhere"),
        (["--pages", "pages", "--slug-prefix", "%", "--models", PANEL], 65, "there is no take to judge"),
        (["--pages", "pages", "--cassette", "none.jsonl"], 65, "none.jsonl"),
        (["--pages", "pages", "--cassette", "a", "--record", "b"], 64, "--cassette plays back"),
        ([], 64, "where are the takes?"),
        (["--source", "db"], 64, "which database?"),
        (["--pages", "pages", "--rubric", "none.json"], 78, "none.json"),
        (["--pages", "pages", "--limit", "0"], 64, "limit"),
    ],
)
def test_what_cannot_be_run_says_why_and_writes_no_receipt(
    desk: Desk, arguments: list[str], code: int, said: str
) -> None:
    done = desk.gate("run", *arguments)

    assert done.code == code, done.err
    assert said in done.err
    assert desk.receipts() == []


def test_a_model_its_provider_does_not_know_is_a_configuration_error(desk: Desk) -> None:
    missing = Answer(status=404, body=b'{"error": {"message": "no such model", "code": "model_not_found"}}')
    with wire(answer(8)) as one, wire(missing) as none:
        desk.judges(one, one, none)
        done = desk.run()

    assert done.code == 78
    assert "third:judge-three" in done.err


def test_headers_of_a_gateway_are_sent_and_are_never_in_a_cassette(desk: Desk) -> None:
    with wire(answer(8)) as one:
        desk.judges(one, one, one)
        desk.environment["FIRST_EXTRA_HEADERS"] = '{"x-team": "secret-of-the-team"}'
        desk.environment["SECOND_API_KEY"] = "sk-0123456789"
        done = desk.run("--record", "c.jsonl")

    assert done.code == 0
    assert any(asked.headers.get("x-team") == "secret-of-the-team" for asked in one.asked)
    assert any(asked.headers["authorization"] == "Bearer sk-0123456789" for asked in one.asked)
    kept = Path("c.jsonl").read_text() + desk.receipts()[0].read_text()
    assert "secret-of-the-team" not in kept
    assert "sk-0123456789" not in kept


def test_excerpts_of_the_pages_are_shown_to_the_judges_when_asked_for(desk: Desk) -> None:
    with wire(answer(8)) as one:
        desk.judges(one, one, one)
        plain, with_pages = desk.run(), desk.run("--evidence", "excerpt")

    assert "Prose." not in json.dumps(one.asked[0].body)
    assert "Prose." in json.dumps(one.asked[-1].body)
    assert plain.document["prompt_sha8"] != with_pages.document["prompt_sha8"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_cancelled_run_leaves_a_truthful_receipt_and_the_signal_s_exit_code(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    write_pages(tmp_path / "pages", TAKES)
    with wire(answer(8)) as quick, wire(Answer(hang=True)) as silent:
        places = {"FIRST": quick, "SECOND": quick, "THIRD": silent}
        environment = {f"{name}_BASE_URL": f"{judge.url}/v1" for name, judge in places.items()}
        call = ["takes-quality", "run", "--pages", "pages", "--models", PANEL, "--json"]
        process = spawn(*call, cwd=tmp_path, HOME=str(tmp_path), **environment)
        waiting = threading.Event()
        for _ in range(600):
            if len(quick.asked) == 2 and silent.asked:
                break
            waiting.wait(0.1)
        waiting.wait(0.3)  # the quick replies are on their way
        process.send_signal(number)
        out, err = process.communicate(timeout=60)

    assert process.returncode == code, err
    receipt = json.loads(out)
    assert (receipt["verdict"], receipt["reason"], receipt["cycles_run"]) == ("inconclusive", "cancelled", 0)
    assert "the run was cancelled (0 of 1 cycle ran)" in receipt["verdictMessage"]
    assert receipt["scores"] == {}
    assert [(each["modelId"], each["scores"]["accuracy"]) for each in receipt["unfinished"]] == [
        ("first:judge-one", 8),
        ("second:judge-two", 8),
    ]
    (path,) = (tmp_path / ".gbrain" / "eval-receipts").iterdir()
    assert json.loads(path.read_bytes()) == receipt
    (record,) = read_ledger((tmp_path / ".gbrain-evals" / "eval-results.jsonl").read_bytes()).records
    assert (record.status, record.params["reason"]) == ("failed", "cancelled")


WITHOUT_CLIENT = """
import sys
sys.modules["openai"] = None
from gate.cli import invoke
sys.exit(invoke(sys.argv[1:], {"HOME": ".", "OPENAI_API_KEY": "k", "FIRST_BASE_URL": "http://127.0.0.1:1/v1"}))
"""


@pytest.mark.parametrize("model", ["openai:gpt-5.2", "first:judge-one"])
def test_without_a_provider_s_client_the_remedy_says_what_to_install(tmp_path: Path, model: str) -> None:
    write_pages(tmp_path / "pages", TAKES)
    call = ["takes-quality", "run", "--pages", "pages", "--models", model]

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CLIENT, *call],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 78, done.stderr
    assert f"{model} needs the package openai" in done.stderr
    assert "pip install 'retrieval-quality-gate[panel]'" in done.stderr
    assert not (tmp_path / ".gbrain").exists()


# ---- whether the judges are believed


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (("--max-range", "1.5"), "the range of accuracy is 2.00, above 1.5"),
        (("--max-sd", "1"), "the standard deviation of accuracy is 1.15, above 1"),
        (("--min-alpha", "0.5", "--batches", "2"), "Krippendorff's alpha"),
    ],
)
def test_judges_that_differ_too_much_are_not_believed(desk: Desk, limit: tuple[str, ...], said: str) -> None:
    with wire(answer(9, 8, 8, 8, 8)) as high, wire(answer(7, 8, 8, 8, 8)) as low:
        desk.judges(high, low, low)
        unlimited, limited = desk.run(), desk.run(*limit)

    assert (unlimited.code, limited.code) == (0, 2)
    assert (limited.document["verdict"], limited.document["reason"]) == ("inconclusive", "judge_unreliable")
    assert said in limited.document["verdictMessage"]
    assert limited.document["scores"]["accuracy"]["mean"] == 7.7


def test_limits_that_are_kept_or_cannot_be_computed_change_nothing_but_the_receipt_s_word(desk: Desk) -> None:
    with wire(answer(8)) as one:
        desk.judges(one, one, one)
        done = desk.run("--max-range", "0", "--max-sd", "0", "--min-alpha", "1")

    assert done.code == 0
    assert done.document["agreement_limits"] == {"alpha_at_least": 1, "sd_at_most": 0, "range_at_most": 0}


def test_a_verdict_without_limits_is_not_reused_where_limits_are_set(pleased: Desk) -> None:
    pleased.run()

    loose, strict = pleased.run("--reuse"), pleased.run("--reuse", "--max-range", "3")

    assert "no judge was asked" in loose.err
    assert "no judge was asked" not in strict.err
    assert "no judge was asked" in pleased.run("--reuse", "--max-range", "3").err


# ---- replay


def test_replay_ends_with_the_receipt_s_verdict_and_gives_its_bytes(desk: Desk) -> None:
    verdicts = {
        "pass": (receipt_document(), 0),
        "fail": (receipt_document(verdict="fail"), 1),
        "inconclusive": (inconclusive_document(), 2),
    }
    for name, (document, code) in verdicts.items():
        Path(f"{name}.json").write_text(json.dumps(document))
        done = desk.gate("replay", f"{name}.json", "--json")
        assert (done.code, done.document) == (code, document)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": 2}, "receipt version 2 is not known"),
        ({"verdict": "maybe"}, "verdict"),
        ({"scores": {}}, "scores"),
    ],
)
def test_replay_refuses_what_is_no_receipt(desk: Desk, change: dict[str, object], said: str) -> None:
    Path("r.json").write_text(json.dumps(receipt_document(**change)))

    done = desk.gate("replay", "r.json")

    assert done.code == 65
    assert said in done.err


def test_replay_needs_one_run_and_a_database_for_a_stored_one(desk: Desk) -> None:
    assert desk.gate("replay").code == 64
    assert desk.gate("replay", "r.json", "--from-db", "1").code == 64
    assert "which database?" in desk.gate("replay", "--from-db", "1").err


# ---- regress


def test_regress_judges_the_same_takes_in_the_same_batches_and_gives_intervals(desk: Desk) -> None:
    with wire(answer(9)) as before, wire(answer(7)) as now:
        desk.judges(before, before, before)
        prior = desk.run("--batches", "3")
        Path("prior.json").write_text(prior.out)
        desk.judges(now, now, now)
        done = desk.gate("regress", "--against", "prior.json", "--pages", "pages", "--json")

    assert done.code == 1
    delta = done.document["delta"]
    assert delta["dim_deltas"] == dict.fromkeys(DIMENSIONS, -2)
    assert (delta["overall_delta"], delta["regressed"], delta["inputs_differ"]) == (-2, True, False)
    assert delta["takes"] == {"unchanged": 6, "edited": 0, "gone": 0}
    assert done.document["current"]["takes"] == prior.document["takes"]
    assert (delta["intervals"]["accuracy"]["n"], delta["intervals"]["accuracy"]["clusters"]) == (9, 3)
    assert delta["intervals"]["accuracy"]["delta"] == -2


def test_regress_says_which_takes_were_edited_or_are_gone_and_that_one_batch_cannot_tell(
    pleased: Desk,
) -> None:
    Path("prior.json").write_text(pleased.run().out)
    write_pages(pleased.folder / "pages", [take("people/ada", 1, claim="an edited claim"), *TAKES[1:5]])

    done = pleased.gate("regress", "--against", "prior.json", "--pages", "pages")

    assert done.code == 0
    assert "OK: overall +0 (no dim regressed past 0.5)" in done.out
    assert "the same takes: 4 as they were, 1 edited, 1 gone" in done.out
    assert "three scores cannot tell a drop from the noise of judges" in done.out
    assert "corpus_sha8 differs" in done.out


def test_regress_against_a_regress_of_fewer_takes_keeps_the_batches_it_had(pleased: Desk) -> None:
    Path("first.json").write_text(pleased.run("--batches", "2").out)
    # of one batch two takes go, so that the batches are uneven
    gone = [each["page"] + str(each["row"]) for each in json.loads(Path("first.json").read_bytes())["takes"]][
        :2
    ]
    shutil.rmtree(pleased.folder / "pages")
    write_pages(pleased.folder / "pages", [one for one in TAKES if one.page + str(one.row) not in gone])

    second = pleased.gate("regress", "--against", "first.json", "--pages", "pages", "--json")
    Path("second.json").write_text(json.dumps(second.document["current"]))
    third = pleased.gate("regress", "--against", "second.json", "--pages", "pages", "--json")

    assert [each["batch"] for each in second.document["current"]["takes"]] == [0, 1, 1, 1]
    assert second.document["delta"]["batches_not_paired"] == 1
    assert third.document["current"]["takes"] == second.document["current"]["takes"]
    assert third.document["delta"]["inputs_differ"] is False
    assert third.document["delta"]["intervals"]["accuracy"]["clusters"] == 2
    assert "batches_not_paired" not in third.document["delta"]


def test_regress_is_inconclusive_where_either_side_is_or_where_an_input_must_be_the_same(
    pleased: Desk,
) -> None:
    prior = pleased.run().document
    Path("prior.json").write_text(json.dumps(prior))
    Path("unsure.json").write_text(
        json.dumps(inconclusive_document(models=prior["models"], takes=prior["takes"]))
    )
    rubric = json.loads(data_file(RUBRIC)) | {"version": "ours-2"}
    Path("rubric.json").write_text(json.dumps(rubric))
    call = ("regress", "--pages", "pages", "--json", "--against")

    unsure = pleased.gate(*call, "unsure.json")
    warned = pleased.gate(*call, "prior.json", "--rubric", "rubric.json")
    blocked = pleased.gate(*call, "prior.json", "--rubric", "rubric.json", "--require-same", "rubric")

    assert (unsure.code, unsure.document["delta"]["regressed"]) == (2, False)
    assert warned.code == 0
    assert any("the scores do not mean the same" in each for each in warned.document["delta"]["warnings"])
    assert (blocked.code, blocked.document["delta"]["outcome"]) == (2, "inconclusive")


def test_regress_judges_struck_takes_and_shows_pages_where_the_earlier_run_did(pleased: Desk) -> None:
    write_pages(pleased.folder / "pages", [take("people/bo", 1, active=False), take("people/bo", 2)])
    Path("prior.json").write_text(pleased.run("--inactive", "--evidence", "excerpt").out)

    again = pleased.gate("regress", "--against", "prior.json", "--pages", "pages", "--json").document
    bare = pleased.gate("regress", "--against", "prior.json", "--pages", "pages", "--evidence", "none")

    assert again["delta"]["takes"] == {"unchanged": 8, "edited": 0, "gone": 0}
    assert (again["current"]["inactive"], again["current"]["evidence"]) == ("included", "excerpt")
    assert again["delta"]["inputs_differ"] is False
    assert "the judges read excerpts of the pages, too, then, and the takes alone now" in bare.out


def test_regress_against_a_receipt_without_takes_draws_others_and_says_so(pleased: Desk) -> None:
    document = receipt_document(models=PANEL.split(","))
    Path("prior.json").write_text(json.dumps(document))

    done = pleased.gate("regress", "--against", "prior.json", "--pages", "pages")

    assert done.code == 0
    assert "the earlier receipt does not name its takes" in done.out


# ---- trend


def test_trend_shows_every_run_of_the_ledger_newest_first_and_draws_them(pleased: Desk) -> None:
    empty = pleased.gate("trend")
    pleased.run()
    pleased.run()

    done, drawn = pleased.gate("trend"), pleased.gate("trend", "--json", "--plot", "trend.svg")

    assert empty.out.startswith("No takes-quality runs recorded yet.")
    table, chart = done.out.split("\n\n")
    assert len(table.splitlines()) == 4
    assert chart.splitlines()[1].split()[1] == "▇▇"
    rows = drawn.document["rows"]
    assert [row["ts"] for row in rows] == sorted((row["ts"] for row in rows), reverse=True)
    assert [row["id"] for row in rows] == [None, None]
    assert rows[0]["dimensions"] == dict.fromkeys(DIMENSIONS, 8)
    assert Path("trend.svg").read_text().count("<polyline") == 5
    assert pleased.gate("trend", "--rubric-version", "other", "--json").document["rows"] == []


# ---- a real database


@pytest.fixture
def stored(pleased: Desk, database_url: str) -> Desk:
    create_tables(database_url, TAKES)
    pleased.environment["GATE_DATABASE_URL"] = database_url
    return pleased


def test_pages_and_database_give_the_same_fingerprint_and_the_database_keeps_the_receipt(
    stored: Desk,
) -> None:
    from_pages = stored.run()
    from_database = stored.gate("run", "--models", PANEL, "--json")

    assert (from_pages.code, from_database.code) == (0, 0)
    assert from_database.document["corpus"]["source"] == "db"
    assert from_database.document["corpus"]["corpus_sha8"] == from_pages.document["corpus"]["corpus_sha8"]
    assert "stored as run 1" in from_pages.err
    assert "the database keeps the first equal run, 1" in from_database.err
    assert stored.gate("replay", "--from-db", "1", "--json").document == from_pages.document
    rows = stored.gate("trend", "--json").document["rows"]
    assert [row["id"] for row in rows] == [None, 1]


def test_a_database_that_refuses_is_exit_69_with_the_receipt_safe_on_disk_and_reuse_stores_it(
    stored: Desk,
) -> None:
    with connect(stored.environment["GATE_DATABASE_URL"]) as connection:
        connection.execute("create table eval_takes_quality_runs (id bigserial primary key)")
    failed = stored.run()

    assert failed.code == 69
    (path,) = stored.receipts()
    assert f"its receipt is safe: {path}" in failed.err
    assert read_takes_receipt(path, "r").verdict == "pass"
    assert len(stored.records()) == 1

    with connect(stored.environment["GATE_DATABASE_URL"]) as connection:
        connection.execute("drop table eval_takes_quality_runs")
    assert stored.run("--reuse").code == 0
    assert stored.gate("replay", "--from-db", "1").code == 0


def test_trend_reads_the_ledger_in_the_database_too_and_shows_each_run_once(stored: Desk) -> None:
    stored.run()
    stored.run()
    assert invoke(["ledger", "import", ".gbrain-evals"], stored.environment) == 0

    both = stored.gate("trend", "--json").document["rows"]
    database_alone = stored.gate("trend", "--json", "--ledger", "none").document["rows"]

    assert [row["id"] for row in both] == [None, 1]
    assert both == database_alone


def test_regress_reads_the_database_where_the_earlier_run_did(stored: Desk) -> None:
    Path("prior.json").write_text(stored.gate("run", "--models", PANEL, "--json").out)

    done = stored.gate("regress", "--against", "prior.json", "--json")

    assert (done.code, done.document["current"]["corpus"]["source"]) == (0, "db")


def test_a_stopped_run_is_not_stored_where_it_would_stand_in_the_way_of_a_whole_one(stored: Desk) -> None:
    stopped = stored.gate("run", "--models", PANEL, "--budget-usd", "0")
    whole = stored.gate("run", "--models", PANEL)

    assert (stopped.code, whole.code) == (2, 0)
    assert "stored as run 1" in whole.err


def test_excerpts_of_the_database_s_pages_are_shown_and_pages_without_text_are_counted(stored: Desk) -> None:
    with connect(stored.environment["GATE_DATABASE_URL"]) as connection:
        connection.execute(
            "update pages set compiled_truth = 'Ada builds looms.', timeline = 'Since 1843.' where slug = 'people/ada'"
        )
    with wire(answer(8)) as one:
        stored.judges(one, one, one)
        done = stored.gate("run", "--models", PANEL, "--json", "--evidence", "excerpt")

    asked = json.dumps(one.asked[0].body)
    assert done.code == 0
    assert "Ada builds looms." in asked
    assert "Since 1843." in asked
    assert done.document["pages_missing"] == 1


def test_a_role_that_may_only_read_takes_can_have_them_judged(stored: Desk) -> None:
    url = stored.environment["GATE_DATABASE_URL"]
    with connect(url, autocommit=True) as connection:
        role = f"reader_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
        connection.execute(f"grant select on takes, pages to {role}")
    try:
        stored.environment["GATE_DATABASE_URL"] = make_conninfo(url, user=role)
        done = stored.gate("run", "--models", PANEL, "--json", "--evidence", "excerpt")
        only_read = stored.gate("run", "--models", PANEL, "--json", "--no-store")
    finally:
        with connect(url, autocommit=True) as connection:
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")

    assert done.code == 69
    assert "permission denied" in done.err
    assert (only_read.code, only_read.document["verdict"]) == (0, "pass")
    assert done.document["verdict"] == "pass"
    assert f"its receipt is safe: {stored.receipts()[-1].parent}" in done.err


def test_a_database_that_dies_while_the_judges_think_is_69_with_the_receipt_safe(pleased: Desk) -> None:
    with server() as own:
        create_tables(own.url(), TAKES)
        pleased.environment["GATE_DATABASE_URL"] = own.url()
        with wire(answer(8, delay=1.5)) as slow:
            pleased.environment["THIRD_BASE_URL"] = f"{slow.url}/v1"
            killer = threading.Thread(target=_stop_when_asked, args=(own, slow))
            killer.start()
            done = pleased.gate("run", "--models", PANEL, "--json")
            killer.join()
        own.start()
        again = pleased.gate("run", "--models", PANEL, "--json", "--reuse")
        replayed = pleased.gate("replay", "--from-db", "1", "--json")

    assert done.code == 69
    assert done.document["verdict"] == "pass"
    (path,) = pleased.receipts()
    assert f"its receipt is safe: {path}" in done.err
    assert (again.code, again.document) == (0, done.document)
    assert replayed.document == done.document


def _stop_when_asked(own: Server, judge: Wire) -> None:
    while not judge.asked:
        judge.closing.wait(0.02)
    own.stop(signal.SIGQUIT)
