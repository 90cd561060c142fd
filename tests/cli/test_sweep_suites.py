"""`gate sweep` over every kind of suite: those that know modes in each, the others once, all of them recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.ledger import read_ledger
from gate.store.receipts import read_receipt
from tests.cli.calls import Shell
from tests.cli.test_run_replay import with_pages
from tests.cli.test_run_takes_quality import Desk, answer, desk
from tests.cli.test_suite_replay import SAME, published
from tests.core.brainbench.results import BASELINE, RESULT, real
from tests.longmemeval_files import array, document
from tests.providers.wire import wire

__all__ = ["desk"]

MODES = ("balanced", "conservative", "tokenmax")
CONFIG = """\
version: 1
system: {kind: reference}
suites:
  - {suite: longmemeval, dataset: lme.json}
  - {suite: replay, against: captures.ndjson, corpus: docs}
  - {suite: brainbench, result: result.json, baseline: main.json}
rules:
  - {metric: recall_all@5, rule: threshold, at-least: 0.5}
"""


def records(folder: Path) -> list[dict[str, Any]]:
    data = (folder / "gate-out/eval-results.jsonl").read_bytes()
    return [dict(record.raw) for record in read_ledger(data).records]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = with_pages(Shell(tmp_path, capsys))
    array(tmp_path / "lme.json", [document(number) for number in range(12)])
    shell.write("captures.ndjson", published(*SAME))
    shell.write("result.json", real(RESULT))
    shell.write("main.json", real(BASELINE))
    shell.write("eval-gate.yml", CONFIG)
    return shell


def test_suites_that_know_modes_run_in_each_and_the_others_once(shell: Shell) -> None:
    done = shell.gate("sweep")

    assert done.code == 0, done.out + done.err
    found = records(shell.folder)
    assert sorted((each["suite"], each["mode"], each["status"]) for each in found) == [
        ("brainbench", "n/a", "completed"),
        *(("longmemeval", mode, "completed") for mode in MODES),
        *(("replay", mode, "completed") for mode in MODES),
    ]
    again = shell.gate("compare", "--input", "gate-out/eval-results.jsonl", "--json").out
    assert again == (shell.folder / "gate-out/modes.json").read_text()
    assert shell.gate("validate", "gate-out/eval-results.jsonl").code == 0
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_the_page_speaks_of_every_suite(shell: Shell) -> None:
    shell.gate("sweep")
    page = (shell.folder / "gate-out/release.md").read_text()
    for name in ("longmemeval", "replay", "brainbench"):
        assert f"### {name}\n" in page
    assert "| recall_all@5&nbsp;↑&nbsp;(gated) |" in page
    dataset = next(each for each in records(shell.folder) if each["suite"] == "longmemeval")["params"]
    assert f"dataset sha256 <code>{dataset['dataset_sha256']}</code>" in page
    assert "k 5" in page


def test_only_the_suites_that_are_named_run_and_the_rest_is_never_a_pass(shell: Shell) -> None:
    assert shell.gate("sweep", "--suites", "replay").code == 2
    assert {each["suite"] for each in records(shell.folder)} == {"replay"}


def test_a_panel_is_recorded_with_its_judges_and_its_cost_is_told_first(desk: Desk) -> None:
    with wire(answer(8)) as first, wire(answer(8)) as second, wire(answer(8)) as third:
        desk.judged_by(first, second, third)
        desk.config()
        done = desk.gate("sweep")

    assert done.code == 0, done.out + done.err
    assert "takes-quality, one cycle of its panel: unknown: no price, or no takes to be read" in done.out
    (record,) = records(desk.folder)
    assert (record["suite"], record["mode"], record["status"]) == ("takes-quality", "n/a", "completed")
    assert record["params"]["models"] == ["first:judge-one", "second:judge-two", "third:judge-three"]
    page = (desk.folder / "gate-out/release.md").read_text()
    assert "judges: <code>first:judge-one</code>, <code>second:judge-two</code>" in page
    assert "an unknown amount for one cycle of the panel <code>takes-quality</code>" in page
    report = read_receipt(desk.folder / "gate-out/receipt.json", "receipt")
    assert report.suites[0].panel is not None
    assert json.loads((desk.folder / "gate-out/modes.json").read_text())["schema_version"] == 2
