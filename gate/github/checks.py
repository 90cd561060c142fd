"""The optional check run: in progress while the gate works, completed with a conclusion and annotations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from gate.core.report import Verdict
from gate.github.failures import TooLongError
from gate.github.understanding import understood
from gate.render.fitting import Fitted, cut_bytes, cut_chars, fit

if TYPE_CHECKING:
    from github.CheckRun import CheckRun
    from github.Repository import Repository

Conclusion = Literal["success", "failure", "neutral"]
_Said = dict[str, str | int]
_Output = dict[str, str | list[_Said]]

ANNOTATIONS_A_REQUEST: Final = 50
MOST_SUMMARY_BYTES: Final = 65_535
MOST_TITLE_CHARS: Final = 255
MOST_MESSAGE_BYTES: Final = 64 * 1024 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnnotation:
    """A remark beside a line of a file of the repository; lines count from 1."""

    path: str
    line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What a finished check says: a conclusion, a title, renditions of the summary, remarks beside lines."""

    conclusion: Conclusion
    title: str
    renditions: Sequence[Callable[[], str]]
    annotations: tuple[CheckAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """Where the check stands; `rung` counts the renditions that were too long."""

    url: str
    rung: int
    annotations: int


def conclusion(verdict: Verdict, exit_code: int) -> Conclusion:
    """What a verdict is to a required check.

    GitHub counts "neutral" as passed, so it is used only where the job passes too: an accepted or advisory
    failure, or an inconclusive result that the policy lets through. Whatever fails the job fails the check.
    """
    if exit_code != 0:
        return "failure"
    return "success" if verdict == "pass" else "neutral"


def begin(
    repository: "Repository", *, name: str, head_sha: str, details_url: str, external_id: str
) -> "CheckRun":
    """A check run in progress on `head_sha`; a ForgeError when GitHub does not let us."""
    from github.GithubObject import NotSet

    with understood("the new check run"):
        return repository.create_check_run(
            cut_chars(name, MOST_TITLE_CHARS),
            head_sha,
            status="in_progress",
            external_id=external_id,
            details_url=details_url or NotSet,
        )


def complete(check: "CheckRun", result: CheckResult) -> Checked:
    """The check run with its conclusion; annotations go in as many requests as they need.

    The conclusion comes with the last request: a check is not done before everything is said.
    """
    with understood("the check run"):
        rung = _say(check, result)
        return Checked(check.html_url or "", rung, len(result.annotations))


def _say(check: "CheckRun", result: CheckResult) -> int:
    chunks = list(_chunks(result.annotations)) or [()]
    fitted = _fitted(result, 0)
    for chunk in chunks[:-1]:
        fitted = _sent(result, fitted, chunk, lambda output: check.edit(output=output))
    fitted = _sent(
        result,
        fitted,
        chunks[-1],
        lambda output: check.edit(status="completed", conclusion=result.conclusion, output=output),
    )
    return fitted.rung


def _sent(
    result: CheckResult, fitted: Fitted, chunk: Sequence[CheckAnnotation], send: Callable[[_Output], None]
) -> Fitted:
    """The rendition that GitHub took: the next shorter one where it finds the first too long."""
    output: _Output = {
        "title": cut_chars(result.title, MOST_TITLE_CHARS),
        "annotations": [_said(one) for one in chunk],
    }
    try:
        send({**output, "summary": fitted.text})
    except TooLongError:
        if fitted.rung + 1 >= len(result.renditions):
            raise
        fitted = _fitted(result, fitted.rung + 1)
        send({**output, "summary": fitted.text})
    return fitted


def _fitted(result: CheckResult, rung: int) -> Fitted:
    fitted = fit(result.renditions[rung:], max_chars=MOST_SUMMARY_BYTES, max_bytes=MOST_SUMMARY_BYTES)
    return Fitted(fitted.text, fitted.rung + rung, fitted.left_out)


def _chunks(annotations: Sequence[CheckAnnotation]) -> Iterator[Sequence[CheckAnnotation]]:
    for start in range(0, len(annotations), ANNOTATIONS_A_REQUEST):
        yield annotations[start : start + ANNOTATIONS_A_REQUEST]


def _said(one: CheckAnnotation) -> _Said:
    title = {"title": cut_chars(one.title, MOST_TITLE_CHARS)} if one.title else {}
    return {
        "path": one.path,
        "start_line": one.line,
        "end_line": one.line,
        "annotation_level": one.level,
        "message": cut_bytes(one.message, MOST_MESSAGE_BYTES),
        **title,
    }
