"""A suite that its system cannot be asked is one clear problem, before anything runs."""

from typing import Any

import pytest

from gate.settings import wired
from gate.wiring import longmemeval_by_gbrain
from tests.settings.test_memory_suites import GBRAIN, LME, REPLAY, refused, request

RETRIEVAL = {"suite": "retrieval", "corpus": "docs", "qrels": "q.tsv"}
BRAINBENCH = {"suite": "brainbench", "baseline": "main.json"}
HTTP = {"kind": "http", "url": "http://x"}
REFERENCE = {"kind": "reference"}
ROWS = {"kind": "rows"}


@pytest.mark.parametrize(
    ("suite", "system", "said"),
    [
        (LME, ROWS, "suites[0].suite: `longmemeval` asks the system under test; say which under `system`"),
        (REPLAY, ROWS, "suites[0].suite: `replay` asks the system under test"),
        (BRAINBENCH, ROWS, "suites[0].suite: `brainbench` has a runner of its own"),
        (BRAINBENCH, HTTP, "say `system: {kind: gbrain, run: [gbrain]}`, or name the `result`"),
        (RETRIEVAL, GBRAIN, "suites[0].suite: gbrain's command line takes no judged queries"),
        (REPLAY, REFERENCE, "suites[0].corpus: the built-in system has no documents of its own"),
        (REPLAY | {"corpus": "docs"}, GBRAIN, "suites[0].corpus: gbrain replays on its own documents"),
        (LME | {"answers": True}, REFERENCE, "suites[0].answers: the built-in system does not answer"),
        (LME | {"gbrain-options": ["--judge"]}, HTTP, "suites[0].gbrain-options: only gbrain has them"),
        (
            LME | {"gbrain-options": ["--output=x"]},
            GBRAIN,
            "suites[0].gbrain-options: `--output` is the gate's",
        ),
        (
            {"suite": "brainbench", "allow-regression": "so"},
            GBRAIN,
            "suites[0].allow-regression: nothing can get worse without a `baseline`",
        ),
    ],
)
def test_what_does_not_go_together_is_told(suite: dict[str, Any], system: dict[str, Any], said: str) -> None:
    assert said in refused(suite, system=system)


@pytest.mark.parametrize(
    ("suite", "system"),
    [
        (LME, REFERENCE),
        (LME, HTTP),
        (LME | {"gbrain-options": ["--judge"]}, GBRAIN),
        (REPLAY | {"corpus": "docs"}, REFERENCE),
        (REPLAY, HTTP),
        (REPLAY, GBRAIN),
        (BRAINBENCH, GBRAIN),
        (BRAINBENCH | {"result": "r.json"}, ROWS),
        (RETRIEVAL, HTTP),
        ({"suite": "rows", "name": "r", "rows": "r.ndjson"}, GBRAIN),
    ],
)
def test_what_goes_together_is_a_request(suite: dict[str, Any], system: dict[str, Any]) -> None:
    assert len(request(suite, system=system).suites) == 1


def test_the_options_that_are_the_gates_own_are_the_same_everywhere() -> None:
    assert wired.GATE_SAYS == longmemeval_by_gbrain.GATE_SAYS
