"""A stranger's run that ended without a result: the comments of its gates, which speak of an older commit, are told.

Nothing that the run left is looked at: its head and what came of it are what GitHub says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gate.github import artifacts, pulls
from gate.github.comment_choice import Found, standing
from gate.github.comment_thread import Thread
from gate.github.comments import Posted
from gate.github.event import Run
from gate.github.failures import MissingError
from gate.github.unjudged import Telling, tell
from gate.render.unjudged import Ending

if TYPE_CHECKING:
    from github.Repository import Repository

CANCELLED: Final = "cancelled"
ENDED: Final = {
    "failure": "its run failed",
    "timed_out": "its run took too long",
    "startup_failure": "its run could not start",
    CANCELLED: "its run was cancelled",
}
"""What GitHub calls a run that may have left gates without a result; every other end of one is none of this."""


@dataclass(frozen=True, slots=True)
class Unposted:
    """A run of which something may be missing below the pull requests it was about."""

    repository: "Repository"
    run: artifacts.RunFacts
    own_login: str | None

    def told(self, pull: pulls.PullFacts) -> Iterator[Posted]:
        """What became of each comment that is about another commit and by the same workflow."""
        if self.run.conclusion not in ENDED:
            return
        issue = self.repository.get_issue(pull.number)
        stale = (one for one in self._kept(Thread(issue)) if one.marker.head != self.run.head_sha)
        for kept in (one for one in stale if self._same_workflow(one)):
            yield tell(
                issue,
                Telling(gate=kept.marker.gate, ending=self._ending(), run=self._as_run()),
                current_head=lambda: pulls.facts(self.repository, pull.number).head_sha,
                own_login=self.own_login,
            )

    def _kept(self, thread: Thread) -> Iterator[Found]:
        """The comment of each gate that has one."""
        found = thread.read()
        for gate in dict.fromkeys(one.marker.gate for one in found):
            kept = standing(found, gate, self.own_login).kept
            if kept is not None:
                yield kept

    def _same_workflow(self, kept: Found) -> bool:
        """Whether the run that the comment is by ran the same workflow: the others of a repository go their own way."""
        try:
            return artifacts.run(self.repository, kept.marker.speaker).workflow == self.run.workflow
        except MissingError:
            return False

    def _ending(self) -> Ending:
        return Ending(
            head=self.run.head_sha,
            how=ENDED[self.run.conclusion],
            message="It left no result of this gate that could be posted.",
            remedy="read the log of the run",
            url=self._as_run().attempt_url,
            cancelled=self.run.conclusion == CANCELLED,
        )

    def _as_run(self) -> Run:
        return Run(id=self.run.id, attempt=self.run.attempt, url=self.run.url)
