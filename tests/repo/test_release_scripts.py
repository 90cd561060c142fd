"""What stands before a release: the version is free and the image judges, or it says why not."""

import subprocess
from pathlib import Path

import pytest

from tests.repo.test_release_commit import git

ROOT = Path(__file__).parents[2]
VERSION = "1.2.3"


def checked(folder: Path, **changes: str) -> str:
    """What .github/release-check says of a checkout that may be released; empty where it may."""
    origin, clone = folder / "server" / "octo" / "gate", folder / "clone"
    if not clone.exists():
        (clone / "gate").mkdir(parents=True)
        (clone / "gate/__init__.py").write_text(f'__version__ = "{VERSION}"\n')
        (clone / "CHANGELOG.md").write_text(f"## [{VERSION}] - 2026-12-01\n\n- A change.\n")
        git(clone, "init", "--quiet")
        git(clone, "add", ".")
        git(clone, "commit", "--quiet", "--message=source")
        git(folder, "clone", "--quiet", "--bare", str(clone), str(origin))
    variables = {
        "VERSION": VERSION,
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_SERVER_URL": str(folder / "server"),
        "GITHUB_REPOSITORY": "octo/gate",
        "TOKEN": "a token",
    }
    ran = subprocess.run(
        ["bash", str(ROOT / ".github/release-check")],
        cwd=clone,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), **variables, **changes},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode == 0) == (not ran.stderr)
    return ran.stderr


def test_a_version_that_is_the_code_s_and_free_may_be_released(tmp_path: Path) -> None:
    assert checked(tmp_path) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"VERSION": "v1.2.3"}, "is no version"),
        ({"VERSION": "1.2.4"}, "gate/__init__.py does not say 1.2.4"),
        ({"GITHUB_REF": "refs/heads/other"}, "not from refs/heads/other"),
        ({"GITHUB_REPOSITORY": "octo/other"}, "octo/other"),
    ],
)
def test_what_may_not_be_released_is_refused_with_the_reason(
    changes: dict[str, str], said: str, tmp_path: Path
) -> None:
    assert said in checked(tmp_path, **changes)


def test_a_version_without_its_changes_is_refused(tmp_path: Path) -> None:
    checked(tmp_path)
    (tmp_path / "clone/CHANGELOG.md").write_text("## [Unreleased]\n")
    assert "no section [1.2.3]" in checked(tmp_path)


def test_a_version_whose_section_names_no_change_is_refused(tmp_path: Path) -> None:
    checked(tmp_path)
    older = "## [1.2.2] - 2026-11-01\n\n- Older.\n"
    (tmp_path / "clone/CHANGELOG.md").write_text(f"## [{VERSION}] - 2026-12-01\n\n{older}")
    assert "names no change in its section [1.2.3]" in checked(tmp_path)


def test_a_released_version_is_refused_before_its_image_is_written_over(tmp_path: Path) -> None:
    checked(tmp_path)
    git(tmp_path / "server/octo/gate", "tag", f"v{VERSION}")
    assert "released already" in checked(tmp_path)


def engine(folder: Path, text: str) -> dict[str, str]:
    """A container engine that does this with the workspace it is given, `$workspace`."""
    (folder / "engine").write_text(f"#!/bin/sh\nworkspace=${{4%%:*}}; case=${{workspace##*/}}\n{text}\n")
    (folder / "engine").chmod(0o755)
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "ENGINE": str(folder / "engine"), "TMPDIR": str(folder)}


VERDICTS = "test -s $workspace/eval-gate.yml || exit 70; case $case in pass) exit 0;; fail) exit 1;; *) exit 2;; esac"


@pytest.mark.parametrize(
    ("does", "code", "said"),
    [
        (VERDICTS, 0, "image@sha256:1: 0, 1 and 2"),
        ("exit 0", 1, "the case 'fail' ended with 0 instead of 1"),
        ("echo denied; exit 125", 1, "make the package public"),
    ],
)
def test_an_image_is_tried_with_three_cases_and_nothing_is_left(
    does: str, code: int, said: str, tmp_path: Path
) -> None:
    ran = subprocess.run(
        ["bash", str(ROOT / ".github/try-image"), "image@sha256:1"],
        env=engine(tmp_path, does),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code
    assert said in ran.stdout + ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["engine"]


def test_the_release_tries_before_it_pushes_and_before_it_tags() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text()
    steps = [
        "bash .github/release-check",
        "bash .github/try-image gate:check",
        "bash .github/release-check",
        "docker/login-action",
        'bash .github/try-image "$IMAGE@$DIGEST"',
        "bash .github/release-commit",
    ]
    place = 0
    for step in steps:
        place = text.index(step, place) + len(step)
    assert "login-action" not in text[text.index("  tag:") :]  # without credentials, as everybody pulls
