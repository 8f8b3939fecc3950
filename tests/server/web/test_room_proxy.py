"""A bad line between guests and server: it cuts, delays, loses, repeats, swaps, ends halfway.  In the end both agree.

The guests are real ones (:class:`parlour.server.client.client.Client`), the server is a real one.  Between them a proxy
does to what it carries what Hypothesis tells it to do.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import count, repeat
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
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
from tests.waiting import LIMIT, wait_until

WHO = st.integers(0, 1)


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


class BadLines(RuleBasedStateMachine):
    """Two guests at a table of Leduc poker, each behind a separate line."""

    server: ClassVar[Server]
    portal: ClassVar[BlockingPortal]
    numbers: ClassVar[Iterator[int]] = count()

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Future[None]] = []
        self.portal.call(self._begin)

    async def _begin(self) -> None:
        self.lines = [Line(self.server.port), Line(self.server.port)]
        self.proxies = [await serve(line.carry, "127.0.0.1", 0) for line in self.lines]
        quick = {"pace": 0, "beat": 0, "grace": 0.3, "bots": "random"}
        zoe = await make_table(self.server.url, game="leduc", name="Zoé", **quick)
        tickets = [zoe, await sit_down(zoe.link, "Abe")]
        self.guests = []
        for ticket, proxy in zip(tickets, self.proxies, strict=True):
            port = proxy.sockets[0].getsockname()[1]
            here = Ticket(f"http://127.0.0.1:{port}", ticket.table, ticket.link, ticket.seat, ticket.token)
            guest = Guest(here)
            await guest.__aenter__()
            self.guests.append(guest)

    def ask(self, who: int, command: Any, *given: Any) -> None:
        """Have a guest want something; nobody waits for the answer yet."""
        self.asked.append(self.portal.start_task_soon(command, *given))

    # ------------------------------------------------------------------ what guests do

    @rule(who=WHO, which=st.integers(0, 2))
    def act(self, who: int, which: int) -> None:
        known = self.guests[who].known
        choices = known.telling.choices if known is not None else []
        name = choices[which % len(choices)].name if choices else ("fold", "call", "raise")[which]
        self.ask(who, self.guests[who].act, name)

    @rule(who=WHO)
    def say(self, who: int) -> None:
        self.ask(who, self.guests[who].say, f"Remark {next(self.numbers)}")

    @rule(who=WHO)
    def undo(self, who: int) -> None:
        self.ask(who, self.guests[who].undo)

    @rule(who=WHO)
    def again(self, who: int) -> None:
        self.ask(who, self.guests[who].again)

    @rule(who=WHO)
    def why(self, who: int) -> None:
        self.ask(who, self.guests[who].why, "fold")

    @rule()
    def play_on(self) -> None:
        """Let the match go on for a while, and another one begin, over whatever lines there are."""
        for _ in range(4):
            for who in (0, 1):
                known = self.guests[who].known
                if known is not None and known.telling.over:
                    self.again(who)
                else:
                    self.act(who, 1)
            self.wait(0.03)

    @rule(seconds=st.sampled_from([0.01, 0.05, 0.4]))
    def wait(self, seconds: float) -> None:
        self.portal.call(asyncio.sleep, seconds)

    # ------------------------------------------------------------------ what becomes of the lines

    @rule(who=WHO)
    def cut(self, who: int) -> None:
        self.portal.call(self.lines[who].cut)

    @rule(who=WHO, near_side=st.booleans(), seconds=st.sampled_from([0.0, 0.05, 0.2]))
    def end_half(self, who: int, near_side: bool, seconds: float) -> None:
        self.portal.call(self.lines[who].end_half, near_side, seconds)

    @rule(who=WHO, seconds=st.sampled_from([0.0, 0.005, 0.05]))
    def delay(self, who: int, seconds: float) -> None:
        self.lines[who].delay = seconds

    @rule(who=WHO, what=st.sampled_from(["twice", "swapped", "lost_there", "lost_back"]), times=st.integers(1, 3))
    def spoil(self, who: int, what: str, times: int) -> None:
        setattr(self.lines[who], what, times)

    @rule()
    def restart(self) -> None:
        """The server is stopped and started again."""
        type(self).server = self.server.again()

    # ------------------------------------------------------------------ in the end

    def teardown(self) -> None:
        try:
            for line in self.lines:
                self.portal.call(line.mend)
            for answer in self.asked:
                with contextlib.suppress(ParlourError):
                    answer.result(LIMIT)
            self.they_agree()
        finally:
            self.portal.call(self._end)

    async def _end(self) -> None:
        for guest in self.guests:
            await guest.__aexit__()
        for proxy in self.proxies:
            proxy.close(False)
            await proxy.wait_closed()

    def they_agree(self) -> None:
        """What was answered as done is in the log once, what was refused is not, and what guests know is what is so."""
        name = self.guests[0].ticket.table
        wait_until(lambda: name in self.server.tables.live)
        table = self.server.tables.live[name].table
        wait_until(lambda: all(self.knows(guest, table) for guest in self.guests))
        wait_until(lambda: not any(None in guest.answers.values() for guest in self.guests))
        rows = self.server.tables.store.read(name)
        written = [row.command for row in rows if row.command]
        for guest in self.guests:
            whole = {id: f"{fingerprint(guest.ticket.token)[:20]} {id}" for id in guest.logged}
            done = {command for id, command in whole.items() if guest.answers[id]}
            assert done == {command for command in written if command in set(whole.values())}
        assert len(written) == len(set(written))
        from_guests = sum(len(guest.logged) for guest in self.guests)
        assert len(written) <= from_guests + 2, "somebody did what nobody wanted"  # and two who sat down
        assert not table.frozen

    @staticmethod
    def knows(guest: Guest, table: Any) -> bool:
        """Whether a guest's telling is the server's, sentences included."""
        known = guest.known
        so = table.known.telling(guest.ticket.seat, items=True)
        if known is None:
            return False
        bare = msgspec.structs.replace(so, new=[])
        return bool(msgspec.structs.replace(known.telling, new=[]) == bare and list(known.story) == so.new)


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[BadLines]]:
    """The machine with its server, and guests who are quick to come back."""
    monkeypatch.setattr(client_module, "_pauses", lambda: repeat(0.02))
    monkeypatch.setattr(croupier, "PLEDGE_SECONDS", 0.2)
    monkeypatch.setattr(croupier, "NONCE_SECONDS", 0.2)
    with start_blocking_portal() as portal:
        BadLines.server, BadLines.portal = Server(tmp_path / "p.db"), portal
        try:
            yield BadLines
        finally:
            BadLines.server.stop()


QUIET: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


def test_over_bad_lines_guests_and_server_agree_in_the_end(lines: type[BadLines]) -> None:
    run_state_machine_as_test(lines, settings=settings(max_examples=4, stateful_step_count=15, **QUIET))


@pytest.mark.long
def test_over_bad_lines_for_a_long_time(lines: type[BadLines]) -> None:
    run_state_machine_as_test(
        lines, settings=settings(max_examples=100, stateful_step_count=40, derandomize=False, **QUIET)
    )
