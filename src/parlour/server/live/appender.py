"""Entries of logs on their way to the disk, and the tasks that wait for them in the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from parlour.base.errors import ParlourError
from parlour.server.store.store import Store, StoredEntry, Unreachable
from parlour.server.table import log


class LogAppender:
    """The appender of entries to the logs of a server's tables. ``timeout``: returns the seconds that somebody at
    another server waits for a command of a table; 0: nobody there does."""

    def __init__(self, store: Store, timeout: Callable[[str, str], float]) -> None:
        self._store, self._timeout = store, timeout
        self._on_disk: deque[tuple[asyncio.Future[None], BaseException | None]] = deque()
        self._waking = False

    async def append(self, name: str, fence: int, row: StoredEntry, secret: tuple[int, bytes] | None) -> None:
        """Append an entry, and wait until it is on disk.  Raises :class:`Unreachable` if nobody knows whether it is."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def kept(outcome: Future[None]) -> None:  # runs in the thread that writes
            self._on_disk.append((done, outcome.exception()))
            if not self._waking:
                self._waking = True
                loop.call_soon_threadsafe(self._acknowledge)

        timeout = self._timeout(name, row.command or "")
        self._store.append(name, fence, row, secret, timeout).add_done_callback(kept)
        try:
            await done
        except Unreachable:
            if not await self._is_on_disk(name, row):
                raise

    async def _is_on_disk(self, name: str, row: StoredEntry) -> bool:
        """Whether an entry of which the database has not said so is on disk, as far as that can be read."""
        try:
            found = await asyncio.to_thread(self._store.read, name, row.version - 1)
        except ParlourError:
            return False
        return bool(found) and (found[0].command, log.encode(found[0].entry)) == (row.command, log.encode(row.entry))

    def _acknowledge(self) -> None:
        """Tell everybody who waits for entries that are on disk now. One call serves the many that were written
        together."""
        self._waking = False
        while self._on_disk:
            done, failure = self._on_disk.popleft()
            if done.cancelled():
                continue
            if failure is None:
                done.set_result(None)
            else:
                done.set_exception(failure)


__all__ = ["LogAppender"]
