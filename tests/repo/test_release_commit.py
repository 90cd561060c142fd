"""The release commit: the image's digest in action.yml, both revisions recorded, a version released once."""

import shutil
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
DIGEST = "sha256:" + 32 * "0a"


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> Path:
    for name in ("action.yml", ".github/release-commit"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=source")
    return folder


def release(folder: Path, *, digest: str = DIGEST, version: str = "1.2.3", **more: str) -> int:
    return said(folder, digest=digest, version=version, **more).returncode


def said(
    folder: Path, *, digest: str = DIGEST, version: str = "1.2.3", **more: str
) -> subprocess.CompletedProcess[str]:
    variables = {"VERSION": version, "IMAGE": "registry.example/gate", "DIGEST": digest, **more}
    return subprocess.run(
        ["bash", ".github/release-commit"],
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_released_action_names_the_image_by_version_and_digest(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    assert release(folder) == 0
    released = yaml.safe_load(git(folder, "show", "v1.2.3:action.yml"))
    assert released["runs"]["image"] == f"docker://registry.example/gate:1.2.3@{DIGEST}"
    assert git(folder, "diff", "--numstat", "HEAD~1", "HEAD") == "1\t1\taction.yml"


def test_both_revisions_are_recorded_and_both_tags_lead_to_the_release(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    source = git(folder, "rev-parse", "HEAD")
    release(folder)
    told = git(folder, "tag", "--list", "--format=%(contents)", "v1.2.3")
    head = git(folder, "rev-parse", "HEAD")
    assert source != head
    assert all(part in told for part in (source, head, DIGEST))
    assert git(folder, "rev-parse", "v1.2.3^{commit}") == git(folder, "rev-parse", "v1^{commit}") == head


def test_what_is_no_digest_pins_nothing(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    assert release(folder, digest="latest") == 1
    assert git(folder, "tag") == ""
    assert git(folder, "status", "--porcelain") == ""


def test_an_action_that_is_pinned_already_is_not_pinned_again_and_that_is_said(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    assert release(folder) == 0
    ran = said(folder, version="1.2.4")
    assert (ran.returncode, "nothing to pin" in ran.stderr) == (1, True)
    assert git(folder, "tag", "--list", "v1.2.4") == ""


def test_a_version_is_released_once(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    source = git(folder, "rev-parse", "HEAD")
    assert release(folder) == 0
    git(folder, "checkout", "--quiet", source)
    assert release(folder) != 0


def served(folder: Path) -> tuple[Path, dict[str, str]]:
    """A server's repository of this source, and what a workflow's run says of it."""
    server = folder / "server" / "octo" / "gate"
    git(folder, "clone", "--quiet", "--bare", ".", str(server))
    variables = {"TOKEN": "t", "GITHUB_SERVER_URL": str(folder / "server"), "GITHUB_REPOSITORY": "octo/gate"}
    return server, variables


def test_both_tags_are_pushed_and_the_major_one_moves(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    source = git(folder, "rev-parse", "HEAD")
    server, variables = served(folder)
    assert release(folder, **variables) == 0
    git(folder, "checkout", "--quiet", source)
    assert release(folder, version="1.3.0", **variables) == 0
    first, second = (git(server, "rev-parse", f"v{version}^{{commit}}") for version in ("1.2.3", "1.3.0"))
    assert first != second == git(server, "rev-parse", "v1^{commit}")
    assert git(server, "branch", "--contains", second) == ""


def test_where_the_version_is_refused_the_major_tag_stays(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    server, variables = served(folder)
    git(server, "tag", "v1.2.3")
    git(server, "tag", "v1")
    before = git(server, "rev-parse", "v1")
    assert release(folder, **variables) == 1
    assert git(server, "rev-parse", "v1") == before


def test_where_the_major_tag_is_refused_no_version_is_released_either(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    server, variables = served(folder)
    hook = server / "hooks" / "update"
    hook.write_text("#!/bin/sh\ntest $1 != refs/tags/v1\n")
    hook.chmod(0o755)
    assert release(folder, **variables) == 1
    assert git(server, "tag") == ""
