"""Who may build and run the image with .ci/container: everybody else is told why it was left out."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDINARY = ("bash", "cat", "dirname", "echo", "sh", "sleep", "xargs", "sed")
TOOLS = ("mmdebstrap", "buildah", "podman", "newuidmap", "slirp4netns")


def machine(folder: Path, *there: str, unshare: str = "exit 1") -> dict[str, str]:
    """The variables of an ordinary user, on a machine that has these tools."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ORDINARY:
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    for name, text in {"id": "echo 1000", "unshare": unshare, **dict.fromkeys(there, "exit 0")}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return {"PATH": str(programs)}


def run(folder: Path, *there: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(ROOT / ".ci/container")],
        env=machine(folder, *there),
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


needs_podman = pytest.mark.skipif(
    not all(os.path.exists(f"/usr/lib/podman/{name}") for name in ("netavark", "aardvark-dns")),  # noqa: PTH110
    reason="podman's network programs are not here",
)


@needs_podman
def test_a_user_without_a_namespace_of_its_own_is_told_what_it_needs(tmp_path: Path) -> None:
    ran = run(tmp_path, *TOOLS, "runc", "iptables")
    assert ran.returncode == 0
    assert "/etc/subuid" in ran.stderr


WAITS_FOR_ITS_CHILD = """
case $* in *'mount -t'*) exit 0;; esac
sh -c 'trap "echo tidied; exit 143" TERM; echo building; while :; do sleep 0.1; done' &
trap '' TERM
wait $!
"""


@needs_podman
def test_what_runs_in_the_namespace_is_ended_with_the_script_and_tidies_up(tmp_path: Path) -> None:
    there = machine(tmp_path, *TOOLS, "runc", "iptables", unshare=WAITS_FOR_ITS_CHILD)
    with subprocess.Popen(
        ["bash", str(ROOT / ".ci/container")], env=there, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "building\n"
        process.terminate()
        assert process.communicate(timeout=30)[0] == "tidied\n"
    assert process.returncode == 143
