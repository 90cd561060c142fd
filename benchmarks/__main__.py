"""`python -m benchmarks [NAME…]`: each benchmark's table; exit code 1 when a budget was not kept."""

import sys
from collections.abc import Sequence
from importlib import import_module

from benchmarks.table import table

BENCHMARKS = (
    "startup",
    "comparator",
    "compare",
    "rows",
    "takes",
    "panel",
    "longmemeval",
    "retrieval",
    "publishing",
    "image",
)


def main(asked: Sequence[str]) -> int:
    """Measure what was asked for, or everything, and print each table as soon as it is there."""
    unknown = [name for name in asked if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 64
    kept = True
    for name in asked or BENCHMARKS:
        rows = import_module(f"benchmarks.{name}").rows()
        print(f"## {name}\n\n{table(rows)}", flush=True)
        kept = kept and all(row.held for row in rows)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
