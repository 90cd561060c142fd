from pathlib import Path

import pytest

from gate.errors import ExitCode
from gate.store.confinement import OutsideRoot, confine


def workspace(tmp_path: Path) -> Path:
    """A repository root with a folder, beside it what must not be reached."""
    (tmp_path / "root" / "rows").mkdir(parents=True)
    (tmp_path / "root" / "rows" / "a.ndjson").write_bytes(b"{}")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(b"{}")
    return tmp_path / "root"


def refusal(root: Path, path: str) -> OutsideRoot:
    with pytest.raises(OutsideRoot) as caught:
        confine(root, path)
    return caught.value


def test_what_lies_below_the_root_is_found(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    expected = (root / "rows" / "a.ndjson").resolve()
    for path in ("rows/a.ndjson", "./rows/../rows/a.ndjson", str(root / "rows" / "a.ndjson")):
        assert confine(root, path) == expected


def test_what_does_not_exist_is_normalised(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    assert confine(root, "new/../later.ndjson") == root.resolve() / "later.ndjson"
    assert confine(root, "rows/missing.ndjson") == root.resolve() / "rows" / "missing.ndjson"


@pytest.mark.parametrize(
    "path", ["../outside/secret", "..", ".", "", "rows/..", "rows/../..", "missing/../../x"]
)
def test_what_does_not_lie_strictly_below_is_refused(tmp_path: Path, path: str) -> None:
    root = workspace(tmp_path)
    error = refusal(root, path)
    expected = f"refused per-query file outside the repository root ({root.resolve()}): {path}"
    assert error.reason == error.message == expected
    assert error.exit_code is ExitCode.DATA


def test_an_absolute_path_outside_is_refused(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    refusal(root, str(tmp_path / "outside" / "secret"))
    refusal(root, str(tmp_path / "outside" / "missing"))
    refusal(root, str(root))


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (tmp_path / "root-2").mkdir()
    (tmp_path / "root-2" / "rows").write_bytes(b"")
    refusal(root, "../root-2/rows")


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "file").symlink_to(tmp_path / "outside" / "secret")
    (root / "folder").symlink_to(tmp_path / "outside")
    refusal(root, "file")
    refusal(root, "folder/secret")
    refusal(root, "rows/../folder/secret")


def test_a_link_inside_is_followed(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "latest").symlink_to("rows")
    assert confine(root, "latest/a.ndjson") == root.resolve() / "rows" / "a.ndjson"


def test_a_root_behind_a_link_is_the_real_root(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (tmp_path / "link").symlink_to(root)
    assert confine(tmp_path / "link", "rows/a.ndjson") == root.resolve() / "rows" / "a.ndjson"
    assert confine(tmp_path / "link", str(root / "rows" / "a.ndjson")) == root.resolve() / "rows" / "a.ndjson"


def test_a_loop_of_links_is_as_good_as_missing(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "loop").symlink_to("loop")
    assert confine(root, "loop") == root.resolve() / "loop"


def test_a_path_with_a_nul_is_refused(tmp_path: Path) -> None:
    refusal(workspace(tmp_path), "rows/\0")
