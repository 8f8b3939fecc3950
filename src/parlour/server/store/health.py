"""Whether the database answers."""

from __future__ import annotations

import asyncio
from typing import Final

from parlour.server.common import clock
from parlour.server.store.lease import Lease
from parlour.server.store.store import Store, Unreachable

PING: Final = 2.0
"""Seconds within which the database must answer a server that checks on it."""


class HealthCheck:
    """The health of a server's database."""

    def __init__(self, store: Store, lease: Lease) -> None:
        self._store, self._lease = store, lease
        self._pinging: asyncio.Task[None] | None = None
        self._pinged = -1.0

    async def ping(self) -> None:
        """Check that the database can be written and read, at most once a second. Raises :class:`Unreachable` if not,
        or if that takes too long."""
        if clock.now() - self._pinged < 1.0:
            return
        if self._pinging is None or self._pinging.done():  # one at a time, however many ask
            self._pinging = asyncio.create_task(self._ping())
            self._pinging.add_done_callback(_failed)  # perhaps too late for whoever asked
        done, _ = await asyncio.wait([self._pinging], timeout=PING)
        if not done:
            raise Unreachable("The database has not answered for {ping:g} seconds.", ping=PING)
        self._pinging.result()

    async def _ping(self) -> None:
        await self._lease.renew()
        await asyncio.to_thread(self._store.check)
        self._pinged = clock.now()


def _failed(task: asyncio.Task[None]) -> bool:
    return not task.cancelled() and task.exception() is not None


__all__ = ["HealthCheck"]
