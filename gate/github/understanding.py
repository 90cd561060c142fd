"""Reading PyGithub's objects: an answer of another shape than documented becomes one word."""

from collections.abc import Iterator
from contextlib import contextmanager

from gate.github.failures import MalformedError


@contextmanager
def understood(what: str) -> Iterator[None]:
    """MalformedError when GitHub's description of `what` lacks a member or has one of another type."""
    from github import BadAttributeException

    try:
        yield
    except (BadAttributeException, AssertionError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise MalformedError(
            f"GitHub described {what} in an unexpected way ({type(error).__name__}: {str(error)[:120]})",
            remedy="re-run the job; if it stays, report this line",
        ) from error


def login_of(user: object) -> str:
    """An account's name; empty where it is gone: GitHub says null then, of which PyGithub's types know nothing."""
    return getattr(user, "login", "")


def is_bot(user: object) -> bool:
    """Whether an account is a bot's; one that is gone is not."""
    return getattr(user, "type", "") == "Bot"
