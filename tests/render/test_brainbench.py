from gate.core.brainbench.comparison import Breach
from gate.core.brainbench.decision import Decision
from gate.render.brainbench import cells_table
from tests.core.brainbench.results import cell_object, result

WORSE = Breach(cell="codex/push", metric="push_recall", baseline=0.5, current=0.4, detail="0.5 → 0.4")
LOW = Breach(cell="codex/push", metric="push_recall", baseline=0.52, current=0.4, detail="at least 0.52")


def test_every_cell_is_a_line_and_everything_found_is_said() -> None:
    decision = Decision(verdict="regression", breaches=(WORSE,), below=(LOW,), notes=("a note",))
    lines = cells_table(result(), decision).splitlines()
    assert lines[0].split() == ["cell", "gold", "missed", "metrics"]
    assert lines[1].split() == [
        "codex/know-to-ask", "1", "0", "know_to_ask_failure_rate", "0,", "false_fire_rate", "0",
    ]  # fmt: skip
    assert lines[2:] == [
        "worse: codex/push push_recall: 0.5 → 0.4",
        "floor: codex/push push_recall: at least 0.52",
        "a note",
        "verdict: regression",
    ]


def test_a_cell_without_a_gated_metric_has_a_dash() -> None:
    text = cells_table(result(cells=[cell_object(metrics={})], turn_rows=[]), Decision(verdict="pass"))
    assert text.splitlines()[1].endswith("–")
