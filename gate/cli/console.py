"""What a command says: results on standard output, progress and remarks on standard error."""

import sys

import click


class StageLines:
    """One line a stage on standard error."""

    def stage(self, name: str) -> None:
        """Say that a stage begins."""
        click.echo(f"{name} …", err=True)


class Silence:
    """Nothing at all, for --json."""

    def stage(self, name: str) -> None:
        """Say nothing."""


def show(text: str) -> None:
    """Print a result and end its last line."""
    show_exactly(text if text.endswith("\n") else f"{text}\n")


def show_exactly(text: str) -> None:
    """Print a result as it is; a reader who has left (a closed pipe) changes nothing about the verdict."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
