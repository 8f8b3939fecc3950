"""Presence: which of a table's guests are here, and for which of them a bot must play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from parlour.server.common import clock
from parlour.server.live.connection import Audience
from parlour.server.table import log
from parlour.server.table.seats import WATCHER
from parlour.server.table.table import Table

RARELY: Final = 3600.0
"""Seconds after which the table is looked at even if nothing is due."""


class Presence:
    """The guests who are here: those with a connection, and those who loaded a page not long ago.

    A guest who has gone for longer than the table's ``grace``, or thinks for longer than its ``patience``, is *away*,
    and a bot plays for them. They are *back* as soon as they do anything, except what could tell others who is asked a
    hushed question, such as an answer to one. At a table by post nobody is away for being gone. There only ``patience``
    counts, from when the log says that they were asked until the time that has surely come (``sure``), whether or not a
    server has run since.
    """

    def __init__(self, table: Table, audience: Audience, sure: Callable[[], float] = clock.wall) -> None:
        self._table, self._audience, self._sure = table, audience, sure
        self.seen = clock.now()
        """When somebody last looked at the table."""
        self._pages: dict[str, float] = {}  # until when guests whose page holds no connection count as here, by key
        self._gone: dict[int, float] = {}  # since when the guest of a seat has not been here, by seat
        self._asked: dict[int, float] = {}  # since when the guest of a seat has been asked, by seat
        self._back: set[int] = set()

    def touch(self) -> None:
        """Note that somebody has looked at the table."""
        self.seen = clock.now()

    def page_loaded(self, key: str, seconds: float) -> bool:
        """Note that a guest has loaded the table's page: without a connection, they count as here for this many
        seconds.  Return whether that changes anything."""
        self.touch()
        seat = self._table.seat_of(key)
        if seat == WATCHER or self._audience.has(key):
            return False
        was_here = self.is_here(seat)
        # those whose time is over are dropped
        self._pages = {one: until for one, until in self._pages.items() if until > self.seen}
        self._pages[key] = self.seen + seconds
        self.acts(seat)
        return not was_here or seat in self._back

    def connected(self, key: str) -> None:
        """Note that a guest has connected: from now on the connection shows whether they are here."""
        self.touch()
        self._pages.pop(key, None)
        self.acts(self._table.seat_of(key))

    def keys(self) -> set[str]:
        """Return the keys of everybody who is here."""
        now = clock.now()
        return self._audience.keys() | {key for key, until in self._pages.items() if until > now}

    def is_here(self, seat: int) -> bool:
        """Whether the guest of a seat is here, at this server."""
        return self._table.seats[seat].key in self.keys()

    def acts(self, seat: int) -> None:
        """Note that the guest of a seat has done something: if they were away, they are back."""
        if seat != WATCHER and self._table.seats[seat].away:
            self._back.add(seat)

    def answered(self, seat: int) -> None:
        """Note that a seat has answered; if it is asked again, its time starts afresh."""
        self._asked.pop(seat, None)

    def changed_hands(self, seat: int) -> None:
        """Note that somebody else has the seat now, or that its guest is back."""
        self._gone.pop(seat, None)
        self._asked.pop(seat, None)
        self._back.discard(seat)

    def is_due(self, seat: int) -> bool:
        """Whether the guest of a seat has been gone, or has been thinking, for too long."""
        return self._left(seat, self.is_here(seat), seat in self._asked_openly(), clock.now()) <= 0

    def is_elsewhere(self, seat: int) -> None:
        """Note that the guest of a seat is connected to another server, or was until now."""
        self._gone[seat] = clock.now()

    def moved_elsewhere(self, key: str, came: bool) -> None:
        """Note that somebody has come to another server, or has gone from there."""
        seat = self._table.seat_of(key)
        if seat != WATCHER:
            self.is_elsewhere(seat)
        if came:
            self.acts(seat)

    def due(self) -> tuple[list[log.Away | log.Back], float]:
        """Return the guests whom the log must now declare away or back, and the seconds until the next may be due."""
        due: list[log.Away | log.Back] = []
        now, soonest = clock.now(), RARELY
        keys, asked = self.keys(), self._asked_openly()
        for seat, guest in enumerate(self._table.seats):
            if not guest.key:
                continue
            left = self._left(seat, guest.key in keys, seat in asked, now)
            if guest.away:
                if seat in self._back:
                    due.append(log.Back(seat))
            elif left <= 0:
                due.append(log.Away(seat))
            else:
                soonest = min(soonest, left)
            if guest.key in self._pages and guest.key in keys:
                soonest = min(soonest, self._pages[guest.key] - now)
        return due, soonest

    def _asked_openly(self) -> tuple[int, ...]:
        """Return the seats that everybody knows to be asked."""
        return () if self._table.is_hushed else self._table.asked

    def _left(self, seat: int, here: bool, asked: bool, now: float) -> float:
        """Return the seconds until the guest of a seat counts as away; ``asked``: whether all know that they are to
        choose."""
        terms = self._table.opened
        if terms.by_post:  # the clock of the log goes on while no server runs
            since = self._table.asked_at.get(seat) if asked and terms.patience else None
            return RARELY if since is None else since + terms.patience - self._sure()
        if here:
            self._gone.pop(seat, None)
        else:
            self._gone.setdefault(seat, now)
        if asked:
            self._asked.setdefault(seat, now)
        else:
            self._asked.pop(seat, None)
        left = RARELY if here else self._gone[seat] + terms.grace - now
        if terms.patience and seat in self._asked:
            left = min(left, self._asked[seat] + terms.patience - now)
        return left


__all__ = ["Presence"]
