"""What the workflows that use the gate lack, each with the YAML to add. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gate.github.event import JUDGED_BY_BASE
from gate.github.failures import permissions_yaml
from gate.github.workflow_shape import Job, Step, Workflow
from gate.render.checklist import Check, missing, ok, unknown

_DISTRIBUTION: Final = "retrieval-quality-gate"
_LOCAL: Final = frozenset({"./", ".", "./composite"})
_WITH_SECRETS: Final = ("pull_request_target", "workflow_run", "issue_comment")
_READING: Final = ("contents: read", "actions: read")
_COMMENT: Final = "pull-requests: write"
_ISSUE: Final = "issues: write"
_WHATEVER: Final = re.compile(r"always\(\)|cancelled\(\)")
"""A condition that holds whatever has failed before."""
_SCHEDULE: Final = """\
on:
  schedule:
    - cron: "23 4 * * *"
  workflow_dispatch:"""
_WATCH_GROUP: Final = """\
concurrency:
  group: eval-drift
  cancel-in-progress: false"""
_GROUP: Final = """\
concurrency:
  group: eval-gate-${{ github.event.pull_request.number || github.ref }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}"""
_SECOND_GROUP: Final = """\
concurrency:
  group: eval-gate-second-half-${{ github.event.workflow_run.id || github.event.comment.id }}
  cancel-in-progress: false"""
_UPLOAD: Final = """\
- uses: actions/upload-artifact@v4 # with `id: gate` at the gate's own step
  if: always()
  with:
    name: ${{ steps.gate.outputs.artifact-name || format('eval-gate-attempt-{0}', github.run_attempt) }}
    path: gate-out/"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """How a step of ours is recognised, and what the configuration needs of it."""

    config: str = "eval-gate.yml"
    actions: frozenset[str] = frozenset()
    placeholder: str = "OWNER/REPO"
    is_own_repository: bool = False
    needs_pushes: bool = False
    """Whether the baseline is what the default branch's own runs upload."""

    def is_ours(self, step: Step) -> bool:
        """Whether a step uses this action, or one of the repository's own that is built from it."""
        if step.action in _LOCAL:
            return self.is_own_repository
        repository = step.repository
        named = repository.endswith(f"/{_DISTRIBUTION}") or repository in {self.placeholder, *self.actions}
        return named or step.given.get("config") == self.config


@dataclass(frozen=True, slots=True)
class Use:
    """One step that uses the gate, where it stands."""

    workflow: Workflow
    job: Job
    step: Step

    @property
    def publishes(self) -> bool:
        """Whether this is the second half."""
        return self.step.given.get("command") == "publish"

    @property
    def watches(self) -> bool:
        """Whether this watches for drift."""
        return self.step.given.get("command") == "drift"

    @property
    def sweeps(self) -> bool:
        """Whether this measures everything before a release."""
        return self.step.given.get("command") == "sweep"

    @property
    def measures(self) -> bool:
        """Whether this measures a part, which another job judges."""
        return bool(self.step.given.get("shard"))

    @property
    def merges(self) -> bool:
        """Whether this judges what other jobs have measured."""
        return self.step.given.get("command") == "merge"

    @property
    def judges(self) -> bool:
        """Whether this judges changes."""
        return not self.measures and self.step.given.get("command") not in {"publish", "drift", "sweep"}

    @property
    def written_by(self) -> str:
        """The option of `gate init` that writes a workflow with such a step."""
        return "--drift" if self.watches else "--sweep" if self.sweeps else "--workflows"

    @property
    def place(self) -> str:
        """Where that is, in words."""
        return f"{self.workflow.path}, job {self.job.id}"

    @property
    def group(self) -> str:
        """The concurrency group that it waits in; empty = none."""
        return self.job.group or self.workflow.group

    @property
    def is_cancelled(self) -> bool:
        """Whether a later run of its group always cancels it."""
        return (self.job.cancel if self.job.group else self.workflow.cancel) == "true"

    def steps_of(self, action: str) -> list[Step]:
        """The job's steps that use some other action."""
        return [step for step in self.job.steps if step.action == action]


def uses(workflows: Sequence[Workflow], known: Known) -> tuple[Use, ...]:
    """Every step that uses the gate; the action that is given our configuration is ours in every other step, too."""
    named = {
        step.repository
        for workflow in workflows
        for job in workflow.jobs
        for step in job.steps
        if known.is_ours(step) and not step.action.startswith(".")
    }
    known = replace(known, actions=known.actions | named)
    return tuple(
        Use(workflow, job, step)
        for workflow in workflows
        for job in workflow.jobs
        for step in job.steps
        if known.is_ours(step)
    )


def workflow_checks(found: Sequence[Use], known: Known) -> tuple[Check, ...]:
    """Everything about the workflows, in the order in which a run meets it."""
    judging = [use for use in found if use.judges]
    publishing = [use for use in found if use.publishes]
    if not judging:
        yaml = "write them with `gate init --workflows`, or add a step as docs/github-action.md shows"
        checks = [missing("workflow", "no workflow judges pull requests with this action", yaml)]
    else:
        checks = [check for use in judging for check in _judging(use, known)]
        checks += _second_half(judging, publishing)
    checks += [check for use in found if use.measures for check in _measuring(use, judging, known)]
    checks += [check for use in found if use.watches for check in _watching(use, known)]
    checks += [check for use in found if use.sweeps for check in _sweeping(use, known)]
    return tuple(checks)


def _judging(use: Use, known: Known) -> Iterator[Check]:
    yield from _name(use, known)
    yield from _events(use, known)
    yield from _filters(use)
    yield from _permissions(use, _needed(use))
    yield from _concurrency(use)
    yield from _checkout(use)
    yield from _upload(use)
    if use.merges and not _WHATEVER.search(use.job.condition):
        told = f"{use.place}: is skipped when a shard fails, and a skipped check counts as passed"
        yield missing("merge", told, "if: always()")


def _measuring(use: Use, judging: Sequence[Use], known: Known) -> Iterator[Check]:
    """A job that measures a part reads the repository, and its rows have to reach a job that merges them."""
    yield from _name(use, known)
    yield from _permissions(use, _READING[:1])
    yield from _checkout(use)
    yield from _upload(use)
    if not any(each.merges and each.workflow == use.workflow for each in judging):
        told = f"{use.place}: no job of this workflow judges the parts"
        yield missing("merge", told, "with: {command: merge} # in a job that `needs:` this one")


def judging_workflow(found: Sequence[Use], preferred: str) -> str | None:
    """The workflow whose runs measure the baseline: `preferred` where it judges, else the first that does, on pushes
    if there is one."""
    judging = [use for use in found if use.judges]
    ordered = sorted(
        judging, key=lambda use: (use.workflow.path != preferred, "push" not in use.workflow.events)
    )
    return ordered[0].workflow.path if ordered else None


def _watching(use: Use, known: Known) -> Iterator[Check]:
    """A drift watch needs its own events, and may write its issue."""
    yield from _name(use, known)
    events, refused = use.workflow.events, _refused(use)
    if refused:
        told = f"{use.place}: `command: drift` is refused under {refused}, which are about one change"
        yield missing("events", told, _SCHEDULE)
    elif not {"schedule", "push"} & set(events):
        yield unknown("events", f"{use.place}: nothing starts the drift watch by itself", _SCHEDULE)
    else:
        yield ok("events", f"{use.place}: watches for drift on {', '.join(events)}")
    issue = () if use.step.given.get("comment") == "off" else (_ISSUE,)
    yield from _permissions(use, (*_READING, *issue))
    if not use.group or use.is_cancelled:
        told = f"{use.place}: two drift watches at once, or one that is cut short, race for one issue"
        yield missing("concurrency", told, _WATCH_GROUP)
    yield from _checkout(use)
    yield from _upload(use)


def _sweeping(use: Use, known: Known) -> Iterator[Check]:
    """A sweep is started by hand, and what it leaves is worth keeping."""
    yield from _name(use, known)
    refused = _refused(use)
    if refused:
        told = f"{use.place}: `command: sweep` is refused under {refused}"
        yield missing("events", told, "on:\n  workflow_dispatch:")
    else:
        yield ok("events", f"{use.place}: sweeps on {', '.join(use.workflow.events)}")
    yield from _permissions(use, _READING)
    yield from _upload(use)


def _refused(use: Use) -> str:
    """Its events under which what judges no change is refused, in words; empty = none."""
    return ", ".join(event for event in (*JUDGED_BY_BASE, *_WITH_SECRETS) if event in use.workflow.events)


def _name(use: Use, known: Known) -> Iterator[Check]:
    if use.step.action.startswith(known.placeholder):
        yield missing(
            "action",
            f"{use.place}: `{use.step.uses}` is a placeholder",
            "name its repository by hand, or write the whole file anew: "
            f"`gate init {use.written_by} --force --action OWNER/REPO@REF`",
        )
    else:
        yield ok("action", f"{use.place}: `{use.step.uses}`")


def _events(use: Use, known: Known) -> Iterator[Check]:
    events = use.workflow.events
    refused = [event for event in _WITH_SECRETS if event in events]
    if refused:
        yield missing(
            "events",
            f"{use.place}: suites are refused under {', '.join(refused)}, where foreign code would meet secrets",
            "judge under `on: pull_request`, and post a fork's result with `command: publish` under workflow_run",
        )
    if "pull_request" not in events:
        yield missing("events", f"{use.place}: pull requests are not judged", "on:\n  pull_request:")
    if "push" not in events:
        told = f"{use.place}: pushes are not measured"
        yaml = "on:\n  push:\n    branches: [main] # the default branch"
        yield (
            missing("events", f"{told}, and they are the baseline", yaml)
            if known.needs_pushes
            else unknown("events", f"{told}: fine as long as the baseline comes from somewhere else", yaml)
        )
    if "merge_group" not in events:
        told = f"{use.place}: the merge queue, if there is one, would wait for this check for ever"
        yield unknown("events", told, "on:\n  merge_group:")
    if not refused and {"pull_request", "push", "merge_group"} <= set(events):
        yield ok("events", f"{use.place}: pull requests, pushes and the merge queue")


def _filters(use: Use) -> Iterator[Check]:
    events = use.workflow.events
    filtered = [name for name in events if {"paths", "paths-ignore"} & set(events[name]) and name != "push"]
    if filtered:
        yield missing(
            "path filters",
            f"{use.place}: {', '.join(filtered)} is filtered by path; as a required check it would stay pending",
            "remove the filter, and name the paths in the configuration: the action then always reports\n"
            'watch: {paths: ["src/search/**"]}',
        )


def _needed(use: Use) -> tuple[str, ...]:
    comment = () if use.step.given.get("comment") == "off" else (_COMMENT,)
    check = ("checks: write",) if use.step.given.get("check-run") == "true" else ()
    return (*_READING, *comment, *check)


def _permissions(use: Use, needed: Sequence[str]) -> Iterator[Check]:
    given = use.workflow.permissions_of(use.job)
    if given is None:
        yield missing(
            "permissions",
            f"{use.place}: no `permissions:` block, so the repository's setting decides",
            permissions_yaml(*needed),
        )
        return
    lacking = [line for line in needed if not given.allow(line)]
    if lacking:
        names = ", ".join(f"`{line}`" for line in lacking)
        yield missing("permissions", f"{use.place}: lacks {names}", permissions_yaml(*needed))
    elif given.rest == "write":
        told = f"{use.place}: everything may be written, far more than the gate needs"
        yield missing("permissions", told, permissions_yaml(*needed))
    else:
        yield ok("permissions", f"{use.place}: {', '.join(needed)}")


def _concurrency(use: Use) -> Iterator[Check]:
    if not use.group:
        told = f"{use.place}: no concurrency group: two pushes race for one comment"
        yield missing("concurrency", told, _GROUP)
    elif use.is_cancelled and "push" in use.workflow.events:
        told = f"{use.place}: runs on the default branch are cancelled, and they are the baselines"
        yield missing("concurrency", told, _GROUP)
    elif "${{" not in use.group:
        told = f"{use.place}: one group for all pull requests: they wait for, or cancel, each other"
        yield missing("concurrency", told, _GROUP)
    else:
        yield ok("concurrency", f"{use.place}: one run a pull request")


def _checkout(use: Use) -> Iterator[Check]:
    for step in use.steps_of("actions/checkout"):
        if step.given.get("persist-credentials") != "false":
            told = f"{use.place}: the checkout leaves its token where the measured code can read it"
            yield missing("checkout", told, "with:\n  persist-credentials: false")
        depth = step.given.get("fetch-depth", "1")
        if use.watches and depth != "0":
            told = (
                f"{use.place}: what has changed since the reference is asked of GitHub, which lists 300 files"
            )
            yield unknown("checkout", told, "with:\n  fetch-depth: 0 # back to the reference")
        elif depth == "1":
            told = f"{use.place}: one commit deep: the base's files are read through the API"
            yield unknown("checkout", told, "with:\n  fetch-depth: 2 # reads them from the clone")


def _upload(use: Use) -> Iterator[Check]:
    ours = [
        step
        for step in use.steps_of("actions/upload-artifact")
        if "artifact-name" in step.given.get("name", "")
    ]
    if not ours:
        yield missing(
            "upload",
            f"{use.place}: `{use.step.given.get('out', 'gate-out')}/` is not uploaded under its own name: no baseline "
            "for later runs, no pooled attempts, nothing to publish for forks",
            _UPLOAD,
        )
    elif not any(_WHATEVER.search(step.condition) for step in ours):
        yield missing("upload", f"{use.place}: red runs upload nothing", "if: always()")
    else:
        yield ok("upload", f"{use.place}: whatever the verdict")


def _second_half(judging: Sequence[Use], publishing: Sequence[Use]) -> Iterator[Check]:
    if not publishing:
        told = (
            "no workflow has `command: publish`: results of forks are not posted, `/gate accept` is not heard"
        )
        yield unknown(
            "second half", told, "write it with `gate init --workflows`, if forks or acceptances matter"
        )
    for use in publishing:
        yield from _publishing(use, {judge.workflow.name for judge in judging})
        yield from _own_group(use, {judge.group for judge in judging})
    yield from _acceptance(publishing)


def _acceptance(publishing: Sequence[Use]) -> Iterator[Check]:
    heard = [use for use in publishing if "issue_comment" in use.workflow.events]
    given = [use.workflow.permissions_of(use.job) for use in heard]
    if heard and not any(each is not None and each.allow("actions: write") for each in given):
        told = f"{heard[0].place}: after `/gate accept` the failed job has to be run again by hand"
        yield unknown("second half", told, permissions_yaml("actions: write", _COMMENT))


def _publishing(use: Use, names: set[str]) -> Iterator[Check]:
    events = use.workflow.events
    if not set(_WITH_SECRETS) & set(events):
        told = f"{use.place}: `command: publish` has no use under {', '.join(events) or 'no event'}"
        yield missing(
            "second half", told, "on:\n  workflow_run:\n    workflows: [NAME]\n    types: [completed]"
        )
        return
    waits_for = events.get("workflow_run", {}).get("workflows", sorted(names))
    if not isinstance(waits_for, list) or not names & set(waits_for):
        told = f"{use.place}: waits for {waits_for}, and no such workflow judges"
        yield missing("second half", told, f"workflows: [{', '.join(sorted(names))}]")
    yield from _foreign_code(use)
    yield from _permissions(use, (*_READING, _COMMENT))


def _own_group(use: Use, judging: set[str]) -> Iterator[Check]:
    """A comment must never cancel a gate that is running, nor another comment."""
    if use.group and use.group in judging:
        told = (
            f"{use.place}: shares its concurrency group with what judges: each cancels or holds up the other"
        )
        yield missing("second half", told, _SECOND_GROUP)
    elif use.is_cancelled:
        told = f"{use.place}: a comment or a finished run cancels what is being posted"
        yield missing("second half", told, _SECOND_GROUP)


def _foreign_code(use: Use) -> Iterator[Check]:
    for step in use.steps_of("actions/checkout"):
        if "head" in step.given.get("ref", ""):
            yield missing(
                "second half",
                f"{use.place}: checks out the pull request's code where the token may write",
                "remove the checkout: `command: publish` needs none",
            )
