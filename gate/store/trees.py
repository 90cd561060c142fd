"""Several places that may know what a commit holds, asked in turn."""

from collections.abc import Sequence

from gate.ports import NotHereError, Tree


class FirstThatKnows:
    """The clone first, since it is free; then whoever can be asked."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = tuple(trees)

    def read(self, commit: str, path: str) -> bytes | None:
        """What the first tree that can tell says; NotHereError when none can."""
        refusal = NotHereError(f"nothing here can tell what {commit[:7]} holds")
        for tree in self._trees:
            try:
                return tree.read(commit, path)
            except NotHereError as error:
                refusal = error
        raise refusal
