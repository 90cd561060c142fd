"""How the fake GitHub answers each operation, with the limits the real one enforces."""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.github.contract import document
from tests.github.fake_world import (
    REPOSITORY,
    REPOSITORY_ID,
    Comment,
    Identity,
    Issue,
    Pull,
    WorkflowRun,
    World,
)

MAX_COMMENT_CHARS = 65_536
MAX_COMMENT_BYTES = 262_144
MAX_TITLE_CHARS = 256
MAX_SUMMARY_BYTES = 65_535
MAX_ANNOTATIONS = 50
MAX_FILES = 3_000
MAX_COMPARED = 300


@dataclass
class Call:
    """One request as a handler sees it."""

    world: World
    base: str
    storage: str
    identity: Identity
    query: dict[str, str]
    body: dict[str, Any]
    parts: dict[str, str]
    target: str

    def part(self, name: str) -> int:
        return int(self.parts[name])


@dataclass
class Reply:
    status: int
    data: Any = None
    headers: tuple[tuple[str, str], ...] = ()


class Refused(Exception):  # noqa: N818  # the fake's own control flow, never seen by the gate
    def __init__(self, status: int, message: str, *details: str) -> None:
        super().__init__(message)
        errors = [{"resource": "X", "code": "custom", "message": text} for text in details]
        self.reply = Reply(
            status, {"message": message, "documentation_url": "x", **({"errors": errors} if errors else {})}
        )


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def user(login: str, kind: str = "User") -> dict[str, Any]:
    return document("simple-user", login=login, type=kind)


def repository(
    name: str = REPOSITORY, number: int = REPOSITORY_ID, component: str = "minimal-repository"
) -> dict[str, Any]:
    return document(
        component,
        id=number,
        full_name=name,
        name=name.split("/")[1],
        owner=user(name.split("/", maxsplit=1)[0]),
    )


def paged(call: Call, items: list[Any], wrap: str | None = None) -> Reply:
    size = min(int(call.query.get("per_page", "30")), 100)
    page = int(call.query.get("page", "1"))
    last = max((len(items) + size - 1) // size, 1)
    path = call.target.split("?")[0]
    others = "".join(f"&{key}={value}" for key, value in call.query.items() if key != "page")
    links = [
        f'<{call.base}{path}?page={at}{others}>; rel="{rel}"'
        for rel, at in (("next", page + 1), ("last", last))
    ]
    shown = items[(page - 1) * size : page * size]
    data = shown if wrap is None else {"total_count": len(items), wrap: shown}
    return Reply(200, data, (("Link", ", ".join(links)),) if page < last else ())


def whoami(call: Call) -> Reply:
    if call.identity.installation:
        raise Refused(403, "Resource not accessible by integration")
    return Reply(
        200, document("private-user", login=call.identity.login, type="User", user_view_type="private")
    )


def show_repository(call: Call) -> Reply:
    facts = {"default_branch": call.world.default_branch, "url": f"{call.base}/repos/{REPOSITORY}"}
    return Reply(200, {**repository(component="full-repository"), **facts})


def _pull(call: Call) -> Pull:
    found = call.world.pulls.get(call.part("number"))
    if found is None:
        raise Refused(404, "Not Found")
    return found


def pull_document(pull: Pull, component: str) -> dict[str, Any]:
    made = document(component, number=pull.number, state=pull.state, locked=pull.locked, title="t")
    owner = pull.head_repository[1].split("/")[0] if pull.head_repository else ""
    source = (
        repository(pull.head_repository[1], pull.head_repository[0], "repository")
        if pull.head_repository
        else None
    )
    made["head"] = {
        **made["head"],
        "sha": pull.head_sha,
        "ref": pull.head_ref,
        "label": f"{owner}:{pull.head_ref}",
    }
    made["head"]["repo"] = source
    made["base"] = {
        **made["base"],
        "sha": pull.base_sha,
        "ref": pull.base_ref,
        "label": "x",
        "repo": repository(component="repository"),
    }
    made["merge_commit_sha"] = pull.merge_sha
    made["labels"] = [
        {
            "id": 1,
            "node_id": "x",
            "url": "x",
            "name": name,
            "description": "x",
            "color": "f00",
            "default": False,
        }
        for name in pull.labels
    ]
    made["html_url"] = f"https://github.example/{REPOSITORY}/pull/{pull.number}"
    return made


def show_pull(call: Call) -> Reply:
    return Reply(200, pull_document(_pull(call), "pull-request"))


def list_pulls(call: Call) -> Reply:
    wanted = call.query.get("head")
    found = [
        pull
        for pull in call.world.pulls.values()
        if call.query.get("state", "open") in {pull.state, "all"}
        and (
            wanted is None
            or (pull.head_repository and wanted == f"{pull.head_repository[1].split('/')[0]}:{pull.head_ref}")
        )
    ]
    return paged(call, [pull_document(pull, "pull-request-simple") for pull in found])


def list_files(call: Call) -> Reply:
    return paged(call, [_file(name) for name in _pull(call).files[:MAX_FILES]])


def _file(name: str) -> dict[str, Any]:
    if " -> " in name:
        before, after = name.split(" -> ")
        return document("diff-entry", filename=after, previous_filename=before, status="renamed")
    return document("diff-entry", filename=name, status="modified")


def comment_document(call: Call, comment: Comment) -> dict[str, Any]:
    place = f"{call.base}/repos/{REPOSITORY}/issues"
    return document(
        "issue-comment",
        id=comment.id,
        body=comment.body,
        user=user(comment.login, comment.kind),
        url=f"{place}/comments/{comment.id}",
        issue_url=f"{place}/{comment.number}",
        html_url=f"https://github.example/{REPOSITORY}/pull/{comment.number}#issuecomment-{comment.id}",
        created_at=stamp(comment.created),
        updated_at=stamp(comment.updated),
    )


def list_comments(call: Call) -> Reply:
    since = call.query.get("since", "")
    found = [
        comment_document(call, one)
        for _, one in sorted(call.world.comments.items())
        if one.number == call.part("number") and stamp(one.updated) >= since
    ]
    return paged(call, found)


def _checked_body(call: Call) -> str:
    body: str = call.body["body"]
    if not body.strip():
        raise Refused(422, "Validation Failed", "body can't be blank")
    if len(body) > MAX_COMMENT_CHARS or len(body.encode()) > MAX_COMMENT_BYTES:
        raise Refused(
            422, "Validation Failed", f"body is too long (maximum is {MAX_COMMENT_CHARS} characters)"
        )
    return body


def create_comment(call: Call) -> Reply:
    number = call.part("number")
    place = call.world.issues.get(number) or _pull(call)
    if place.locked:
        raise Refused(403, "Unable to create comment because issue is locked.")
    who = call.identity
    made = call.world.comment(number, _checked_body(call), login=who.login, kind=who.kind)
    return Reply(201, comment_document(call, made))


def _comment(call: Call) -> Comment:
    found = call.world.comments.get(call.part("id"))
    if found is None:
        raise Refused(404, "Not Found")
    if call.world.protects_foreign_comments and found.login != call.identity.login:
        raise Refused(403, "Resource not accessible by integration")
    return found


def show_comment(call: Call) -> Reply:
    found = call.world.comments.get(call.part("id"))
    if found is None:
        raise Refused(404, "Not Found")
    return Reply(200, comment_document(call, found))


def edit_comment(call: Call) -> Reply:
    found = _comment(call)
    found.body, found.updated = _checked_body(call), call.world.time.now()
    return Reply(200, comment_document(call, found))


def delete_comment(call: Call) -> Reply:
    del call.world.comments[_comment(call).id]
    return Reply(204)


def issue_document(call: Call, issue: Issue) -> dict[str, Any]:
    place = f"{call.base}/repos/{REPOSITORY}/issues/{issue.number}"
    closed = None if issue.state == "open" else stamp(issue.updated)
    return document(
        "issue",
        id=10_000 + issue.number,
        number=issue.number,
        title=issue.title,
        body=issue.body,
        state=issue.state,
        state_reason=issue.state_reason,
        locked=issue.locked,
        user=user(issue.login, issue.kind),
        url=place,
        comments_url=f"{place}/comments",
        html_url=f"https://github.example/{REPOSITORY}/issues/{issue.number}",
        created_at=stamp(issue.created),
        updated_at=stamp(issue.updated),
        closed_at=closed,
    )


def _pull_as_issue(call: Call, pull: Pull) -> dict[str, Any]:
    """Every pull request is an issue, too; only `pull_request` and its address tell."""
    opened = Issue(
        pull.number, "t", pull.body, pull.login, pull.kind, call.world.time.now(), call.world.time.now()
    )
    opened.state = pull.state
    page = f"https://github.example/{REPOSITORY}/pull/{pull.number}"
    link = {"url": page, "html_url": page, "diff_url": page, "patch_url": page}
    return {**issue_document(call, opened), "html_url": page, "pull_request": link}


def _with_issues(call: Call) -> None:
    if not call.world.has_issues:
        raise Refused(410, "Issues has been disabled in this repository.")


def list_issues(call: Call) -> Reply:
    _with_issues(call)
    asked = call.query
    made = [issue_document(call, one) for one in call.world.issues.values()]
    made += [_pull_as_issue(call, one) for one in call.world.pulls.values()]
    found = [
        one
        for one in made
        if asked.get("state", "open") in {one["state"], "all"}
        and asked.get("creator", one["user"]["login"]) == one["user"]["login"]
        and one["updated_at"] >= asked.get("since", "")
    ]
    key = {"created": "number", "updated": "updated_at"}[asked.get("sort", "created")]
    found.sort(key=lambda one: (one[key], one["number"]), reverse=asked.get("direction", "desc") == "desc")
    return paged(call, found)


def _checked_title(call: Call) -> str:
    title: str = call.body["title"]
    if not title.strip() or len(title) > MAX_TITLE_CHARS:
        raise Refused(
            422, "Validation Failed", f"title is too long (maximum is {MAX_TITLE_CHARS} characters)"
        )
    return title


def create_issue(call: Call) -> Reply:
    _with_issues(call)
    who = call.identity
    made = call.world.issue(_checked_body(call), title=_checked_title(call), login=who.login, kind=who.kind)
    return Reply(201, issue_document(call, made))


def _issue(call: Call) -> Issue:
    _with_issues(call)
    found = call.world.issues.get(call.part("number"))
    if found is None:
        raise Refused(404, "Not Found")
    return found


def show_issue(call: Call) -> Reply:
    return Reply(200, issue_document(call, _issue(call)))


def edit_issue(call: Call) -> Reply:
    found = _issue(call)
    if "body" in call.body:
        found.body = _checked_body(call)
    if "state" in call.body:
        found.state = call.body["state"]
        found.state_reason = call.body.get(
            "state_reason", "completed" if found.state == "closed" else "reopened"
        )
    found.updated = call.world.time.now()
    return Reply(200, issue_document(call, found))


def _checked_output(call: Call) -> dict[str, Any]:
    output: dict[str, Any] = call.body.get("output", {})
    if len(output.get("summary", "").encode()) > MAX_SUMMARY_BYTES:
        raise Refused(422, "Invalid request.", f"Only {MAX_SUMMARY_BYTES} characters are allowed")
    if len(output.get("annotations", ())) > MAX_ANNOTATIONS:
        raise Refused(422, "Invalid request.", f"No more than {MAX_ANNOTATIONS} items are allowed")
    return output


def _check_document(call: Call, number: int) -> dict[str, Any]:
    kept = call.world.checks[number]
    output = kept.get("output", {})
    texts = {key: output.get(key) for key in ("title", "summary", "text")}
    shown = {**texts, "annotations_count": len(kept["annotations"]), "annotations_url": "http://127.0.0.1/x"}
    known = ("name", "head_sha", "status", "conclusion", "external_id")
    return document(
        "check-run",
        id=number,
        url=f"{call.base}/repos/{REPOSITORY}/check-runs/{number}",
        html_url=f"https://github.example/{REPOSITORY}/runs/{number}",
        output=shown,
        check_suite={"id": 77},
        **{key: kept.get(key) for key in known},
    )


def create_check(call: Call) -> Reply:
    number, annotations = call.world.new_id(), _checked_output(call).get("annotations", [])
    call.world.checks[number] = {"status": "queued", **call.body, "annotations": list(annotations)}
    return Reply(201, _check_document(call, number))


def edit_check(call: Call) -> Reply:
    kept = call.world.checks.get(call.part("id"))
    if kept is None:
        raise Refused(404, "Not Found")
    kept["annotations"].extend(_checked_output(call).get("annotations", []))
    kept.update(call.body)
    if "conclusion" in call.body:
        kept["status"] = "completed"
    return Reply(200, _check_document(call, call.part("id")))


def show_permission(call: Call) -> Reply:
    login = call.parts["login"]
    level = call.world.collaborators.get(login, "read")
    return Reply(200, document("repository-collaborator-permission", permission=level, role_name=level))


def _commit_document(sha: str, parents: tuple[str, ...]) -> dict[str, Any]:
    author = user("somebody")
    return document(
        "commit",
        sha=sha,
        author=author,
        committer=author,
        parents=[{"sha": one, "url": "http://127.0.0.1/x"} for one in parents],
    )


def show_commit(call: Call) -> Reply:
    found = call.world.commits.get(call.parts["ref"])
    if found is None:
        raise Refused(422, f"No commit found for SHA: {call.parts['ref']}")
    return Reply(200, _commit_document(found.sha, found.parents))


def list_commits(call: Call) -> Reply:
    """Everything reachable from `sha`, newest first as far as parents tell."""
    todo, seen = [call.query.get("sha", "")], []
    while todo:
        found = call.world.commits.get(todo.pop(0))
        if found is not None and found.sha not in seen:
            seen.append(found.sha)
            todo.extend(found.parents)
    return paged(call, [_commit_document(sha, call.world.commits[sha].parents) for sha in seen])


def pulls_of_commit(call: Call) -> Reply:
    found = call.world.commits.get(call.parts["ref"])
    pulls = [call.world.pulls[number] for number in found.pulls] if found else []
    return paged(call, [pull_document(pull, "pull-request-simple") for pull in pulls])


def compare(call: Call) -> Reply:
    base, head = call.parts["basehead"].split("...")
    found = call.world.merge_bases.get((base, head))
    if found is None:
        raise Refused(404, "Not Found")
    commit = _commit_document(found, ())
    files = [_file(name) for name in call.world.differing.get((base, head), [])[:MAX_COMPARED]]
    facts = {"ahead_by": 3, "behind_by": 2, "files": files}
    return Reply(200, document("commit-comparison", base_commit=commit, merge_base_commit=commit, **facts))


def show_contents(call: Call) -> Reply:
    path = call.parts["path"]
    found = call.world.contents.get((call.query.get("ref", "main"), path))
    if found is None:
        raise Refused(404, "Not Found")
    if isinstance(found, list):
        entries = [document("content-file", name=name, path=f"{path}/{name}", type="file") for name in found]
        return Reply(
            200,
            [{key: entry[key] for key in entry if key not in {"content", "encoding"}} for entry in entries],
        )
    text = base64.encodebytes(found).decode()
    size, encoding = call.world.sizes.get(path, len(found)), "base64"
    if size > 1_048_576:  # larger files come without content
        text, encoding = "", "none"
    facts = {"size": size, "sha": _blob_sha(found), "content": text, "encoding": encoding}
    return Reply(200, document("content-file", type="file", path=path, **facts))


def show_blob(call: Call) -> Reply:
    files = (one for one in call.world.contents.values() if isinstance(one, bytes))
    found = next((data for data in files if _blob_sha(data) == call.parts["sha"]), None)
    if found is None:
        raise Refused(404, "Not Found")
    text = base64.encodebytes(found).decode()
    facts = {"sha": call.parts["sha"], "size": len(found), "content": text, "encoding": "base64"}
    return Reply(200, document("blob", **facts))


def _blob_sha(data: bytes) -> str:
    """A file's name in git."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # noqa: S324 - git's own choice


def run_document(call: Call, run: WorkflowRun) -> dict[str, Any]:
    source = repository(run.head_repository[1], run.head_repository[0]) if run.head_repository else None
    place = f"{call.base}/repos/{REPOSITORY}/actions/runs/{run.id}"
    return document(
        "workflow-run",
        id=run.id,
        head_sha=run.head_sha,
        head_branch=run.branch,
        path=f".github/workflows/{run.workflow}",
        event=run.event,
        status=run.status,
        conclusion=run.conclusion,
        run_attempt=run.attempt,
        head_repository=source,
        actor=user(run.actor),
        repository=repository(),
        url=place,
        artifacts_url=f"{place}/artifacts",
        html_url=f"https://github.example/{REPOSITORY}/actions/runs/{run.id}",
    )


def list_runs(call: Call) -> Reply:
    asked = call.query
    found = [
        run
        for run in sorted(call.world.runs, key=lambda one: -one.id)
        if run.workflow == call.parts.get("workflow", run.workflow)
        and asked.get("head_sha", run.head_sha) == run.head_sha
        and asked.get("branch", run.branch) == run.branch
        and asked.get("event", run.event) == run.event
        and asked.get("status", run.status) in {run.status, run.conclusion}
    ]
    return paged(call, [run_document(call, run) for run in found], "workflow_runs")


def rerun(call: Call) -> Reply:
    call.world.reruns.append(call.part("id"))
    return Reply(201, {})


def show_run(call: Call) -> Reply:
    found = [run for run in call.world.runs if run.id == call.part("id")]
    if not found:
        raise Refused(404, "Not Found")
    return Reply(200, run_document(call, found[0]))


def list_artifacts(call: Call) -> Reply:
    found = [one for one in call.world.artifacts if one.run_id == call.part("id")]
    wanted = call.query.get("name")
    documents = [
        document("artifact", id=one.id, name=one.name, expired=one.expired, size_in_bytes=len(one.data))
        for one in found
        if wanted is None or wanted == one.name
    ]
    return paged(call, documents, "artifacts")


def download(call: Call) -> Reply:
    found = [one for one in call.world.artifacts if one.id == call.part("id")]
    if not found or found[0].expired:
        raise Refused(found[0].gone if found else 404, "Artifact has expired" if found else "Not Found")
    return Reply(302, None, (("Location", f"{call.storage}/zip/{found[0].id}?signature=s3cr3t"),))


Handler = Callable[[Call], Reply]
CONVERSATION = "pull-requests or issues"


def scope_of(scope: str, world: World, parts: dict[str, str]) -> str:
    """The permission that counts: a conversation belongs to a pull request, or to an issue."""
    if scope != CONVERSATION:
        return scope
    comment = world.comments.get(int(parts.get("id", 0)))
    number = int(parts.get("number", 0)) if comment is None else comment.number
    return "issues" if number in world.issues else "pull-requests"


_REPO = rf"/repos/{REPOSITORY}"
ROUTES: tuple[tuple[str, re.Pattern[str], str, Handler], ...] = tuple(
    (verb, re.compile(path), permission, handler)
    for verb, path, permission, handler in (
        ("GET", "/user", "metadata", whoami),
        ("GET", _REPO, "metadata", show_repository),
        ("GET", rf"{_REPO}/pulls", "pull-requests", list_pulls),
        ("GET", rf"{_REPO}/pulls/(?P<number>\d+)", "pull-requests", show_pull),
        ("GET", rf"{_REPO}/pulls/(?P<number>\d+)/files", "pull-requests", list_files),
        ("GET", rf"{_REPO}/issues", "issues", list_issues),
        ("POST", rf"{_REPO}/issues", "issues", create_issue),
        ("GET", rf"{_REPO}/issues/(?P<number>\d+)", "issues", show_issue),
        ("PATCH", rf"{_REPO}/issues/(?P<number>\d+)", "issues", edit_issue),
        ("GET", rf"{_REPO}/issues/(?P<number>\d+)/comments", CONVERSATION, list_comments),
        ("POST", rf"{_REPO}/issues/(?P<number>\d+)/comments", CONVERSATION, create_comment),
        ("GET", rf"{_REPO}/issues/comments/(?P<id>\d+)", CONVERSATION, show_comment),
        ("PATCH", rf"{_REPO}/issues/comments/(?P<id>\d+)", CONVERSATION, edit_comment),
        ("DELETE", rf"{_REPO}/issues/comments/(?P<id>\d+)", CONVERSATION, delete_comment),
        ("POST", rf"{_REPO}/check-runs", "checks", create_check),
        ("PATCH", rf"{_REPO}/check-runs/(?P<id>\d+)", "checks", edit_check),
        ("GET", rf"{_REPO}/collaborators/(?P<login>[^/]+)/permission", "metadata", show_permission),
        ("GET", rf"{_REPO}/commits", "contents", list_commits),
        ("GET", rf"{_REPO}/commits/(?P<ref>[^/]+)", "contents", show_commit),
        ("GET", rf"{_REPO}/commits/(?P<ref>[^/]+)/pulls", "pull-requests", pulls_of_commit),
        ("GET", rf"{_REPO}/compare/(?P<basehead>[^/]+)", "contents", compare),
        ("GET", rf"{_REPO}/contents/(?P<path>.+)", "contents", show_contents),
        ("GET", rf"{_REPO}/git/blobs/(?P<sha>[0-9a-f]{{40}})", "contents", show_blob),
        ("GET", rf"{_REPO}/actions/workflows/(?P<workflow>[^/]+)/runs", "actions", list_runs),
        ("GET", rf"{_REPO}/actions/runs", "actions", list_runs),
        ("GET", rf"{_REPO}/actions/runs/(?P<id>\d+)", "actions", show_run),
        ("POST", rf"{_REPO}/actions/runs/(?P<id>\d+)/rerun-failed-jobs", "actions", rerun),
        ("GET", rf"{_REPO}/actions/runs/(?P<id>\d+)/artifacts", "actions", list_artifacts),
        ("GET", rf"{_REPO}/actions/artifacts/(?P<id>\d+)/zip", "actions", download),
    )
)


def decoded(body: bytes) -> dict[str, Any]:
    return json.loads(body) if body else {}
