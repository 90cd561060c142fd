"""The files of a finished run, each rendered from the report and nothing else."""

from collections.abc import Iterator

from gate.core.report import Report
from gate.render.comment import comment
from gate.render.junit import junit
from gate.render.machine import machine
from gate.render.summary import summary


def renditions(report: Report) -> Iterator[tuple[str, str]]:
    """(file name, text) of everything beside the receipt, in the order they are written."""
    yield "report.json", machine(report)
    yield "comment.md", comment(report)
    yield "summary.md", summary(report)
    yield "junit.xml", junit(report)
