"""All tables that a server runs, or follows because another server on the same database runs them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Collection, Coroutine
from typing import Any

from msgspec import MsgspecError

from parlour.base.errors import ParlourError
from parlour.server.bots.best_line import BestLines
from parlour.server.bots.bots import Bots, Workers
from parlour.server.bots.reviews import Reviews
from parlour.server.common.errors import NoTable, Private
from parlour.server.common.executors import LOGS, RECORDS
from parlour.server.common.metrics import Metrics
from parlour.server.common.outside import token_urlsafe
from parlour.server.live import moves
from parlour.server.live.appender import LogAppender
from parlour.server.live.guests import Guests
from parlour.server.live.housekeeping import Housekeeping
from parlour.server.live.idempotency import Once
from parlour.server.live.identity import Tokens
from parlour.server.live.live_table import LiveTable
from parlour.server.live.neighbours import Neighbours
from parlour.server.live.secrecy import Secrecy
from parlour.server.live.session import Session
from parlour.server.store import lease
from parlour.server.store.competitions import Competitions
from parlour.server.store.health import HealthCheck
from parlour.server.store.retention import Keep
from parlour.server.store.store import Store, Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table import log
from parlour.server.table.invitations import CODE_LENGTH, new_code
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Change, Table

_journal = logging.getLogger("parlour.server")


class Tables:
    """All tables of a server, over a store that it may share with other servers.  ``keep``: how long it keeps what is
    over."""

    def __init__(self, store: Store, bots: Bots | None = None, keep: Keep | None = None) -> None:
        self.store, self.bots, self.metrics = store, bots or Bots(), Metrics()
        self.competitions, self.tokens = Competitions(store), Tokens(store.signet(), store.ended())
        self.live: dict[str, LiveTable] = {}
        self.metrics.tables.set_function(lambda: len(self.live))
        self.metrics.connections.set_function(self._connections)
        self.best_lines = BestLines(self.bots, self.competitions)
        self.reviews, self.aside = Reviews(self.bots), Workers(1)
        """``aside``: a process for work that would hold up everything else in this one."""
        self.neighbours = Neighbours(self)
        self.health = HealthCheck(store, self.neighbours.lease)
        self.appender = LogAppender(store, self.neighbours.timeout)
        self.guests = Guests(Traces(store), self.neighbours.rewritten, self.soon)
        self.secrecy = Secrecy(self.competitions, self._table_of)
        self.housekeeping = Housekeeping(self, self.neighbours, keep or Keep())
        self.loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._tasks: dict[asyncio.Task[None], None] = {}

    def _connections(self) -> int:
        return sum(len(live.audience.connections) for live in list(self.live.values()))

    async def _table_of(self, code: str) -> Table:
        return (await self.get(code)).table

    def start(self) -> None:
        """Start the regular work; call it in a running event loop."""
        self.neighbours.start()
        self.soon(self.housekeeping.run())

    async def close(self) -> None:
        """Stop. The tables remain in their logs, for the server that takes them next."""
        for task in list(self._tasks):
            task.cancel()
        self.reviews.close()
        self.best_lines.close()
        for live in list(self.live.values()):
            await self.put_away(live, "The server is stopping for a moment; reconnect.")
        self.bots.close()
        self.aside.close()
        await asyncio.to_thread(self.store.close)

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)

    # ------------------------------------------------------------------ tables

    async def open(self, opened: log.Opened, record: str = "") -> LiveTable:
        """Open a new table; with a record, its match continues from there."""
        table = Table(opened)
        resumed = await RECORDS.do(moves.resume, table, record) if record else None
        name = token_urlsafe(12)
        while True:
            code = new_code()
            if await asyncio.to_thread(self.store.find, code) is None:
                break
        fence = await asyncio.to_thread(self.store.make, name, code, opened, self.neighbours.lease.owner, lease.LEASE)
        live = self.live[name] = LiveTable(self, name, code, fence, table, Once())
        if resumed is not None:
            async with live.lock:
                await live.write(resumed)
        return live

    async def session(self, name: str, key: str) -> Session:
        """Return the table of this name or code as the guest with this key has it.  Raises :class:`NoTable` if there is
        none, and :class:`Private` if the guest may not see it yet."""
        live = await self.get(name)
        table = live.table
        is_mine = table.seat_of(key) != WATCHER or table.hosting.before(key) is not None
        if table.deals_alike and not is_mine and not await self.secrecy.is_open(table.opened.event):
            raise Private("Only those who play at this table can see it, because others are dealt the same cards.")
        live.looked_at_by(key)
        return Session(live, key)

    async def invited(self, name: str, key: str = "") -> Session:
        """Return the table of this name or code even for a guest who may not see it yet. Raises :class:`NoTable` if
        there is none."""
        return Session(await self.get(name), key)

    async def get(self, name: str) -> LiveTable:
        """Return the table of this name or code, from its log if it is not in memory.  Raises :class:`NoTable` if there
        is none."""
        live = self.live.get(name)
        if live is not None:
            return live
        name = name.rstrip(".,;:!?)")  # as a link may end in a sentence
        if len(name) == CODE_LENGTH:
            found = await asyncio.to_thread(self.store.find, name.upper())
            if found is not None:
                return await self.get(found)
        task = self.loading.get(name)
        if task is None:
            task = self.loading[name] = asyncio.create_task(self._load(name))
            task.add_done_callback(lambda _: self.loading.pop(name, None))
        return await asyncio.shield(task)

    async def listed(self, most: int) -> list[Session]:
        """Return the open tables that the lobby may list, newest first, as spectators have them."""
        found = []
        for name in (await asyncio.to_thread(self.store.tables))[:most]:
            with contextlib.suppress(ParlourError):
                found.append(await self.session(name, ""))
        return found

    async def seated(self, guest: str, most: int) -> list[Session]:
        """Return the open tables at which a guest has a seat, beginning with the one where they sat down last."""
        found = []
        for name in await self.guests.seated(guest, most):
            with contextlib.suppress(ParlourError):
                session = await self.session(name, guest)
                if session.seat != WATCHER:
                    found.append(session)
        return found

    async def kept(self, codes: Collection[str]) -> set[str]:
        """Return those of these invitations whose tables are still kept."""
        return await asyncio.to_thread(self.store.known, codes)

    async def _load(self, name: str) -> LiveTable:
        code = await asyncio.to_thread(self.store.code, name)
        if code is None:
            raise NoTable("There is no such table.")
        fence = await self.neighbours.lease.take(name)
        table, commands = await LOGS.do(self._read, name)
        live = LiveTable(self, name, code, None, table, Once(commands))
        if fence is not None:
            await self.neighbours.run(live, fence)
        self.live[name] = live  # whatever came in since it was read was told to nobody here
        await (self.neighbours.catch_up(live) if fence is None else self.neighbours.look_around(live))
        return live if self.live.get(name) is live else await self._load(name)  # the log may have been rewritten since

    async def past(self, name: str, match: int) -> Table:
        """Return a table as it stood after one of its earlier matches, from its log."""
        return (await RECORDS.do(self._read, name, match))[0]

    def _read(self, name: str, last: float = math.inf) -> tuple[Table, set[str]]:
        """Return a table as its log says, up to the match ``last``, with the commands in the log. The table stops if
        its log can no longer be played."""
        try:
            rows = self.store.read(name)
        except MsgspecError as wrong:
            _journal.error("the log of table %s cannot be read: %s", name, wrong)
            raise ParlourError("The log of this table cannot be read.") from None
        first = rows[0].entry if rows else None
        if not isinstance(first, log.Opened):
            _journal.error("the log of table %s does not begin with its opening", name)
            raise ParlourError("The log of this table cannot be read.")
        table = Table(first)
        for row in rows[1:]:
            if isinstance(row.entry, log.Committed | log.Resumed) and row.entry.match > last:
                break
            try:
                table.commit(Change(row.entry), row.at, row.command)
            except Exception as failure:
                _journal.error("the log of table %s cannot be played", name, exc_info=failure)
                table.freeze("its log cannot be played by this software. Nothing is lost: the log is kept.")
        return table, {row.command for row in rows if row.command}

    async def put_away(self, live: LiveTable, reason: str) -> None:
        """Remove a table from memory; its log remains.  Whoever is connected is told the reason."""
        mine = live.fence is not None
        self.reviews.table_gone(live.id)
        await live.stop()
        if self.live.get(live.id) is live:
            del self.live[live.id]
        if mine:
            with contextlib.suppress(Unreachable):  # it is given up as soon as the database answers
                await asyncio.to_thread(self.store.release, live.id, self.neighbours.lease.owner)
        live.audience.dismiss(reason)


__all__ = ["Tables"]
