"""Which repository the action lies in, as far as the installed package tells."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from gate.store.git_facts import git_facts, remote_of

_NAME: Final = "retrieval-quality-gate"
_REFERENCE: Final = re.compile(r"[A-Za-z0-9_./-]+")
_LABELS: Final = frozenset({"repository", "source", "source code"})


@dataclass(frozen=True, slots=True)
class OwnAction:
    """The action as `uses:` takes it, and in plain words how that is known."""

    uses: str
    known_from: str


def own_action() -> OwnAction | None:
    """The action this program belongs to; None where the package names no repository."""
    try:
        told = distribution(_NAME)
    except PackageNotFoundError:
        return None
    urls = told.metadata.get_all("Project-URL") or ()
    return by_project_urls(urls, told.version) or by_origin(
        _object(told.read_text("direct_url.json")), told.version, _remote_name
    )


def by_project_urls(urls: Sequence[str], version: str) -> OwnAction | None:
    """The repository among a released package's addresses, at its major version's tag."""
    for line in urls:
        label, _, url = (part.strip() for part in line.partition(","))
        found = remote_of(url)
        if label.lower() in _LABELS and found:
            return OwnAction(f"{found[1]}@{_major(version)}", "the package's own address")
    return None


def by_origin(
    direct_url: Mapping[str, object], version: str, remote_name: Callable[[Path], str | None]
) -> OwnAction | None:
    """Where pip installed it from (PEP 610): a repository at a revision, or a checkout with a remote."""
    url = direct_url.get("url")
    if not isinstance(url, str):
        return None
    vcs, folder = direct_url.get("vcs_info"), direct_url.get("dir_info")
    if isinstance(vcs, dict):
        found = remote_of(url)
        revision = _revision(vcs) or _major(version)
        return OwnAction(f"{found[1]}@{revision}", "where this program was installed from") if found else None
    name = remote_name(Path(unquote(urlsplit(url).path))) if isinstance(folder, dict) else None
    known = "the remote of the checkout that this program was installed from"
    return OwnAction(f"{name}@{_major(version)}", known) if name else None


def _revision(vcs: Mapping[str, object]) -> str | None:
    """The tag or branch that was asked for, else the commit."""
    asked = vcs.get("requested_revision") or vcs.get("commit_id")
    return asked if isinstance(asked, str) and _REFERENCE.fullmatch(asked) else None


def _major(version: str) -> str:
    return f"v{version.split('.', 1)[0]}"


def _remote_name(checkout: Path) -> str | None:
    facts = git_facts(checkout)
    return None if facts is None else facts.name


def _object(text: str | None) -> Mapping[str, object]:
    try:
        read = json.loads(text or "")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
