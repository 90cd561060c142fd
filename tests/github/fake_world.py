"""What the fake GitHub knows: one repository, as plain records that tests fill."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

REPOSITORY = "octo/search"
REPOSITORY_ID = 1001
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
ACTION_TOKEN = "ghs_action"  # noqa: S105  # known to the fake only
FORK_TOKEN = "ghs_fork"  # noqa: S105  # likewise
ALICE_TOKEN = "ghp_alice"  # noqa: S105  # likewise
BARE_TOKEN = "ghs_none"  # noqa: S105  # likewise
ODD_TOKEN = "an-installation-with-another-prefix"  # noqa: S105  # likewise
WRITE = {
    "contents": "read",
    "pull-requests": "write",
    "issues": "write",
    "checks": "write",
    "actions": "read",
    "metadata": "read",
}
READ = dict.fromkeys(WRITE, "read")


class FakeTime:
    """A clock that moves only when somebody sleeps; it remembers how long each sleep was."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.elapsed += seconds


@dataclass
class Identity:
    """Whose token it is and what it may do; an installation is not told its own login."""

    login: str
    kind: str = "Bot"
    permissions: dict[str, str] = field(default_factory=lambda: dict(WRITE))
    installation: bool = True


@dataclass
class Comment:
    id: int
    number: int
    login: str
    kind: str
    body: str
    created: datetime
    updated: datetime


@dataclass
class Pull:
    number: int
    head_sha: str
    head_ref: str = "feature"
    head_repository: tuple[int, str] | None = (REPOSITORY_ID, REPOSITORY)
    base_ref: str = "main"
    base_sha: str = "b" * 40
    state: str = "open"
    locked: bool = False
    merge_sha: str | None = None
    labels: tuple[str, ...] = ()
    files: list[str] = field(default_factory=list)
    body: str = ""
    login: str = "somebody"
    kind: str = "User"


@dataclass
class Issue:
    number: int
    title: str
    body: str
    login: str
    kind: str
    created: datetime
    updated: datetime
    state: str = "open"
    state_reason: str | None = None
    locked: bool = False


@dataclass
class Commit:
    sha: str
    parents: tuple[str, ...] = ()
    pulls: tuple[int, ...] = ()


@dataclass
class WorkflowRun:
    id: int
    head_sha: str
    workflow: str = "gate.yml"
    event: str = "push"
    branch: str = "main"
    attempt: int = 1
    status: str = "completed"
    conclusion: str | None = "success"
    head_repository: tuple[int, str] | None = (REPOSITORY_ID, REPOSITORY)
    actor: str = "somebody"


@dataclass
class Artifact:
    id: int
    run_id: int
    name: str
    data: bytes
    expired: bool = False
    gone: int = 410


@dataclass
class Fault:
    """What goes wrong once: an answer instead of the real one, or a broken line."""

    status: int | None = None
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    line_breaks: bool = False
    after_applying: bool = False


@dataclass
class World:
    """One repository and everybody who may talk about it."""

    time: FakeTime = field(default_factory=FakeTime)
    tokens: dict[str, Identity] = field(
        default_factory=lambda: {
            ACTION_TOKEN: Identity("github-actions[bot]"),
            FORK_TOKEN: Identity("github-actions[bot]", permissions=dict(READ)),
            ALICE_TOKEN: Identity("alice", "User", installation=False),
            BARE_TOKEN: Identity("github-actions[bot]", permissions={}),
            ODD_TOKEN: Identity("github-actions[bot]"),
        }
    )
    default_branch: str = "main"
    pulls: dict[int, Pull] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    has_issues: bool = True
    comments: dict[int, Comment] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)
    merge_bases: dict[tuple[str, str], str] = field(default_factory=dict)
    differing: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The files that differ between two commits; GitHub lists at most 300 of them."""
    contents: dict[tuple[str, str], bytes | list[str]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """What a file is said to measure, where that is not what it holds."""
    runs: list[WorkflowRun] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    reruns: list[int] = field(default_factory=list)
    collaborators: dict[str, str] = field(default_factory=dict)
    protects_foreign_comments: bool = False
    remaining: int = 1000
    reset_at: float = 600.0
    content_writes: list[float] = field(default_factory=list)
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    hooks: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    next_id: int = 5000

    def new_id(self) -> int:
        self.next_id += 1
        return self.next_id

    def comment(
        self, number: int, body: str, *, login: str = "github-actions[bot]", kind: str = "Bot"
    ) -> Comment:
        """Somebody comments, not through the API."""
        made = Comment(self.new_id(), number, login, kind, body, self.time.now(), self.time.now())
        self.comments[made.id] = made
        return made

    def issue(
        self,
        body: str,
        *,
        title: str = "t",
        login: str = "github-actions[bot]",
        kind: str = "Bot",
        state: str = "open",
    ) -> Issue:
        """Somebody opens an issue, not through the API; numbers are shared with pull requests."""
        number = max([0, *self.pulls, *self.issues]) + 1
        now = self.time.now()
        made = Issue(number, title, body, login, kind, now, now, state=state)
        self.issues[number] = made
        return made

    def chatter(self, number: int, count: int) -> None:
        """`count` comments of people, a minute apart, the last one an hour ago."""
        for index in range(count):
            made = self.comment(number, f"remark {index}", login=f"person{index % 7}", kind="User")
            made.created = made.updated = self.time.now() - timedelta(minutes=60 + count - index)

    def fails(self, when: str, fault: Fault, *, times: int = 1) -> None:
        """The next `times` requests whose `VERB path` contains `when` go wrong."""
        self.faults.extend([(when, fault)] * times)

    def before(self, when: str, act: Callable[[], None]) -> None:
        """Something happens just before the next request whose `VERB path` contains `when`."""
        self.hooks.append((when, act))

    def bodies(self, number: int) -> list[str]:
        """What stands below the pull request, oldest first."""
        return [one.body for _, one in sorted(self.comments.items()) if one.number == number]
