"""The floor: the tables that this server runs, the guests connected to them, the bots, the clocks."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Coroutine
from typing import Any, Final

from parlour.errors import IllegalAction, ParlourError
from parlour.room import log, wire
from parlour.room.bots import Bots
from parlour.room.store import LostTable, Repeated, Row, Store
from parlour.room.table import WATCHER, Step, Table, fingerprint
from parlour.vocabulary import CHANCE

OUTBOX: Final = 200
"""Frames that may wait for a slow client before it is sent away; it may come back and go on from where it was."""
LEASE: Final = 20.0
"""Seconds for which a server owns a table unless it says that it still does."""
CODE_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH: Final = 6

_journal = logging.getLogger("parlour.room")


class Client:
    """A connection of a guest or a watcher: what waits to be sent to it, and how far it has heard."""

    def __init__(self, token: str, name: str, heard: int = 0, match: int = 0) -> None:
        self.token, self.name = token, name
        self.heard, self.match, self.version = heard, match, -1
        self.outbox: asyncio.Queue[bytes | None] = asyncio.Queue(OUTBOX)
        self.too_slow = False

    def send(self, frame: bytes) -> None:
        """Put a frame into the outbox; who does not empty it is sent away."""
        try:
            self.outbox.put_nowait(frame)
        except asyncio.QueueFull:
            self.too_slow = True


class LiveTable:
    """A table that this server runs."""

    def __init__(self, floor: Floor, name: str, code: str, fence: int, table: Table, secret: bytes | None) -> None:
        self.floor, self.id, self.code, self.fence, self.table, self.secret = floor, name, code, fence, table, secret
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.commands: set[str] = set()
        self.lost = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._bots: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ clients

    async def connect(self, client: Client) -> None:
        """A client is here: it is told everything it does not know yet."""
        async with self.lock:
            self.clients.add(client)
            seat = self.table.seat_of(client.token)
            if seat != WATCHER and self.table.seats[seat].away:
                await self._write(Step(log.Back(seat)))
            self._tell([client])
        self._wake()

    def disconnect(self, client: Client) -> None:
        """A client is gone; after a while a bot answers for it."""
        self.clients.discard(client)
        seat = self.table.seat_of(client.token)
        if seat != WATCHER and not self._is_here(seat):
            self._soon(self._miss(seat))

    def _is_here(self, seat: int) -> bool:
        return any(self.table.seat_of(client.token) == seat for client in self.clients)

    async def _miss(self, seat: int) -> None:
        await asyncio.sleep(self.table.opened.grace)
        async with self.lock:
            held = self.table.seats[seat]
            if held.key and not held.away and not self._is_here(seat) and not self.table.closed:
                await self._write(Step(log.Away(seat)))
        self._wake()

    async def sit(self, token: str, name: str, seat: int | None) -> int:
        """A guest sits down, at the first seat of a bot if he does not say where; his seat."""
        async with self.lock:
            place = self.table.free_seat() if seat is None else seat
            await self._write(self.table.sit(place, name, token))
            return place

    def record(self, token: str) -> str:
        """The record as this guest may have it: whole when the match is over and the table opens its deals."""
        state = self.table.state
        if state.is_terminal and self.table.opened.told:
            return state.record()
        return state.record(self.table.seat_of(token))

    # ------------------------------------------------------------------ commands

    async def do(self, client: Client, command: wire.AnyCommand) -> wire.Done | wire.Refused:
        """Do what a client wants, once; the answer comes when it is on disk."""
        key = f"{fingerprint(client.token)[:16]}:{command.id}"
        async with self.lock:
            if key in self.commands:
                return wire.Done(id=command.id)
            try:
                step = self._step(client, command)
            except IllegalAction as mistake:
                return wire.Refused(id=command.id, sentence=str(mistake), clause=mistake.clause)
            except ParlourError as mistake:
                return wire.Refused(id=command.id, sentence=str(mistake))
            except Exception as failure:
                await self._freeze(failure)
                return wire.Refused(id=command.id, sentence=f"This table stands still: {self.table.frozen}")
            await self._write(step, key)
        self._wake()
        return wire.Done(id=command.id)

    def _step(self, client: Client, command: wire.AnyCommand) -> Step:
        table = self.table
        seat = table.seat_of(client.token)
        match command:
            case wire.Act():
                return table.act(seat, command.action, self._secret())
            case wire.Undo():
                return table.undo(seat)
            case wire.Leave():
                return table.leave(seat)
            case wire.Say():
                return table.say(seat, table.seats[seat].name if seat != WATCHER else client.name, command.text)
            case _:
                raise ParlourError("That cannot be done here.")

    def _secret(self) -> bytes:
        if self.secret is None:
            raise ParlourError("The match has not begun.")
        return self.secret

    async def _write(self, step: Step, key: str | None = None, secret: bytes | None = None) -> None:
        """Take an entry into the table and the log, and tell who noticed it once it is on disk."""
        table = self.table
        table.commit(step.entry, step.after)
        row = Row(table.version, step.entry, tuple(table.marks), key)
        begun = None if secret is None else (table.match, secret)
        try:
            await asyncio.wrap_future(self.floor.store.append(self.id, self.fence, row, begun))
        except (LostTable, Repeated):
            self.floor.drop(self)
            raise
        if key is not None:
            self.commands.add(key)
        if isinstance(step.entry, log.Said):
            remark = wire.encode(wire.Remark(name=step.entry.name, text=step.entry.text))
            for client in self.clients:
                client.send(remark)
        self._tell(self.clients)

    async def _freeze(self, failure: Exception) -> None:
        _journal.error("table %s stands still: %s", self.id, type(failure).__name__, exc_info=failure)
        await self._write(Step(log.Frozen("something went wrong inside the game; its log is kept.")))

    def _tell(self, clients: Any) -> None:
        """Send its telling to each of these clients whose seat has noticed something."""
        made: dict[tuple[int, int], bytes] = {}
        for client in list(clients):
            seat = self.table.seat_of(client.token)
            if self.table.marks[seat] == client.version:
                continue
            if client.match != self.table.match:
                client.match, client.heard = self.table.match, 0
            known = seat, client.heard
            telling = self.table.telling(seat, client.heard)
            if known not in made:
                made[known] = wire.encode(telling)
            client.version, client.heard = telling.version, telling.heard
            client.send(made[known])

    # ------------------------------------------------------------------ bots and clocks

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _wake(self) -> None:
        """Bots that are asked begin to think."""
        if self._bots is None or self._bots.done():
            self._bots = asyncio.get_running_loop().create_task(self._answer())

    async def _answer(self) -> None:
        """Let bots answer as long as they are asked."""
        while not self.lost:
            table, state = self.table, self.table.state
            if table.frozen or table.closed or not table.match or state.current_player == CHANCE:
                return
            asked = [p for p in state.acting if table.seats[p].is_bots]
            if not asked:
                return
            version, seat = table.version, asked[0]
            view, legal = state.view(seat), state.legal_actions(seat)
            chosen, _ = await asyncio.gather(
                self.floor.bots.choose(table.seats[seat].bot, seat + 1, view, legal), asyncio.sleep(table.opened.pace)
            )
            async with self.lock:
                if self.table.version != version and (
                    seat not in table.state.acting or table.state.view(seat) != view or not table.seats[seat].is_bots
                ):
                    continue
                try:
                    step = table.act(seat, table.game.action_names[chosen], self._secret())
                except Exception as failure:
                    await self._freeze(failure)
                    return
                await self._write(step)

    async def begin(self) -> None:
        """A match begins."""
        secret = secrets.token_bytes(32)
        async with self.lock:
            step = self.table.begin(secret, {})
            self.secret = secret
            await self._write(step, secret=secret)
        self._wake()


class Floor:
    """All tables that this server runs, in a store that it may share with other servers."""

    def __init__(self, store: Store, bots: Bots | None = None, owner: str | None = None) -> None:
        self.store, self.bots = store, bots or Bots()
        self.owner = owner or secrets.token_hex(8)
        self.live: dict[str, LiveTable] = {}

    async def open(self, opened: log.Opened) -> LiveTable:
        """A new table, its match begun."""
        name = secrets.token_urlsafe(12)
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        table = Table(opened)
        fence = await asyncio.to_thread(self.store.make, name, code, opened, opened.players, self.owner, LEASE)
        live = self.live[name] = LiveTable(self, name, code, fence, table, None)
        await live.begin()
        return live

    async def get(self, name: str) -> LiveTable:
        """The table of this name, from its log if it is not running here; ``ParlourError`` if there is none."""
        live = self.live.get(name)
        if live is not None:
            return live
        fence = await asyncio.to_thread(self.store.take, name, self.owner, LEASE)
        if fence is None:
            raise ParlourError("There is no such table here.")
        rows = await asyncio.to_thread(self.store.read, name)
        first = rows[0].entry
        assert isinstance(first, log.Opened)
        table = Table(first)
        commands = set()
        for row in rows[1:]:
            table.commit(row.entry, marks=row.marks)
            if row.command is not None:
                commands.add(row.command)
        secret = await asyncio.to_thread(self.store.secret, name, table.match) if table.match else None
        live = self.live.setdefault(name, LiveTable(self, name, "", fence, table, secret))
        live.commands |= commands
        live._wake()
        return live

    async def close(self) -> None:
        """Stop: tables stay in their logs."""
        for live in list(self.live.values()):
            self.drop(live)
        self.bots.close()
        await asyncio.to_thread(self.store.close)

    def drop(self, live: LiveTable) -> None:
        """Another server has the table now: its clients go there."""
        live.lost = True
        self.live.pop(live.id, None)
        for client in live.clients:
            client.send(wire.encode(wire.Bye(reason="This table has moved; connect again.")))
