"""Where logs are kept: SQLite by default, PostgreSQL if a URL says so.

One thread writes.  What is waiting when it comes round goes into one transaction (group commit), and an entry is
acknowledged when that transaction is on disk, never before.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import time
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from parlour.errors import ParlourError
from parlour.room import log

SCHEMA: Final = sa.MetaData()
TABLES: Final = sa.Table(
    "tables",
    SCHEMA,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("code", sa.String(12), unique=True, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("fence", sa.BigInteger, nullable=False),  # grows with each server that takes the table
    sa.Column("owner", sa.String(80), nullable=False),
    sa.Column("until", sa.Float, nullable=False),  # end of the owner's lease, in seconds since 1970
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("open", sa.Boolean, nullable=False),
)
ENTRIES: Final = sa.Table(
    "entries",
    SCHEMA,
    sa.Column("table_id", sa.String(40), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("command", sa.String(80)),  # who sent it and its id, if a client asked for it
    sa.Column("entry", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("table_id", "command"),
)
SECRETS: Final = sa.Table(
    "secrets",
    SCHEMA,
    sa.Column("table_id", sa.String(40), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("match", sa.Integer, primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
)
LARGEST_GROUP: Final = 512
"""Entries in one transaction."""


class LostTable(ParlourError):
    """Another server has taken the table, or its log has gone on without us."""


class Repeated(ParlourError):
    """The command was done before."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as it is kept, with the command that asked for it."""

    version: int
    entry: log.AnyEntry
    command: str | None = None


@dataclass(slots=True)
class _Append:
    table: str
    fence: int
    row: Row
    secret: tuple[int, bytes] | None
    done: Future[None] = field(default_factory=Future)


class Store:
    """Logs of tables in a database; ``url`` as SQLAlchemy has it, for example ``sqlite:///parlour.db``."""

    def __init__(self, url: str) -> None:
        self.engine = sa.create_engine(url, **({"connect_args": {"timeout": 30}} if url.startswith("sqlite") else {}))
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _durable)
        SCHEMA.create_all(self.engine)
        self._waiting: queue.SimpleQueue[_Append | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="parlour log", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what is waiting, and end."""
        self._waiting.put(None)
        self._writer.join()
        self.engine.dispose()

    # ------------------------------------------------------------------ tables

    def make(self, table: str, code: str, first: log.Opened, owner: str, lease: float) -> int:
        """A new table, with the first entry of its log; its fence."""
        now = time()
        with self.engine.begin() as connection:
            connection.execute(
                TABLES.insert(),
                {"id": table, "code": code, "version": 1, "fence": 1, "owner": owner, "until": now + lease,
                 "made": now, "open": True},
            )  # fmt: skip
            connection.execute(ENTRIES.insert(), _row(table, Row(1, first), now))
        return 1

    def take(self, table: str, owner: str, lease: float) -> int | None:
        """Become the owner of a table, if nobody else is; the new fence."""
        now = time()
        free = (TABLES.c.owner == owner) | (TABLES.c.until < now)
        with self.engine.begin() as connection:
            done = connection.execute(
                TABLES.update()
                .where(TABLES.c.id == table, free)
                .values(owner=owner, until=now + lease, fence=TABLES.c.fence + 1)
            )
            if done.rowcount != 1:
                return None
            return int(connection.execute(sa.select(TABLES.c.fence).where(TABLES.c.id == table)).scalar_one())

    def renew(self, owner: str, lease: float) -> set[str]:
        """Go on owning what one owns."""
        with self.engine.begin() as connection:
            connection.execute(TABLES.update().where(TABLES.c.owner == owner).values(until=time() + lease))
            return set(connection.execute(sa.select(TABLES.c.id).where(TABLES.c.owner == owner)).scalars())

    def find(self, code: str) -> str | None:
        """The table with this code."""
        with self.engine.connect() as connection:
            return connection.execute(sa.select(TABLES.c.id).where(TABLES.c.code == code)).scalar_one_or_none()

    def open_tables(self) -> list[str]:
        """All tables that are not closed, the newest first."""
        with self.engine.connect() as connection:
            asked = sa.select(TABLES.c.id).where(TABLES.c.open).order_by(TABLES.c.made.desc())
            return list(connection.execute(asked).scalars())

    def listen(self, heard: Any) -> None:
        pass

    def code(self, table: str) -> str | None:
        with self.engine.connect() as connection:
            return connection.execute(sa.select(TABLES.c.code).where(TABLES.c.id == table)).scalar_one_or_none()

    def release(self, table: str, owner: str) -> None:
        pass

    def untouched(self, since: float) -> list[str]:
        return []

    def tables(self) -> list[str]:
        return self.open_tables()

    def is_here(self, table: str, seat: str, now: float) -> bool:
        return False

    def read(self, table: str, after: int = 0) -> list[Row]:
        """The log of a table, from behind version ``after`` on."""
        asked = sa.select(ENTRIES).where(ENTRIES.c.table_id == table, ENTRIES.c.version > after)
        with self.engine.connect() as connection:
            return [
                Row(row.version, log.decode(row.entry), row.command)
                for row in connection.execute(asked.order_by(ENTRIES.c.version))
            ]

    def secret(self, table: str, match: int) -> bytes | None:
        """The secret of a match."""
        asked = sa.select(SECRETS.c.secret).where(SECRETS.c.table_id == table, SECRETS.c.match == match)
        with self.engine.connect() as connection:
            return connection.execute(asked).scalar_one_or_none()

    # ------------------------------------------------------------------ appending

    def append(self, table: str, fence: int, row: Row, secret: tuple[int, bytes] | None = None) -> Future[None]:
        """Write an entry behind the last one (with the secret of the match that it begins).  The future is done when it
        is on disk; :class:`Repeated` if its command was done before, :class:`LostTable` if the table is not ours or
        its log is longer or shorter than we think."""
        wanted = _Append(table, fence, row, secret)
        self._waiting.put(wanted)
        return wanted.done

    def _write(self) -> None:
        going = True
        while going:
            group = [self._waiting.get()]
            while len(group) < LARGEST_GROUP and not self._waiting.empty():
                group.append(self._waiting.get())
            going = None not in group
            wanted = [one for one in group if one is not None]
            if wanted:
                self._commit(wanted)

    def _commit(self, group: Sequence[_Append]) -> None:
        try:
            with self.engine.begin() as connection:
                for one in group:
                    _append(connection, one)
        except Exception as failure:
            if len(group) > 1:  # one of them is at fault: each by itself
                for one in group:
                    self._commit([one])
            elif isinstance(failure, IntegrityError) and group[0].row.command is not None:
                group[0].done.set_exception(Repeated("This was done before."))
            else:
                group[0].done.set_exception(failure)
        else:
            for one in group:
                one.done.set_result(None)


def _append(connection: sa.Connection, one: _Append) -> None:
    row = one.row
    mine = (TABLES.c.id == one.table, TABLES.c.fence == one.fence, TABLES.c.version == row.version - 1)
    changed: dict[str, Any] = {"version": row.version}
    if isinstance(row.entry, log.Closed):
        changed["open"] = False
    if connection.execute(TABLES.update().where(*mine).values(**changed)).rowcount != 1:
        raise LostTable(f"Table {one.table} has been taken by another server, or its log has gone on.")
    connection.execute(ENTRIES.insert(), _row(one.table, row, time()))
    if one.secret is not None:
        match, secret = one.secret
        connection.execute(SECRETS.insert(), {"table_id": one.table, "match": match, "secret": secret})


def _row(table: str, row: Row, now: float) -> dict[str, Any]:
    return {
        "table_id": table,
        "version": row.version,
        "at": now,
        "command": row.command,
        "entry": log.encode(row.entry),
    }


def _durable(connection: Any, _: Any) -> None:
    """SQLite: a write-ahead log, synchronised with the disk at each commit."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {pragma}")
