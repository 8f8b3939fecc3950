"""A server under load: tables of guests who play at random, and how long each move takes to reach everybody.

The server is a process of its own; the guests are clients in this one: of frames, or of the page, which presses the
buttons of HTML as a browser does.  At each table one guest acts after the other, the next one when all have seen the
move before: so it must be a game whose every move everybody notices.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import re
import secrets
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from html import unescape
from http.client import HTTPConnection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import h11
import msgspec
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from parlour.errors import ParlourError
from parlour.room import wire
from parlour.room.identity import COOKIE
from parlour.serving import serve

WARM_UP: Final = 2.0
"""Seconds of play before the measuring begins."""
STUCK: Final = 20.0
"""Seconds without any move after which something is wrong."""
PERCENTILES: Final = (50, 95, 99)
_TABLES: Final = f"/api/{wire.VERSION}/tables"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to measure: ``tables`` tables of a game with so many ``players``, for ``seconds``.  ``rate``: moves a second
    at each table; 0: as many as there can be.  ``pages``: the guests look at the page, and press its buttons."""

    game: str = "diamondback"
    players: int = 4
    tables: int = 100
    seconds: float = 10.0
    rate: float = 0.0
    pages: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.  Of pages, a telling is what a page is sent to be changed.

    ``moves``: acknowledged by the server, so on disk, and seen by every seat.  ``latency``: milliseconds from an act's
    being sent (or due, if that was earlier) to the last seat's frame that shows it, by percentile.  ``commit``:
    milliseconds from an entry to its being on disk, as the server counts them, each percentile rounded up to the end
    of a class.  ``server``, ``clients``, ``others``: processor time, in cores.  ``memory``: bytes that the server has
    in memory.  None: the system does not say.
    """

    seconds: float
    moves: int
    moves_per_second: float
    tellings_per_move: float
    bytes_per_telling: float
    latency: dict[str, float]
    commit: dict[str, float]
    server: float | None
    clients: float
    others: float | None
    memory: float | None


def run(wanted: Wanted, url: str = "", database: str = "") -> Figures:
    """Measure the server at ``url``; without one, a new server on a new database (or on ``database``)."""
    if url:
        return _run(wanted, url)
    with server(database) as here:
        return _run(wanted, here)


def _run(wanted: Wanted, url: str) -> Figures:
    places = [_new_table(url, wanted) for _ in range(wanted.tables)]

    async def measure() -> Figures:
        return await Load(wanted, url).run(places)

    return asyncio.run(measure())


# ------------------------------------------------------------------------------------------ the server


@contextmanager
def server(database: str = "") -> Iterator[str]:
    """A server in a process of its own, on a database (a new one, which is thrown away, if none is named); its
    address."""
    with tempfile.TemporaryDirectory(prefix="parlour-load-") as folder:
        port = free_port()
        process = start(port, database or f"sqlite:///{folder}/load.db")
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.join(15)
            process.kill()
            process.join()


def free_port() -> int:
    """A port that nobody listens to now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def start(port: int, database: str) -> BaseProcess:
    """Start a server in a process of its own; it answers when this returns."""
    process = multiprocessing.get_context("spawn").Process(target=serve, args=("127.0.0.1", port, database, 1))
    process.start()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.is_alive():
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.01)
    process.kill()
    process.join()
    raise ParlourError("The server does not start.")


def _ask(url: str, method: str, path: str, token: str = "", body: dict[str, Any] | None = None) -> str:
    """What the server answers to a request; ``ParlourError`` if it refuses."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        headers = {"Content-Type": "application/json", "Cookie": f"{COOKIE}={token}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
    except OSError as failure:
        raise ParlourError(f"The server at {url} does not answer: {failure}.") from None
    finally:
        connection.close()
    if answer.status >= 400:
        raise ParlourError(f"The server refused: {text}")
    return text


def _new_table(url: str, wanted: Wanted) -> tuple[str, list[str]]:
    """A table full of guests: its name, and their tokens by seat."""
    tokens = [secrets.token_urlsafe(24) for _ in range(wanted.players)]
    rules = {"game": wanted.game, "players": wanted.players, "beat": 0, "grace": 3600}
    # The first guest's client is waited for before the match begins, so no bot has time to answer.
    made = _ask(url, "POST", _TABLES, tokens[0], rules | {"name": "Guest 0", "contributes": True, "bots": "random"})
    table = str(json.loads(made)["table"])
    for seat, token in enumerate(tokens[1:], 1):
        _ask(url, "POST", f"{_TABLES}/{table}/seats", token, {"name": f"Guest {seat}", "seat": seat})
    return table, tokens


# ------------------------------------------------------------------------------------------ guests


class _Guest(asyncio.Protocol):
    """A guest: his connection, and what he was told last.

    ``turn``: the match, and who is asked, as far as he knows; ``None`` if he does not.  ``choices``: what he may do.
    """

    def __init__(self, table: _Table, token: str, address: str) -> None:
        self.turn: tuple[int, ...] | None = None
        self.choices: Sequence[str] = ()
        self._table, self._token = table, token
        at = urlsplit(table.load.url)
        self._frames = ClientProtocol(parse_uri(f"ws://{at.netloc}{address}"), max_size=None)

    async def connect(self) -> None:
        """Open the connection."""
        await _connected(self, self._table.load.url)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        request = self._frames.connect()
        request.headers["Cookie"] = f"{COOKIE}={self._token}"
        self._frames.send_request(request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._frames.receive_data(data)
        for event in self._frames.events_received():
            if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._hear(bytes(event.data))
            elif isinstance(event, Response) and event.status_code != 101:
                self._table.load.fail(f"The server refused a connection: {event.status_code}.")
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self._table.load.fail("The server closed a connection.")

    def act(self, name: str, action: str) -> None:
        """Do an action; ``name``: how the command is called."""
        raise NotImplementedError

    def close(self) -> None:
        """Go away."""
        self._transport.abort()

    def _hear(self, packet: bytes) -> None:
        raise NotImplementedError

    def _told(self, packet: bytes) -> None:
        """He has been told how the table is now."""
        self._table.load.tellings += 1
        self._table.load.bytes += len(packet)
        self._table.seen(self)

    def _flush(self) -> None:
        self._transport.writelines(self._frames.data_to_send())


class _Seat(_Guest):
    """A guest whose client understands frames."""

    def __init__(self, table: _Table, token: str, seat: int) -> None:
        super().__init__(table, token, f"{_TABLES}/{table.name}/socket")
        self._wished = 0

    def _hear(self, packet: bytes) -> None:
        load = self._table.load
        match wire.decode(packet):
            case wire.Telling() as told:
                self.turn, self.choices = (told.match, *told.asked), [choice.name for choice in told.choices]
                if told.over and self._wished != told.match:
                    self._wished = told.match
                    self._send(wire.Again(id=f"again-{told.match}"))
                self._told(packet)
            case wire.Done(id=done):
                self._table.done(done)
            case wire.Refused(sentence=sentence):
                load.fail(f"The server refused: {sentence}")
            case wire.Bye(reason=reason):
                load.fail(f"The server says: {reason}")

    def act(self, name: str, action: str) -> None:
        self._send(wire.Act(id=name, action=action))

    def _send(self, wanted: wire.AnyCommand) -> None:
        self._frames.send_text(wire.written(wanted))
        self._flush()


class _Change(msgspec.Struct):
    """What a page is sent: its regions that have changed, if it is told how the table is now."""

    regions: dict[str, str] | None = None
    asked: bool = False
    refused: dict[str, str] | None = None
    bye: str = ""


_change: Final = msgspec.json.Decoder(_Change)
_BUTTON: Final = re.compile(r'<button class="([^"]*)"[^>]* data-act="([^"]*)"')
_AMOUNT: Final = re.compile(r'name="amount ([^"]+)" min="(\d+)" max="(\d+)"')
_THINKS: Final = re.compile(r"Guest (\d+) is thinking")


class _Page(_Guest):
    """A guest who looks at the page: he loads it once, listens, and presses its buttons, as the page's script does."""

    def __init__(self, table: _Table, token: str, seat: int) -> None:
        _ask(table.load.url, "GET", f"/t/{table.name}", token)
        super().__init__(table, token, f"/t/{table.name}/live")
        self._seat, self._match, self._is_over = seat, 1, False
        self._shown: dict[str, str] = {}
        self._form = _Form(table, token)

    def _hear(self, packet: bytes) -> None:
        change = _change.decode(packet)
        if change.bye:
            self._table.load.fail(f"The server says: {change.bye}")
        if change.refused:
            self._table.load.fail(f"The server refused: {change.refused}")
        if change.regions is None:
            return
        self._shown.update(change.regions)
        thinks = _THINKS.search(self._shown.get("strip", ""))
        self.turn = (self._match, self._seat) if change.asked else (self._match, int(thinks[1])) if thinks else None
        self.choices = _offered(self._shown["board"]) if change.asked else ()
        is_over = 'id="again"' in self._shown.get("end", "")
        if is_over and not self._is_over:
            self._match += 1
            self._form.send({"do": "again"}, "")
        self._is_over = is_over
        self._told(packet)

    def act(self, name: str, action: str) -> None:
        self._frames.send_text(urlencode({"action": action}).encode())
        self._flush()
        self._table.done(name)  # what the page is told is on disk

    def close(self) -> None:
        self._form.close()
        super().close()


def _offered(board: str) -> list[str]:
    """What can be done by the buttons of a board, and by its fields for numbers."""
    pressed = [
        unescape(act)
        for style, act in _BUTTON.findall(board)
        if "legal" in style.split() or style.split()[0] not in ("card", "choice")  # those are there for the refusal
    ]
    fields = _AMOUNT.findall(board)
    return pressed + [f"{kind} {n}" for kind, low, high in fields for n in range(int(low), int(high) + 1)]


class _Form(asyncio.Protocol):
    """The connection over which a page sends what is pressed; the server ends it when nothing is pressed for long."""

    def __init__(self, table: _Table, token: str) -> None:
        self._table = table
        self._transport: asyncio.Transport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._pressed = list[tuple[dict[str, str], str]]()
        self._headers = [
            ("Host", urlsplit(table.load.url).netloc),
            ("Cookie", f"{COOKIE}={token}"),
            ("X-Parlour", "1"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._http = transport, h11.Connection(h11.CLIENT)
        self._post()

    def data_received(self, data: bytes) -> None:
        self._http.receive_data(data)
        while (event := self._http.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Response) and event.status_code != 204:
                self._table.load.fail(f"The server refused: {event.status_code}.")
            if isinstance(event, h11.EndOfMessage):
                _, name = self._pressed.pop(0)
                self._http.start_next_cycle()
                if self._pressed:
                    self._post()
                self._table.done(name)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._pressed:
            self._table.load.fail("The server closed a connection.")

    def send(self, form: dict[str, str], name: str) -> None:
        """Send a form, when what was sent before is answered."""
        self._pressed.append((form, name))
        if len(self._pressed) > 1:
            return
        if self._transport is None:
            self._opening = asyncio.create_task(_connected(self, self._table.load.url))
        else:
            self._post()

    def _post(self) -> None:
        assert self._transport is not None
        body = urlencode(self._pressed[0][0]).encode()
        headers = [*self._headers, ("Content-Length", str(len(body)))]
        request = h11.Request(method="POST", target=f"/t/{self._table.name}/do", headers=headers)
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            self._transport.write(self._http.send(event) or b"")

    def close(self) -> None:
        """Go away."""
        if self._transport is not None:
            self._transport.abort()


class _Table:
    """A table of guests: the act that is under way, and who has not seen it yet."""

    def __init__(self, load: Load, name: str, tokens: list[str], due: float) -> None:
        self.load, self.name = load, name
        kind = _Page if load.wanted.pages else _Seat
        self.seats: list[_Guest] = [kind(self, token, seat) for seat, token in enumerate(tokens)]
        self._due, self._match, self._acts = due, 0, 0
        self._under_way = False
        self._unacknowledged, self._unseen = "", set[_Guest]()

    def seen(self, seat: _Guest) -> None:
        """A seat has been told how the table is now."""
        self._unseen.discard(seat)
        self._look()

    def done(self, act: str) -> None:
        """The server says that a command is done, and on disk."""
        if act == self._unacknowledged:
            self._unacknowledged = ""
            self._look()

    def _look(self) -> None:
        """If the last act is done and all have seen it, the next one comes, when it is due."""
        if self._unacknowledged or self._unseen:
            return
        load = self.load
        now = load.now()
        if self._under_way:
            self._under_way = False
            load.moved(now - self._due)
            self._due = self._due + load.interval if load.interval else now
        mover = self._mover()
        if mover is None:
            return
        assert mover.turn is not None
        if self._match != mover.turn[0]:
            self._match, self._due = mover.turn[0], now + random.random() * load.interval  # tables are not in step
        self._acts += 1
        self._under_way, self._unacknowledged, self._unseen = True, f"act-{self._acts}", set(self.seats)
        asyncio.get_running_loop().call_at(
            max(now, self._due), mover.act, self._unacknowledged, random.choice(mover.choices)
        )

    def _mover(self) -> _Guest | None:
        """The guest who is to act; None until everybody has heard the same of whose turn it is."""
        if self.seats[0].turn is None or len({seat.turn for seat in self.seats}) > 1:
            return None
        return next((seat for seat in self.seats if seat.choices), None)


async def _connected(protocol: asyncio.Protocol, url: str) -> None:
    at = urlsplit(url)
    await asyncio.get_running_loop().create_connection(partial(_same, protocol), at.hostname or "", at.port or 80)


def _same(protocol: asyncio.Protocol) -> asyncio.Protocol:
    return protocol


class Load:
    """All tables, and what is counted of them."""

    def __init__(self, wanted: Wanted, url: str) -> None:
        self.wanted, self.url = wanted, url
        self.interval = 1 / wanted.rate if wanted.rate else 0.0
        self.moves = self.tellings = self.bytes = 0
        self._latencies: list[float] = []
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @staticmethod
    def now() -> float:
        """The time of the event loop."""
        return asyncio.get_running_loop().time()

    def moved(self, latency: float) -> None:
        """A move has been acknowledged and seen by all."""
        self.moves += 1
        self._latencies.append(latency)

    def fail(self, sentence: str) -> None:
        """Something is wrong: the measuring ends."""
        if not self._failed.done():
            self._failed.set_exception(ParlourError(sentence))

    async def run(self, places: list[tuple[str, list[str]]]) -> Figures:
        """Sit down at these tables, play, and say what was measured."""
        tables = [await self._sit_down(*place) for place in places]
        try:
            await self._play(WARM_UP)
            self.moves = self.tellings = self.bytes = 0
            self._latencies.clear()
            before, began = await self._meters(), self.now()
            await self._play(self.wanted.seconds)
            seconds, moves, tellings, size = self.now() - began, self.moves, self.tellings, self.bytes
            after = await self._meters()
        finally:
            self._failed.cancel()
            for table in tables:
                for seat in table.seats:
                    seat.close()
        used = {name: (after[name] - n) / seconds for name, n in before.items() if name in after}
        others = used["everything"] - used[_CPU] - used["clients"] if {"everything", _CPU} <= used.keys() else None
        return Figures(
            seconds=seconds,
            moves=moves,
            moves_per_second=moves / seconds,
            tellings_per_move=tellings / max(moves, 1),
            bytes_per_telling=size / max(tellings, 1),
            latency=percentiles(self._latencies),
            commit=_of_classes({name: after[name] - before.get(name, 0.0) for name in after}),
            server=used.get(_CPU),
            clients=used["clients"],
            others=others,
            memory=after.get(_MEMORY),
        )

    async def _sit_down(self, name: str, tokens: list[str]) -> _Table:
        table = _Table(self, name, tokens, self.now() + random.random() * self.interval)
        for seat in reversed(table.seats):  # the first guest, whom the match waits for, comes last
            await seat.connect()
        return table

    async def _play(self, seconds: float) -> None:
        """Let the guests play; ``ParlourError`` if something goes wrong, or nothing goes on."""
        end = self.now() + seconds
        while (left := end - self.now()) > 0:
            moves = self.moves
            await asyncio.wait([self._failed], timeout=min(left, STUCK))
            if self._failed.done():
                self._failed.result()
            if moves == self.moves and left > STUCK:
                raise ParlourError(f"Nobody has moved for {STUCK:.0f} seconds; does everybody notice every move?")

    async def _meters(self) -> dict[str, float]:
        """What the server counts, and the processor time used so far: by the clients, by everything on this machine."""
        text = await asyncio.to_thread(_ask, self.url, "GET", "/metrics")
        meters = {name: float(value) for name, value in re.findall(r"^(\S+) (\S+)$", text, re.MULTILINE)}
        meters["clients"] = time.process_time()
        with suppress(OSError):  # Linux has it
            ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:8]]
            meters["everything"] = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
        return meters


_CPU: Final = "process_cpu_seconds_total"
_MEMORY: Final = "process_resident_memory_bytes"
_CLASS: Final = re.compile(r'parlour_commit_seconds_bucket\{le="([^"]+)"\}')


def percentiles(sample: list[float]) -> dict[str, float]:
    """The percentiles that are reported of a sample in seconds, in milliseconds.

    >>> percentiles([0.001 * n for n in range(1, 101)])
    {'p50': 50.0, 'p95': 95.0, 'p99': 99.0}
    """
    ordered = sorted(sample)
    return {f"p{p}": round(ordered[-(-len(ordered) * p // 100) - 1] * 1000, 2) for p in PERCENTILES if ordered}


def _of_classes(counted: dict[str, float]) -> dict[str, float]:
    """The same of a histogram of Prometheus: the upper end of the class in which each percentile lies."""
    classes = [(float(found[1]), n) for name, n in counted.items() if (found := _CLASS.fullmatch(name))]
    total = max((n for _, n in classes), default=0.0)
    return {
        f"p{p}": next(end for end, n in sorted(classes) if n >= total * p / 100) * 1000 for p in PERCENTILES if total
    }


def lines(wanted: Wanted, figures: Figures) -> list[str]:
    """The figures in words."""
    how = f"{wanted.rate:g} moves a second at each" if wanted.rate else "as fast as they can"
    per_move = (figures.server or 0.0) * figures.seconds / max(figures.moves, 1)
    where = f"{wanted.tables} tables, {wanted.players} {'pages' if wanted.pages else 'guests'} at each"
    found = [
        f"{wanted.game}: {where}, {how}, {figures.seconds:.0f} seconds",
        f"moves, acknowledged and on disk: {figures.moves} ({figures.moves_per_second:.0f} a second)",
        *([f"processor time of the server a move: {1e3 * per_move:.2f} ms"] if per_move else []),
        f"tellings: {figures.tellings_per_move:.2f} a move, {figures.bytes_per_telling:.0f} bytes each",
        f"from an act to everybody's frame, ms: {_listed(figures.latency)}",
        f"from an entry to its being on disk, ms, at most: {_listed(figures.commit)}",
    ]
    cores = {"server": figures.server, "clients": figures.clients, "everything else here": figures.others}
    found.append("cores: " + ", ".join(f"{who} {used:.2f}" for who, used in cores.items() if used is not None))
    if figures.memory is not None:
        found.append(f"memory of the server: {figures.memory / 1e6:.0f} MB")
    return found


def _listed(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in figures.items())
