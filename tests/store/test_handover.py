"""Files that root wrote go back to the workspace's owner, through no link."""

import os
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.store.handover import Owner, first_missing, hand_back, output_below, owner_of

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
OTHER = Owner(12_345, 23_456)


def test_the_output_folder_lies_below_the_workspace(tmp_path: Path) -> None:
    assert output_below(tmp_path, "gate-out") == tmp_path / "gate-out"
    assert output_below(tmp_path, "a/../b/") == tmp_path / "b"


@pytest.mark.parametrize("out", [".", "..", "../elsewhere", "/srv/elsewhere", "a/../..", "a/.."])
def test_a_folder_that_is_not_below_the_workspace_is_refused(tmp_path: Path, out: str) -> None:
    with pytest.raises(UsageError, match="does not lie below"):
        output_below(tmp_path, out)


@pytest.mark.parametrize("link", ["gate-out", "gate-out/rows", "gate-out/a/b/receipt.json"])
def test_a_link_on_the_way_or_inside_is_refused_by_name(tmp_path: Path, link: str) -> None:
    place = tmp_path / "workspace" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path)
    with pytest.raises(UsageError, match=f"{link} is a symbolic link"):
        output_below(tmp_path / "workspace", "gate-out")


def test_a_link_above_the_output_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "build").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="build is a symbolic link"):
        output_below(tmp_path / "workspace", "build/gate-out")


def test_a_workspace_that_is_itself_reached_through_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "workspace").symlink_to(tmp_path / "real")
    assert output_below(tmp_path / "workspace", "gate-out") == tmp_path / "real" / "gate-out"


def test_the_topmost_folder_to_be_made_is_found(tmp_path: Path) -> None:
    assert first_missing(tmp_path / "a/b/c") == tmp_path / "a"
    assert first_missing(tmp_path / "a") == tmp_path / "a"
    assert first_missing(tmp_path) == tmp_path


@as_root
def test_everything_below_is_given_and_nothing_above(tmp_path: Path) -> None:
    (tmp_path / "out/rows").mkdir(parents=True)
    (tmp_path / "out/rows/tiny.ndjson").write_text("{}")
    assert hand_back(tmp_path / "out", OTHER) == 0
    given = [tmp_path / "out", tmp_path / "out/rows", tmp_path / "out/rows/tiny.ndjson"]
    assert [owner_of(path) for path in given] == [OTHER] * 3
    assert owner_of(tmp_path) != OTHER


@as_root
def test_a_link_is_given_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "target").write_text("mine")
    (tmp_path / "out/link").symlink_to(tmp_path / "target")
    assert hand_back(tmp_path / "out", OTHER) == 0
    assert owner_of(tmp_path / "target") != OTHER
    assert (tmp_path / "out/link").lstat().st_uid == OTHER.uid


@as_root
def test_what_cannot_be_given_is_counted() -> None:
    assert hand_back(Path("/proc/self/fdinfo"), OTHER) > 0


def test_nothing_that_was_never_made_is_given(tmp_path: Path) -> None:
    assert hand_back(tmp_path / "never", OTHER) == 0
