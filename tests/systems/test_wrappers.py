import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gate.systems.command import CommandSystem
from gate.systems.process import Command
from gate.systems.reference import ReferenceSystem
from tests.programs import WRAPPERS, everybodys_python, open_folder
from tests.systems.conformance import check

__all__ = ["open_folder"]


def checked(*argv: str, folder: Path) -> None:
    system = CommandSystem(
        Command(argv=argv, folder=folder, environment={"PATH": os.defpath}), seconds=30, setup_seconds=30
    )
    try:
        check(system)
    finally:
        system.close()


def typescript_stripped(folder: Path) -> Path:
    """The wrapper as JavaScript, by a stripper of types that happens to be here."""
    esbuild = os.environ.get("ESBUILD_BIN") or shutil.which("esbuild")  # noqa: TID251 - where a tool lies
    if esbuild is None:
        pytest.skip("node is older than 22.18 and esbuild is not here (ESBUILD_BIN names it)")
    stripped = folder / "wrapper.mjs"
    subprocess.run(
        [esbuild, WRAPPERS / "wrapper.ts", f"--outfile={stripped}", "--log-level=error"], check=True
    )
    return stripped


def test_the_reference_system_keeps_the_protocol() -> None:
    check(ReferenceSystem())


def test_the_python_wrapper_keeps_the_protocol(open_folder: Path) -> None:
    shutil.copy(WRAPPERS / "wrapper.py", open_folder)
    checked(everybodys_python(), "wrapper.py", folder=open_folder)


def test_the_typescript_wrapper_keeps_the_protocol(open_folder: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    shutil.copy(WRAPPERS / "wrapper.ts", open_folder)
    native = tuple(map(int, version.strip().lstrip("v").split(".")[:2])) >= (22, 18)
    source = open_folder / "wrapper.ts" if native else typescript_stripped(open_folder)
    checked(node, source.name, folder=open_folder)
