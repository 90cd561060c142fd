"""Who may build and run the image with .ci/container: everybody else is told why it was left out."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDINARY = ("bash", "dirname", "echo", "xargs", "sed")
TOOLS = ("mmdebstrap", "buildah", "podman", "newuidmap", "slirp4netns")


def run(folder: Path, *there: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script as an ordinary user, on a machine that has these tools."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ORDINARY:
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    for name, text in {"id": "echo 1000", "unshare": "exit 1", **dict.fromkeys(there, "exit 0")}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return subprocess.run(
        ["bash", str(ROOT / ".ci/container")],
        env={"PATH": str(programs), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_without_root_what_is_missing_is_named_and_nothing_is_installed(tmp_path: Path) -> None:
    ran = run(tmp_path, *TOOLS[:2], "apt-get")
    assert ran.returncode == 0
    assert ran.stderr.startswith("container: SKIPPED: the image was neither built nor run, because")
    assert all(name in ran.stderr for name in TOOLS[2:])
    assert not any(name in ran.stderr for name in TOOLS[:2])


@pytest.mark.skipif(
    not all(os.path.exists(f"/usr/lib/podman/{name}") for name in ("netavark", "aardvark-dns")),  # noqa: PTH110
    reason="podman's network programs are not here",
)
def test_a_user_without_a_namespace_of_its_own_is_told_what_it_needs(tmp_path: Path) -> None:
    ran = run(tmp_path, *TOOLS, "runc", "iptables")
    assert ran.returncode == 0
    assert "/etc/subuid" in ran.stderr
