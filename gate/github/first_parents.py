"""The first-parent line of a branch through the API, for clones too shallow to know it."""

from typing import TYPE_CHECKING, Final

from gate.github.understanding import understood

if TYPE_CHECKING:
    from github.Repository import Repository

MOST_COMMITS: Final = 300


class ApiHistory:
    """How far ancestors lie behind one commit, in first-parent steps, as far as three pages tell."""

    def __init__(self, repository: "Repository", start: str) -> None:
        self._repository = repository
        self._start = start
        self._line: tuple[str, ...] | None = None

    def head(self) -> str | None:
        """The commit that the line starts at."""
        return self._start

    def distance(self, ancestor: str, descendant: str) -> int | None:
        """First-parent steps from `descendant` back to `ancestor`; None where this line does not tell."""
        line = self._read()
        start, end = _position(line, descendant), _position(line, ancestor)
        return None if start is None or end is None or end < start else end - start

    def elsewhere(self, commit: str, descendant: str) -> bool:  # noqa: ARG002 - the port's signature
        """Never: the API was asked for one line alone, and what is not on it may be anywhere."""
        return False

    def _read(self) -> tuple[str, ...]:
        if self._line is None:
            self._line = _line(self._start, _first_parents(self._repository, self._start))
        return self._line


def _first_parents(repository: "Repository", start: str) -> dict[str, str | None]:
    """Commit → its first parent, for the newest commits that are reachable from `start`."""
    found: dict[str, str | None] = {}
    with understood(f"the commits behind {start[:7]}"):
        for commit in repository.get_commits(sha=start):
            parents = commit.parents
            found[commit.sha] = parents[0].sha if parents else None
            if len(found) >= MOST_COMMITS:
                break
    return found


def _line(start: str, first_parents: dict[str, str | None]) -> tuple[str, ...]:
    line: list[str] = []
    current: str | None = start
    while current is not None and current in first_parents:
        line.append(current)
        current = first_parents[current]
    return tuple(line)


def _position(line: tuple[str, ...], sha: str) -> int | None:
    if len(sha) < 7:
        return None
    return next((index for index, known in enumerate(line) if known.startswith(sha)), None)
