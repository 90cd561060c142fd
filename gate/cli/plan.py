"""`gate plan`: what a run would do, before it does anything."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gate.cli.console import Silence, show
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import config_option
from gate.process import SystemClock


@click.command("plan")
@config_option
@narrowing_options
@click.pass_obj
def command(environment: Mapping[str, str], /, config: Path, **asked: Any) -> int:
    """Print the plan as JSON: suites, baseline, rules, digests and the plan's own digest. Nothing runs.

    With a panel of judges it also says the most that one of its cycles can cost; `null` is unknown.
    """
    import msgspec

    from gate.core.receipt import plan_digest
    from gate.core.records.ecmascript import json_text
    from gate.wiring import Asked, connect
    from gate.wiring.panel_projection import projected_costs

    job = connect(
        config,
        Path("gate-out"),
        clock=SystemClock(),
        progress=Silence(),
        asked=Asked(overrides=overrides_of(config, asked)),
        environment=environment,
    )
    document = {"plan_sha256": plan_digest(job.plan), "plan": msgspec.to_builtins(job.plan)}
    costs = projected_costs(job.plan, job.around.root, environment)
    if costs:
        document["projected_usd"] = costs
    show(json_text(document, indent=2))
    for problem in () if job.plan.baseline is None else job.plan.baseline.problems:
        click.echo(f"note: {problem.reason}: {problem.message}", err=True)
    return 0
