"""What a server keeps of guests beyond one table: how their matches ended, and all else that is theirs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any, Final

from parlour.base.errors import ParlourError
from parlour.server.common.executors import TRACES
from parlour.server.store.history import MatchResult, results_of
from parlour.server.store.store import Unreachable
from parlour.server.store.traces import Traces
from parlour.server.table.table import Table

AGAIN: Final = 5.0
"""Seconds until the next try to keep how a match ended, if the database does not answer."""

_journal = logging.getLogger("parlour.server")


class Guests:
    """The guests of a server. ``rewritten``: called when the logs of some tables have changed with a guest; ``soon``:
    starts something in the background."""

    def __init__(
        self,
        traces: Traces,
        rewritten: Callable[[Collection[str]], Awaitable[None]],
        soon: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._traces, self._rewritten, self._soon = traces, rewritten, soon

    def match_ended(self, name: str, code: str, table: Table) -> None:
        """Keep how the match of a table ended, for its guests."""
        results = results_of(table, code, self._traces.now)
        if results:
            self._soon(self._keep_at_last(name, table.match, results))

    async def keep(self, name: str, code: str, table: Table) -> None:
        """Make sure that this is done before another match begins there. Raises ``ParlourError`` if it cannot be done
        now."""
        if results := results_of(table, code, self._traces.now):
            await asyncio.to_thread(self._traces.keep_results, name, table.match, results)

    async def _keep_at_last(self, name: str, match: int, results: dict[str, MatchResult]) -> None:
        while True:
            try:
                return await asyncio.to_thread(self._traces.keep_results, name, match, results)
            except Unreachable as trouble:
                _journal.warning("the results of table %s cannot be kept yet: %s", name, trouble)
                await asyncio.sleep(AGAIN)
            except ParlourError as trouble:
                return _journal.warning("the results of table %s cannot be kept: %s", name, trouble)

    async def seated(self, guest: str, most: int) -> list[str]:
        """Return the names of the open tables at which a guest has sat down, beginning with the last."""
        return await asyncio.to_thread(self._traces.seated, guest, most)

    async def results(self, guest: str, most: int) -> list[MatchResult]:
        """Return how a guest's matches ended, the latest first."""
        return await asyncio.to_thread(self._traces.results, guest, most)

    async def saved(self, guest: str) -> dict[str, Any]:
        """Return all that is kept of a guest."""
        return await TRACES.do(self._traces.saved, guest)

    async def knows(self, guest: str) -> bool:
        """Whether anything lasting is kept of a guest."""
        return await asyncio.to_thread(self._traces.knows, guest)

    async def forget(self, guest: str) -> None:
        """Delete what is kept of a guest; their token is no longer valid."""
        await self._rewrite(self._traces.forget_guest, guest)

    async def move(self, guest: str, other: str) -> None:
        """Let a guest be known by another fingerprint; the token that they had is no longer valid."""
        await self._rewrite(self._traces.move_guest, guest, other)

    async def _rewrite(self, work: Callable[..., Collection[str]], *guests: str) -> None:
        tables: Collection[str] = ()
        try:
            tables = await TRACES.do(work, *guests)
        finally:  # even if nobody knows whether it was done
            await self._rewritten(tables)


__all__ = ["Guests"]
