"""A database that several simulated servers share, with the faults of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import sqlalchemy as sa

from parlour.server.common.outside import outside
from parlour.server.store.database import Database, connect, migrate
from parlour.server.store.schema import INBOX, TABLES
from parlour.server.store.statements import GUESTS
from tools.simulation.loop import PROCESS, Killed, Process, VirtualLoop


@cache
def _empty() -> bytes:
    """A database without a row."""
    database = connect("sqlite://")
    migrate(database)
    with database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        return driver.serialize()


@cache
def _usual() -> tuple[sa.Engine, dict[Any, Any]]:
    """What the engines of all servers have in common, and the statements that any of them has put into words."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    engine.dialect.is_disconnect = lambda failure, *_: GONE in str(failure)  # type: ignore[method-assign]
    engine.connect().close()
    return engine, {}


GONE = "server closed the connection unexpectedly"
SILENT = 3
"""How many questions remain unanswered after every other commit that was not: nobody can look what has become of it."""


class Disk:
    """What is kept, whatever happens to servers; and who listens to it."""

    def __init__(self, loop: VirtualLoop, chance: Random, delay: Callable[[], float]) -> None:
        self.loop, self.chance, self.delay = loop, chance, delay
        self.file = sqlite3.connect(":memory:", check_same_thread=False)
        self.file.deserialize(_empty())
        self.listening: list[Ear] = []
        self.faults: dict[str, float] = {}
        """How likely each fault is at a commit: ``before``, ``after``, ``killed before``, ``killed after``; ``full``:
        nothing can be written; ``away``: nothing answers."""
        self.locked = list[str]()
        """Tables of the database in which nothing can be changed."""
        self.commits, self.silent, self.was_away = 0, 0, False
        self.epoch = 1.7e9

    def now(self) -> float:
        """The clock of the database."""
        return self.epoch + self.loop.time()

    def look(self, statement: str, *values: object) -> list[Any]:
        """What is kept, as nobody but the simulation may see it."""
        return self.file.execute(statement, values).fetchall()

    def happens(self, fault: str) -> bool:
        """Whether a fault happens now."""
        return self.faults.get(fault, 0.0) > 0 and self.chance.random() < self.faults[fault]

    def notify(self, heads: Sequence[tuple[str, int]]) -> None:
        """Tell all who listen."""
        for ear in list(self.listening):
            for table, version in heads:
                self.loop.call_later(self.delay(), ear.hear, table, version, context=ear.context)


class Ear:
    """A server that listens."""

    def __init__(self, disk: Disk, heard: Callable[[str, int], None], owner: str) -> None:
        import contextvars

        self.disk, self.heard, self.owner = disk, heard, owner
        self.context = contextvars.copy_context()
        self.process = PROCESS.get()
        self.is_deaf = False
        disk.listening.append(self)

    def hear(self, table: str, version: int) -> None:
        if self in self.disk.listening and not self.is_deaf:
            self.heard(table, version)

    def breaks(self, seconds: float) -> None:
        """The connection is lost, which is noticed after a while, and with it what is told meanwhile."""
        self.is_deaf = True
        self.disk.loop.call_later(seconds + self.disk.delay(), self.hears_again, context=self.context)

    def hears_again(self) -> None:
        """There is another connection, and everything may have changed."""
        if not self.is_deaf:
            return
        self.is_deaf = False
        told = [(GUESTS, 0), *self.disk.look("SELECT id, version FROM tables WHERE closed IS NULL")]
        asked = "SELECT table_id, 0 FROM inbox UNION SELECT table_id, 0 FROM presence"
        for table, version in [*told, *self.disk.look(asked)]:
            self.disk.loop.call_soon(self.hear, table, version, context=self.context)  # as it does

    def close(self) -> None:
        if self in self.disk.listening:
            self.disk.listening.remove(self)


class Cursor(sqlite3.Cursor):
    """What carries out statements, unless their table is locked."""

    disk: Disk

    def execute(self, statement: str, *given: Any) -> Cursor:
        for name in self.disk.locked:
            if statement.startswith((f"INSERT INTO {name} ", f"UPDATE {name} ", f"DELETE FROM {name} ")):
                raise sqlite3.OperationalError(GONE)
        super().execute(statement, *given)
        return self


class Wire:
    """A connection to the disk, which can fail."""

    def __init__(self, disk: Disk) -> None:
        self._disk, self.told = disk, list[tuple[str, int]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._disk.file, name)

    def cursor(self) -> Cursor:
        if self._disk.silent or self._disk.happens("away"):
            self._disk.silent = max(0, self._disk.silent - 1)
            self._disk.was_away = True
            raise sqlite3.OperationalError(GONE)
        cursor = self._disk.file.cursor(Cursor)
        cursor.disk = self._disk
        return cursor

    def commit(self) -> None:
        disk = self._disk
        if not disk.file.in_transaction:
            return
        if disk.happens("full"):
            self.rollback()  # as SQLite does
            raise _error("database or disk is full", "SQLITE_FULL")
        if disk.happens("before"):
            raise sqlite3.OperationalError(GONE)
        if disk.happens("killed before"):
            self._kill()
        disk.file.commit()
        disk.commits += 1
        told, self.told = self.told, []
        disk.notify(told)
        if disk.happens("killed after"):
            self._kill()
        if disk.happens("after"):
            disk.silent = SILENT * (disk.commits % 2)
            raise sqlite3.OperationalError(GONE)

    def _kill(self) -> None:
        process = PROCESS.get()
        if process is not None:
            self._disk.file.rollback()
            process.is_alive = False
            raise Killed

    def rollback(self) -> None:
        self.told = []
        self._disk.file.rollback()

    def close(self) -> None:
        self.rollback()


def _error(text: str, name: str) -> sqlite3.OperationalError:
    failure = sqlite3.OperationalError(text)
    failure.sqlite_errorname = name
    return failure


class Shared(Database):
    """The database of one simulated server, whatever others there are."""

    def __init__(self, disk: Disk, shared: bool) -> None:
        wire: Any = Wire(disk)
        self.wire: Wire = wire
        self._disk, self.is_shared = disk, False
        usual, known = _usual()
        pool = sa.StaticPool(lambda: wire, dialect=usual.dialect)
        super().__init__(sa.Engine(pool, usual.dialect, usual.url, execution_options={"compiled_cache": known}))
        self.is_shared = shared

    def now(self) -> sa.ColumnElement[Any]:
        return sa.bindparam(
            "now", callable_=self._disk.now if self.is_shared else outside().wall, type_=sa.Float, unique=True
        )

    def to_oneself(self) -> None:
        return None

    def tell(self, connection: sa.Connection, heads: Sequence[tuple[str, int]]) -> None:
        if self.is_shared:
            self.wire.told += heads

    def listen(self, heard: Callable[[str, int], None], owner: str) -> Ear | None:
        return Ear(self._disk, heard, owner) if self.is_shared else None

    def alive(self, connection: sa.Connection, owners: Iterable[str]) -> Iterator[str]:
        there = {ear.owner for ear in self._disk.listening if ear.process is None or ear.process.is_alive}
        return (owner for owner in owners if owner in there)


__all__ = ["INBOX", "TABLES", "Disk", "Process", "Shared"]
