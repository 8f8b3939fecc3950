"""What strangers do who hold no seat: they guess, they trickle, they read nothing, they think for too long."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

import parlour
from parlour.base.errors import ParlourError
from parlour.cli.play import seat_tokens
from parlour.players.kind import Kind
from parlour.server.bots import bots
from parlour.server.bots.bots import Bots
from parlour.server.client.tickets import Ticket
from parlour.server.common import clock as room_clock
from parlour.server.common import limits
from parlour.server.common.executors import Heavy
from parlour.server.common.limits import BURST, MOST_KEYS, PER_SECOND, Allowances, RateCounter
from parlour.server.live.chat import MUTED, Chat
from parlour.server.web import connection_limits, rate_limits
from parlour.server.web.api import API
from tests.room_helpers import Server, addresses, doors, line_to, running
from tests.waiting import LIMIT, wait_until

STRANGER, HONEST = {"X-Forwarded-For": "198.51.100.9"}, {"X-Forwarded-For": "203.0.113.5"}


def test_codes_of_invitations_cannot_be_tried_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And reading is limited too."""
    monkeypatch.setattr(rate_limits, "MISSES", 6)
    kinds = [f"{API}/tables/BCDFGH", "/t/BCDFGH", "/join?code=BCDFGH"]
    with running(tmp_path / "p.db") as house, httpx.Client(base_url=house.url, headers=STRANGER) as stranger:
        made = house.make()
        assert [stranger.get(path).status_code for path in kinds * 2] == [404] * 6
        assert stranger.get(f"{API}/tables/{made['table']}").status_code == 429  # also one that exists
        assert stranger.get(f"{API}/games").status_code == 200
        assert "ten minutes" in stranger.get("/t/BCDFGH").json()["sentence"]
        assert httpx.get(f"{house.url}{API}/tables/{made['table']}", headers=HONEST).status_code == 200
        assert httpx.get(f"{house.url}/t/BCDFGH").status_code == 404  # the machine itself

        async def use(self: Allowances, key: str, share: int = 1) -> bool:
            return key != "198.51.100.9"

        monkeypatch.setattr(Allowances, "use", use)
        said = [httpx.get(f"{house.url}{API}/games", headers=one).status_code for one in (STRANGER, HONEST)]
        assert said == [429, 200]


def test_wherever_a_code_is_tried_it_counts(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every address of a table, whether of a page, a program or a socket."""
    counted: list[str] = []
    monkeypatch.setattr(RateCounter, "add", lambda self, address, now: counted.append(address))
    tried = 0
    with httpx.Client(base_url=house.url, headers=STRANGER) as stranger:
        for method, address in addresses(house, "BCDFGH"):
            if "BCDFGH" not in address:
                continue
            tried += 1
            if method:
                said = {"name": "x"} if address.endswith("/seats") else None
                assert stranger.request(method, address, json=said).status_code == 404, address
            else:
                where = f"ws{house.url[4:]}{address}"
                with line_to(where, additional_headers=STRANGER) as line, suppress(ConnectionClosed):
                    assert not [packet for packet in line if "bye" not in str(packet)]
            assert counted == ["198.51.100.9"] * tried, address
    assert tried > 15


async def test_many_new_ones_do_not_make_the_server_forget_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is forgotten starts afresh: so it is the one that nothing has come from for the longest time.  And a
    refusal costs nothing: else whoever asks again and again would shut others at their address out for as long."""
    now = [1000.0]
    monkeypatch.setattr(limits, "LONGEST_DELAY", 0.0)
    monkeypatch.setattr(room_clock, "now", lambda: now[0])
    allowances = Allowances()
    answers = [await allowances.use("busy") for _ in range(2 * BURST)]
    for number in range(2 * MOST_KEYS):
        await allowances.use(f"fresh {number}")
        if number % 5000 == 0:
            answers.append(await allowances.use("busy"))
    assert len(allowances._of._of) == MOST_KEYS
    assert answers == [True] * BURST + [False] * (len(answers) - BURST)
    now[0] += 1.5 / PER_SECOND
    assert [await allowances.use("busy") for _ in range(2)] == [True, False]


def test_an_answer_that_nobody_reads_is_given_up(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "SEND_SECONDS", 0.1)
    opened = doors(monkeypatch)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.connect(("127.0.0.1", house.port))
        line.sendall(b"GET /rules/dividha HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n" * 40)
        wait_until(lambda: opened)
        wait_until(lambda: not house._uvicorn.server_state.connections, "it waits for its reader for ever")


async def test_quick_bots_do_not_wait_for_those_that_think_and_these_share_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str]] = []
    thought = asyncio.Event
    house, free = Bots(1), thought()

    async def answer(self: bots.Workers, question: Any, kind: Kind, *about: Any) -> int:
        asked.append((str(kind), str(about[3]) if len(about) > 3 else ""))
        if self is house._thinkers:
            await free.wait()
        return 0

    monkeypatch.setattr(bots.Workers, "answer", answer)
    state = parlour.load("leduc").new(seed=1)
    view, legal = state.view(0), state.legal_actions()
    thinking = [asyncio.create_task(house.choose("search:2s", 1, view, legal)) for _ in range(8)]
    await asyncio.sleep(0)
    assert await asyncio.wait_for(house.choose("random", 1, view, legal), LIMIT) == 0
    free.set()
    await asyncio.gather(*thinking)
    assert house._thinking == 0
    assert asked[0] == ("search:2s", "search:2s")
    assert asked[7] == ("search:2s", "search:0.25s")
    assert asked[8] == ("random", "")


async def test_records_are_replayed_one_after_the_other_and_not_without_end() -> None:
    free = threading.Event()
    heavy = Heavy("test", 1, 2)
    first, second = (asyncio.create_task(heavy.do(free.wait, LIMIT)) for _ in range(2))
    await asyncio.sleep(0)
    with pytest.raises(ParlourError, match="Too many guests have asked"):
        await heavy.do(free.wait, LIMIT)
    assert await asyncio.to_thread(lambda: "quick") == "quick"  # what is quick has its threads
    free.set()
    assert await first
    assert await second
    assert heavy.waiting == 0


def test_strangers_cannot_make_a_table_forget_whom_its_guests_have_muted() -> None:
    chat = Chat()
    chat.mute("ann", "Ben", seated={"ann", "ben"})
    for n in range(3 * MUTED):
        chat.mute(f"stranger {n}", "x", seated={"ann", "ben"})
    assert not chat.hears("ann", "Ben")
    assert len(chat._muted) <= MUTED


@pytest.mark.parametrize("table", ["../../../.bashrc", "a/b", "..", "x" * 500, "a\x00b"])
def test_a_server_does_not_say_where_a_ticket_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(seat_tokens, "_folder", lambda: tmp_path / "seats")
    seat_tokens.keep(Ticket("http://h", table, "http://h/t/BCDFGH", 0, "token"), "Ann")
    assert [file.parent for file in tmp_path.rglob("*") if file.is_file()] == [tmp_path / "seats"]
    assert seat_tokens.find("http://h/t/BCDFGH", "Ann") is not None
