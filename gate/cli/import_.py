"""`gate import`: results of other tools become generic rows."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import show
from gate.cli.paths import FILE, FOLDER
from gate.errors import ExitCode

if TYPE_CHECKING:
    from gate.wiring.importing import Target, Written


@click.group("import")
def command() -> None:
    """Turn what you already have into per-question rows that the gate compares.

    \b
    trec       a run and judgements: precision, recall, MRR, MAP, nDCG and hit, as trec_eval has them
    beir       a BEIR folder (queries.jsonl, qrels/) and a run, in TREC's columns or as JSON
    promptfoo  the output of `promptfoo eval --output results.json`
    """


@command.command("trec")
@click.argument("run", type=FILE)
@click.argument("qrels", type=FILE)
@click.option("-k", "--k", "cuts", type=click.IntRange(1, 10_000), multiple=True, default=(10,), help="Cuts.")
@click.option("--output", required=True, type=FILE, metavar="ROWS", help="Where the rows go.")
def trec(run: Path, qrels: Path, cuts: tuple[int, ...], output: Path) -> int:
    """RUN (query, Q0, document, rank, score, tag a line) against QRELS in any shape."""
    from gate.wiring.importing import import_trec

    return _tell(import_trec(run, qrels, cuts, _target(output)))


@command.command("beir")
@click.argument("folder", type=FOLDER)
@click.argument("run", type=FILE)
@click.option("--split", default="test", show_default=True, help="The judgements: qrels/SPLIT.tsv.")
@click.option("-k", "--k", "cuts", type=click.IntRange(1, 10_000), multiple=True, default=(10,), help="Cuts.")
@click.option("--output", required=True, type=FILE, metavar="ROWS", help="Where the rows go.")
def beir(folder: Path, run: Path, split: str, cuts: tuple[int, ...], output: Path) -> int:
    """RUN (TREC's columns, or JSON of query, document and score) against a BEIR FOLDER."""
    from gate.wiring.importing import import_beir

    return _tell(import_beir(folder, run, split, cuts, _target(output)))


@command.command("promptfoo")
@click.argument("results", type=FILE)
@click.option("--provider", help="Which of several, by id or label.")
@click.option("--prompt", help="Which of several, by place (from 0), id or label.")
@click.option("--output", required=True, type=FILE, metavar="ROWS", help="Where the rows go.")
def promptfoo(results: Path, provider: str | None, prompt: str | None, output: Path) -> int:
    """RESULTS as promptfoo wrote them: pass, score, latency and cost a test."""
    from gate.core.imports.promptfoo import Choice
    from gate.wiring.importing import import_promptfoo

    return _tell(import_promptfoo(results, Choice(provider=provider, prompt=prompt), _target(output)))


def _target(output: Path) -> "Target":
    from gate.wiring.importing import Target

    return Target(path=output, name=str(output))


def _tell(written: "Written") -> int:
    from gate.core.wording import counted

    for note in written.notes:
        click.echo(note, err=True)
    show(f"{counted(written.count, 'row')}, {written.errors} of them errors: {written.rows.path}")
    return ExitCode.PASS
