"""The action's image: how large it is, layer by layer, and how soon it has a verdict.

Needs an image to measure: `.ci/container` builds one and names it in GATE_TEST_IMAGE.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.table import Row, interleaved, table

ROOT = Path(__file__).parents[1]
MEGABYTE = 1_000_000
OURS_UNPACKED = 320
WHOLE_COMPRESSED = 160
STARTED_TO_VERDICT = 2.0
FAIL = 1


def rows() -> Sequence[Row]:
    """Sizes against their budgets and the start against a bare interpreter's; nothing without an image."""
    image = os.environ.get("GATE_TEST_IMAGE", "")  # noqa: TID251 - a benchmark, started by hand or by CI
    if not image:
        print("image: not measured; .ci/container builds one and measures it", file=sys.stderr)
        return ()
    base = _base()
    below = {layer["id"] for layer in _layers(base)}
    ours = [layer for layer in _layers(image) if layer["id"] not in below and layer["size"]]
    unpacked = sum(layer["size"] for layer in ours) / MEGABYTE
    return (
        *(_size(f"layer: {layer['createdBy']}", layer["size"] / MEGABYTE) for layer in ours),
        _size("our layers, unpacked", unpacked, _inspected(base)["Size"] / MEGABYTE, OURS_UNPACKED),
        _size("whole image, compressed", _compressed(image), _compressed(base), WHOLE_COMPRESSED),
        _start(image),
    )


def _size(name: str, ours: float, base: float | None = None, budget: float | None = None) -> Row:
    return Row(name, ours, "–" if base is None else "its base image", base, budget, unit="MB")


def _base() -> str:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("ARG PYTHON_IMAGE="))


def _podman(*arguments: str) -> str:
    return subprocess.run(["podman", *arguments], check=True, capture_output=True, text=True).stdout


def _inspected(image: str) -> dict[str, Any]:
    (found,) = json.loads(_podman("image", "inspect", image))
    return dict(found)


def _layers(image: str) -> list[dict[str, Any]]:
    """What `podman history` tells, the oldest first; layers without a name of their own are told apart by age."""
    told = json.loads(_podman("history", "--format=json", "--no-trunc", image))
    return [
        {"id": layer["created"], "size": layer["size"], "createdBy": _instruction(layer["CreatedBy"])}
        for layer in reversed(told)
    ]


def _instruction(created_by: str) -> str:
    words = created_by.removeprefix("/bin/sh -c ").removeprefix("#(nop) ").split()
    return " ".join(words[:1] + words[-1:]) if words else "(unnamed)"


def _compressed(image: str) -> float:
    """Megabytes a runner has to fetch: gzip layers and the small files that name them."""
    with tempfile.TemporaryDirectory() as folder:
        _podman("push", "--quiet", "--compress", image, f"dir:{folder}")
        return sum(path.stat().st_size for path in Path(folder).iterdir()) / MEGABYTE


def _start(image: str) -> Row:
    """The quickstart from `podman run` to its exit, which must be FAIL, against Python doing nothing."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples/quickstart", Path(folder, "examples/quickstart"))
        run = ["podman", "run", "--rm", "--network=none", "--workdir=/github/workspace"]
        run += [
            f"--volume={folder}:/github/workspace",
            "--env=INPUT_CONFIG=examples/quickstart/eval-gate.yml",
        ]
        ours, bare = interleaved(
            3,
            lambda: _expect(FAIL, [*run, image]),
            lambda: _expect(0, [*run, "--entrypoint=/opt/venv/bin/python", image, "-I", "-c", "pass"]),
        )
    return Row("image started to verdict", ours, "bare Python in it", bare, STARTED_TO_VERDICT)


def _expect(code: int, command: Sequence[str]) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != code:
        raise SystemExit(f"{' '.join(command)} exited with {ran.returncode}:\n{ran.stdout}{ran.stderr}")


def main() -> int:
    """Print the table; sizes must be kept everywhere, times only mean something on a quiet machine."""
    measured = rows()
    print(table(measured))
    return int(any(row.unit == "MB" and not row.held for row in measured))


if __name__ == "__main__":
    sys.exit(main())
