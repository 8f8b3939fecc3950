"""What the parts of a running table require of one another, so that none needs to know how another is built."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parlour.server.bots.bots import Bots
    from parlour.server.bots.reviews import Reviews
    from parlour.server.common import wire
    from parlour.server.common.metrics import Metrics
    from parlour.server.live.appender import LogAppender
    from parlour.server.live.beat import Beat
    from parlour.server.live.connection import Audience
    from parlour.server.live.guests import Guests
    from parlour.server.live.mixing_round import MixingRound
    from parlour.server.live.presence import Presence
    from parlour.server.live.secrecy import Secrecy
    from parlour.server.table.table import Change, Table


class OtherServers(Protocol):
    """What a table requires of the other servers: :class:`parlour.server.live.neighbours.Neighbours`."""

    @property
    def may_exist(self) -> bool:
        """Whether other servers may use the same database."""
        ...

    def lost(self, live: Any) -> None:
        """Note that another server has taken a table."""

    async def forward(self, live: Any, key: str, whole: str, command: wire.PassedOn) -> wire.Answer:
        """Have a command carried out by the server that runs the table."""
        ...

    async def is_elsewhere(self, live: Any, seat: int) -> bool:
        """Whether the guest of a seat is connected to another server."""
        ...


class House(Protocol):
    """What a table requires of its server: :class:`parlour.server.live.tables.Tables`."""

    bots: Bots
    metrics: Metrics
    reviews: Reviews
    guests: Guests
    secrecy: Secrecy
    appender: LogAppender

    @property
    def neighbours(self) -> OtherServers:
        """The other servers on its database."""
        ...

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Start something in the background."""

    async def past(self, name: str, match: int) -> Table:
        """Return a table as it stood after one of its earlier matches."""
        ...


class Running(Protocol):
    """What the croupier requires of the table it works at: :class:`parlour.server.live.live_table.LiveTable`."""

    id: str
    code: str
    fence: int | None
    table: Table
    secret: bytes | None
    audience: Audience
    presence: Presence
    beat: Beat
    round: MixingRound | None
    awaited: str
    lock: asyncio.Lock
    tables: House

    def act(self, seat: int, line: str) -> Change:
        """Return the entry for an action of a seat."""
        ...

    @property
    def page_wait(self) -> float | None:
        """The most seconds that bots wait for the page of the only guest; ``None`` if they wait for no page."""
        ...

    @property
    def is_hurried(self) -> bool:
        """Whether bots take no time, because the only guest is in a hurry."""
        ...

    @property
    def reading_wait(self) -> float:
        """The seconds that bots wait for the only guest, who is reading something."""
        ...

    def newcomers(self) -> list[int]:
        """Return the seats that may contribute a nonce."""
        ...

    async def whisper(self, seat: int, name: str, line: str) -> None:
        """Keep an answer to a hushed question."""

    def broken(self, failure: Exception) -> Change:
        """Return the entry that stops a table."""
        ...

    async def write(self, change: Change, command: str | None = None, secret: bytes | None = None) -> None:
        """Write an entry, commit it, and tell it to everybody who notices."""

    async def is_too_late(self) -> bool:
        """Whether the match may not begin or go on any more, because everybody may see its cards."""
        ...

    async def close(self, reason: str) -> None:
        """Close the table."""
