"""The connections to a table, and what each of them is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Final

from parlour.server.common import clock, wire
from parlour.server.store.inbox import NO_WISHES, Wishes
from parlour.server.table.seats import nobody
from parlour.server.table.table import Table

SILENT: Final = 20.0
"""Seconds that bots wait for a page that does not say that it has shown more."""
OUTBOX: Final = 500
"""Packets that may wait for a slow reader before it is disconnected; it may reconnect and continue from where it
was."""


class Connection:
    """The connection of a guest or of a spectator: what waits to be sent to it, and how much it has heard.

    ``key``: the fingerprint of the guest's token; ``heard``: how many sentences of a ``match`` it has been told;
    ``seat``: the seat to which they were told (``None``: unknown); ``mixes``: whether the client contributes nonces;
    ``items``: whether it wants views in the order of telling; ``page``: whether it is a page of this server, which
    takes tellings as they are, with the view in words even if ``items`` is set; ``holds``: whether it wants to look at
    a finished deal before the next; ``steps``: whether it wants to see each event at its own moment; ``shown``: the
    match and the number of sentences that it says it has shown, ``None`` if it has never said so; ``is_over``: whether
    nothing that comes from it is carried out any longer.

    >>> connection = Connection("")
    >>> connection.send(wire.encode(wire.Done(id="1")))
    >>> connection.outbox.get_nowait()
    b'{"frame":"done","id":"1"}'
    """

    def __init__(
        self,
        key: str,
        *,
        match: int = 0,
        seat: int | None = None,
        heard: int = 0,
        mixes: bool = False,
        items: bool = False,
        page: bool = False,
        holds: bool = False,
        steps: bool = False,
    ) -> None:
        self.key = key or nobody()
        self.match, self.seat, self.heard = match, seat, heard
        self.mixes, self.items, self.holds, self.page, self.steps = mixes, items, holds, page, steps
        self.shown: tuple[int, int] | None = None
        self.hurries = False
        """Whether the guest wants to be shown nothing until their seat is asked."""
        self.lags = 0.0
        """When it last said that it had shown more, or last had nothing left to show."""
        self.version = -1
        self.outbox: asyncio.Queue[wire.Packet | wire.Telling | None] = asyncio.Queue(OUTBOX)
        self.too_slow = self.is_over = False

    def send(self, packet: wire.Packet | wire.Telling | None) -> None:
        """Put a packet into the outbox (``None`` ends the connection); a reader that leaves it full is too slow."""
        try:
            self.outbox.put_nowait(packet)
        except asyncio.QueueFull:
            self.too_slow = True


class Audience:
    """All connections to a table.  Each is told what its seat notices, once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.connections: dict[Connection, None] = {}  # in the order in which they came, which is that of telling
        self.elsewhere: Mapping[str, Wishes] = {}
        """Those who are connected to other servers, by key, and what they wish of this one."""

    @property
    def is_looked_at(self) -> bool:
        """Whether anybody is connected, to whichever server."""
        return bool(self.connections or self.elsewhere)

    def keys(self) -> set[str]:
        """Return the keys of everybody who is connected."""
        return {one.key for one in self.connections}

    def has(self, key: str) -> bool:
        """Whether somebody with this key is connected."""
        return any(one.key == key for one in self.connections)

    def mixing(self) -> set[str]:
        """Return the keys of those whose clients contribute nonces."""
        return {one.key for one in self.connections if one.mixes}

    def holding(self) -> set[int]:
        """Return the seats of everybody who looks at a finished deal before the table goes on, with ``WATCHER`` among
        them."""
        return {self._table.seat_of(key) for key, wishes in self._all_wishes() if wishes.holds}

    def sees_steps(self) -> bool:
        """Whether anybody is shown each event at its own moment."""
        return any(wishes.steps for _, wishes in self._all_wishes())

    def _all_wishes(self) -> Iterable[tuple[str, Wishes]]:
        return (*self.wishes().items(), *self.elsewhere.items())

    def wishes(self) -> dict[str, Wishes]:
        """Return what everybody who is connected to this server wishes, by key."""
        found = dict[str, Wishes]()
        for one in self.connections:
            found[one.key] = found.get(one.key, NO_WISHES) | Wishes(one.holds, one.steps)
        return found

    def shows(self, one: Connection, said: wire.Shown) -> None:
        """Note what a connection says that it has shown."""
        one.shown, one.hurries, one.lags = (said.match, said.heard), said.hurry, clock.now()

    def hurries(self, key: str) -> bool:
        """Whether a page of a guest is in a hurry."""
        return any(one.hurries for one in self.connections if one.key == key)

    def page_wait(self, key: str) -> float | None:
        """Return the seconds until the pages of a guest have shown all that they were told, or are no longer waited
        for; ``None`` if none of them says what it shows."""
        saying = [one for one in self.connections if one.key == key and one.shown is not None]
        if not saying:
            return None
        told = self._table.match, self._table.known.heard(self._table.seat_of(key))
        behind = [one for one in saying if one.shown is not None and one.shown < told]
        return max((0.0, *(one.lags + SILENT - clock.now() for one in behind)))

    def welcome(self, newcomer: Connection) -> None:
        """Add a connection. It may have been here before; what it has heard counts unless a step of this match was
        taken back."""
        self.connections[newcomer] = None
        if self._table.undone:
            newcomer.heard = 0

    def rewind(self) -> None:
        """Note that a move was taken back, and its sentences with it."""
        table = self._table
        for one in self.connections:
            one.heard = min(one.heard, table.known.heard(table.seat_of(one.key)))
            if one.shown is not None:
                one.shown = min(one.shown, (table.match, one.heard))

    def tell(self, only: Connection | None = None) -> None:
        """Send each connection (or ``only`` this one) its telling, if its seat has noticed something."""
        table, made = self._table, dict[tuple[int, int, bool, bool, bool], wire.Packet | wire.Telling]()
        for one in self.connections if only is None else (only,):
            seat = table.seat_of(one.key)
            if (one.seat, one.version) == (seat, table.known.marks[seat]):
                continue
            if (one.seat, one.match) != (seat, table.match):
                one.seat, one.match, one.heard = seat, table.match, 0
            wanted = seat, one.heard, one.items, one.steps and one.version >= 0, one.page
            if wanted not in made:
                telling = table.known.telling(*wanted)
                made[wanted] = telling if one.page else wire.encode(telling)
            if one.shown is not None and one.shown >= (one.match, one.heard):
                one.lags = clock.now()  # until now it had shown everything
            one.version, one.heard = table.known.marks[seat], table.known.heard(seat)
            one.send(made[wanted])

    def send(self, frame: wire.AnyFrame, to: Callable[[str], bool] | None = None) -> None:
        """Send a frame to everybody, or to those with a key that ``to`` accepts."""
        packet = wire.encode(frame)
        for one in self.connections:
            if to is None or to(one.key):
                one.send(packet)

    def dismiss(self, reason: str, ended: Container[str] | None = None) -> None:
        """End all connections; their clients may reconnect. ``ended``: end only those with these keys, which are no
        longer anybody's. A command that has not been read yet is not carried out."""
        goodbye = wire.encode(wire.Bye(reason=reason, back=ended is None))
        for one in self.connections if ended is None else [one for one in self.connections if one.key in ended]:
            one.is_over = True
            one.send(goodbye)
            one.send(None)


__all__ = ["OUTBOX", "Audience", "Connection"]
