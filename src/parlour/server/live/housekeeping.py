"""What a server does for its tables now and then, whoever is there: put them away, close them, and delete what is past
its time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Final

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.common import clock
from parlour.server.common.limits import HOUR
from parlour.server.live.neighbours import Neighbours
from parlour.server.live.registry import Registry
from parlour.server.store.retention import Keep

HOUSE: Final = 1.5
"""Seconds between two rounds in which a server looks at all its tables."""
IDLE: Final = 300.0
"""Seconds after which a table that nobody looks at is removed from memory; its log remains."""
ABANDONED: Final = 86400.0
"""Seconds after which a table that nobody has used is closed."""
FORSAKEN: Final = 60 * 86400.0
"""Seconds after which a table by post that nobody has used is closed."""
_ABANDONED: Final = (
    (False, ABANDONED, marked("nobody has been here for a day.")),
    (True, FORSAKEN, marked("nobody has been here for two months.")),
)

_journal = logging.getLogger("parlour.server")


class Housekeeping:
    """The regular work at a server's tables.  ``keep``: how long it keeps what is over."""

    def __init__(self, tables: Registry, neighbours: Neighbours, keep: Keep) -> None:
        self._tables, self._neighbours, self._keep = tables, neighbours, keep

    async def run(self) -> None:
        """Say who is here, put away tables that nobody looks at, close those that nobody uses, and delete what is past
        its time."""
        closing = clock.now()
        while True:
            await asyncio.sleep(HOUSE)
            try:
                for live in list(self._tables.live.values()):
                    follows = live.fence is None and not live.table.closed
                    is_seen = live.spectators_here or live.said_here or live.audience.elsewhere
                    if follows or (self._neighbours.may_exist and is_seen):
                        await self._neighbours.say_who_is_here(live)
                    if not follows and not live.audience.connections and clock.now() - live.presence.seen > IDLE:
                        if not live.table.owes_results:
                            await self._tables.put_away(live, "")
                if clock.now() > closing:
                    await asyncio.to_thread(self._tables.store.settle)
                    await asyncio.to_thread(self._tables.store.tidy)
                    await self.close_abandoned()
                    await asyncio.to_thread(self._tables.store.forget, self._keep)
                    closing = clock.now() + HOUR  # if all of it was done; else it is tried again in the next round
            except ParlourError as trouble:
                _journal.warning("%s", trouble)
            except Exception as trouble:  # one faulty table must not lose the others
                _journal.error("keeping house failed", exc_info=trouble)

    async def close_abandoned(self) -> None:
        """Close tables that nobody has used for a day; tables by post, for two months. If a match is on there, its
        guests count as having left it, so that bots play it to its end: a guest who goes without a word has a result,
        too. Anything due before that, such as a bot's move for a guest who takes too long, is done when the tables are
        looked at."""
        now = self._tables.store.sure()
        for by_post, since, why in _ABANDONED:
            for name in await asyncio.to_thread(self._tables.store.untouched, now - since, by_post):
                with contextlib.suppress(ParlourError):
                    live = await self._tables.get(name)
                    is_seen = live.audience.is_looked_at
                    if live.fence is not None and not (is_seen or live.table.owes_results):
                        if live.table.has_a_result_to_come:
                            await live.leave_to_bots()
                        else:
                            await live.close(why)
                            await self._tables.put_away(live, "")
        for name in await asyncio.to_thread(self._tables.store.untouched, now - ABANDONED, True, True):
            with contextlib.suppress(ParlourError):
                await self._tables.get(name)


__all__ = ["Housekeeping"]
