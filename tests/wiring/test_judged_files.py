"""What a repository can already be held against is named, and everything else passed over."""

from pathlib import Path

from gate.wiring.judged_files import MOST_BYTES, judged_files
from tests.cli.test_suite_brainbench import committed, written
from tests.cli.test_suite_replay import SAME, published


def test_captures_and_figures_are_named_with_the_suite_that_uses_them(tmp_path: Path) -> None:
    (tmp_path / "launch.baseline.ndjson").write_bytes(published(*SAME))
    (tmp_path / "main.json").write_text(committed(written()))

    assert list(judged_files(tmp_path, ["main.json", "launch.baseline.ndjson"])) == [
        "launch.baseline.ndjson: 2 captured queries, for `{suite: replay, against: launch.baseline.ndjson}`",
        "main.json: BrainBench figures of 1 cell, for `{suite: brainbench, baseline: main.json}`",
    ]


def test_what_is_none_of_them_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "broken.baseline.ndjson").write_bytes(b"{}\n")
    (tmp_path / "package.json").write_bytes(b"{}")
    (tmp_path / "figures.json").write_bytes(b'{"fixtures_hash": 1}')
    (tmp_path / "large.json").write_bytes(b" " * (MOST_BYTES + 1))
    (tmp_path / "outside.json").symlink_to("/etc/hostname")
    paths = [path.name for path in tmp_path.iterdir()] + ["gone.json", "folder.json/"]

    assert list(judged_files(tmp_path, paths)) == []
