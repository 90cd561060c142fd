"""`gate dataset`: fetch a dataset by its digest, and list the questions of a published split."""

import time
from pathlib import Path
from typing import Final

import click

from gate.cli.console import progress_on_stderr, show
from gate.cli.paths import ANY, FILE
from gate.process import SystemClock, cancel_on_signals

CACHE: Final = Path("~/.cache/retrieval-quality-gate/datasets")
SPLITS: Final = ("dev40", "decision430", "halfA470", "halfB470", "halfA430", "halfB430")


@click.group("dataset")
def command() -> None:
    """Datasets: pinned by their digest, fetched once."""


@command.command("fetch")
@click.argument("source", metavar="URL|PATH")
@click.option(
    "--sha256", required=True, metavar="HEX", help="The digest of the only bytes that are accepted."
)
@click.option(
    "--cache",
    default=CACHE,
    show_default=True,
    type=ANY,
    help="The folder to keep datasets in; cache it in CI under the digest.",
)
def fetch(source: str, sha256: str, cache: Path) -> None:
    """Fetch a dataset unless the cache has it, and print where it lies."""
    cancel_on_signals()
    from gate.store.dataset_cache import DatasetCache

    progress = progress_on_stderr(SystemClock())
    found = DatasetCache(folder=cache.expanduser(), progress=progress, sleep=time.sleep)
    show(str(found.fetch(source, sha256)))


@command.command("split")
@click.argument("dataset", type=FILE)
@click.option("--name", required=True, type=click.Choice(SPLITS), help="The published split.")
def split(dataset: Path, name: str) -> None:
    """List the ids of a split of a LongMemEval dataset, for `gate suite longmemeval --question-ids`."""
    cancel_on_signals()
    from gate.core.longmemeval.splits import splits
    from gate.store.longmemeval_dataset import read_dataset

    found = splits(question.id for question in read_dataset(dataset).questions)
    show("\n".join(next(ids for known, ids in found.items() if known == name)))
