"""The workflows of a repository that use the gate."""

from pathlib import Path

from gate.github.workflow_checks import Known, Use, uses
from gate.github.workflow_shape import workflow
from gate.store.own_action import own_action
from gate.store.workflow_files import holds_the_action, workflow_files


def known_in(root: Path, config: str) -> Known:
    """How a step that uses the gate is recognised here; `config` is the configuration's workspace-relative path."""
    own = own_action()
    return Known(
        config=config,
        actions=frozenset() if own is None else frozenset({own.uses.partition("@")[0]}),
        is_own_repository=holds_the_action(root),
    )


def uses_in(root: Path, known: Known) -> tuple[Use, ...]:
    """Every step that uses the gate, in the files that can be read."""
    read = [file for file in workflow_files(root) if not file.problem]
    return uses([workflow(file.path, file.document) for file in read], known)
