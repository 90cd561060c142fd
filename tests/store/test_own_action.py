from collections.abc import Mapping
from pathlib import Path

import pytest

from gate.store.own_action import OwnAction, by_origin, by_project_urls, own_action
from gate.store.starter_files import checked_action

SHA = "0123456789" * 4


def uses(found: OwnAction | None) -> str | None:
    return None if found is None else found.uses


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (["Repository, https://github.com/octo/gate"], "octo/gate@v3"),
        (["Homepage, https://example.org", "source, https://github.com/octo/gate.git"], "octo/gate@v3"),
        (["Homepage, https://github.com/octo/gate"], None),
        (["Repository, https://github.com/octo"], None),
        ([], None),
    ],
)
def test_a_released_package_names_its_repository(urls: list[str], expected: str | None) -> None:
    assert uses(by_project_urls(urls, "3.1.4")) == expected


@pytest.mark.parametrize(
    ("vcs", "expected"),
    [
        ({"vcs": "git", "commit_id": SHA, "requested_revision": "v3.1.0"}, "octo/gate@v3.1.0"),
        ({"vcs": "git", "commit_id": SHA}, f"octo/gate@{SHA}"),
        ({"vcs": "git", "commit_id": "not a ref"}, "octo/gate@v3"),
        ({}, "octo/gate@v3"),
    ],
)
def test_what_was_installed_from_a_repository_is_used_at_that_revision(
    vcs: Mapping[str, object], expected: str
) -> None:
    told = {"url": "https://user@git.example.org/octo/gate.git", "vcs_info": vcs}
    assert uses(by_origin(told, "3.1.4", lambda _: None)) == expected


def test_a_checkout_is_known_by_its_remote() -> None:
    asked: list[Path] = []

    def remote_name(folder: Path) -> str | None:
        asked.append(folder)
        return "octo/gate"

    told = {"url": "file:///home/alice/my%20gate", "dir_info": {}}
    assert uses(by_origin(told, "0.1.0", remote_name)) == "octo/gate@v0"
    assert asked == [Path("/home/alice/my gate")]


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"url": 7},
        {"url": "file:///x", "dir_info": {}},
        {"url": "file:///x/gate.whl", "archive_info": {}},
        {"url": "https://example.org", "vcs_info": {}},
    ],
)
def test_anything_else_tells_nothing(told: Mapping[str, object]) -> None:
    assert by_origin(told, "3.1.4", lambda _: None) is None


def test_what_this_package_says_is_an_action_or_nothing() -> None:
    told = own_action()
    assert told is None or checked_action(told.uses) == told.uses
