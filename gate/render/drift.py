"""What a drift watch says beside the numbers: what changed since the reference, and the texts of the gate's issue."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gate.core.drift import as_watched, drifted
from gate.core.plan import Drifted
from gate.core.report import Report
from gate.core.wording import counted, shortened
from gate.render.dialect import MARKDOWN, PLAIN, Dialect, listed
from gate.render.fitting import cut_chars
from gate.render.headline import headline
from gate.render.markdown import blocks, small
from gate.render.visible import reveal

LONGEST_TITLE: Final = 200
_COMMIT_SHOWN: Final = 7
_DRIFTED_SHOWN: Final = 20
_OUTSIDE: Final = "the cause lies outside the repository (a model, a service, data)"


def explained(report: Report, dialect: Dialect) -> str:
    """ "3 watched files changed in the 12 commits since the reference …"; empty where nothing is watched for drift."""
    since = report.plan.since
    if since is None:
        return ""
    words = _Words(dialect, lambda paths: f": {listed(tuple(map(dialect.name, paths)))}")
    return " ".join(words.sentences(since, drifted=_since_then(report)))


def _since_then(report: Report) -> bool:
    """Whether what drifted did so since the reference: what is compared with the older anchor may have before."""
    anchored = {planned.name for planned in report.plan.suites if planned.anchored is not None}
    failed = {outcome.suite for outcome in report.outcomes if outcome.verdict == "fail"}
    return as_watched(report) == "fail" and not failed & anchored


def changes(since: Drifted) -> str:
    """The same as plain text, every watched file on a line of its own; ends with a line end."""
    said = " ".join(_Words(PLAIN, lambda _: "").sentences(since, drifted=False))
    committed = (f"  {reveal(path)}" for path in since.matched)
    local = (f"  {reveal(path)} (not committed)" for path in since.local)
    return "\n".join([said, *committed, *local]) + "\n"


class _Words:
    """The sentences in one dialect; `named` says which files, after a count of them."""

    def __init__(self, dialect: Dialect, named: Callable[[Sequence[str]], str]) -> None:
        self._dialect = dialect
        self._named = named

    def sentences(self, since: Drifted, *, drifted: bool) -> Iterator[str]:
        if since.changed is not None:
            yield self._committed(since, since.changed, drifted=drifted)
        if since.local or since.local_others:
            yield f"Not committed: {self._local(since)}."
        if since.unknown:
            why = "; ".join(map(self._dialect.prose, since.unknown))
            yield f"Whether anything watched has changed since the reference cannot be told: {why}."

    def _committed(self, since: Drifted, files: int, *, drifted: bool) -> str:
        if not since.patterns:
            return f"{counted(files, 'file')} changed {self._span(since)}."
        if since.matched:
            changed = f"{counted(len(since.matched), 'watched file')} changed"
            return f"{changed} {self._span(since)}{self._named(since.matched)}."
        others = f", and {counted(files, 'other file')} did" if files else ""
        said = f"No watched file has changed {self._span(since)}{others}"
        if not drifted or since.local or since.unknown:
            return f"{said}."
        inside = ", or in a file that the watch list does not name" if files or since.local_others else ""
        return f"{said}: {_OUTSIDE}{inside}."

    def _local(self, since: Drifted) -> str:
        parts = []
        if since.local:
            parts.append(f"{counted(len(since.local), 'watched file')}{self._named(since.local)}")
        if since.local_others:
            parts.append(counted(since.local_others, "other file" if since.patterns else "file"))
        return ", and ".join(parts)

    def _span(self, since: Drifted) -> str:
        commit = (since.reference or "")[:_COMMIT_SHOWN]
        named = f"the reference {self._dialect.name(commit)}" if commit else "the reference"
        if since.commits is None:
            return f"since {named}"
        if since.commits == 0:
            return f"since {named}, which is this very commit"
        return (
            f"in the {'one commit' if since.commits == 1 else counted(since.commits, 'commit')} since {named}"
        )


def title(gate: str) -> str:
    """The issue's title; it stays the same, whatever drifts."""
    return cut_chars(f"Drift: {' '.join(reveal(gate).split())}", LONGEST_TITLE)


def foreword(report: Report) -> str:
    """What comes before the numbers in the issue."""
    return small(
        f"The drift watch of the gate {MARKDOWN.name(report.gate)} keeps this issue: each run writes it anew, and"
        " one that measures everything and finds no drift closes it."
    )


def attempt(report: Report, link: str) -> str:
    """The line of an open issue that says when and why the last attempt could not measure."""
    said = headline(report, MARKDOWN)
    return f"> **Last attempt, {MARKDOWN.prose(report.created_at)}:** {said.title} {link}".rstrip()


def failed_attempt(at: str, how: str, message: str, link: str) -> str:
    """The same line of an attempt that ended in an error; `how` is ours and short, as "exit code 69"."""
    why = f"{how}. {MARKDOWN.prose(message)}" if message else f"{how}."
    return f"> **Last attempt, {MARKDOWN.prose(at)}:** Could not measure: {why} {link}".rstrip()


def changed_set(report: Report, link: str) -> str:
    """A remark: something else drifts now than before."""
    return _remark(f"**What drifts has changed.** {headline(report, MARKDOWN).title}", report, link)


def again(report: Report, link: str) -> str:
    """A remark: what was closed drifts again."""
    return _remark(f"**Drift again.** {headline(report, MARKDOWN).title}", report, link)


def no_longer(report: Report, link: str) -> str:
    """A remark: everything was measured again, and nothing drifts."""
    return f"{blocks(headline(report, MARKDOWN).title, explained(report, MARKDOWN), link)}\n"


def _remark(said: str, report: Report, link: str) -> str:
    names = shortened([MARKDOWN.prose(name) for name in drifted(report)], _DRIFTED_SHOWN)
    lines = "\n".join(f"- {name}" for name in names)
    return f"{blocks(said, lines, explained(report, MARKDOWN), link)}\n"
