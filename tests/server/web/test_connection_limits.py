"""Limits for strangers who hold no seat: who may come in, how long they may say nothing or read nothing, how often they
may guess, and for how long they may have others think."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import threading
import weakref
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

import parlour
from parlour.base.errors import ParlourError
from parlour.cli.play import seat_tokens
from parlour.players.kind import Kind
from parlour.server.bots import bots
from parlour.server.bots.bots import Bots
from parlour.server.client.tickets import Ticket
from parlour.server.common import clock as room_clock
from parlour.server.common import limits, wire
from parlour.server.common.executors import Heavy
from parlour.server.common.limits import BURST, MOST_KEYS, PER_SECOND, Allowances, RateCounter
from parlour.server.live import connection
from parlour.server.live.chat import MUTED, Chat
from parlour.server.live.connection import Audience, Connection
from parlour.server.web import connection_limits, rate_limits
from parlour.server.web.api import API
from parlour.server.web.connection_limits import Door, SlowReaderProtocol, most_connections
from tests.helpers import there
from tests.room_helpers import Guest, Server, addresses, doors, line_to, running
from tests.waiting import FOR_EVER, LIMIT, wait_until


def silent(house: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", house.port), timeout=LIMIT)


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\nX-Slow: ", b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"])
def test_a_connection_that_asks_for_nothing_is_closed(
    house: Server, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """Nor does anybody wait for a second request that comes bit by bit."""
    opened = doors(monkeypatch)
    with silent(house) as line:
        line.sendall(sent)
        assert sent.startswith(b"GET / ") or b"200" in line.recv(10_000)
        wait_until(lambda: opened)
        its_door = there(opened[0]())
        monkeypatch.setattr(connection_limits, "HEADERS_SECONDS", 0.1)
        house.run(its_door._watch)  # so the time begins to run

        def is_over() -> bool:
            try:
                line.sendall(b"X")
            except OSError:
                return True
            return False

        wait_until(is_over, "it waits for the rest for ever")


@pytest.mark.parametrize("what", ["a socket that listens", "a socket that has ended", "a request"])
def test_the_time_for_the_first_request_ends_with_it(house: Server, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """A socket that listens is not closed by it, and a connection that has ended is forgotten at once."""
    monkeypatch.setattr(connection_limits, "HEADERS_SECONDS", FOR_EVER)
    opened, made = doors(monkeypatch), house.make()
    with contextlib.ExitStack() as stack:
        if what == "a request":
            httpx.get(f"{house.url}/health")
        else:
            stack.enter_context(line_to(house.socket(f"{API}/tables/{made['table']}/socket"))).recv(LIMIT)
        if "ended" in what:
            stack.close()
        assert opened
        wait_until(lambda: are_forgotten(opened), "its time runs on, or it is kept")


def are_forgotten(those: list[weakref.ref[Door]]) -> bool:
    gc.collect()
    return not any(one() for one in those)


def test_a_server_takes_no_more_connections_than_it_can_hold(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of open files is raised as far as it may be."""
    monkeypatch.setattr(Door, "most", 3)
    lines = [silent(house) for _ in range(3)]
    wait_until(lambda: len(house._uvicorn.server_state.connections) == 3)
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{house.url}/health")
    for line in lines:
        line.close()
    wait_until(lambda: not house._uvicorn.server_state.connections)
    assert httpx.get(f"{house.url}/health").is_success
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert most_connections() >= min(soft, hard if hard > 0 else soft) - connection_limits.SPARE


@pytest.mark.parametrize("proxy", [False, True])
def test_one_address_has_so_many_connections_and_no_more(
    house: Server, monkeypatch: pytest.MonkeyPatch, proxy: bool
) -> None:
    """But a proxy, whose guests are counted one by one."""
    monkeypatch.setattr(connection_limits, "CONNECTIONS", 2)
    monkeypatch.setattr(connection_limits, "is_near", lambda _: False)
    monkeypatch.setattr(Door, "is_proxy", staticmethod(lambda address: proxy and address == "127.0.0.1"))
    made = house.make()
    address = house.socket(f"{API}/tables/{made['table']}/socket")
    wait_until(lambda: not house._uvicorn.server_state.connections)  # who made the table has gone
    with line_to(address) as first, line_to(address) as second:
        for one in (first, second):
            one.recv(LIMIT)
        wait_until(lambda: len(house._uvicorn.server_state.connections) == 2)
        refused = pytest.raises((WebSocketException, OSError)) if not proxy else contextlib.nullcontext()
        with refused, line_to(address):
            pass


def test_neither_a_body_nor_the_rest_of_one_is_waited_for(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limits, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(connection_limits, "REST_SECONDS", 0.05)
    with silent(house) as line:
        line.sendall(b"POST /api/1/tables HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n{")
        heard, said = b"", b"more"
        line.settimeout(0.02)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            for _ in range(int(LIMIT / 0.02)):
                line.sendall(b"x")  # bit by bit it goes on
                with contextlib.suppress(TimeoutError):
                    said = line.recv(4096)
                    heard += said
                if not said:
                    break
            else:
                pytest.fail("the connection stays open")
        with contextlib.suppress(ConnectionError):
            heard += line.recv(1000)  # what had come before the end
    assert heard.startswith(b"HTTP/1.1 4")


LENGTHS = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
SOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
SOCKET += f"Sec-WebSocket-Key: {'A' * 22}==\r\n"


@pytest.mark.parametrize(
    "more",
    [LENGTHS, SOCKET + LENGTHS, f"{SOCKET}Transfer-Encoding: chunked\r\n", SOCKET + "X: y\r\n" * 200],
    ids=["two lengths", "a socket with two lengths", "a socket with a body", "a socket with many headers"],
)
def test_a_request_whose_end_can_be_read_in_two_ways_is_the_last_on_its_connection(house: Server, more: str) -> None:
    """So is one for a socket that cannot be read: it would get no answer at all."""
    with silent(house) as line:
        ask = f"GET {API}/games HTTP/1.1\r\nHost: a\r\n{more}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        line.sendall(ask.encode())
        said = bytearray()
        with contextlib.suppress(ConnectionResetError):
            for part in iter(lambda: line.recv(1000), b""):  # until the connection is closed
                said.extend(part)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1") == 1


LONG, SHORT = (wire.encode(wire.Remark(seat=-1, name="A spectator", text="x" * size)) for size in (500_000, 1000))


def reads_nothing(house: Server, *asked: str) -> socket.socket:
    """Somebody who asks for something, with room for little that they have not read."""
    line = socket.socket()
    line.settimeout(LIMIT)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    line.connect(("127.0.0.1", house.port))
    line.sendall("".join(asked).encode())
    return line


def welcomed(audience: Audience, monkeypatch: pytest.MonkeyPatch) -> list[Connection]:
    """The connections to a table that are made from now on, also those that end at once."""
    clients, welcome = list[Connection](), audience.welcome

    def noted(newcomer: Connection) -> None:
        welcome(newcomer)
        clients.append(newcomer)

    monkeypatch.setattr(audience, "welcome", noted)
    return clients


NEEDS_A_SYSTEM_THAT_LOOKS = pytest.mark.skipif(
    not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only some systems look whether somebody reads"
)


@pytest.mark.parametrize("way", ["socket", "frames"])
@pytest.mark.parametrize("talk", ["much", "little by little", pytest.param("little", marks=NEEDS_A_SYSTEM_THAT_LOOKS)])
def test_a_follower_who_reads_nothing_is_disconnected(
    house: Server, monkeypatch: pytest.MonkeyPatch, way: str, talk: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Also one to whom more is sent again and again, and on a system that does not look whether somebody reads."""
    monkeypatch.setattr(connection_limits, "SEND_SECONDS", 0.1)
    if talk != "little":
        monkeypatch.delattr(socket, "TCP_USER_TIMEOUT", raising=False)
    table = house.tables.live[house.make()["table"]]
    clients = welcomed(table.audience, monkeypatch)
    open_ones = house._uvicorn.server_state.connections
    more = SOCKET if way == "socket" else ""
    with reads_nothing(house, f"GET {API}/tables/{table.id}/{way} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n"):
        wait_until(lambda: clients)
        (client,) = clients
        for _ in range(20 if talk == "little" else 70):  # 20 are more than the reader's system takes for it
            house.run(client.send, LONG if talk == "much" else SHORT)

        def is_gone() -> bool:
            if talk == "little by little":
                house.run(client.send, SHORT)
            return not table.audience.connections and not open_ones

        wait_until(is_gone, "the connection stays")
    assert not caplog.records


def test_who_reads_too_slowly_is_sent_away_and_may_come_back(house: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "OUTBOX", 5)
    with house.guest() as slow:
        audience = house.tables.live[slow.table].audience
        wait_until(lambda: len(audience.connections) == 1)
        (client,) = audience.connections
        for _ in range(60):
            house.run(client.send, LONG)
        wait_until(lambda: client.too_slow)
        assert slow.drain() == 4408
        wait_until(lambda: not audience.connections)
    with Guest(house, slow.table, slow.token) as back:
        assert back.told(lambda telling: bool(telling.choices)).seat == 0


class Line:
    """A connection and its loop, of which a test says how much has not been taken yet, and what time it is."""

    waiting, is_open, now = 100_000, True, 0.0
    look: Any = None

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def abort(self) -> None:
        self.is_open = False

    def is_closing(self) -> bool:
        return False

    def time(self) -> float:
        return self.now

    def call_later(self, _: float, look: Any, *given: Any) -> None:
        self.look = partial(look, *given)


@pytest.mark.parametrize(
    ("waiting", "stays"),
    [
        ([60_000, 30_000, 12_000, 0], 4), ([89_999, 79_999], 2), ([100_000], 0), ([120_000], 0),  # more was sent
        ([60_000, 59_000], 1), ([5_000, 1], 1),
    ],
)  # fmt: skip
def test_a_slow_reader_may_read_on(waiting: list[int], stays: int) -> None:
    class Flow:
        def pause_writing(self) -> None:
            pass

    class Slow(SlowReaderProtocol, Flow):
        pass

    one, line = Slow(), Line()
    one.transport = one.loop = line  # type: ignore[assignment]
    one.pause_writing()
    stayed = 0
    for line.waiting in waiting:
        look, line.look = line.look, None
        look()
        stayed += line.is_open
    assert stayed == stays
    assert line.look is None or line.waiting > 0


def test_a_long_answer_may_be_read_for_longer_than_a_request_may_take() -> None:
    one, line = Door.__new__(Door), Line()
    one.transport = one.loop = line  # type: ignore[assignment]
    one.cycle = SimpleNamespace(response_complete=True)  # type: ignore[assignment]
    line.get_protocol = lambda: one  # type: ignore[attr-defined]
    one._free_since = 0.0
    one._watch()
    for line.waiting, line.now, stays in ((1000, 40.0, True), (0, 59.0, True), (0, 60.0, False)):
        line.look()
        assert line.is_open is stays


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
    """Forgotten is what has been silent for longest.  A refusal costs nothing: it would shut others out for as long."""
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
    with reads_nothing(house, *["GET /rules/dividha HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n"] * 40):
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
