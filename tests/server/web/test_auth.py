"""A private parlour: without its password there is no page, no table and no socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from parlour.base.errors import ParlourError
from parlour.server.client.client import Client
from parlour.server.client.tickets import PASSWORD, make_table
from parlour.server.page.assets import static
from parlour.server.web import auth
from parlour.server.web.api import API
from parlour.server.web.auth import HEADER, PASS, TRIES, Gate
from tests.room_helpers import Clock, Server, addresses, line_to
from tests.waiting import LIMIT

HTML = {"accept": "text/html"}
WORD = "open sesame"


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all: whoever tries many passwords comes from an address of their own."""
    server = Server(tmp_path_factory.mktemp("private") / "room.db", password=WORD)
    yield server
    server.stop()


def test_every_address_is_behind_the_gate_but_what_its_own_page_needs(private: Server) -> None:
    """Whatever is added to the server later is behind it too; a proxy may see whether it is well."""
    tried = 0
    with httpx.Client(base_url=private.url) as stranger:
        assert stranger.get("/health").json()["ok"] is True
        for method, address in addresses(private, "BCDFGH"):
            if address in auth.OPEN or address.startswith("/static/"):
                continue
            tried += 1
            if method:
                refused = stranger.request(method, address)
                assert refused.status_code == 401, address
                assert method == "HEAD" or refused.json()["sentence"] == auth.PRIVATE
            else:
                with pytest.raises(InvalidStatus, match="403"), line_to(private.socket(address)):
                    pass
        assert tried > 30
        for header in ({HEADER: ""}, {HEADER: "sesame"}, {"cookie": f"{PASS}=x"}, {"cookie": f"{PASS}={WORD}"}):
            assert stranger.get(f"{API}/tables", headers=header).status_code == 401


def test_a_person_gives_the_password_and_goes_on_where_they_wanted_to(private: Server) -> None:
    with httpx.Client(base_url=private.url, headers=HTML, follow_redirects=True) as browser:
        asked = browser.get("/games/leduc?players=2")
        assert "This parlour is private" in asked.text
        assert browser.get(static("parlour.css").address).status_code == 200
        wrong = browser.post("/password", data={"password": "sesame", "to": "/"})
        assert wrong.status_code == 403
        assert "That isn&#39;t the password." in wrong.text
        assert f'value="{asked.url.params["to"]}"' in asked.text.replace("&amp;", "&")
        inside = browser.post("/password", data={"password": WORD, "to": asked.url.params["to"]})
        assert inside.url.raw_path == b"/games/leduc?players=2"
        assert browser.get(f"{API}/tables").json() == []


def test_what_a_host_header_says_opens_no_gate(private: Server) -> None:
    for host in ("a/static/?", "a/health#", "a/password?"):
        with socket.create_connection(("127.0.0.1", private.port), timeout=LIMIT) as line:
            line.sendall(f"GET {API}/games HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert line.recv(100).split()[1] in {b"400", b"401"}


def test_wrong_passwords_of_one_guest_of_a_proxy_shut_nobody_else_out(private: Server) -> None:
    """The proxy's address is the same for all.  A pass is the same at every server, but not for another password."""

    def asks(word: str, guest: str) -> int:
        headers = {HEADER: word, "X-Forwarded-For": guest}
        return httpx.get(f"{private.url}{API}/games", headers=headers).status_code

    assert {asks("wrong", "198.51.100.9") for _ in range(TRIES)} == {401, 429}
    assert asks(WORD, "198.51.100.9") == asks(WORD, "::ffff:198.51.100.9") == 429
    assert asks(WORD, "203.0.113.5") == 200
    assert Gate(WORD).token == Gate(WORD).token != Gate("x").token


@pytest.mark.parametrize("to", ["https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", ""])
def test_the_page_leads_nowhere_else(private: Server, to: str) -> None:
    answer = httpx.post(f"{private.url}/password", data={"password": WORD, "to": to})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "HttpOnly" in answer.headers["set-cookie"]


async def test_a_terminal_or_a_bot_plays_if_it_knows_the_password(
    private: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParlourError, match="is private"):
        await make_table(private.url, game="leduc", name="Zoé")
    monkeypatch.setenv(PASSWORD, WORD)
    ticket = await make_table(private.url, game="leduc", name="Zoé", bots="random", pace=0)
    async with Client(ticket) as client:
        async for _ in client.events():
            if client.known is not None and client.known.legal:
                return


def test_whoever_tries_many_passwords_has_to_wait(private: Server, clock: Clock) -> None:
    with httpx.Client(base_url=private.url, headers={"X-Forwarded-For": "198.51.100.8"}) as stranger:

        def attempt(word: str) -> int:
            return stranger.post("/password", data={"password": word}).status_code

        assert [attempt(f"word {n}") for n in range(TRIES)] == [403] * (TRIES - 1) + [429]
        assert attempt(WORD) == 429
        for word in ("word", WORD):
            assert stranger.get(f"{API}/tables", headers={HEADER: word}).status_code == 429
        clock.time += 60 * auth.MINUTES
        assert attempt(WORD) == 303
