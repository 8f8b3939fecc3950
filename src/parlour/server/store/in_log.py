"""What a table's log holds of a guest, and the same log without it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count
from typing import Any, Final, NamedTuple

from msgspec import structs

from parlour.base.naming import look_of
from parlour.server.store.fates import LOG, NOBODY, Fate, fates
from parlour.server.table import log
from parlour.server.table.seats import WATCHER, is_nobody, nobody

_NAMED: Final = re.compile(r"[ \t]*(#|(seat[ \t]+\d+|sat|link)[ \t]*:)")
_COMMENTED: Final = re.compile(r"([ \t]*(?:chance|\d+|returns|deal \d+ returns)[ \t]*:.*?)[ \t]+#.*")

Rows = Sequence[tuple[int, log.AnyEntry]]
"""A log: its entries, each with its version."""


class Trace:
    """A guest's way through the log of a table. ``known``: seats and names that were theirs, by which they are found in
    a log without fingerprints; ``seats``: the seats that they have now."""

    def __init__(self, guest: str, known: Collection[tuple[int, str]] = ()) -> None:
        self._guest, self._known, self._maker = guest, known, ""
        self.seats: set[int] = set()

    def sees(self, entry: log.AnyEntry) -> bool:
        """Take the next entry; return whether it holds something of the guest."""
        match entry:
            case log.Opened():
                self._maker = entry.maker
                return self._guest in (entry.maker, *entry.invited)
            case log.Sat():
                self._maker = self._maker or entry.key
                is_mine = entry.key == self._guest or self._is_known(entry)
                (self.seats.add if is_mine else self.seats.discard)(entry.seat)
                return is_mine
            case log.Left() | log.Removed():
                is_mine = entry.seat in self.seats
                self.seats.discard(entry.seat)
                return is_mine
            case log.Allowed() | log.Resumed():
                return self._maker == self._guest
            case log.Begun() | log.Fell():
                return bool(self.seats & {int(seat) for seat in entry.nonces})
            case _:
                return getattr(entry, "seat", None) in self.seats

    def _is_known(self, sat: log.Sat) -> bool:
        return is_nobody(sat.key) and (sat.seat, sat.name) in self._known


class Forgotten(NamedTuple):
    """A log from which a guest is deleted: the entries that change, by version; the guest's name there from now on; and
    the seats that they have."""

    changed: dict[int, log.AnyEntry]
    name: str
    seats: list[int]


def forgotten(rows: Rows, guest: str, known: Collection[tuple[int, str]] = ()) -> Forgotten:
    """Return what becomes of a log when a guest is deleted from it."""
    name = free_name(name for _, entry in rows for name in _names_in(entry))
    key, trace = nobody(), Trace(guest, known)
    changed = {version: _without(entry, guest, key, name) for version, entry in rows if trace.sees(entry)}
    changed |= dict.fromkeys(_links(rows, guest, known), log.Linked(""))
    return Forgotten(changed, name, sorted(trace.seats))


def _names_in(entry: log.AnyEntry) -> Sequence[str]:
    if isinstance(entry, log.Opened):
        return entry.names
    return [entry.name] if isinstance(entry, log.Sat) else ()


def free_name(called: Iterable[str]) -> str:
    """Return a name for a guest whose own name is deleted; it resembles none of these.

    >>> free_name(["Ann"]), free_name(["Ann", "guest"])
    ('Guest', 'Guest 2')
    """
    looks = {look_of(name) for name in called}
    wanted = chain([NOBODY], (f"{NOBODY} {n}" for n in count(2)))
    return next(one for one in wanted if look_of(one) not in looks)


def _without(entry: log.AnyEntry, guest: str, key: str, name: str) -> log.AnyEntry:
    """Return an entry of a guest without what deletion takes; ``key`` and ``name`` take the place of theirs."""
    new: dict[str, Any] = {}
    for field, fate in fates(f"{LOG}{log.called(entry)}").items():
        kept = getattr(entry, field)
        if fate is Fate.GOES:
            new[field] = "" if isinstance(kept, str) else WATCHER
        elif fate is Fate.RENAMED:
            new[field] = name
        elif fate is Fate.UNLINKED and isinstance(kept, list):
            new[field] = [key if one == guest else one for one in kept]
        elif fate is Fate.UNLINKED and (kept == guest or isinstance(entry, log.Sat | log.Removed)):
            new[field] = key
    if isinstance(entry, log.Resumed):
        new["record"] = nameless(entry.record)
    return structs.replace(entry, **new)


def nameless(record: str) -> str:
    """Return a record without the names of its players, without comments, in which names may also stand, and without
    the links of its chain, which bind the names.

    >>> nameless("seat 0: Ann\\nsat: 0 guest Ann\\n0: call\\ndeal 1 returns: 1 -1   # dealt by Ann\\n")
    '0: call\\ndeal 1 returns: 1 -1\\n'
    """
    lines = [line for line in record.split("\n") if not _NAMED.match(line)]
    return "\n".join(_COMMENTED.sub(r"\1", line) for line in lines)


def _links(rows: Rows, guest: str, known: Collection[tuple[int, str]]) -> list[int]:
    """Return, by version, the links of those matches in which the guest's name is bound: they sat there before the deal
    was revealed."""
    trace, is_bound, is_revealed = Trace(guest, known), False, False
    of_match: list[int] = []
    found: list[int] = []
    for version, entry in rows:
        is_mine = trace.sees(entry)
        if isinstance(entry, log.Committed | log.Resumed):
            found += of_match if is_bound else []
            of_match, is_bound, is_revealed = [], bool(trace.seats), False
        elif isinstance(entry, log.Sat):
            is_bound = is_bound or (is_mine and not is_revealed)
        elif isinstance(entry, log.Linked) and entry.link:
            of_match.append(version)
        elif isinstance(entry, log.DealRevealed):
            is_revealed = True
    return found + (of_match if is_bound else [])
