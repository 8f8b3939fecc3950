"""The store that keeps logs: SQLite by default, PostgreSQL if a URL says so.

One thread writes. Whatever is waiting when it comes round goes into one transaction (group commit), and an entry is
acknowledged when that transaction is on disk, never before. A table is owned by one server at a time. The server has a
lease, and each owner has a higher fence than the one before, without which nothing can be appended. Other servers
follow the log, and leave what their clients want in the owner's inbox (:mod:`parlour.server.store.inbox`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from parlour.base.errors import ParlourError
from parlour.server.common import clock
from parlour.server.common.outside import token_bytes
from parlour.server.common.trusted_clock import ClockTrust
from parlour.server.store.database import Database, NoticeListener, Unreachable, connect, migrate, unreachable
from parlour.server.store.retention import FORGOTTEN, REMARKS, Keep, forget, old_remarks
from parlour.server.store.schema import (
    ENDED,
    ENTRIES,
    INBOX,
    PRESENCE,
    SECRETS,
    SERVERS,
    SETTLED,
    SIGNET,
    TABLES,
)
from parlour.server.store.statements import Statements
from parlour.server.store.writer import Append, Job, LogWriter, LostTable, Repeated, TooLate
from parlour.server.table import log

__all__ = ["LostTable", "Repeated", "Store", "StoredEntry", "TooLate", "Unreachable"]

T = TypeVar("T")

_journal = logging.getLogger("parlour.server")


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as it is kept, with the command that asked for it, and when it was written (seconds since 1970)."""

    version: int
    entry: log.AnyEntry
    command: str | None = None
    at: float = field(default=0.0, compare=False)


class Store:
    """The logs of tables in a database: the one at a URL, ``sqlite:///parlour.db`` or ``postgresql://…``, or one that
    is given. With ``sqlite://`` it is kept in memory. An SQLite file belongs to one server at a time."""

    def __init__(self, url: str | Database) -> None:
        self.database = connect(url) if isinstance(url, str) else url
        self._lock = self.database.to_oneself()
        try:
            migrate(self.database)
        except BaseException:
            self._let_go()
            raise
        self._say_what_is_said_often()
        self._listeners: list[NoticeListener] = []
        self._writer = LogWriter(self.database)
        self._readers, self._reader_left, self._closed = 0, threading.Condition(), False
        self.settle()

    def _say_what_is_said_often(self) -> None:
        """Prepare, once, the statements that every server makes several times a second."""
        owner, now = sa.bindparam("owner", type_=sa.Text), self.database.now()
        mine = self.statements.insert(SERVERS).values(id=owner, until=now + sa.bindparam("lease", type_=sa.Float))
        self._extended = mine.on_conflict_do_update(index_elements=["id"], set_={"until": mine.excluded.until})
        self._mine = sa.select(TABLES.c.id).where(TABLES.c.owner == owner)
        self._leased = sa.select(SERVERS.c.id).where(SERVERS.c.until > now)
        followed = TABLES.c.id.in_(sa.bindparam("followed", expanding=True))
        self._unowned = sa.select(TABLES.c.id).where(followed, ~self._is_owned(), TABLES.c.closed.is_(None))

    def close(self) -> None:
        """Write what is waiting, let readers finish, and end."""
        for listener in self._listeners:
            listener.close()
        self._writer.close()
        with self._reader_left:  # otherwise a connection that is in use now would be left open
            self._closed = True
            self._reader_left.wait_for(lambda: not self._readers)
        self._let_go()

    def _let_go(self) -> None:
        self.engine.dispose()
        if self._lock is not None:
            self._lock.release()

    def listen(self, heard: Callable[[str, int], None], owner: str = "") -> None:
        """Call ``heard(table, version)``, in a thread of its own, when any server has written entries, with the version
        of the last; or ``heard(table, 0)`` when something else has changed: the table's inbox, who is there, or that
        nobody owns it. With SQLite there are no other servers, so there is nothing to hear.

        ``owner``: the server that listens; as long as it listens, it is among :meth:`servers_there`.
        """
        if listener := self.database.listen(heard, owner):
            self._listeners.append(listener)

    @property
    def engine(self) -> sa.Engine:
        """The engine of its database."""
        return self.database.engine

    @property
    def is_shared(self) -> bool:
        """Whether other servers may use the database."""
        return self.database.is_shared

    @property
    def statements(self) -> Statements:
        """The statements that its database phrases in its own way."""
        return self.database.statements

    # ------------------------------------------------------------------ owning tables

    def make(self, table: str, code: str, first: log.Opened, owner: str, lease: float) -> int:
        """Create a table, with the first entry of its log; return its fence."""

        def work(connection: sa.Connection) -> int:
            self._extend(connection, owner, lease)
            self.lay(connection, table, code, first, owner)
            return 1

        return self.transact(work, "There is a table with this name or code already.")

    def lay(self, connection: sa.Connection, table: str, code: str, first: log.Opened, owner: str = "") -> None:
        """Create a table as part of another transaction; without an owner, the server that looks at it first runs
        it."""
        new = {"id": table, "code": code, "version": 1, "fence": 1, "owner": owner, "listed": first.listed}
        connection.execute(TABLES.insert().values(new | {"made": self.database.now()}))
        connection.execute(ENTRIES.insert(), _kept(table, StoredEntry(1, first), self.now))

    def take(self, table: str, owner: str, lease: float) -> int | None:
        """Become the owner of a table; return the new fence, or ``None`` if there is no such table or its owner's lease
        still lasts.  With SQLite, any previous owner is dead."""

        def work(connection: sa.Connection) -> int | None:
            free = (TABLES.c.owner == owner) | ~self._is_owned() if self.is_shared else sa.true()
            seen = connection.execute(sa.select(TABLES.c.fence).where(TABLES.c.id == table, free)).scalar()
            unchanged = (TABLES.c.id == table, TABLES.c.fence == seen)
            # A row that another server is working on is not waited for: that server is alive.
            held = sa.select(TABLES.c.id).where(*unchanged).with_for_update(key_share=True, skip_locked=True)
            if seen is None or connection.execute(held).first() is None:
                return None
            self._extend(connection, owner, lease)
            connection.execute(TABLES.update().where(*unchanged).values(owner=owner, fence=seen + 1))
            return int(seen) + 1

        return self.transact(work)

    def renew(self, owner: str, lease: float) -> set[str]:
        """Renew the ownership of this server's tables; return those that it still owns."""

        def work(connection: sa.Connection) -> set[str]:
            self._extend(connection, owner, lease)
            return set(connection.execute(self._mine, {"owner": owner}).scalars())

        return self.transact(work)

    def settle(self) -> None:
        """Look at the clock: the database's, so that all its servers share one."""

        def work(connection: sa.Connection) -> tuple[ClockTrust, ClockTrust]:
            said = float(connection.execute(sa.select(self.database.now())).scalar_one())
            connection.execute(self.statements.insert_once(SETTLED).values(id=1, at=said, sure=said, waits=0.0))
            known = sa.select(SETTLED.c.at, SETTLED.c.sure, SETTLED.c.waits).with_for_update()
            before = ClockTrust(*connection.execute(known).one())
            after = before.looked(said)
            connection.execute(SETTLED.update().values(after._asdict()))
            return before, after

        try:
            before, after = self.transact(work)
        except Unreachable:  # the server may have stalled in the middle: what the clock says now is as good
            before, after = self.transact(work)
        self._settled = after, clock.steady()
        if before.leaps(after.at):
            days = (after.at - before.at) / 86400
            _journal.warning(
                "the clock is %.1f days %s when a server last looked at it; nothing is deleted or closed on its word"
                " before a server has run for a day", abs(days), "later than" if days > 0 else "earlier than",
            )  # fmt: skip

    @property
    def now(self) -> float:
        """The time, in seconds since 1970, by which everything that is kept is dated; where servers share a
        database, by its clock."""
        settled, since = self._settled
        return settled.at + clock.steady() - since if self.is_shared else clock.wall()

    def sure(self) -> float:
        """Return the time that has surely come, in seconds since 1970: nothing that can't be undone is done on the word
        of a later one. Usually it is now."""
        settled, since = self._settled
        return settled.surely(self.now, clock.steady() - since)

    def forget(self, keep: Keep, at: float | None = None) -> None:
        """Remove what is past its time, as of the time that has surely come or of the time given."""
        moment = sa.literal(self.sure() if at is None else at)
        while True:
            remarks = self.look(partial(old_remarks, keep=keep, now=moment))
            self.transact(partial(forget, keep=keep, now=moment, remarks=remarks))
            if len(remarks) < REMARKS:
                return

    def tidy(self) -> None:
        """Clear away what nobody waits for any more."""

        def work(connection: sa.Connection) -> None:
            old = self.database.now() - FORGOTTEN
            for kept, since in ((INBOX, INBOX.c.at), (PRESENCE, PRESENCE.c.until), (SERVERS, SERVERS.c.until)):
                # Rows that another server is working on are left to it: two servers must not wait for each other.
                free = sa.select(*kept.primary_key).where(since < old).with_for_update(skip_locked=True)
                connection.execute(kept.delete().where(sa.tuple_(*kept.primary_key).in_(free)))

        self.transact(work)

    def left(self, followed: Collection[str]) -> set[str]:
        """Return those of these tables that no server with a lasting lease owns."""
        return set(self.look(lambda connection: [*connection.scalars(self._unowned, {"followed": [*followed]})]))

    def servers_there(self) -> frozenset[str]:
        """Return the servers that are listening now and whose lease lasts; a server that dies disappears from them at
        once."""
        if not self.is_shared:
            return frozenset()
        return frozenset(self.look(lambda found: [*self.database.alive(found, found.scalars(self._leased).all())]))

    def end_leases(self, owners: Collection[str]) -> None:
        """Let others have the tables of servers that are gone."""
        ended = SERVERS.update().where(SERVERS.c.id.in_(owners)).values(until=0)
        self.transact(lambda connection: connection.execute(ended))

    def _is_owned(self) -> sa.ColumnElement[bool]:
        return sa.exists().where(SERVERS.c.id == TABLES.c.owner, SERVERS.c.until > self.database.now())

    def release(self, table: str, owner: str) -> None:
        """Give up a table; another server may take it at once, and is told so."""

        def work(connection: sa.Connection) -> None:
            connection.execute(TABLES.update().where(TABLES.c.id == table, TABLES.c.owner == owner).values(owner=""))
            self.wake(connection, table)

        self.transact(work)

    def _extend(self, connection: sa.Connection, owner: str, lease: float) -> None:
        connection.execute(self._extended, {"owner": owner, "lease": lease})

    # ------------------------------------------------------------------ reading

    def find(self, code: str) -> str | None:
        """Return the table with this code, if there is one."""
        return self._first(sa.select(TABLES.c.id).where(TABLES.c.code == code))

    def known(self, codes: Collection[str]) -> set[str]:
        """Return those of these codes that belong to a table."""
        return set(self._all(sa.select(TABLES.c.code).where(TABLES.c.code.in_(codes))))

    def check(self) -> None:
        """Check that the database can be read, and has room to write. Raises :class:`Unreachable` if not."""
        self.database.see_that_there_is_room()
        self.tables()

    def code(self, table: str) -> str | None:
        """Return the code of this table."""
        return self._first(sa.select(TABLES.c.code).where(TABLES.c.id == table))

    def tables(self, listed_only: bool = True, most: int = 100) -> list[str]:
        """Return the open tables, the newest first: only those that may be listed, or all."""
        asked = sa.select(TABLES.c.id).where(TABLES.c.closed.is_(None)).order_by(TABLES.c.made.desc(), TABLES.c.id)
        return self._all((asked.where(TABLES.c.listed) if listed_only else asked).limit(most))

    def untouched(self, since: float, by_post: bool = False, timed: bool = False) -> list[str]:
        """Return the open tables whose last entry is older than ``since``: those by post (``timed``: only those at
        which a bot plays for a guest who takes too long), or the others."""
        first = ENTRIES.alias()
        is_by_post = sa.exists().where(
            first.c.table_id == TABLES.c.id,
            first.c.version == 1,
            first.c.entry.like('%"by_post":true%'),
            *([first.c.entry.not_like('%"patience":0.0%')] if timed else []),
        )
        last = (ENTRIES.c.table_id == TABLES.c.id) & (ENTRIES.c.version == TABLES.c.version)
        asked = sa.select(TABLES.c.id).join(ENTRIES, last)
        asked = asked.where(TABLES.c.closed.is_(None), ENTRIES.c.at < since, is_by_post if by_post else ~is_by_post)
        return self._all(asked.order_by(ENTRIES.c.at))

    def read(self, table: str, after: int = 0) -> list[StoredEntry]:
        """Return the log of a table after version ``after``."""
        asked = sa.select(ENTRIES.c.version, ENTRIES.c.entry, ENTRIES.c.command, ENTRIES.c.at)
        asked = asked.where(ENTRIES.c.table_id == table, ENTRIES.c.version > after).order_by(ENTRIES.c.version)
        rows = self.select(asked)
        return [StoredEntry(version, log.decode(entry), command, at) for version, entry, command, at in rows]

    def secret(self, table: str, match: int) -> bytes | None:
        """Return the secret of a match."""
        return self._first(sa.select(SECRETS.c.secret).where(SECRETS.c.table_id == table, SECRETS.c.match == match))

    def _first(self, asked: sa.Select[T]) -> T | None:
        return next(iter(self._all(asked)), None)

    def _all(self, asked: sa.Select[T]) -> list[T]:
        return [first for first, *_ in self.select(asked)]

    def select(self, asked: sa.Select[Any]) -> list[tuple[Any, ...]]:
        """Return what is found in the database."""
        return self.look(lambda connection: [tuple(row) for row in connection.execute(asked)])

    def look(self, work: Callable[[sa.Connection], T]) -> T:
        """Return what some work finds in the database, outside any transaction. If the connection breaks, the work is
        done once more, because reading changes nothing."""
        with self._reader_left:
            if self._closed:
                raise ParlourError("The store is closed.")
            self._readers += 1
        try:
            try:
                return self._read_once(work)
            except DBAPIError as failure:
                if not failure.connection_invalidated:
                    raise
                return self._read_once(work)
        except DBAPIError as failure:
            raise unreachable(failure) from None
        finally:
            with self._reader_left:
                self._readers -= 1
                self._reader_left.notify_all()

    def _read_once(self, work: Callable[[sa.Connection], T]) -> T:
        """Read outside any transaction; PostgreSQL would end one in which this server stalled."""
        with self.database.reader.connect() as connection:
            return work(connection)

    def ended(self) -> set[str]:
        """Return the fingerprints of tokens that are no longer valid."""
        return set(self._all(sa.select(ENDED.c.guest)))

    def signet(self) -> bytes:
        """Return the secret by which the servers on this database know the tokens that they have made."""

        def work(connection: sa.Connection) -> bytes:
            connection.execute(self.statements.insert_once(SIGNET).values(id=1, secret=token_bytes(32)))
            return bytes(connection.execute(sa.select(SIGNET.c.secret)).scalar_one())

        return self.transact(work)

    def transact(self, work: Callable[[sa.Connection], T], otherwise: str = "The database refuses this.") -> T:
        """Do some work on the database, all of it or nothing. A server does one such work at a time. ``otherwise``: the
        sentence of the error if something does not fit what is there."""
        job = Job(work, otherwise)
        self._writer.put(job)
        result: T = job.done.result()
        return result

    def wake(self, connection: sa.Connection, table: str) -> None:
        """Wake the servers that follow or run a table."""
        self.database.tell(connection, [(table, 0)])

    # ------------------------------------------------------------------ writing

    def append(
        self, table: str, fence: int, row: StoredEntry, secret: tuple[int, bytes] | None = None, timeout: float = 0.0
    ) -> Future[None]:
        """Append an entry (with the secret of the match that it begins). The future is done when the entry is on disk.
        It raises :class:`Repeated` if the command was carried out before, and :class:`LostTable` if the table is no
        longer this server's, or its log is not as long as this server thinks. After :class:`Unreachable`, nobody knows
        whether it was appended: read the log.

        ``timeout``: if given, the command came through the inbox, and :class:`TooLate` is raised unless it is still
        there and younger than this many seconds.
        """
        closes = isinstance(row.entry, log.Closed)
        guest = row.entry.key if isinstance(row.entry, log.Sat) else ""
        kept = _kept(table, row, self.now)
        task = Append(table, fence, row.version, row.command, kept, secret, closes, timeout, guest)
        self._writer.put(task)
        return task.done


def _kept(table: str, row: StoredEntry, at: float) -> dict[str, Any]:
    return {
        "table_id": table,
        "version": row.version,
        "at": at,
        "command": row.command,
        "entry": log.encode(row.entry).decode(),
    }
