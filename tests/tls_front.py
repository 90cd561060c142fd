"""TLS in front of a PostgreSQL that was built without it: answers the request for TLS, then passes bytes on."""

import datetime
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_TLS_REQUEST = 80877103
_BLOCK = 65536


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gate test server")])
    today = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today)
        .not_valid_after(today + datetime.timedelta(days=36500))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "server.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.key").write_bytes(pem)
    return folder / "server.crt", folder / "server.key"


@contextmanager
def tls_front(port: int, folder: Path) -> Iterator[tuple[int, Path]]:
    """A port on loopback that speaks TLS for the server on another port, and the certificate it shows."""
    shown, key = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, key)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, context, port))
        thread.start()
        yield listener.getsockname()[1], shown
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(30)


def _serve(listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
    connections = []
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            connections.append(threading.Thread(target=_pass_on, args=(client, context, port)))
            connections[-1].start()
    for connection in connections:
        connection.join(30)


def _pass_on(client: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError), client, socket.create_connection(("127.0.0.1", port)) as server:
        while struct.unpack("!ii", client.recv(8, socket.MSG_WAITALL))[1] != _TLS_REQUEST:
            client.sendall(b"N")  # another kind of encryption
        client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as secured:
            back = threading.Thread(target=_copy, args=(server, secured))
            back.start()
            _copy(secured, server)
            back.join(30)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(_BLOCK):
            target.sendall(block)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
