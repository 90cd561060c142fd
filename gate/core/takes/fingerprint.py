"""Takes as the text judges read, and the short digests that say what was judged, by whom and how."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final

from gate.core.records.ecmascript import json_text, utf16_key
from gate.core.takes.take import Take

SHA8_LENGTH: Final = 8
_NOTHING: Final = "—"
"""Stands for what the database does not say (NULL); an empty text stays empty."""


def takes_text(takes: Iterable[Take]) -> str:
    """Takes as two lines each, joined by newlines: metadata, then the claim."""
    return "\n".join(f"{_metadata(take)}\n  {take.claim}" for take in takes)


def takes_text_with_pages(takes: Iterable[Take]) -> str:
    """The same with each take's page in its first line, as the contract writes it when a slug prefix is given."""
    return "\n".join(f"{_metadata(take)} [page={take.page}]\n  {take.claim}" for take in takes)


def corpus_sha8(text: str) -> str:
    """The digest of the takes' text; another order is another corpus."""
    return _sha8(text)


def prompt_sha8(prompt: str) -> str:
    """The digest of a whole rendered prompt, takes included."""
    return _sha8(prompt)


def models_sha8(models: Iterable[str]) -> str:
    """The digest of a panel, whatever the order its models are named in."""
    return _sha8(json_text(sorted(models, key=utf16_key)))


def rubric_sha8(
    *,
    version: str,
    dimensions: Sequence[str],
    definitions: Mapping[str, str],
    pass_mean: float,
    pass_floor: float,
    min_successes: int,
) -> str:
    """The digest of everything about a rubric that can change a score or a verdict."""
    content = {
        "version": version,
        "dimensions": list(dimensions),
        "defs": dict(definitions),
        "pass_mean": pass_mean,
        "pass_floor": pass_floor,
        "min_successes": min_successes,
    }
    return _sha8(json_text(content))


def take_sha8(take: Take) -> str:
    """The digest of one take's own two lines: it changes when anything a judge reads about the take changes."""
    return _sha8(takes_text((take,)))


def _metadata(take: Take) -> str:
    since = _NOTHING if take.since is None else take.since
    source = _NOTHING if take.source is None else take.source
    return f"- {take.kind} | holder={take.holder} | weight={take.weight} | since={since} | src={source}"


def _sha8(text: str) -> str:
    """The first eight hex digits of the sha256 of a text in UTF-8; half a surrogate pair counts as U+FFFD."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return sha256(whole.encode()).hexdigest()[:SHA8_LENGTH]
