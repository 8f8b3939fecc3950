"""A bad line between guests and server: it cuts, delays, loses, repeats, swaps, ends halfway.  In the end both agree.

The guests are real ones (:class:`parlour.server.client.client.Client`), the server is a real one, and so is the proxy
between them.  (What else can become of a line, the simulated worlds try.)
"""

from __future__ import annotations

import asyncio
import contextlib
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import WebSocketException

from parlour.base.errors import ParlourError
from parlour.server.client import client as client_module
from parlour.server.client.client import Client
from parlour.server.client.tickets import Ticket, make_table, sit_down
from parlour.server.common import wire
from parlour.server.live import croupier
from parlour.server.table.seats import fingerprint
from tests.room_helpers import Server
from tests.waiting import LIMIT, until


class Line:
    """What a proxy does to one guest's connections, until it is mended.

    ``delay``: seconds for which each frame is held up.  ``twice``, ``swapped``: how many of the next commands go
    through twice, or after the one behind them.  ``lost_there``, ``lost_back``: how many of the next commands, or of
    the next frames from the server, are lost; the connection goes with them, for TCP loses nothing else.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._ends: list[tuple[ServerConnection, ClientConnection]] = []
        self._held: list[tuple[ClientConnection, Any]] = []
        self.delay, self.twice, self.swapped, self.lost_there, self.lost_back = 0.0, 0, 0, 0, 0

    async def mend(self) -> None:
        """What was held back goes through, and from now on everything as it comes."""
        self.delay, self.twice, self.swapped, self.lost_there, self.lost_back = 0.0, 0, 0, 0, 0
        held, self._held = self._held, []
        for far, command in held:
            with contextlib.suppress(WebSocketException, OSError):
                await far.send(command)

    def cut(self) -> None:
        """End all connections, without a word."""
        for near, far in self._ends:
            near.transport.abort()
            far.transport.abort()

    def end_half(self, near_side: bool, seconds: float) -> None:
        """End one side of the connections; the other side hears of it later only."""
        for near, far in self._ends:
            first, second = (near, far) if near_side else (far, near)
            first.transport.abort()
            asyncio.get_running_loop().call_later(seconds, second.transport.abort)

    async def carry(self, near: ServerConnection) -> None:
        """Carry a guest's connection to the server."""
        assert near.request is not None
        known = {"Authorization": near.request.headers["Authorization"]}
        with contextlib.suppress(WebSocketException, OSError):
            async with connect(f"ws://127.0.0.1:{self._port}{near.request.path}", additional_headers=known) as far:
                ends = near, far
                self._ends.append(ends)
                try:
                    await asyncio.gather(self._there(near, far), self._back(near, far))
                finally:
                    self._ends.remove(ends)

    async def _there(self, near: ServerConnection, far: ClientConnection) -> None:
        async for command in near:
            await asyncio.sleep(self.delay)
            if self.lost_there:
                self.lost_there -= 1
                self.cut()
            elif self.swapped:
                self.swapped -= 1
                self._held.append((far, command))
            else:
                held, self._held = self._held, []
                for one in (command, *(command for end, command in held if end is far)):
                    await far.send(one)
                    if self.twice:
                        self.twice -= 1
                        await far.send(one)
        await far.close()

    async def _back(self, near: ServerConnection, far: ClientConnection) -> None:
        async for frame in far:
            await asyncio.sleep(self.delay)
            if self.lost_back:
                self.lost_back -= 1
                self.cut()
            else:
                await near.send(frame)
        await near.close()


class Guest(Client):
    """A guest who keeps a list of the answers: by the id of the command, whether it was done."""

    def __init__(self, ticket: Ticket) -> None:
        super().__init__(ticket)
        self.answers: dict[str, bool | None] = {}
        self.logged: set[str] = set()

    async def _ask(self, command: wire.AnyCommand) -> None:
        self.answers[command.id] = None
        if not isinstance(command, wire.Why | wire.Mute | wire.Pledge | wire.Nonce):
            self.logged.add(command.id)
        try:
            await super()._ask(command)
        except ParlourError:
            self.answers[command.id] = False
            raise
        self.answers[command.id] = True


class BadLines:
    """Two guests at a table of Leduc poker, each behind a separate line; chance has them and their lines do things."""

    def __init__(self, server: Server, chance: Random) -> None:
        self.server, self.chance = server, chance
        self.lines = [Line(server.port), Line(server.port)]
        self.guests: list[Guest] = []
        self.asked: list[asyncio.Future[None]] = []

    async def play(self, steps: int) -> None:
        """Play a number of steps over bad lines, then mend them; in the end both sides agree."""
        async with contextlib.AsyncExitStack() as open_ones:
            quick = {"pace": 0, "beat": 0, "grace": 0.3, "bots": "random"}
            zoe = await make_table(self.server.url, game="leduc", name="Zoé", **quick)
            for line, ticket in zip(self.lines, [zoe, await sit_down(zoe.link, "Abe")], strict=True):
                proxy = await open_ones.enter_async_context(serve(line.carry, "127.0.0.1", 0))
                address = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
                guest = Guest(Ticket(address, ticket.table, ticket.link, ticket.seat, ticket.token))
                await open_ones.enter_async_context(guest)
                self.guests.append(guest)
            for number in range(steps):
                who = self.chance.randrange(2)
                if number == steps // 2:  # it is stopped and started again
                    self.server = await asyncio.to_thread(self.server.again)
                elif self.chance.random() < 0.5:
                    self.want(self.guests[who], number)
                else:
                    self.spoil(self.lines[who])
                await asyncio.sleep(self.chance.choice([0.0, 0.01, 0.05, 0.3]))
            for line in self.lines:
                await line.mend()
            for answer in self.asked:
                with contextlib.suppress(ParlourError):
                    await asyncio.wait_for(answer, LIMIT)
            await self.they_agree()

    def want(self, guest: Guest, number: int) -> None:
        """A guest wants something; nobody waits for the answer yet."""
        told = guest.known.telling if guest.known is not None else None
        match "again" if told is not None and told.over else self.chance.choice(["act"] * 6 + ["say", "undo", "why"]):
            case "again":
                command = guest.again()
            case "say":
                command = guest.say(f"Remark {number}")
            case "undo":
                command = guest.undo()
            case "why":
                command = guest.why("fold")
            case _:
                choices = [choice.name for choice in told.choices] if told is not None else []
                command = guest.act(self.chance.choice(choices or ["fold", "call", "raise"]))
        self.asked.append(asyncio.ensure_future(command))

    def spoil(self, line: Line) -> None:
        """Something becomes of a line."""
        match self.chance.choice(["cut", "end", "delay", "twice", "swapped", "lost_there", "lost_back"]):
            case "cut":
                line.cut()
            case "end":
                line.end_half(self.chance.random() < 0.5, self.chance.choice([0.0, 0.05, 0.2]))
            case "delay":
                line.delay = self.chance.choice([0.0, 0.005, 0.05])
            case what:
                setattr(line, what, self.chance.randint(1, 3))

    async def they_agree(self) -> None:
        """What was answered as done is in the log once, what was refused is not, and what guests know is what is so."""
        name = self.guests[0].ticket.table
        await until(lambda: name in self.server.tables.live)
        table = self.server.tables.live[name].table
        await until(lambda: all(knows(guest, table) for guest in self.guests))
        await until(lambda: not any(None in guest.answers.values() for guest in self.guests))
        written = [row.command for row in self.server.tables.store.read(name) if row.command]
        for guest in self.guests:
            whole = {id: f"{fingerprint(guest.ticket.token)[:20]} {id}" for id in guest.logged}
            done = {command for id, command in whole.items() if guest.answers[id]}
            assert done == {command for command in written if command in set(whole.values())}
        assert len(written) == len(set(written))
        from_guests = sum(len(guest.logged) for guest in self.guests)
        assert len(written) <= from_guests + 2, "somebody did what nobody wanted"  # and two who sat down
        assert not table.frozen


def knows(guest: Guest, table: Any) -> bool:
    """Whether a guest's telling is the server's, sentences included."""
    known = guest.known
    so = table.known.telling(guest.ticket.seat, items=True)
    if known is None:
        return False
    bare = msgspec.structs.replace(so, new=[])
    return bool(msgspec.structs.replace(known.telling, new=[]) == bare and list(known.story) == so.new)


@pytest.mark.parametrize(
    ("first", "last", "steps"), [(0, 3, 25), pytest.param(3, 30, 80, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_over_bad_lines_guests_and_server_agree_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, last: int, steps: int
) -> None:
    monkeypatch.setattr(client_module, "_pauses", lambda: repeat(0.02))
    monkeypatch.setattr(croupier, "PLEDGE_SECONDS", 0.2)
    monkeypatch.setattr(croupier, "NONCE_SECONDS", 0.2)
    server = Server(tmp_path / "p.db")
    try:
        for seed in range(first, last):
            lines = BadLines(server, Random(seed))
            try:
                asyncio.run(lines.play(steps))
            finally:
                server = lines.server
    finally:
        server.stop()
