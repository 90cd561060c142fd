"""The Makefile's own promises: a clear word about an old Python, and nothing half-made."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
OLD = """#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2" && exit
exit 1
"""


def test_an_old_python_is_refused_with_what_to_do(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text(OLD)
    python.chmod(0o755)
    ran = subprocess.run(
        ["make", "--no-print-directory", "demo", f"VENV={tmp_path}/venv", f"PYTHON={python}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert ran.returncode != 0
    assert "Python 3.11 or newer is needed" in ran.stderr
    assert "Python 3.9.2" in ran.stderr
    assert "make PYTHON=" in ran.stderr
    assert not (tmp_path / "venv").exists()
