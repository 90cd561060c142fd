"""What is said of a commit that a run reached no verdict about: one alert, before what stands there already. Pure."""

from dataclasses import dataclass
from typing import Final

from gate.render.neutral import code, inline

_SENTENCE: Final = 300
_SHORT: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended that was to judge `head` (a full sha) and did not.

    `how` is ours and short, as "exit code 78"; `message` and `remedy` are anybody's words. `url` is the run's, empty
    where it is not known. A cancelled run has not failed: its commit is only not judged yet.
    """

    head: str
    how: str
    message: str
    remedy: str
    url: str = ""
    cancelled: bool = False


def unjudged_alert(ending: Ending, *, about: str) -> str:
    """The alert, without a line end; `about` is the commit that what follows speaks of, empty = nothing follows."""
    level = "NOTE" if ending.cancelled else "WARNING"
    said = f"{_title(ending)} {inline(ending.message, limit=_SENTENCE)}"
    remedy = f"→ {inline(ending.remedy, limit=_SENTENCE)}"
    paragraphs = (part for part in (said.rstrip(), remedy, _last(ending, about)) if part)
    return f"> [!{level}]\n> " + "\n>\n> ".join(paragraphs)


def _title(ending: Ending) -> str:
    said = "is not judged yet" if ending.cancelled else "could not be judged"
    return f"**Commit {code(ending.head[:_SHORT])} {said}: {ending.how}.**"


def _last(ending: Ending, about: str) -> str:
    """What the reader sees below, and where to read what happened."""
    link = f"[The run]({ending.url})" if ending.url else ""
    if not about:
        return link
    earlier = "what an earlier run said of the same commit"
    follows = earlier if about == ending.head else f"about {code(about[:_SHORT])}"
    return f"**What follows is {follows}.** {link}".rstrip()
