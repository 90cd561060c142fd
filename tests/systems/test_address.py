from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.systems.address import Address, address

ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
"""


@pytest.mark.parametrize(
    ("url", "expected", "text"),
    [
        (
            "http://search:8000",
            Address(secure=False, host="search", port=8000, path=""),
            "http://search:8000",
        ),
        ("http://search", Address(secure=False, host="search", port=80, path=""), "http://search:80"),
        (
            "https://x.example/api/",
            Address(secure=True, host="x.example", port=443, path="/api"),
            "https://x.example:443/api",
        ),
        ("http://[::1]:9", Address(secure=False, host="::1", port=9, path=""), "http://[::1]:9"),
        (
            "http://localhost:1",
            Address(secure=False, host="localhost", port=1, path=""),
            "http://localhost:1",
        ),
        (
            "http://runner-host:1",
            Address(secure=False, host="127.0.0.1", port=1, path=""),
            "http://127.0.0.1:1",
        ),
    ],
)
def test_a_url_says_how_where_and_below_which_path(url: str, expected: Address, text: str) -> None:
    found = address(url, in_container=False)
    assert found == expected
    assert str(found) == text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("search:8000", "expected http:// or https://"),
        ("ftp://search", "expected http:// or https://"),
        ("http://", "expected http:// or https:// and a host"),
        ("", "expected http:// or https://"),
        ("http://search:99999", "Port out of range"),
        ("http://search:port", "Port could not be cast"),
        ("http://[::1", "Invalid IPv6"),
        ("http://search?q=1", "expected no `"),
        ("http://search#x", "expected no `"),
    ],
)
def test_what_leads_nowhere_is_refused(url: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        address(url, in_container=False)


def test_a_secret_in_a_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="token-env") as caught:
        address("http://me:hunter2@search", in_container=False)
    assert "hunter2" not in caught.value.message


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.1.1", "[::1]"])
def test_localhost_in_a_container_is_refused_with_the_three_ways_out(host: str) -> None:
    with pytest.raises(ConfigError, match="is the container itself") as caught:
        address(f"http://{host}:8000", in_container=True)
    for way in ("service of the job by its name", "http://runner-host:PORT", "composite action"):
        assert way in caught.value.remedy


def test_the_runners_host_is_the_gateway_of_the_bridge(tmp_path: Path) -> None:
    routes = tmp_path / "route"
    routes.write_text(ROUTES)
    assert address("http://runner-host:8000", in_container=True, routes=routes).host == "172.17.0.1"


@pytest.mark.parametrize("table", [None, "Iface\n", ROUTES.replace("010011AC", "00000000"), "h\nx\n"])
def test_without_a_route_to_the_host_it_is_said(tmp_path: Path, table: str | None) -> None:
    routes = tmp_path / "route"
    if table is not None:
        routes.write_text(table)
    with pytest.raises(ConfigError, match="runner-host: "):
        address("http://runner-host:8000", in_container=True, routes=routes)
