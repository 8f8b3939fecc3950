"""Behind a proxy each guest has limits of their own, and nobody can choose whom they come from."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest
from starlette.datastructures import Headers

from parlour.server.common import limits
from parlour.server.live.tables import Tables
from parlour.server.site import serving
from parlour.server.site.serving import whole_app
from parlour.server.store.store import Store
from parlour.server.web import connection_limits
from parlour.server.web.api import API
from parlour.server.web.proxies import UNCLEAR, Proxies, Visitors
from tests.helpers import parlour_says
from tests.room_helpers import QuickBots
from tests.waiting import LIMIT, until

FAR = Proxies(["10.0.0.0/8", "2001:db8:7::/48"])
"""Trusted proxies on other machines."""


def guest(peer: str, **headers: str) -> str:
    return FAR.guest(peer, Headers({name.replace("_", "-"): value for name, value in headers.items()}))


@pytest.mark.parametrize(
    ("peer", "chain", "address"),
    [
        ("10.0.0.5", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.5", "198.51.100.1, 192.0.2.7", "192.0.2.7"),  # what the guest wrote does not count
        ("10.0.0.5", "127.0.0.1, 192.0.2.7", "192.0.2.7"),
        ("10.0.0.5", "192.0.2.7, 10.1.1.1, 10.2.2.2", "192.0.2.7"),
        ("::ffff:10.0.0.5", "192.0.2.7:4711", "192.0.2.7"),
        ("2001:db8:7::1", "2001:db8:9::1", "2001:db8:9::1"),
        ("127.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "192.0.2.7, 127.0.0.1", "192.0.2.7"),
        ("", "192.0.2.7", "192.0.2.7"),  # a socket of this machine
        ("192.0.2.8", "192.0.2.7", "192.0.2.8"),  # not a proxy of ours
        ("192.0.2.8", "127.0.0.1", "192.0.2.8"),
        ("10.0.0.5", "", UNCLEAR),
        ("10.0.0.5", "unknown", UNCLEAR),
        ("10.0.0.5", "127.0.0.1", UNCLEAR),  # that would have no limits
        ("10.0.0.5", "10.0.0.6", "10.0.0.6"),
    ],
)
def test_whom_a_request_comes_from(peer: str, chain: str, address: str) -> None:
    assert guest(peer, X_Forwarded_For=chain) == address
    if chain:
        quoted = ", ".join(f'for="[{one.strip()}]";proto=https' if one.count(":") > 1 else f'For="{one.strip()}"'
                           for one in chain.split(","))  # fmt: skip
        assert guest(peer, Forwarded=quoted) == address
        assert guest(peer, Forwarded=quoted, X_Forwarded_For=chain) == address


def test_headers_that_disagree_or_make_no_sense_are_believed_by_nobody() -> None:
    assert guest("10.0.0.5", X_Forwarded_For="192.0.2.7", Forwarded="for=198.51.100.1") == UNCLEAR
    assert guest("192.0.2.8", X_Forwarded_For="192.0.2.7", Forwarded="for=198.51.100.1") == "192.0.2.8"
    assert guest("10.0.0.5") == "10.0.0.5"
    for header in ('for="192.0.2.7', 'for="192.0.2.7\\"', "for=192.0.2.7, hidden", "for", 'for="a, for=192.0.2.7'):
        assert guest("10.0.0.5", Forwarded=header) == UNCLEAR
    for header in ("", " , ", ";"):
        assert guest("10.0.0.5", Forwarded=header) == "10.0.0.5"
    assert guest("10.0.0.5", Forwarded=', For = "192.0.2\\.7" ; by="a,b;c",') == "192.0.2.7"


def test_https_is_believed_of_a_proxy_only() -> None:
    odd = 'for=192.0.2.7, by="a;proto=http";PROTO=HTTPS'
    for headers in ({"X-Forwarded-Proto": "https"}, {"Forwarded": "for=192.0.2.7;proto=https"}, {"Forwarded": odd}):
        assert FAR.scheme("10.0.0.5", Headers(headers)) == "https"
        assert FAR.scheme("192.0.2.8", Headers(headers)) == ""
    assert FAR.scheme("10.0.0.5", Headers({"X-Forwarded-Proto": "gopher"})) == ""


async def test_only_our_own_cookies_are_read(tmp_path: Path) -> None:
    async with behind(tmp_path, "127.0.0.1") as http:
        chosen = 'other="\\""; parlour_language=de; parlour_theme="dark"; more=1'
        shown = (await http.get("/", headers={"Cookie": chosen, "Accept": "text/html"})).text
        assert '<html lang="de"' in shown
        assert "dark" in shown[: shown.index(">", shown.index("<html"))]
        kept = await http.post("/theme", data={"theme": "light"})
        assert all(one.startswith("parlour_") for one in kept.headers.get_list("set-cookie"))


@contextlib.asynccontextmanager
async def behind(tmp_path: Path, peer: str) -> Any:
    tables = Tables(Store(f"sqlite:///{tmp_path}/log.db"), QuickBots())
    app = whole_app(tables, FAR)
    tables.start()
    transport = httpx.ASGITransport(app, client=(peer, 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://parlour.example") as http:
        yield http
    await tables.close()


def test_guests_of_a_proxy_have_allowances_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else gains anything by naming other addresses or tokens; whoever runs the server has no limits."""
    monkeypatch.setattr("parlour.server.web.server.TABLES", 2)
    for name, value in (("BURST", 3), ("PER_SECOND", 1e-6), ("LONGEST_DELAY", 0.0)):
        monkeypatch.setattr(limits, name, value)
    monkeypatch.setattr("parlour.server.web.server.HOUSEHOLD", 1)

    async def play(peer: str, folder: Path) -> list[int]:
        folder.mkdir()
        codes = []
        async with behind(folder, peer) as http:
            for number in range(5):
                headers = {"Authorization": f"Bearer {number}"}
                if peer != "127.0.0.1":
                    headers["X-Forwarded-For"] = f"203.0.113.9, 192.0.2.{number}"
                codes.append((await http.post(f"{API}/tables", json={"game": "kuhn"}, headers=headers)).status_code)
        return codes

    for peer, answered in (
        ("10.0.0.5", [201] * 5), ("127.0.0.1", [201] * 5), ("192.0.2.8", [201, 201, 422, 429, 429]),
    ):  # fmt: skip
        assert asyncio.run(play(peer, tmp_path / peer)) == answered


async def test_a_guest_of_a_proxy_has_so_many_connections_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "CONNECTIONS", 2)
    going, served = asyncio.Event(), list[str]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope["client"][0])
        await going.wait()

    visitors, send = Visitors(app, FAR), AsyncMock()
    receive = AsyncMock(return_value={"type": "websocket.connect"})

    def comes(address: str, peer: str = "10.0.0.5", kind: str = "websocket") -> asyncio.Task[None]:
        headers = [(b"x-forwarded-for", address.encode())]
        scope = {"type": kind, "client": (peer, 1), "headers": headers, "scheme": "ws"}
        return asyncio.create_task(visitors(scope, receive, send))

    first = [comes("192.0.2.7"), comes("192.0.2.7", kind="http")]
    await until(lambda: len(served) == 2)
    async with asyncio.timeout(LIMIT):
        await comes("192.0.2.7")
        await comes("192.0.2.7", kind="http")
    refused, answered, *_ = (asked.args[0] for asked in send.await_args_list)
    assert (refused["code"], answered["status"]) == (1013, 429)
    first += [comes("192.0.2.6"), comes("192.0.2.7", peer="192.0.2.8")]  # another guest; somebody who only says so
    await until(lambda: len(served) == 4)
    assert served == ["192.0.2.7", "192.0.2.7", "192.0.2.6", "192.0.2.8"]
    going.set()
    await asyncio.gather(*first)
    await comes("192.0.2.7")
    assert served[-1] == "192.0.2.7"  # there is room again
    assert not visitors._open


def test_the_option_of_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(serving, "serve", lambda *given: asked.append(given[6]))
    parlour_says("serve --port 0 --proxy 192.0.2.1 --proxy 10.0.0.0/8", monkeypatch, capsys)
    assert [asked[0].trusts(address) for address in ("192.0.2.1", "10.9.9.9", "127.0.0.1", "192.0.2.2")] == [
        True, True, True, False,
    ]  # fmt: skip
    code, _, err = parlour_says("serve --proxy here", monkeypatch, capsys)
    assert (code, "'here' is not an address" in err) == (2, True)
