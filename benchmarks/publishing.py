"""What publishing costs on a busy pull request: API reads, counted by a stateful fake of GitHub.

``python -m benchmarks.publishing`` prints the table. The peer is PyGithub as it comes out of the box, doing the
same with its own page size: find the comment, write, look again.
"""

from collections.abc import Callable
from typing import Final

from benchmarks.table import Row, table
from gate.core.report import Report
from gate.github.client import connect
from gate.github.publish import Channels, publish
from gate.github.timing import Timing
from tests import factories as make
from tests.github.fake_github import FakeGitHub, github
from tests.github.fake_world import ACTION_TOKEN, REPOSITORY, World
from tests.github.test_publish import context, world

COMMENTS: Final = 250
BUDGET: Final = 8
PULL: Final = 7


def rows() -> list[Row]:
    """Count the reads of a first comment, of an edit, and of the worst moment: everybody has just commented."""
    return [
        _row("first comment", _busy(), _first),
        _row("comment edited", _busy(), _edited),
        _row("first comment, all others minutes old", _hurried(), _first),
    ]


def _row(name: str, there: World, act: Callable[[FakeGitHub], object]) -> Row:
    title = f"publishing, {COMMENTS} comments: {name}"
    return Row(title, _ours(there, act), "PyGithub's defaults", _peer(), BUDGET, unit="reads")


def _ours(there: World, act: Callable[[FakeGitHub], object]) -> int:
    with github(there) as fake:
        act(fake)
        return len(fake.reads)


def _first(fake: FakeGitHub) -> None:
    _publish(fake, make.report())


def _edited(fake: FakeGitHub) -> None:
    _publish(fake, make.report())
    fake.seen.clear()
    _publish(fake, make.report(verdict="fail", reason="regression"))


def _publish(fake: FakeGitHub, report: Report) -> None:
    timing = Timing.starting_now(fake.world.time, fake.world.time.sleep, seconds=600)
    done = publish(report, context(), Channels(), lambda: connect(ACTION_TOKEN, fake.url, timing))
    if done.warnings or not done.comment_url:
        raise SystemExit(f"nothing was published: {done}")


def _peer() -> int:
    from github import Auth, Github

    options = {
        "lazy": True,
        "seconds_between_requests": None,
        "seconds_between_writes": None,
    }  # counted, not timed
    with github(_busy()) as fake:
        with Github(auth=Auth.Token(ACTION_TOKEN), base_url=fake.url, **options) as peer:
            repository = peer.get_repo(REPOSITORY)
            issue, head = repository.get_issue(PULL), repository.get_pull(PULL)
            found = [one for one in issue.get_comments() if "<!--" in one.body]
            if not found and head.head.sha:
                issue.create_comment("a comment")
            sum(1 for _ in issue.get_comments())
        return len(fake.reads)


def _busy() -> World:
    there = world()
    there.chatter(PULL, COMMENTS)
    return there


def _hurried() -> World:
    there = _busy()
    for comment in there.comments.values():
        comment.created = comment.updated = there.time.now()
    return there


if __name__ == "__main__":
    print(table(rows()))
