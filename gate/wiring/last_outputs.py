"""The outputs of a step that ends in an error: the steps after it still need to know what to call the folder."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from gate.core.report import Report
from gate.errors import GateError
from gate.github.artifacts import artifact_name
from gate.github.legs import gate_of_leg, leg
from gate.github.remarks import outputs
from gate.github.sharded import artifact_of_inputs
from gate.store.receipts import read_any_receipt
from gate.wiring.base_configs import gate_of
from gate.wiring.gate_id import config_path, own_document


def last_outputs(
    workspace: Path, inputs: Mapping[str, str], *, attempt: int, started: datetime
) -> Mapping[str, str]:
    """What a report says where this run still wrote one; else the artifact's name alone; nothing where none is made."""
    if inputs.get("command") == "publish":
        return {}
    if inputs.get("shard"):
        name = artifact_of_inputs(inputs, _gate(workspace, {**inputs, "matrix": ""}), attempt)
        return {} if name is None else {"artifact-name": name}
    out = inputs.get("out") or "gate-out"
    report = _written_since(workspace / out / "receipt.json", started)
    if report is not None:
        return outputs(report, out, comment_url="", attempt=attempt)
    return {"artifact-name": artifact_name(f"gate-{_gate(workspace, inputs)}", attempt)}


def _written_since(path: Path, started: datetime) -> Report | None:
    try:
        report = read_any_receipt(path, path.name)
        made = datetime.fromisoformat(report.created_at)
    except (GateError, OSError, ValueError):
        return None
    return report if made >= started.replace(microsecond=started.microsecond // 1000 * 1000) else None


def _gate(workspace: Path, inputs: Mapping[str, str]) -> str:
    """The id that the run would have had, as far as its configuration can be read."""
    given = inputs.get("gate")
    if given:
        return given
    path = config_path(workspace, inputs)
    document = None if path is None else own_document(workspace.resolve(), path)
    return gate_of_leg(gate_of(document), leg(inputs.get("matrix", "")))
