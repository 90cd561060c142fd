"""`gate doctor`: what is missing, and what to do about it."""

import time
from collections.abc import Mapping
from pathlib import Path

import click

from gate.cli.console import show
from gate.cli.paths import config_option
from gate.errors import ExitCode
from gate.process import SystemClock


@click.command("doctor")
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else.")
@click.pass_obj
def command(environment: Mapping[str, str], config: Path, as_json: bool) -> int:  # noqa: FBT001 - click passes options by name
    """Look at everything the gate needs: configuration, rows, baseline, git, workflows, token. Nothing is changed.

    Each line is ✓ (there), ✗ (missing or wrong, with what to do) or ? (cannot be known from here). As a step of a
    workflow it also knows the event and what the token may read. Exit code 0 when nothing is ✗, else 78.
    """
    from gate.core.records.ecmascript import json_text
    from gate.render.checklist import checklist, checklist_document, complete
    from gate.wiring.checkup import Patient, examine

    checks = examine(Patient(config, Path.cwd(), environment, SystemClock(), time.sleep))
    show(json_text(checklist_document(checks), indent=2) if as_json else checklist(checks))
    return ExitCode.PASS if complete(checks) else ExitCode.CONFIG
