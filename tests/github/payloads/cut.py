"""Cut event payloads down to what tells events apart, and derive the ones nobody published.

    npm install @octokit/webhooks-examples@7.6.1
    python tests/github/payloads/cut.py node_modules/@octokit/webhooks-examples/api.github.com/index.json

writes the JSON files beside this one. A file with `"_derived": true` does not exist as an example: it is made from
the one named in `"_from"`, changed where the README says.
"""

import copy
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LEFT_OUT = frozenset(
    {
        *("node_id", "gravatar_id", "_links", "organization", "installation", "sender", "owner", "license"),
        *("head_commit", "commits", "author", "committer", "pusher", "description", "custom_properties"),
        *("topics", "assignees"),
    }
)
FORK = {"id": 991122, "name": "Hello-World", "full_name": "contributor/Hello-World", "fork": True}
PULL_HEAD = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


def slim(value: Any) -> Any:
    """The payload without addresses, avatars and what else no reader needs."""
    if isinstance(value, list):
        return [slim(item) for item in value[:3]]
    if not isinstance(value, dict):
        return value
    return {
        key: slim(item)
        for key, item in value.items()
        if not key.endswith(("_url", "_count", "url"))
        and not key.startswith(("has_", "allow_"))
        and key not in LEFT_OUT
    }


def published(source: dict[str, list[Any]]) -> dict[str, Any]:
    """The examples that exist, cut."""
    return {
        "pull_request.opened": slim(source["pull_request"][0]),
        "pull_request.synchronize": slim(source["pull_request"][22]),
        "push.branch_created": slim(source["push"][4]),
        "push.tag_deleted": slim(source["push"][1]),
        "issue_comment.on_issue": slim(source["issue_comment"][0]),
        "merge_group.checks_requested": slim(source["merge_group"][0]),
        "workflow_run.completed": slim(source["workflow_run"][1]),
        "workflow_run.with_pull_request": slim(source["workflow_run"][2]),
        "workflow_dispatch.plain": slim(source["workflow_dispatch"][0]),
    }


def derived(base: dict[str, Any]) -> dict[str, Any]:
    """The events without an example, each made from one that exists."""
    fork = _from(base, "pull_request.synchronize")
    fork["pull_request"]["head"]["repo"] = FORK
    deleted = _from(base, "pull_request.synchronize")
    deleted["pull_request"]["head"]["repo"] = None
    target = copy.deepcopy(fork)
    run_of_fork = _from(base, "workflow_run.completed")
    run_of_fork["workflow_run"].update(
        event="pull_request",
        head_branch="changes",
        head_sha=PULL_HEAD,
        head_repository=FORK,
        pull_requests=[],
    )
    push = _from(base, "push.branch_created")
    push.update(before="f95f852bd8fca8fcc58a9a2d6c842781e32a215e", created=False)
    comment = _from(base, "issue_comment.on_issue")
    comment["issue"]["pull_request"] = {"merged_at": None}
    comment["comment"]["body"] = '/gate accept ec26c3e reason="known drop in the migration" until=2027-01-31'
    stacked = _from(base, "merge_group.checks_requested")
    stacked["merge_group"].update(
        base_ref="refs/heads/release/pr-7/next",
        head_ref=f"refs/heads/gh-readonly-queue/release/pr-7/next/pr-104-{PULL_HEAD}",
    )
    dispatch = _from(base, "workflow_dispatch.plain")
    dispatch["inputs"] = {"pr-number": "2"}
    return {
        "pull_request.fork": fork,
        "pull_request.deleted_fork": deleted,
        "pull_request_target.fork": target,
        "workflow_run.of_fork": run_of_fork,
        "push.default_branch": push,
        "issue_comment.on_pull_request": comment,
        "merge_group.slashed_base": stacked,
        "workflow_dispatch.pr_number": dispatch,
        "schedule": {
            "_derived": True,
            "_from": "the documentation",
            "schedule": "30 5 * * 1",
            "workflow": "drift.yml",
        },
    }


def _from(base: dict[str, Any], name: str) -> dict[str, Any]:
    return {"_derived": True, "_from": name, **copy.deepcopy(base[name])}


def main() -> None:
    """Write one file per payload."""
    index = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    examples = published({entry["name"]: entry["examples"] for entry in index})
    for name, payload in {**examples, **derived(examples)}.items():
        (HERE / f"{name}.json").write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
