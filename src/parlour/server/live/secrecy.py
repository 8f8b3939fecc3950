"""The cards that all tables of a competition share: the secret they follow from, and when everybody may know them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from parlour.base.errors import ParlourError
from parlour.server.common.errors import NoTable
from parlour.server.common.outside import token_bytes
from parlour.server.store.competitions import Competitions
from parlour.server.table.competition_names import day_of, deals_alike, today
from parlour.server.table.table import Table

OVERTIME: Final = 3600.0
"""Seconds for which matches may go on after their competition is over; then everybody may know its cards."""
LASTS: Final = 2 * 86400.0
"""Seconds after which a duplicate is over, if nobody has ended it."""


class Secrecy:
    """What must not be known yet of a server's competitions. ``table_of``: finds the table with a code, or raises
    :class:`NoTable`."""

    def __init__(self, competitions: Competitions, table_of: Callable[[str], Awaitable[Table]]) -> None:
        self._competitions, self._table_of = competitions, table_of

    def sure(self) -> float:
        """Return the time that has surely come, in seconds since 1970."""
        return self._competitions.sure()

    async def secret_for(self, event: str) -> bytes:
        """Return the secret of a match that is about to begin: where all tables are dealt the same cards, that of the
        competition."""
        if not deals_alike(event):
            return token_bytes(32)
        kept = await asyncio.to_thread(self._competitions.get, event)
        if kept is None or kept.secret is None:
            raise ParlourError("This table's event no longer exists.")
        return kept.secret

    async def is_over(self, event: str) -> bool:
        """Whether no more matches begin with the cards that all tables of a competition share, because its day is over,
        its host has ended it, or it has lasted long enough."""
        return deals_alike(event) and await self._is_past(event, self.sure())

    async def is_open(self, event: str) -> bool:
        """Whether everybody may know the cards of a competition: it is over, and nobody plays them any more. A
        duplicate that its host has ended waits for its last match. An hour after the time of a competition, nobody
        plays on, and its cards are open."""
        if not deals_alike(event) or await self._is_past(event, self.sure() - OVERTIME, whoever_ended_it=False):
            return True
        return not day_of(event) and await self.is_over(event) and not await self._is_played(event)

    async def _is_past(self, event: str, at: float, whoever_ended_it: bool = True) -> bool:
        """Whether a competition was over at a time; ``whoever_ended_it=False``: whether its own time was."""
        if day := day_of(event):
            return day < today(at)
        kept = await asyncio.to_thread(self._competitions.get, event)
        return kept is None or (kept.closed and whoever_ended_it) or kept.made + LASTS < at

    async def _is_played(self, event: str) -> bool:
        """Whether a table of a competition has still to be played to its end."""
        for code in {one.code for one in await asyncio.to_thread(self._competitions.entrants, event) if one.code}:
            with contextlib.suppress(NoTable):
                table = await self._table_of(code)
                if not (table.is_done or table.frozen):
                    return True
        return False


__all__ = ["LASTS", "OVERTIME", "Secrecy"]
