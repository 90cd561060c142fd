"""Paths on the command line. Whether one can be read is for whoever reads it to say, with its own exit code."""

from pathlib import Path
from typing import Final

import click

ANY: Final = click.Path(path_type=Path, readable=False)
FILE: Final = click.Path(path_type=Path, readable=False, dir_okay=False)
FOLDER: Final = click.Path(path_type=Path, readable=False, file_okay=False)

config_option: Final = click.option(
    "--config", default="eval-gate.yml", show_default=True, type=ANY, help="The configuration."
)
out_option: Final = click.option(
    "--out",
    default="gate-out",
    show_default=True,
    type=ANY,
    help="The folder that everything is written to.",
)
