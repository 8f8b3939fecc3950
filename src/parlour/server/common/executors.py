"""Work that may take seconds, in threads of its own: quick work, such as a look-up in the database or a server's lease,
never waits for a thread that replays somebody's record."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar

from parlour.base.errors import ParlourError

T = TypeVar("T")

MOST: Final = 16
"""How many pieces of such work may wait, if strangers can ask for it."""


class Heavy:
    """Threads for one kind of work; when too much of it waits, more is refused.

    >>> import asyncio
    >>> asyncio.run(Heavy("sums", 1).do(sum, [1, 2]))
    3
    """

    def __init__(self, name: str, threads: int, most: float = math.inf) -> None:
        self._threads = ThreadPoolExecutor(threads, f"parlour {name}")
        self._most = most
        self.waiting = 0

    async def do(self, work: Callable[..., T], *given: Any) -> T:
        """Have it done in its turn, in the language of whoever waits for it.  Raises ``ParlourError`` if too much
        waits.
        """
        if self.waiting >= self._most:
            raise ParlourError("Too many guests have asked for this at the moment; try again in a minute.")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work, *given)
        finally:
            self.waiting -= 1


RECORDS: Final = Heavy("records", 1, MOST)
"""Replays of records that somebody has sent."""
LOGS: Final = Heavy("logs", 2)
"""Replays of the logs of tables."""
TRACES: Final = Heavy("traces", 1, MOST)
"""Looking for all that is kept of a guest."""

ODDS: Final = Heavy("odds", 1, MOST)
"""Counting, or sampling, the odds of a choice for a hint."""

__all__ = ["LOGS", "ODDS", "RECORDS", "TRACES", "Heavy"]
