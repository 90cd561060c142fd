"""Secrets taken out of text before it is written down for good."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

REDACTED: Final = "<redacted>"
SHORTEST: Final = 6
"""Shorter values are not taken for secrets only because of a variable's name: too many texts would hold them."""

_TELLING_WORD: Final = (
    r"(?:api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|client[_-]?secret|secret(?:[_-]?key)?"
    r"|(?:access|auth|refresh|session|id)?token|passw(?:or)?d|passphrase|pwd|credentials?|authorization)"
)
_NAME: Final = rf"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{{1,32}}[_.-]){{0,6}}{_TELLING_WORD}(?![A-Za-z0-9_-])"
_VALUE: Final = rf"(?:\"[^\"]*\"|'[^']*'|(?!{REDACTED}|bearer\b|basic\b)[^\s&;,\"'}}]+)"

_RULES: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    # scheme://user:password@host, a lone user too: tokens are often passed as the user
    (
        re.compile(r"(?i)(\b[a-z][a-z0-9+.-]{0,30}://)[^\s/?#@]{1,2000}(?:@[^\s/?#@]{0,2000}){0,8}@"),
        rf"\1{REDACTED}@",
    ),
    (re.compile(r"(?i)\b(bearer)(\s{1,8})[A-Za-z0-9._~+/=-]{3,}"), rf"\1\2{REDACTED}"),
    (re.compile(r"(?i)\b(basic)(\s{1,8})[A-Za-z0-9+/=]{8,}"), rf"\1\2{REDACTED}"),
    # name=value, name: value, "name": "value", and with that the password parameters of a URL
    (re.compile(rf"(?i)({_NAME}[\"']?\s{{0,8}}[=:]\s{{0,8}}){_VALUE}"), rf"\1{REDACTED}"),
    (re.compile(r"(?i)([?&]key=)[^\s&#\"']+"), rf"\1{REDACTED}"),
    (re.compile(r"\b(?:sk|pa)-[A-Za-z0-9_-]{8,}"), REDACTED),
    (re.compile(r"\b(?:gh[opsur]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})"), REDACTED),
    (re.compile(r"\bxox[a-z]-[A-Za-z0-9-]{8,}"), REDACTED),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}"), REDACTED),
)
_SECRET_KEY: Final = re.compile(rf"(?i){_NAME}$")


def redact(value: object) -> object:
    """The same value with secrets in its texts replaced by `<redacted>`; keys and everything else untouched.

    Found are: the user part of URLs, bearer tokens, name=value pairs whose name says secret (a member of an
    object under such a key likewise), keys of the known shapes (sk-, pa-, ghp_, gho_, xox*, AKIA) and
    password parameters of URLs.
    """
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return {key: _member(key, member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [redact(member) for member in value]
    return value


def redact_text(text: str) -> str:
    """The text with every secret in it replaced."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def without(text: str, secrets: Iterable[str]) -> str:
    """The text without these very secrets, each line of one for itself, and without what looks like another."""
    lines = {line.strip() for secret in secrets for line in secret.splitlines()} - {""}
    for line in sorted(lines, key=lambda one: (-len(one), one)):
        text = text.replace(line, REDACTED)
    return redact_text(text)


def secret_values(variables: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the variables whose name says secret, or whose value holds one, in the variables' order."""
    return tuple(
        value for name, value in variables.items() if len(value) >= SHORTEST and _member(name, value) != value
    )


def _member(key: object, member: object) -> object:
    if isinstance(member, str) and member and isinstance(key, str) and _SECRET_KEY.search(key):
        return REDACTED
    return redact(member)
