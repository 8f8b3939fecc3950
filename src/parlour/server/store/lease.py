"""A server's lease on the tables that it runs, and which tables nobody runs any more.

Servers share a PostgreSQL. Each keeps saying that it is there; if one has not done so for :data:`LEASE` seconds, others
may take its tables. A server that is killed loses them sooner: the others look for its mark
(:mod:`parlour.server.store.notify`), which disappears with its connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Final

from parlour.server.common import clock
from parlour.server.store.store import Store

LEASE: Final = 1.5
"""Seconds for which a server owns its tables without renewing its lease."""
ROUND: Final = LEASE / 4
"""Seconds between two renewals."""
AWAKE: Final = 1.0
"""Seconds after a standstill during which a server passes nothing on: what it then finds may be old."""


class Lease:
    """The lease of one server, whose name is ``owner``."""

    def __init__(self, store: Store, owner: str) -> None:
        self._store, self.owner = store, owner
        self._renewed = clock.steady()
        self._asleep_until = 0.0
        self._there: frozenset[str] = frozenset()

    async def take(self, table: str) -> int | None:
        """Become the owner of a table that nobody runs; return the new fence, or ``None``."""
        return await asyncio.to_thread(self._store.take, table, self.owner, LEASE)

    async def next_round(self) -> None:
        """Wait until it is time to renew."""
        # no other server can take a table kept in SQLite
        await asyncio.sleep(ROUND if self._store.is_shared else 4 * ROUND)

    async def standstills(self) -> AsyncIterator[None]:
        """Yield each time that the server has stood still for longer than the lease lasts, whatever it was doing."""
        before = clock.steady()
        while True:
            await asyncio.sleep(ROUND)
            now = clock.steady()
            if now - before > ROUND + LEASE:
                self._asleep_until = now + AWAKE
                yield
            before = now

    async def renew(self) -> set[str]:
        """Renew the ownership of this server's tables; return those that it still owns."""
        asked = clock.steady()
        mine = await asyncio.to_thread(self._store.renew, self.owner, LEASE)
        self._renewed = asked
        return mine

    async def left(self, followed: Collection[str]) -> set[str]:
        """Return those of these tables, last known to be run by other servers, that no server runs any more."""
        return await asyncio.to_thread(self._left, followed)

    def _left(self, followed: Collection[str]) -> set[str]:
        there = self._store.servers_there()
        gone, self._there = self._there - there, there
        if gone:
            self._store.end_leases(gone)
        return self._store.left(followed) if followed else set()

    @property
    def is_cut_off(self) -> bool:
        """Whether this server may have lost its lease without knowing it, because it stood still or cannot reach the
        database. What a guest wanted before that may be long past."""
        now = clock.steady()
        return self._store.is_shared and (now - self._renewed > LEASE or now < self._asleep_until)


__all__ = ["AWAKE", "LEASE", "ROUND", "Lease"]
