"""One PostgreSQL database: transactions on it, and its failures in plain words that never show a password."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, LiteralString

from gate.errors import ConfigError, EvidenceError, GateError, UnavailableError

if TYPE_CHECKING:
    import psycopg

URL_VARIABLE: Final = "GATE_DATABASE_URL"
"""Where a command finds the database when no option names one."""

CONNECT_SECONDS: Final = 10
STATEMENT_SECONDS: Final = 60

SCHEMES: Final = ("postgresql://", "postgres://")
_OPTIONS: Final[dict[str, str | int]] = {
    "application_name": "retrieval-quality-gate",
    "client_encoding": "UTF8",
    # a connection whose other end has vanished is noticed within half a minute
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_SECRET_OPTIONS: Final = ("password", "sslpassword")
_ENCODE: Final = (
    "percent-encode every character of user and password that is no letter or digit (@ is %40, / is %2F)"
)

_UNDEFINED: Final = frozenset({"42P01", "42703", "42883", "3F000"})
_DENIED: Final = frozenset({"42501", "25006"})
_TOO_SLOW: Final = frozenset({"57014", "55P03"})


class Session:
    """One transaction; statements of it see each other and nothing that others do meanwhile."""

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        self._connection = connection

    def rows(self, statement: LiteralString, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows a statement gives."""
        return iter(self._connection.execute(statement, parameters))

    def run(self, statement: LiteralString, parameters: Sequence[object] = ()) -> int:
        """Carry out a statement; how many rows it touched."""
        return self._connection.execute(statement, parameters).rowcount


class Database:
    """A database by its URL (postgresql://… or key=value pairs, as libpq reads them), TLS as the URL asks.

    Nothing is connected before the first transaction; each has a connection of its own. Unless noted, errors
    are: ConfigError for a URL that cannot be read, UnavailableError when the server cannot be reached, refuses,
    takes too long or goes away, EvidenceError when the data is not what was expected.
    """

    def __init__(
        self, url: str, *, connect_seconds: int = CONNECT_SECONDS, statement_seconds: int = STATEMENT_SECONDS
    ) -> None:
        self._url = url
        self._connect_seconds = connect_seconds
        self._statement_seconds = statement_seconds

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that can change nothing and sees one state of the database."""
        with self._transaction("isolation level repeatable read, read only") as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is committed at the end, or leaves nothing."""
        with self._transaction("isolation level read committed, read write") as session:
            yield session

    @contextmanager
    def _transaction(self, kind: LiteralString) -> Iterator[Session]:
        options = _options(self._url)
        with (
            _failures(_name(options), options),
            self._connected(options) as connection,
            connection.transaction(),
        ):
            connection.execute("set transaction " + kind)
            connection.execute(
                "select set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),"
                " set_config('extra_float_digits', '1', true), set_config('TimeZone', 'UTC', true),"
                " set_config('DateStyle', 'ISO', true)",
                [str(self._statement_seconds * 1000)] * 2,
            )
            yield Session(connection)

    def _connected(self, options: dict[str, Any]) -> "psycopg.Connection[tuple[Any, ...]]":
        import psycopg

        given = {"connect_timeout": self._connect_seconds, **_OPTIONS, **options}
        try:
            # poolers that hand out a connection per transaction know no prepared statements
            return psycopg.connect(prepare_threshold=None, **given)
        except psycopg.Error as error:
            raise UnavailableError(
                f"{_name(options)}: cannot be reached ({_shown(error, options)})",
                remedy="check host, port, user, password and sslmode of the database URL, and that the server is up",
            ) from None


def _options(url: str) -> dict[str, Any]:
    """What the URL says; anything doubtful in it is refused without being shown."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise ConfigError(
            "PostgreSQL needs the package psycopg and its library",
            remedy="install it: pip install 'retrieval-quality-gate[postgres]'",
        ) from error
    try:
        options = conninfo_to_dict(url)
    except (ProgrammingError, UnicodeError):
        raise ConfigError("the database URL cannot be read", remedy=_ENCODE) from None
    if not options:
        raise ConfigError("the database URL is empty", remedy="name it: postgresql://user@host/database")
    ports = str(options.get("port", "")).split(",")
    if "\0" in url or _cut_short(url) or not all(port.isdecimal() or not port for port in ports):
        raise ConfigError("the database URL cannot be read", remedy=_ENCODE)
    return options


def _cut_short(url: str) -> bool:
    """Whether a character in user or password that should be encoded ends them too early."""
    scheme = next((scheme for scheme in SCHEMES if url.startswith(scheme)), None)
    if scheme is None:
        return False
    user, at, _ = url.removeprefix(scheme).partition("?")[0].rpartition("@")
    return bool(at) and re.search(r"[@/#\[\]]|:.*:", user) is not None


def _name(options: dict[str, Any]) -> str:
    host = options.get("host") or options.get("hostaddr") or "the local server"
    port = f":{options['port']}" if options.get("port") else ""
    return f"database {options.get('dbname') or options.get('user') or 'postgres'} on {host}{port}"


@contextmanager
def _failures(name: str, options: dict[str, Any]) -> Iterator[None]:
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise _told(name, error, options) from error
    except UnicodeError as error:
        raise EvidenceError(
            f"{name}: text that is not UTF-8 ({error.reason if isinstance(error, UnicodeDecodeError) else error})",
            remedy="store the text in a database with the encoding UTF8",
        ) from error


def _told(name: str, error: "psycopg.Error", options: dict[str, Any]) -> GateError:
    import psycopg

    reason, code = _shown(error, options), error.sqlstate or ""
    if code in _TOO_SLOW:
        return UnavailableError(
            f"{name}: took too long ({reason})",
            remedy="run again when the server is less busy, or ask for less",
        )
    if code in _DENIED:
        return UnavailableError(
            f"{name}: the role may not do this ({reason})",
            remedy="grant the role what docs/postgresql.md names for this use",
        )
    if code in _UNDEFINED:
        return EvidenceError(
            f"{name}: something expected is not there ({reason})",
            remedy="check that the URL names gbrain's database and that its migrations have run",
        )
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return UnavailableError(
            f"{name}: the server went away or gave up ({reason})", remedy="check the server, then run again"
        )
    return EvidenceError(
        f"{name}: refused ({reason})", remedy="check what is stored there, or was to be stored"
    )


def _shown(error: "psycopg.Error", options: dict[str, Any]) -> str:
    """The server's own words without their details (which may quote data) and without any password."""
    text = error.diag.message_primary or "; ".join(map(str.strip, str(error).strip().splitlines()))
    for secret in (str(options[key]) for key in _SECRET_OPTIONS if options.get(key)):
        text = text.replace(secret, "<redacted>")
    return text
