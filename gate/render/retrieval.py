"""What a retrieval run came to, for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.glossary import lookup
from gate.core.metrics import Metrics, by_class
from gate.core.wording import counted
from gate.render.dialect import PLAIN
from gate.render.numbers import scale
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

_WIDTH: Final = 100

Measured = Mapping[str, Metrics | None]


def retrieval_table(measured: Measured, classes: Mapping[str, str]) -> str:
    """The mean of every metric and the number of queries it is over, then success by query class."""
    parts = [_means(measured), _by_class(measured, classes)]
    return "\n\n".join(part for part in parts if part) or "nothing was measured"


def _means(measured: Measured) -> str:
    one = dict.fromkeys(measured, "")
    rows = tuple(_row(name, *by_class(measured, one, name)[""]) for name in _names(measured))
    return _text(Table((Column("metric", "left"), Column("mean"), Column("queries")), rows))


def _by_class(measured: Measured, classes: Mapping[str, str]) -> str:
    """Hit rate at every cut, class by class; nothing where no query names its class."""
    hits = [name for name in _names(measured) if name.startswith("hit@")]
    found = {name: by_class(measured, classes, name) for name in hits}
    rows = tuple(
        Row(
            (
                PLAIN.label(kind),
                *(_value(name, found[name][kind][0]) for name in hits),
                str(found[hits[0]][kind][1]),
            )
        )
        for kind in (found[hits[0]] if hits else ())
    )
    return _text(Table((Column("class", "left"), *(Column(name) for name in hits), Column("queries")), rows))


def ending(answered: int, errored: int, left: int) -> str:
    """How many queries were answered, and what became of the others."""
    return ", ".join(_ending(answered, errored, left))


def _ending(answered: int, errored: int, left: int) -> Iterator[str]:
    yield f"{counted(answered, 'query', 'queries')} answered"
    if errored:
        yield f"{errored} with errors"
    if left:
        yield f"{left} not asked"


def _names(measured: Measured) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for metrics in measured.values() for name in metrics or ()))


def _row(name: str, mean: float, queries: int) -> Row:
    return Row((PLAIN.label(name), _value(name, mean), str(queries)))


def _value(name: str, mean: float) -> str:
    entry = lookup(name)
    return scale(None if entry is None else entry.unit, mean).value(mean)


def _text(table: Table) -> str:
    return text_table(table, width=_WIDTH, palette=NO_COLOUR)
