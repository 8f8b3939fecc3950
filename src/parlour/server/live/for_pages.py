"""All that pages, and the club behind them, may ask of a server: :class:`ForPages`, and a table's :class:`Session`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from parlour.server.bots.best_line import BestLines
from parlour.server.bots.bots import Workers
from parlour.server.live.guests import Guests
from parlour.server.live.secrecy import Secrecy
from parlour.server.live.session import Session
from parlour.server.store.competitions import Competitions


class ForPages(Protocol):
    """A server as pages know it; :class:`parlour.server.live.tables.Tables` is one."""

    guests: Guests
    """How guests' matches ended, and all else that is kept of them."""
    competitions: Competitions
    """Deals of the day, duplicates, tournaments and ladders, as they are kept; each call reads or writes the database,
    so it is made in a thread."""
    secrecy: Secrecy
    """Whether everybody may know the cards of a competition by now, and the time that has surely come."""
    best_lines: BestLines
    """What the strongest bot does with a deal of the day that is over."""
    aside: Workers
    """A process for work that would hold up everybody else, such as drawing a picture."""

    async def session(self, name: str, key: str) -> Session:
        """Return the table of this name or code as the guest with this key has it.  Raises
        :class:`~parlour.server.common.errors.NoTable` if there is none, and
        :class:`~parlour.server.common.errors.Private` if the guest may not see it yet."""
        ...

    async def invited(self, name: str, key: str = "") -> Session:
        """Return the same for the club, which seats guests at tables that they may not see yet, and tells of these only
        what everybody may know. It does not count as a look at the table. Raises
        :class:`~parlour.server.common.errors.NoTable` if there is none."""
        ...

    async def listed(self, most: int) -> list[Session]:
        """Return the open tables that the lobby may list, newest first, as spectators have them."""
        ...

    async def seated(self, guest: str, most: int) -> list[Session]:
        """Return the open tables at which a guest has a seat, beginning with the one where they sat down last."""
        ...

    async def kept(self, codes: Collection[str]) -> set[str]:
        """Return those of these invitations whose tables are still kept."""
        ...


__all__ = ["ForPages", "Session"]
