"""The image's locked dependencies are what pyproject.toml asks for, each with its hashes."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NOT_IN_THE_IMAGE = {"embed"}  # 200 MB that only hybrid search in the built-in system needs
EXTRAS = [
    asked
    for extra, asked in PROJECT["project"]["optional-dependencies"].items()
    if extra not in NOT_IN_THE_IMAGE
]
ASKED = {
    "requirements.lock": [*PROJECT["project"]["dependencies"], *chain.from_iterable(EXTRAS)],
    "requirements.build.lock": PROJECT["build-system"]["requires"],
}
LOCKS = pytest.mark.parametrize("lock", ASKED)
ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?P<rest>(?:.*\\\n)+.*)", re.MULTILINE)


def entries(lock: str) -> dict[str, tuple[str, str]]:
    found = ENTRY.finditer((ROOT / lock).read_text())
    return {canonicalize_name(one["name"]): (one["version"], one["rest"]) for one in found}


@LOCKS
def test_the_lock_satisfies_what_is_asked_for(lock: str) -> None:
    locked = entries(lock)
    for text in ASKED[lock]:
        wanted = Requirement(text)
        name = canonicalize_name(wanted.name)
        assert name in locked, f"{lock} lacks {name}: run `make lock`"
        assert wanted.specifier.contains(locked[name][0]), (
            f"{lock} has {name} {locked[name][0]}: run `make lock`"
        )


@LOCKS
def test_every_locked_package_has_hashes(lock: str) -> None:
    named = re.findall(r"^[A-Za-z0-9._-]+==", (ROOT / lock).read_text(), flags=re.MULTILINE)
    assert len(named) == len(entries(lock)) > 0
    assert all("--hash=sha256:" in rest for _, rest in entries(lock).values())


@LOCKS
def test_no_registry_is_written_down(lock: str) -> None:
    assert not re.search(r"https?:|file:|--index|--find-links|@ ", (ROOT / lock).read_text())
