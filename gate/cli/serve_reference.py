"""`gate serve-reference`: the built-in system as a service, to try a configuration against and to write one after."""

import json
from collections.abc import Mapping

import click

from gate.cli.console import show
from gate.errors import Cancelled, UnavailableError, UsageError
from gate.process import cancel_on_signals


@click.command("serve-reference")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 listens on all interfaces.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65_535), help="0 takes any free one."
)
@click.option("--token-env", metavar="NAME", help="Answer only who bears the token in this variable.")
@click.option("--openapi", is_flag=True, help="Print the description of the protocol and end.")
@click.pass_obj
def command(
    environment: Mapping[str, str], /, host: str, port: int, token_env: str | None, *, openapi: bool
) -> int:
    """Serve the built-in system over HTTP until it is interrupted.

    It answers what schemas/system-protocol.v1.openapi.json describes: any service that does can be tested.
    """
    if openapi:
        from gate.store.schema_files import load_openapi

        show(json.dumps(load_openapi(), indent=2, ensure_ascii=False))
        return 0
    cancel_on_signals()
    token = None if token_env is None else _token(token_env, environment)
    from gate.systems.reference import ReferenceSystem
    from gate.systems.server import SystemServer

    try:
        server = SystemServer(ReferenceSystem(), (host, port), token=token)
    except OSError as error:
        raise UnavailableError(
            f"{host}:{port}: cannot listen there ({error.strerror or error})",
            remedy="choose another --port, or --port 0 for any free one",
        ) from error
    with server:
        show(f"the reference system listens on {server.url}")
        try:
            server.serve_forever()
        except Cancelled:
            click.echo("stopped", err=True)
    return 0


def _token(name: str, environment: Mapping[str, str]) -> str:
    token = environment.get(name, "")
    if not token:
        raise UsageError(
            f"the variable {name} holds no token", remedy=f"set {name}, or leave out --token-env"
        )
    return token
