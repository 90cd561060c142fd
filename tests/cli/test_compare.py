"""`gate compare` from the outside: options, files, exit codes, and the golden numbers through all of it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import Call, Shell
from tests.run_factories import ledger_bytes, run_object

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data" / "gbrain"
GOLDEN = json.loads((ROOT / "tests" / "golden" / "paired-comparator.json").read_text())["cases"]
LEDGER = ".gbrain-evals/eval-results.jsonl"
FAST = ("--draws", "1000")
MODES = {"a": "conservative", "r1": "balanced", "r2": "tokenmax"}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """An empty working directory below no repository."""
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def shared(name: str) -> Path:
    if not (SHARED / name).exists():
        pytest.skip("the shared data set is not beside the repository")
    return SHARED / name


def derived(name: str, key: str) -> list[Any]:
    """Cases to parametrise over; none where the shared data set is absent."""
    path = SHARED / name
    found: list[Any] = json.loads(path.read_text())[key] if path.exists() else []
    return found


def hits(count: int, *, wrong: int = 0, field: str = "recall_all_hit") -> list[dict[str, object]]:
    return [{"question_id": f"q{index:03d}", field: index >= wrong} for index in range(count)]


def two_runs(shell: Shell, *, lost: int = 0, **candidate: object) -> None:
    """A ledger of a balanced baseline `old` and a tokenmax candidate `new` that lost some questions."""
    shell.rows("old.ndjson", *hits(100))
    shell.rows("new.ndjson", *hits(100, wrong=lost))
    lines = (run_object("old"), run_object("new", **{"mode": "tokenmax", **candidate}))
    shell.write(LEDGER, ledger_bytes(*lines))


def pair(shell: Shell, *options: str) -> Call:
    return shell.gate("compare", "--baseline", "old", "--candidate", "new", "--json", *FAST, *options)


def golden_rows(pairs: list[Any], side: int) -> list[dict[str, object]]:
    """Pairs of [cluster, baseline, candidate] as generic rows, one question a pair."""
    return [
        {"question_id": f"{index:04d}", "cluster_id": one[0], "value": one[side]}
        for index, one in enumerate(pairs)
    ]


def forty_questions() -> list[Any]:
    """The original program's own test: 12 wins, 2 losses, 26 ties."""
    return [[f"q{i:02d}", int(i < 20), int((i < 20 and i not in (0, 1)) or 20 <= i < 32)] for i in range(40)]


def bound(text: object) -> object:
    """The golden files write an unbounded interval as text; we print null."""
    return None if text in ("-Infinity", "Infinity", None) else text


def check(entry: dict[str, Any], expected: dict[str, Any]) -> None:
    """Every number to the last bit."""
    low, high = bound(expected["lower95"]), bound(expected["upper95"])
    assert entry["ci95"] == [low, high]
    for key in (
        "n", "clusters", "baseline_mean", "candidate_mean", "delta", "wins", "losses", "ties", "p_value",
    ):  # fmt: skip
        assert entry[key] == expected[key], key


# --- golden numbers through the whole command ---


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_the_golden_cases_come_out_of_rows_files_to_the_last_bit(shell: Shell, case: dict[str, Any]) -> None:
    shell.rows("a.ndjson", *golden_rows(case["pairs"], 1))
    shell.rows("b.ndjson", *golden_rows(case["pairs"], 2))

    options = ("--draws", str(case["draws"]), "--seed", str(case["seed"]))
    call = shell.gate("compare", "--rows", "a.ndjson", "b.ndjson", "--json", *options)

    (entry,) = call.document["paired"]
    check(entry, case["expected"])


@pytest.mark.parametrize(
    "case",
    derived("derived-golden-paired.json", "cases"),
    ids=lambda case: f"{case['name']}-{case['seed']}-{case['draws']}",
)
def test_the_derived_cases_come_out_of_rows_files_to_the_last_bit(shell: Shell, case: dict[str, Any]) -> None:
    if "metric_field" in case:
        names = [str(shared(case[key])) for key in ("baseline_file", "candidate_file")]
    else:
        pairs = case.get("pairs") or forty_questions()
        names = [str(shell.rows(f"{side}.ndjson", *golden_rows(pairs, side))) for side in (1, 2)]

    options = ("--draws", str(case["draws"]), "--seed", str(case["seed"]))
    call = shell.gate("compare", "--rows", *names, "--json", *options)

    wanted = case.get("metric_field", "value")
    (entry,) = [found for found in call.document["paired"] if found["metric"] == wanted]
    check(entry, case["result"])


@pytest.mark.parametrize(
    "family",
    derived("derived-golden-compare-lme.json", "families"),
    ids=lambda family: f"{family['seed']}-{family['draws']}-{'-'.join(map(''.join, family['pairs']))}",
)
def test_the_real_arms_come_out_of_a_ledger_to_the_last_bit(shell: Shell, family: dict[str, Any]) -> None:
    for arm in MODES:
        shutil.copy(shared(f"lme-opaque-{arm}.ndjson"), shell.folder / f"{arm}.ndjson")
    shell.write(LEDGER, ledger_bytes(*(run_object(arm, mode=mode) for arm, mode in MODES.items())))
    named = family["pairs"] if len(family["pairs"]) == 1 else []
    pair_options = [text for one in named for text in ("--baseline", one[0], "--candidate", one[1])]

    options = ("--draws", str(family["draws"]), "--seed", str(family["seed"]))
    found = shell.gate("compare", "--json", *pair_options, *options).document["paired"]

    assert len(found) == len(family["comparisons"])
    for entry, expected in zip(found, family["comparisons"], strict=True):
        assert (entry["baseline_run"], entry["candidate_run"]) == (
            expected["baseline"],
            expected["candidate"],
        )
        for key, value in expected.items():
            if key not in ("baseline", "candidate"):
                assert entry[key] == value, key


def test_native_rows_of_the_original_program_are_compared(shell: Shell) -> None:
    names = [str(shared(f"longmemeval-native-rows-{arm}-sample.ndjson")) for arm in ("a", "r1")]

    call = shell.gate("compare", "--rows", *names, "--json")

    assert [entry["metric"] for entry in call.document["paired"]] == [
        "recall_all@k",
        "recall_any@k",
        "qa_accuracy",
    ]
    assert {entry["n"] for entry in call.document["paired"]} == {2}


# --- exit codes of a named pair ---


def test_a_significant_drop_fails_and_names_the_metric(shell: Shell) -> None:
    two_runs(shell, lost=20)

    call = pair(shell)

    assert call.code == 1
    assert call.err == "fail: recall_all@k is significantly worse\n"
    assert call.document["paired"][0]["adverse"] is True


def test_no_significant_drop_passes_in_silence(shell: Shell) -> None:
    two_runs(shell, lost=2)

    call = pair(shell)

    assert (call.code, call.err) == (0, "")


def test_a_significant_improvement_passes(shell: Shell) -> None:
    two_runs(shell, lost=20)

    assert shell.gate("compare", "--baseline", "new", "--candidate", "old", *FAST).code == 0


def test_the_modes_of_a_ledger_are_shown_and_never_judged(shell: Shell) -> None:
    two_runs(shell, lost=20)

    call = shell.gate("compare", "--json", *FAST)

    assert call.code == 0
    assert call.document["paired"][0]["adverse"] is True


@pytest.mark.parametrize(("lost", "code"), [(0, 0), (20, 1)])
def test_two_files_are_a_named_pair(shell: Shell, lost: int, code: int) -> None:
    two_runs(shell, lost=lost)

    assert shell.gate("compare", "--rows", "old.ndjson", "new.ndjson", *FAST).code == code


def test_runs_under_different_conditions_are_inconclusive_with_the_fields(shell: Shell) -> None:
    two_runs(shell, params={"output": "new.ndjson", "topK": 8})
    shell.write(
        LEDGER,
        (shell.folder / LEDGER)
        .read_bytes()
        .replace(b'{"output": "old.ndjson"}', b'{"output": "old.ndjson", "topK": 5}'),
    )

    call = pair(shell)

    assert call.code == 2
    assert "recall_all@k is not comparable: k 5 → 8" in call.err
    assert call.document["paired"] == []
    assert call.document["incomparable"][0]["fields"] == [{"field": "k", "baseline": "5", "candidate": "8"}]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "a run has no per-question rows"),
        ([{"kind": "run_info", "k": 5}], "a run has no per-question rows"),
        ([{"question_id": "other", "recall_all_hit": True}], "no question in common"),
        ([{"question_id": "q001", "judge_correct": True}], "no measured metric in common"),
    ],
)
def test_a_pair_with_nothing_in_common_is_inconclusive(
    shell: Shell, rows: list[dict[str, object]], reason: str
) -> None:
    two_runs(shell)
    shell.rows("new.ndjson", *rows)

    for call in (pair(shell), shell.gate("compare", "--rows", "old.ndjson", "new.ndjson")):
        assert call.code == 2
        assert reason in call.err


def test_a_difference_in_a_metric_without_a_direction_is_inconclusive_until_one_is_declared(
    shell: Shell,
) -> None:
    shell.rows("old.ndjson", *hits(50, field="mine"))
    shell.rows("new.ndjson", *hits(50, field="mine", wrong=20))
    files = ("--rows", "old.ndjson", "new.ndjson", *FAST)

    undeclared = shell.gate("compare", *files)
    assert undeclared.code == 2
    assert "declare `better`" in undeclared.err

    for better, code in (("higher", 1), ("lower", 0)):
        shell.write("eval-gate.yml", f"metrics:\n  mine: {{better: {better}}}\n")
        assert shell.gate("compare", *files, "--config", "eval-gate.yml").code == code


def test_a_metric_that_should_be_low_passes_when_it_falls_and_fails_when_it_rises(shell: Shell) -> None:
    shell.rows("slow.ndjson", *({"question_id": f"q{n}", "latency_ms": 100 + n % 7} for n in range(40)))
    shell.rows("fast.ndjson", *({"question_id": f"q{n}", "latency_ms": 50 + n % 7} for n in range(40)))

    faster = shell.gate("compare", "--rows", "slow.ndjson", "fast.ndjson", *FAST)
    assert faster.code == 0
    assert "**better**: `latency_ms` fell by 50.0000" in faster.out
    assert "40 / 0 / 0" in faster.out
    assert shell.gate("compare", "--rows", "fast.ndjson", "slow.ndjson", *FAST).code == 1


def test_a_run_compared_with_itself_is_no_pass(shell: Shell) -> None:
    two_runs(shell)

    call = shell.gate("compare", "--baseline", "old", "--candidate", "old")

    assert (call.code, call.err) == (
        2,
        "inconclusive: run old is compared with itself\n  → name two different runs\n",
    )


# --- the ledger ---


def test_without_a_ledger_there_is_nothing_to_show(shell: Shell) -> None:
    call = shell.gate("compare")

    assert call.code == 0
    assert call.out.startswith("*No run has been recorded yet.*")
    assert shell.gate("compare", "--json").document["ledger"]["missing"] is True


@pytest.mark.parametrize("name", ["nowhere", "none.jsonl"])
def test_a_ledger_that_was_named_and_is_not_there_is_an_input_error(shell: Shell, name: str) -> None:
    call = shell.gate("compare", "--input", name)

    assert call.code == 65
    assert "there is no such ledger" in call.err


def test_a_pair_of_a_ledger_that_does_not_exist_is_an_input_error(shell: Shell) -> None:
    call = pair(shell, "--input", "none.jsonl")

    assert (call.code, call.out) == (65, "")
    assert call.err == "error: none.jsonl: there is no such ledger\n  → name an existing one with --input\n"


def test_the_input_is_a_ledger_or_the_folder_that_holds_one(shell: Shell) -> None:
    two_runs(shell)
    shell.write("deep/eval-results.jsonl", (shell.folder / LEDGER).read_bytes())
    shell.write("mine.jsonl", (shell.folder / LEDGER).read_bytes())

    for name in ("deep", "deep/eval-results.jsonl", "mine.jsonl", ".gbrain-evals"):
        assert len(shell.gate("compare", "--json", *FAST, "--input", name).document["records"]) == 2


def test_the_ledger_and_the_rows_are_those_of_the_repository_from_any_folder_in_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_runs(shell)
    (shell.folder / ".git").mkdir()
    (shell.folder / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(shell.folder / "src" / "deep")

    assert pair(shell).code == 0


@pytest.mark.parametrize(
    ("baseline", "candidate", "named"), [("x", "y", "baseline run x"), ("old", "y", "candidate run y")]
)
def test_a_run_nobody_recorded_is_a_usage_error_the_baseline_named_first(
    shell: Shell, baseline: str, candidate: str, named: str
) -> None:
    two_runs(shell)

    call = shell.gate("compare", "--baseline", baseline, "--candidate", candidate)

    assert call.code == 64
    assert named in call.err


def test_a_missing_rows_file_is_listed_and_the_pair_is_inconclusive(shell: Shell) -> None:
    two_runs(shell)
    (shell.folder / "new.ndjson").unlink()

    call = pair(shell)

    assert call.code == 2
    assert call.document["paired_unavailable"] == [
        {"run_id": "new", "reason": "per-query file not found: new.ndjson"}
    ]


def test_rows_that_were_written_anew_since_are_not_the_run_s(shell: Shell) -> None:
    two_runs(shell)
    recorded = hashlib.sha256((shell.folder / "new.ndjson").read_bytes()).hexdigest()
    two_runs(shell, params={"output": "new.ndjson", "output_sha256": recorded})
    assert pair(shell).code == 0
    two_runs(shell, params={"output": "new.ndjson", "output_sha256": "f" * 64})
    call = pair(shell)
    assert call.code == 2
    (unavailable,) = call.document["paired_unavailable"]
    assert unavailable["run_id"] == "new"
    assert unavailable["reason"].startswith(
        "new.ndjson: not the rows it recorded (sha256 ffffffffffff…, now "
    )


def test_a_record_without_rows_says_so(shell: Shell) -> None:
    two_runs(shell, params={"output": None})

    assert pair(shell).document["paired_unavailable"] == [
        {"run_id": "new", "reason": "record has no params.output per-query file"}
    ]


@pytest.mark.parametrize(
    "place", ["../outside.ndjson", "absolute", "link.ndjson", ".", "deep/../../outside.ndjson"]
)
def test_rows_outside_the_repository_are_refused_and_listed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    outside = shell.rows("outside.ndjson", *hits(100))
    repository = shell.folder / "repository"
    inner = Shell(repository, shell.captured)
    output = str(outside) if place == "absolute" else place
    two_runs(inner, params={"output": output})
    (repository / "deep").mkdir()
    (repository / "link.ndjson").symlink_to(outside)
    monkeypatch.chdir(repository)

    call = pair(inner)

    assert call.code == 2
    assert call.document["paired_unavailable"] == [
        {
            "run_id": "new",
            "reason": f"refused per-query file outside the repository root ({repository.resolve()}): {output}",
        }
    ]


def test_rows_with_a_value_that_is_no_number_stop_a_named_pair_and_are_listed_among_modes(
    shell: Shell,
) -> None:
    two_runs(shell)
    shell.write("new.ndjson", '{"question_id":"q001","recall_all_hit":true,"x":1e999}\n')

    named, modes = pair(shell), shell.gate("compare", "--json", *FAST)

    assert (named.code, named.out) == (65, "")
    assert named.err.startswith("error: new.ndjson, line 1: `x` must be a finite number")
    assert modes.code == 0
    (listed,) = modes.document["paired_unavailable"]
    assert listed["run_id"] == "new"
    assert listed["reason"].startswith("new.ndjson, line 1: `x` must be a finite number")


def test_lines_that_are_no_rows_are_skipped_as_the_contract_does_and_counted(shell: Shell) -> None:
    two_runs(shell)
    rows = (shell.folder / "new.ndjson").read_bytes()
    shell.write("new.ndjson", b'{"question_id":"x","recall_all_hit":NaN}\n{"no":"id"}\n[]\n' + rows)

    document = pair(shell).document

    assert document["paired"][0]["n"] == 100
    assert any("new: 3 lines that are no rows" in note for note in document["notes"])


def test_a_row_that_comes_twice_counts_once_as_the_last_and_is_reported(shell: Shell) -> None:
    two_runs(shell)
    shell.rows("new.ndjson", {"question_id": "q000", "recall_all_hit": False}, *hits(100))

    call = pair(shell)

    assert call.document["paired"][0]["losses"] == 0
    assert any("new: 1 row that repeats a question id" in note for note in call.document["notes"])


def test_two_files_with_a_row_that_comes_twice_are_refused(shell: Shell) -> None:
    two_runs(shell)
    shell.rows("new.ndjson", *hits(100), *hits(1))

    call = shell.gate("compare", "--rows", "old.ndjson", "new.ndjson")

    assert call.code == 65
    assert "q000" in call.err


def test_torn_and_blank_lines_of_rows_and_ledger_are_skipped_and_counted(shell: Shell) -> None:
    two_runs(shell)
    shell.write(LEDGER, (shell.folder / LEDGER).read_bytes() + b'\n[]\n{"run_id":"to')
    shell.write("new.ndjson", (shell.folder / "new.ndjson").read_bytes() + b'\n{"question_id":"q9')

    document = pair(shell).document

    assert document["ledger"]["skipped"] == {"blank": 1, "torn": 1, "not_utf8": 0, "not_a_record": 1}
    assert any("new: 1 line that is no row" in note for note in document["notes"])
    assert document["paired"][0]["n"] == 100


def test_unmatched_questions_are_counted_on_both_sides(shell: Shell) -> None:
    two_runs(shell)
    shell.rows("new.ndjson", *hits(90)[10:], {"question_id": "extra", "recall_all_hit": True})

    (entry,) = pair(shell).document["paired"]

    assert (entry["n"], entry["baseline_only"], entry["candidate_only"]) == (80, 20, 1)


def abstaining(shell: Shell) -> None:
    rows = [
        {"question_id": f"q{index}{'_abs' * (index < 3)}", "recall_all_hit": True, "judge_correct": True}
        for index in range(10)
    ]
    shell.rows("old.ndjson", *rows)
    shell.rows("new.ndjson", *rows)


def test_abstention_rows_stay_outside_recall_unless_asked_in(shell: Shell) -> None:
    abstaining(shell)
    files = ("--rows", "old.ndjson", "new.ndjson", "--json")

    outside = shell.gate("compare", *files).document
    inside = shell.gate("compare", *files, "--include-abstention").document

    assert [(entry["metric"], entry["n"]) for entry in outside["paired"]] == [
        ("recall_all@k", 7),
        ("qa_accuracy", 10),
    ]
    assert [entry["n"] for entry in inside["paired"]] == [10, 10]
    assert any("3 abstention questions stay outside recall" in note for note in outside["notes"])


def test_judge_errors_are_dropped_and_counted(shell: Shell) -> None:
    rows: list[dict[str, object]] = [
        {"question_id": f"q{index}", "judge_correct": True} for index in range(10)
    ]
    shell.rows("old.ndjson", *rows)
    shell.rows(
        "new.ndjson", *rows[:9], {"question_id": "q9", "judge_correct": False, "judge_error": "timeout"}
    )

    (entry,) = shell.gate("compare", "--rows", "old.ndjson", "new.ndjson", "--json").document["paired"]

    assert (entry["n"], entry["losses"], entry["judge_errors"]) == (9, 0, 1)


def test_rows_that_only_know_any_hit_are_compared_in_that(shell: Shell) -> None:
    shell.rows("old.ndjson", *hits(20, field="recall_hit"))
    shell.rows("new.ndjson", *hits(20, field="recall_hit"))

    document = shell.gate("compare", "--rows", "old.ndjson", "new.ndjson", "--json").document

    assert [entry["metric"] for entry in document["paired"]] == ["recall_any@k"]


def test_version_2_and_version_3_records_are_compared_with_each_other(shell: Shell) -> None:
    two_runs(shell, schema_version=2)

    assert pair(shell).code == 0


# --- options ---


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--modes", "fast"), "'fast' is not a mode"),
        (("--modes", "balanced,n/a"), "'n/a' is not a mode"),
        (("--baseline", "old"), "come together"),
        (("--candidate", "new"), "come together"),
        (("--draws", "999"), "999"),
        (("--draws", "12abc"), "12abc"),
        (("--draws", "1000.5"), "1000.5"),
        (("--seed", "-1"), "-1"),
        (("--seed", "NaN"), "NaN"),
        (("--rows", "old.ndjson"), "requires 2 arguments"),
        (("--rows", "old.ndjson", "new.ndjson", "--runs", "old"), "--runs cannot be used with it"),
        (("--rows", "a", "b", "--baseline", "x", "--candidate", "y"), "--baseline, --candidate cannot"),
        (("--unknown",), "--unknown"),
        (("extra",), "extra"),
    ],
)
def test_what_was_called_wrongly_is_exit_code_64_and_says_what(
    shell: Shell, arguments: tuple[str, ...], said: str
) -> None:
    two_runs(shell)

    call = shell.gate("compare", *arguments)

    assert (call.code, call.out) == (64, "")
    assert said in call.err


def test_of_json_and_md_the_last_one_wins(shell: Shell) -> None:
    two_runs(shell)

    assert shell.gate("compare", "--md", "--json", *FAST).out.startswith("{")
    assert shell.gate("compare", "--json", "--md", *FAST).out.startswith("# Search Mode Comparison\n")
    assert shell.gate("compare", *FAST).out.startswith("# Search Mode Comparison\n")


def test_json_ends_without_a_newline_and_markdown_with_one(shell: Shell) -> None:
    two_runs(shell)

    assert shell.gate("compare", "--json", *FAST).out.endswith("\n}")
    assert shell.gate("compare", *FAST).out.endswith("*\n")


def test_filters_take_lists_and_an_empty_list_is_everything(shell: Shell) -> None:
    two_runs(shell)

    def ids(*arguments: str) -> list[str]:
        return [
            one["run_id"] for one in shell.gate("compare", "--json", *FAST, *arguments).document["records"]
        ]

    assert ids("--runs", "") == ["old", "new"]
    assert ids("--runs", "new, other") == ["new"]
    assert ids("--modes", "balanced,tokenmax") == ["old", "new"]
    assert ids("--modes", "balanced") == ["old"]
    assert ids("--suite", "replay") == []


def test_the_same_call_gives_the_same_bytes(shell: Shell) -> None:
    two_runs(shell, lost=5)

    assert shell.gate("compare", "--json").out == shell.gate("compare", "--json").out
    assert shell.gate("compare", "--json", "--seed", "7").out != shell.gate("compare", "--json").out


@pytest.mark.parametrize(
    ("config", "code", "said"),
    [
        (None, 78, "no such file"),
        ("metrics: {mine: {better: up}}", 78, "metrics"),
        ("metrics: [", 78, "eval-gate.yml"),
        ("metrics: {mine: {better: lower, unit: ms, matters: 5}}\nrules: [{metrc: x}]\n", 0, ""),
        ("version: 1\n", 0, ""),
        ("[]", 78, ""),
        ("metrcs: {mine: {better: lower}}", 78, "did you mean `metrics`?"),
    ],
)
def test_of_a_configuration_only_the_metrics_are_read(
    shell: Shell, config: str | None, code: int, said: str
) -> None:
    shell.rows("a.ndjson", *hits(5, field="mine"))
    if config is not None:
        shell.write("eval-gate.yml", config)

    call = shell.gate("compare", "--rows", "a.ndjson", "a.ndjson", "--config", "eval-gate.yml")

    assert call.code == code
    assert said in call.err


# --- bad input ---


@pytest.mark.parametrize(
    "content",
    [
        b"\x00\x01\x02\xff",
        b"{",
        b'{"recall_all_hit":true}\n',
        b'{"question_id":"q000","recall_all_hit":true,"x":1e999}\n',
        b'{"question_id":"q000","x":NaN}\n',
        b'{"question_id":"q000","x":' + b"9" * 5000 + b"}\n",
        b'{"question_id":"q000","x":' + b"[" * 100_000 + b"\n",
        b'{"question_id":"\xff"}\n',
    ],
    ids=["binary", "not-json", "no-id", "1e999", "nan", "endless-integer", "deep", "not-utf8"],
)
def test_rows_that_cannot_be_read_are_one_clear_input_error(shell: Shell, content: bytes) -> None:
    shell.rows("old.ndjson", *hits(5))
    shell.write("new.ndjson", content)

    call = shell.gate("compare", "--rows", "old.ndjson", "new.ndjson")

    assert (call.code, call.out) == (65, "")
    assert call.err.startswith("error: new.ndjson")
    assert call.err.count("\n") == 2


@pytest.mark.parametrize("name", ["missing.ndjson", "."])
def test_a_path_that_is_no_file_of_rows_is_an_input_error(shell: Shell, name: str) -> None:
    shell.rows("old.ndjson", *hits(5))

    call = shell.gate("compare", "--rows", "old.ndjson", name)

    assert (call.code, call.out) == (65, "")


def test_a_folder_as_a_ledger_is_an_input_error(shell: Shell) -> None:
    (shell.folder / "x.jsonl").mkdir()

    assert shell.gate("compare", "--input", "x.jsonl").code == 65


@pytest.mark.parametrize(
    "content",
    [b"", b"\xef\xbb\xbf", b"\x00\xff\xfe binary", b"{" * 100_000, b"x" * 20_000_000],
    ids=["empty", "bom-only", "binary", "deep", "20-MB-line"],
)
def test_a_ledger_without_a_record_shows_nothing_and_counts_what_it_skipped(
    shell: Shell, content: bytes
) -> None:
    shell.write(LEDGER, content)

    call = shell.gate("compare", "--json")

    assert call.code == 0
    assert sum(call.document["ledger"]["skipped"].values()) == (content not in (b"", b"\xef\xbb\xbf"))


def test_an_empty_file_of_rows_is_never_a_pass(shell: Shell) -> None:
    shell.rows("old.ndjson", *hits(5))
    shell.write("empty.ndjson", b"")

    for files in (
        ("old.ndjson", "empty.ndjson"),
        ("empty.ndjson", "old.ndjson"),
        ("empty.ndjson", "empty.ndjson"),
    ):
        call = shell.gate("compare", "--rows", *files)
        assert call.code == 2
        assert "per-query file has no question rows: empty.ndjson" in call.out


def test_numbers_too_large_to_add_up_are_an_input_error_not_a_bug(shell: Shell) -> None:
    shell.rows("old.ndjson", *({"question_id": str(n), "x": 1.7e308} for n in range(5)))

    call = shell.gate("compare", "--rows", "old.ndjson", "old.ndjson")

    assert (call.code, call.out) == (65, "")
    assert call.err.startswith("error: x: values up to 1.7e+308 are too large")


def test_a_file_name_that_is_no_utf8_is_no_obstacle(shell: Shell) -> None:
    name = os.fsdecode(b"r\xff.ndjson")
    shell.rows(name, *hits(5))

    call = shell.gate("compare", "--rows", name, name, "--json")

    assert call.code == 0
    assert call.document["paired"][0]["baseline_run"] == name


# --- the process ---


def test_heavy_libraries_are_not_imported(shell: Shell) -> None:
    two_runs(shell)
    program = (
        "import sys; from gate.cli import invoke; code = invoke(sys.argv[1:]); "
        "heavy = {'scipy', 'jsonschema', 'pydantic', 'dulwich', 'yaml', 'httpx'} & sys.modules.keys(); "
        "print(heavy, file=sys.stderr); sys.exit(code)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, "compare", "--json"],
        cwd=shell.folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0
    assert done.stderr == "set()\n"


def test_the_exit_code_of_the_process_is_the_verdict(shell: Shell) -> None:
    two_runs(shell, lost=20)

    done = subprocess.run(
        [sys.executable, "-m", "gate", "compare", "--rows", "old.ndjson", "new.ndjson"],
        cwd=shell.folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == "fail: recall_all@k is significantly worse\n"
