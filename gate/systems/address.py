"""Where a service is: a URL that was written in a configuration, checked and resolved."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gate.errors import ConfigError

RUNNER_HOST: Final = "runner-host"
LOOPBACK: Final = "127.0.0.1"
_LOCAL: Final = ("localhost", "::1")
_ROUTES: Final = Path("/proc/net/route")


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a service's URL; `path` does not end with a slash."""

    secure: bool
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        scheme = "https" if self.secure else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}{self.path}"


def address(url: str, *, in_container: bool, routes: Path = _ROUTES) -> Address:
    """The address a URL stands for; ConfigError for one that cannot lead to a service.

    `runner-host` is the machine the container runs on: the bridge's gateway, or this machine itself.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _refused(url, str(error)) from error
    if parts.scheme not in ("http", "https") or not host:
        raise _refused(url, "expected http:// or https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise _refused("the address", "it holds a name or password; name a variable with `token-env` instead")
    if parts.query or parts.fragment:
        raise _refused(url, "expected no `?` or `#`")
    if in_container and (host in _LOCAL or host.startswith("127.")):
        raise _itself(host)
    if host == RUNNER_HOST:
        host = gateway(routes) if in_container else LOOPBACK
    secure = parts.scheme == "https"
    return Address(secure, host, port or (443 if secure else 80), parts.path.rstrip("/"))


def gateway(routes: Path) -> str:
    """The address of the default route, which on Docker's bridge is the machine itself."""
    try:
        lines = [line.split() for line in routes.read_text().splitlines()[1:]]
    except OSError as error:
        raise _refused(
            RUNNER_HOST, f"the routes of this container cannot be read ({error.strerror})"
        ) from error
    for fields in lines:
        if len(fields) > 2 and fields[1] == "00000000" and fields[2] != "00000000":
            return ".".join(str(part) for part in reversed(bytes.fromhex(fields[2])))
    raise _refused(RUNNER_HOST, "this container has no default route to its host")


def _itself(host: str) -> ConfigError:
    return ConfigError(
        f"{host} inside a container is the container itself: the system under test is not there",
        remedy="name a service of the job by its name (http://NAME:PORT); or reach a server on the runner that is "
        f"bound to all interfaces at http://{RUNNER_HOST}:PORT; or run the suites on the runner with the "
        "composite action and let this one judge their rows",
    )


def _refused(what: str, why: str) -> ConfigError:
    return ConfigError(
        f"{what}: {why}", remedy="write the system's `url` as http://HOST:PORT, or https://HOST/PATH"
    )
