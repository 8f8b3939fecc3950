"""A server that is killed under load, again and again: what was acknowledged is there once, nothing is invented."""

from __future__ import annotations

import asyncio
import random
import secrets
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

import parlour
from parlour.core.verifying import verify
from parlour.server.common import wire
from parlour.server.live import proof
from parlour.server.live.idempotency import Once
from parlour.server.live.live_table import LiveTable
from parlour.server.live.tables import Tables
from parlour.server.store.store import Store
from parlour.server.table import log
from parlour.server.table.seats import fingerprint
from parlour.server.table.table import Change, Table
from tests.leash import LEASH
from tests.room_helpers import QuickBots, at_a_table
from tests.waiting import FOR_EVER, LIMIT, until
from tests.worlds import opened
from tools.load import free_port

TABLES = (("diamondback", 3, 2), ("dividha", 4, 3), ("commit", 3, 1), ("leduc", 2, 2))
"""Games, players, how many of them are guests; bots have the other seats.  Commit has hushed questions."""
STAND_BY = f"""{LEASH}
import sys
from parlour.server.site.serving import serve
sys.stdin.readline()
serve("127.0.0.1", int(sys.argv[1]), sys.argv[2], 1)
"""


class Guest:
    """A guest who acts at random, comes back when the server is gone, and asks again for what was not answered."""

    def __init__(self, name: str) -> None:
        self.name, self.token, self.seat = name, secrets.token_urlsafe(24), -1
        self.sent: dict[str, wire.AnyCommand] = {}
        self.waiting: dict[str, wire.AnyCommand] = {}
        self.done: set[str] = set()
        self.refused: set[str] = set()
        self.told: wire.Telling | None = None
        self.moves = 0

    async def stay(self, uri: str) -> None:
        """Be there, for ever."""
        headers = {"Authorization": f"Bearer {self.token}"}
        while True:
            try:
                async with connect(uri, additional_headers=headers, compression=None, ping_interval=None) as socket:
                    for command in self.waiting.values():
                        await socket.send(wire.written(command).decode())
                    async for text in socket:
                        await self._hear(socket, wire.decode(text))
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(0.02)

    async def _hear(self, socket: ClientConnection, frame: wire.AnyFrame) -> None:
        match frame:
            case wire.Telling():
                self.told = frame
            case wire.Done():
                self.done.add(frame.id)
                self.moves += isinstance(self.waiting.pop(frame.id, None), wire.Act)
            case wire.Refused():
                self.refused.add(frame.id)
                self.waiting.pop(frame.id, None)
        told, number = self.told, str(len(self.sent))
        if told is None or self.waiting:
            return
        if told.over and self.seat not in told.again:
            await self._send(socket, wire.Again(id=number))
        elif told.choices and random.random() < 0.1:
            await self._send(socket, wire.Say(id=number, text=f"remark {number}"))
        elif told.choices:
            await self._send(socket, wire.Act(id=number, action=random.choice(told.choices).name))

    async def _send(self, socket: ClientConnection, command: wire.AnyCommand) -> None:
        self.sent[command.id] = self.waiting[command.id] = command
        await socket.send(wire.written(command).decode())


class Place:
    """A table: its guests, and what its log says, read on and on."""

    def __init__(self, name: str, guests: list[Guest]) -> None:
        self.name, self.guests = name, guests
        self.table: Table | None = None
        self.logged: dict[tuple[Guest, str], log.AnyEntry] = {}
        self.matches = 0

    def read_on(self, store: Store) -> None:
        """Take in what has been added to the log; nothing may be there twice, or without having been sent."""
        by_key = {fingerprint(guest.token)[:20]: guest for guest in self.guests}
        for row in store.read(self.name, 0 if self.table is None else self.table.version):
            if self.table is None:
                assert isinstance(row.entry, log.Opened)
                assert row.version == 1
                self.table = Table(row.entry)
                continue
            assert row.version == self.table.version + 1
            self.table.commit(Change(row.entry))
            assert not self.table.frozen
            if isinstance(row.entry, log.DealRevealed):
                self.matches += 1
                assert verify(proof.record(self.table, -1)).is_fair
            if row.command is not None:
                key, _, command = row.command.partition(" ")
                if not command.startswith("sit-"):
                    assert (by_key[key], command) not in self.logged
                    self.logged[by_key[key], command] = row.entry
                    assert is_asked_by(row.entry, by_key[key], by_key[key].sent[command])

    def agrees(self) -> None:
        """What guests were answered and told is in the log, and what was refused is not."""
        assert self.table is not None
        for guest in self.guests:
            logged = {command for who, command in self.logged if who is guest}
            assert guest.done <= logged
            assert not guest.refused & logged
            assert guest.told is not None
            assert guest.told.version <= self.table.known.marks[guest.seat]


def is_asked_by(entry: log.AnyEntry, guest: Guest, command: wire.AnyCommand) -> bool:
    """Whether an entry is what a guest's command asks for."""
    match entry, command:
        case log.Did(), wire.Act():
            return (entry.seat, entry.actions) == (guest.seat, [command.action])
        case log.ChatSent(), wire.Say():
            return (entry.seat, entry.text) == (guest.seat, command.text)
        case log.AnotherWanted(), wire.Again():
            return entry.seat == guest.seat
    return False


class Servers:
    """One server after the other on a port and a database; the next one has started before the last one is killed."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.port, self.left = folder, free_port(), number
        self.output = (folder / "output").open("wb")
        self.next = self._start()
        self.now: subprocess.Popen[bytes] | None = None

    def _start(self) -> subprocess.Popen[bytes] | None:
        if not self.left:
            return None
        self.left -= 1
        words = [sys.executable, "-c", STAND_BY, str(self.port), f"sqlite:///{self.folder / 'room.db'}"]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=self.output, stderr=self.output)

    async def go_on(self) -> None:
        """Let the next server serve."""
        self.now, self.next = self.next, self._start()
        assert self.now is not None
        assert self.now.stdin is not None
        self.now.stdin.write(b"\n")
        self.now.stdin.flush()
        async with httpx.AsyncClient() as http:
            async with asyncio.timeout(LIMIT):
                while True:
                    assert self.now.poll() is None, (self.folder / "output").read_text()
                    try:
                        (await http.get(f"http://127.0.0.1:{self.port}/health")).raise_for_status()
                        return
                    except httpx.TransportError:
                        await asyncio.sleep(0.01)

    def kill(self) -> None:
        """Kill the server: it can do nothing more, not even close a file."""
        assert self.now is not None
        self.now.kill()
        self.now.communicate()

    def close(self) -> None:
        """Kill all there is."""
        for process in (self.now, self.next):
            if process is not None:
                process.kill()
                process.communicate()
        self.output.close()


async def sit_down(port: int) -> list[Place]:
    """Guests at several tables."""
    places = []
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/api/1") as http:
        for game, players, number in TABLES:
            guests = [Guest(f"Guest {p}") for p in range(number)]
            rules = {"game": game, "players": players, "bots": "random", "pace": 0, "beat": 0.05, "contributes": True}
            headers = {"Authorization": f"Bearer {guests[0].token}"}
            made = (await http.post("/tables", json={**rules, "name": guests[0].name}, headers=headers)).json()
            guests[0].seat = made["seat"]
            for guest in guests[1:]:
                headers = {"Authorization": f"Bearer {guest.token}"}
                sat = await http.post(f"/tables/{made['table']}/seats", json={"name": guest.name}, headers=headers)
                guest.seat = sat.json()["seat"]
            places.append(Place(made["table"], guests))
    return places


async def kill_again_and_again(folder: Path, kills: int) -> list[Place]:
    servers = Servers(folder, kills + 1)
    try:
        await servers.go_on()
        places = await sit_down(servers.port)
        uri = f"ws://127.0.0.1:{servers.port}/api/1/tables"
        staying = [
            asyncio.create_task(guest.stay(f"{uri}/{place.name}/socket")) for place in places for guest in place.guests
        ]
        for kill in range(kills + 1):
            before = [sum(guest.moves for guest in place.guests) for place in places]
            for place, moves in zip(places, before, strict=True):
                await until(
                    lambda place=place, moves=moves: sum(g.moves for g in place.guests) > moves,  # type: ignore[misc]
                    f"nobody moves after kill {kill}",
                )
            await asyncio.sleep(random.uniform(0, 0.3))
            servers.kill()
            copy = folder / "copy"
            copy.mkdir(exist_ok=True)
            for file in ("room.db", "room.db-wal"):  # the next server finds all as the kill has left it
                shutil.copy(folder / file, copy / file)
            (copy / "room.db-shm").unlink(missing_ok=True)
            store = Store(f"sqlite:///{copy / 'room.db'}")
            for place in places:
                place.read_on(store)
                place.agrees()
            store.close()
            if kill < kills:
                await servers.go_on()
        for task in staying:
            task.cancel()
        await asyncio.gather(*staying, return_exceptions=True)
        return places
    finally:
        servers.close()


def test_a_killed_server_loses_nothing_it_acknowledged_and_invents_nothing(tmp_path: Path) -> None:
    places = asyncio.run(kill_again_and_again(tmp_path, 1))
    assert all(place.logged for place in places)


@pytest.mark.long
def test_a_hundred_and_twenty_kills(tmp_path: Path) -> None:
    places = asyncio.run(kill_again_and_again(tmp_path, 120))
    assert all(place.matches for place in places)


def test_what_was_done_so_long_ago_that_the_server_has_forgotten_it_is_not_done_again() -> None:
    async def say_twice(live: LiveTable) -> None:
        await live.do("somebody", wire.Sit(id="0", name="Zoé"))
        for _ in range(2):
            assert await live.do("somebody", wire.Say(id="1", text="Hello")) == wire.Done(id="1")
            live.once = Once()
        assert sum(isinstance(row.entry, log.ChatSent) for row in live.tables.store.read(live.id)) == 1  # type: ignore[attr-defined]

    at_a_table(say_twice, parlour.load("leduc"))


def test_a_table_is_shown_to_nobody_before_it_can_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes while a server that has started again reads the table waits until it has the secret too."""
    begun, go_on, read = threading.Event(), threading.Event(), Store.secret

    def secret(store: Store, table: str, match: int) -> bytes | None:
        begun.set()
        go_on.wait(LIMIT)
        return read(store, table, match)

    async def come_early() -> None:
        url = f"sqlite:///{tmp_path / 'room.db'}"
        tables = Tables(Store(url), QuickBots())
        live = await tables.open(opened(parlour.load("leduc"), pace=FOR_EVER))
        live.stir()
        await until(lambda: live.table.has_begun)
        await tables.close()
        monkeypatch.setattr(Store, "secret", secret)
        tables = Tables(Store(url), QuickBots())

        async def secret_found() -> bytes | None:
            return (await tables.get(live.id)).secret

        loading = asyncio.create_task(secret_found())
        await until(begun.is_set)
        coming = asyncio.create_task(secret_found())
        for _ in range(10):
            await asyncio.sleep(0)
        go_on.set()
        assert live.secret is not None
        assert [await loading, await coming] == [live.secret] * 2
        await tables.close()

    asyncio.run(come_early())
