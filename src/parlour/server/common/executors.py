"""Threads for work that may take seconds. Quick work, such as a look-up in the database or the renewal of a server's
lease, never has to wait behind the replay of somebody's record."""

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
"""The most pieces of work that may wait, where strangers can ask for it."""


class Heavy:
    """Threads for one kind of work. If too much of it is waiting, more is refused.

    >>> import asyncio
    >>> asyncio.run(Heavy("sums", 1).do(sum, [1, 2]))
    3
    """

    def __init__(self, name: str, threads: int, most: float = math.inf) -> None:
        self._threads = ThreadPoolExecutor(threads, f"parlour {name}")
        self._most = most
        self.waiting = 0

    async def do(self, work: Callable[..., T], *given: Any) -> T:
        """Do the work in its turn, in the language of whoever asked for it, and return its result. Raises
        ``ParlourError`` if too much is waiting."""
        if self.waiting >= self._most:
            raise ParlourError("Too many guests have asked for this at the moment; try again in a minute.")
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work, *given)
        finally:
            self.waiting -= 1


RECORDS: Final = Heavy("records", 1, MOST)
"""For replaying records that guests have sent."""
LOGS: Final = Heavy("logs", 2)
"""For replaying the logs of tables."""
TRACES: Final = Heavy("traces", 1, MOST)
"""For finding all that is kept of a guest."""

ODDS: Final = Heavy("odds", 1, MOST)
"""For working out the odds of a choice for a hint, exactly or by sampling."""

__all__ = ["LOGS", "ODDS", "RECORDS", "TRACES", "Heavy"]
