import re
from pathlib import Path

import pytest
import yaml

from gate.errors import UsageError
from gate.store.confinement import OutsideRoot
from gate.store.row_files import read_rows
from gate.store.starter_files import (
    PLACEHOLDER,
    WORKFLOWS,
    StarterFile,
    check_free,
    checked_action,
    example_rows,
    is_example,
    workflows,
    write_all,
)

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"uses: (actions/[\w-]+@[0-9a-f]{40} # v[\d.]+)")


def texts(*, action: str = PLACEHOLDER, branch: str = "main") -> list[str]:
    return [one.data.decode() for one in workflows(action=action, branch=branch)]


def test_both_workflows_lie_where_github_looks() -> None:
    assert tuple(one.path for one in workflows(action=PLACEHOLDER, branch="main")) == WORKFLOWS


@pytest.mark.parametrize("branch", ["main", "release/2.0", "on", "0123", "it's"])
def test_the_default_branch_is_the_one_that_measures(branch: str) -> None:
    read = yaml.load(texts(branch=branch)[0], Loader=yaml.BaseLoader)  # noqa: S506  # BaseLoader makes texts only

    assert read["on"]["push"]["branches"] == [branch]
    assert set(read["on"]) == {"pull_request", "push", "merge_group"}


def test_the_action_is_named_everywhere() -> None:
    said = "".join(texts(action="octo/gate@v2"))

    assert said.count("uses: octo/gate@v2 # zizmor") == 3
    assert "OWNER" not in said


def test_a_pinned_action_needs_no_excuse() -> None:
    said = "".join(texts(action=f"octo/gate@{'a' * 40}"))

    assert said.count(f"uses: octo/gate@{'a' * 40}\n") == 3


def test_other_actions_are_pinned_as_in_this_repositorys_own_workflows() -> None:
    own = {
        pin for path in (ROOT / ".github/workflows").glob("*.yml") for pin in PIN.findall(path.read_text())
    }
    written = PIN.findall("".join(texts()))

    assert len(written) == 2
    assert set(written) <= own


def test_the_second_half_waits_for_the_first_by_its_name() -> None:
    first, second = (yaml.load(text, Loader=yaml.BaseLoader) for text in texts())  # noqa: S506  # texts only

    assert second["on"]["workflow_run"]["workflows"] == [first["name"]]


@pytest.mark.parametrize(
    "action", ["octo/gate@v1", "octo/gate/composite@v1", f"octo/gate@{'0' * 40}", "o-c/g.t_e@feature/x"]
)
def test_an_action_of_a_repository_is_taken(action: str) -> None:
    assert checked_action(action) == action


@pytest.mark.parametrize(
    "action", ["", "gate@v1", "octo/gate", "octo/gate@v1 # x", "octo/gate@v1\nrun: x", "./"]
)
def test_anything_else_is_refused(action: str) -> None:
    with pytest.raises(UsageError, match="is no action"):
        checked_action(action)


def test_what_is_there_is_in_the_way_unless_it_says_the_same(tmp_path: Path) -> None:
    wanted = (StarterFile("a", b"1"), StarterFile("b/c", b"2"))
    check_free(tmp_path, wanted)
    write_all(tmp_path, wanted)
    check_free(tmp_path, wanted)
    (tmp_path / "b" / "c").write_bytes(b"mine")

    with pytest.raises(UsageError, match="b/c exists already") as refused:
        check_free(tmp_path, wanted)
    assert "--force" in refused.value.remedy


def test_a_folder_is_in_the_way_too(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    with pytest.raises(UsageError, match="a exists already"):
        check_free(tmp_path, (StarterFile("a", b"1"),))


def test_nothing_is_written_through_a_link_to_elsewhere(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / ".github").symlink_to(outside)
    (outside / "workflows").mkdir()
    (outside / "workflows" / "x.yml").write_text("theirs")

    with pytest.raises(OutsideRoot):
        write_all(inside, (StarterFile(".github/workflows/x.yml", b"mine"),))


def test_the_example_is_known_as_one(tmp_path: Path) -> None:
    example = example_rows("rows.ndjson")
    write_all(tmp_path, (example,))

    table = read_rows(tmp_path / "rows.ndjson", name="rows.ndjson")

    assert list(table.metrics) == ["recall@5"]
    assert is_example(table.fingerprints)
    assert not is_example({"k": "5"})
