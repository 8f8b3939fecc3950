"""How long a server keeps what it no longer needs: finished tables, chat messages, and what identifies guests."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from msgspec import structs

from parlour.base.errors import ParlourError
from parlour.server.store.fates import UNLINKED
from parlour.server.store.schema import (
    COUNTED,
    ENDED,
    ENTRANTS,
    ENTRIES,
    EVENTS,
    INBOX,
    PRESENCE,
    RATINGS,
    RESULTS,
    SEATINGS,
    SECRETS,
    TABLES,
)
from parlour.server.table import log
from parlour.server.table.seats import nobody

FORGOTTEN: Final = 600.0
"""Seconds after which nobody waits for an answer any more."""
DAY: Final = 86400.0
AT_ONCE: Final = 200
"""The most tables that are handled in one transaction; the others follow an hour later."""
REMARKS: Final = 1000
"""The most messages that are handled in one transaction."""
ENDS: Final = 365 * DAY
"""Seconds for which an ended token is remembered: as long as a browser keeps a token."""
MOST_ENDED: Final = 100_000
"""The most ended tokens that are remembered; every server keeps them in memory."""
_UNITS: Final = {"m": 60.0, "h": 3600.0, "d": DAY}
_SPAN: Final = re.compile(r"(\d{1,6})([mhd])")
_SAID: Final = log.encode(log.ChatSent(-1, "", "")).decode()
"""What remains of a deleted message: its place in the log."""


@dataclass(frozen=True, slots=True)
class Keep:
    """For how many seconds things are kept: finished tables with their logs (``finished``); chat messages (``chat``);
    after a table is closed, the secrets of its deals and the fingerprints of its guests' tokens (``secrets``); and what
    guests can see of their own past matches (``results``)."""

    finished: float = 90 * DAY
    chat: float = 30 * DAY
    secrets: float = 7 * DAY
    results: float = 365 * DAY


def seconds_in(text: str) -> float:
    """Return the seconds for which a text says that something is to be kept. Raises ``ParlourError`` if it is not a
    time.

    >>> seconds_in("30d"), seconds_in("12h"), seconds_in("forever")
    (2592000.0, 43200.0, inf)
    """
    found = _SPAN.fullmatch(text.strip().casefold())
    if text.strip().casefold() == "forever":
        return math.inf
    if found is None:
        raise ParlourError(
            "{text!r} is not a time; write a number of days (30d), hours (12h), minutes (90m) or forever.", text=text
        )
    return int(found[1]) * _UNITS[found[2]]


def old_remarks(connection: sa.Connection, keep: Keep, now: sa.ColumnElement[Any]) -> list[tuple[str, int]]:
    """Return the messages that are past their time, by table and version. This looks through all entries, so nobody
    should have to wait for it."""
    if math.isinf(keep.chat):
        return []
    said = ENTRIES.c.entry.like('{"what":"said"%'), ENTRIES.c.entry != _SAID, ENTRIES.c.at < now - keep.chat
    found = sa.select(ENTRIES.c.table_id, ENTRIES.c.version).where(*said).limit(REMARKS)
    return [(table, version) for table, version in connection.execute(found)]


def forget(
    connection: sa.Connection, keep: Keep, now: sa.ColumnElement[Any], remarks: Sequence[tuple[str, int]] = ()
) -> None:
    """Delete from the database what is past its time, and the text of these messages. Rows that another server is
    working on are left to it."""
    if math.isfinite(keep.finished):
        _forget_tables(connection, now - keep.finished)
    for table, version in remarks:
        said = ENTRIES.c.table_id == table, ENTRIES.c.version == version
        connection.execute(ENTRIES.update().where(*said).values(entry=_SAID, command=None))
    if math.isfinite(keep.results):
        for kept in (RESULTS, RATINGS, ENTRANTS):
            connection.execute(kept.delete().where(kept.c.at < now - keep.results))
        connection.execute(EVENTS.delete().where(EVENTS.c.made < now - keep.results))
    connection.execute(ENDED.delete().where(ENDED.c.at < now - ENDS))
    latest = sa.select(ENDED.c.at).order_by(ENDED.c.at.desc()).offset(MOST_ENDED).limit(1).scalar_subquery()
    connection.execute(ENDED.delete().where(ENDED.c.at <= latest))
    if math.isfinite(keep.secrets):
        _forget_secrets(connection)
        _forget_guests(connection, now - keep.secrets)


def _forget_tables(connection: sa.Connection, before: sa.ColumnElement[Any]) -> None:
    """Delete tables that were closed before a time, with everything about them."""
    gone = _closed(connection, before)
    for kept in (INBOX, PRESENCE, SEATINGS, SECRETS, COUNTED, ENTRIES):
        connection.execute(kept.delete().where(kept.c.table_id.in_(gone)))
    connection.execute(TABLES.delete().where(TABLES.c.id.in_(gone)))


def _closed(connection: sa.Connection, before: sa.ColumnElement[Any], *more: sa.ColumnElement[bool]) -> list[str]:
    free = sa.select(TABLES.c.id).where(TABLES.c.closed < before, *more).order_by(TABLES.c.closed).limit(AT_ONCE)
    return list(connection.execute(free.with_for_update(skip_locked=True)).scalars())


def _forget_secrets(connection: sa.Connection) -> None:
    """Delete the secrets of matches that another match has followed: no more cards will be drawn from them."""
    later = SECRETS.alias()
    is_past = sa.exists().where(later.c.table_id == SECRETS.c.table_id, later.c.match > SECRETS.c.match)
    connection.execute(SECRETS.delete().where(is_past))


def _forget_guests(connection: sa.Connection, before: sa.ColumnElement[Any]) -> None:
    """Delete from closed tables the last secret, and what identifies their guests. Names remain, and seats can still be
    told apart. A table where this is done has no secrets or seatings, and its maker is nobody."""
    first = ENTRIES.c.table_id == TABLES.c.id, ENTRIES.c.version == 1, ENTRIES.c.entry.not_like('%"maker":"nobody %')
    left = [sa.exists().where(kept.c.table_id == TABLES.c.id) for kept in (SEATINGS, SECRETS)]
    for table in _closed(connection, before, sa.or_(sa.exists().where(*first), *left)):
        mine = ENTRIES.c.table_id == table
        for kept in (SEATINGS, SECRETS):
            connection.execute(kept.delete().where(kept.c.table_id == table))
        connection.execute(ENTRIES.update().where(mine, ENTRIES.c.command.is_not(None)).values(command=None))
        for version, entry in _without_keys(connection, mine):
            changed = {"entry": log.encode(entry).decode()}
            connection.execute(ENTRIES.update().where(mine, ENTRIES.c.version == version).values(changed))


def _without_keys(connection: sa.Connection, mine: sa.ColumnElement[bool]) -> Iterator[tuple[int, log.AnyEntry]]:
    """Yield the entries of a table that identify guests, with keys that belong to nobody in place of theirs: equal ones
    for equal ones."""
    others = defaultdict[str, str](nobody)
    keyed = [ENTRIES.c.entry.like(f'{{"what":"{what}"%') for what in UNLINKED]
    asked = sa.select(ENTRIES.c.version, ENTRIES.c.entry).where(mine, sa.or_(*keyed))
    for version, text in connection.execute(asked).all():
        entry = log.decode(text)
        kept = {field: getattr(entry, field) for field in UNLINKED[log.called(entry)]}
        new = {
            field: [others[one] for one in keys] if isinstance(keys, list) else others[keys]
            for field, keys in kept.items()
        }
        yield version, structs.replace(entry, **new)


__all__ = ["DAY", "Keep", "forget", "old_remarks", "seconds_in"]
