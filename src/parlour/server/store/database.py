"""The database behind the store: how it is reached, made durable and brought up to date."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from filelock import lock_descriptor, unlock_descriptor
from msgspec import json
from sqlalchemy.exc import ArgumentError, DBAPIError

from parlour.base.errors import ParlourError, reason
from parlour.base.extras import needed
from parlour.server.common import clock
from parlour.server.store.statements import MIGRATING, Statements, mark_of, marks_held

STALL: Final = 1.0
"""Seconds after which PostgreSQL ends a transaction in which a server has stalled, so that another server can go on."""
ROOM: Final = 4_000_000
"""The fewest bytes that must be free on the disk of an SQLite file."""

_REACHING: Final = {"connect_timeout": 10, "tcp_user_timeout": 15_000, "keepalives_idle": 10, "keepalives_interval": 5}


BUSY: Final = 5.0
"""Seconds that SQLite waits while another process writes to its file."""


class Unreachable(ParlourError):
    """The database did not answer, so nobody knows whether the last write took place.

    ``reason``: ``full`` if its disk is full, otherwise ``away``.
    """

    def __init__(self, template: str, reason: str = "away", /, **values: object) -> None:
        super().__init__(template, **values)
        self.reason = reason


class NoticeListener(Protocol):
    """Something that hears what other servers have written."""

    def close(self) -> None:
        """Stop listening."""


class Database:
    """A database in which logs are kept: SQLite. ``statements``: those that this database phrases in its own way;
    ``reader``: the engine for reading."""

    is_shared = False
    """Whether other servers may use it at the same time."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = self.reader = engine
        self.statements = Statements(self.is_shared)

    def now(self) -> sa.ColumnElement[Any]:
        """Return an expression for the time in seconds since 1970."""
        return sa.bindparam("now", callable_=clock.wall, type_=sa.Float, unique=True)

    def to_oneself(self) -> FileLock | None:
        """Return the lock that makes this the only server of the database, if there may be only one. Raises
        ``ParlourError`` if there is another."""
        return None if is_in_memory(self.engine.url) else FileLock(Path(self.engine.url.database or ""))

    def begin(self, connection: sa.Connection) -> None:
        """Begin a transaction in which the database is brought up to date."""
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # otherwise half of it might remain if the machine stops

    def see_that_there_is_room(self) -> None:
        """Raise :class:`Unreachable` if the disk of an SQLite file is full, or nearly.  A small entry may then still
        fit into the write-ahead log."""
        url = self.engine.url
        if is_in_memory(url) or str(url.database).startswith("file:"):
            return
        try:
            left = shutil.disk_usage(Path(url.database or "").resolve().parent).free
        except OSError as failure:
            raise Unreachable("The folder of the database cannot be read: {why}.", why=reason(failure)) from None
        if left < ROOM:
            raise Unreachable("The disk of the database is full: {left:.1f} MB are left.", "full", left=left / 1e6)

    def tell(self, connection: sa.Connection, heads: Sequence[tuple[str, int]]) -> None:
        """Tell other servers, when the transaction is over, that the logs of tables have reached these versions; 0:
        that something else about a table has changed."""

    def listen(self, heard: Callable[[str, int], None], owner: str) -> NoticeListener | None:
        """Listen for what other servers tell, as :meth:`parlour.server.store.store.Store.listen` says; ``None`` if
        there are no others."""
        return None

    def alive(self, connection: sa.Connection, owners: Iterable[str]) -> Iterator[str]:
        """Yield those of these servers that are listening at the moment."""
        return iter(())


class PostgreSQL(Database):
    """A database that servers share.  They all use its clock."""

    is_shared = True

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__(engine)
        self.reader = engine.execution_options(isolation_level="AUTOCOMMIT")

    def now(self) -> sa.ColumnElement[Any]:
        return sa.extract("epoch", sa.func.clock_timestamp())

    def to_oneself(self) -> None:
        return None

    def begin(self, connection: sa.Connection) -> None:
        # longer than usual, because migrations are read from files in between
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = '60s'")
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))

    def see_that_there_is_room(self) -> None:
        """Do nothing: the database may be on another machine, and reports a full disk itself."""

    def tell(self, connection: sa.Connection, heads: Sequence[tuple[str, int]]) -> None:
        rows = json.encode([{"id": table, "version": version} for table, version in heads]).decode()
        connection.execute(self.statements.wake, {"rows": rows})

    def listen(self, heard: Callable[[str, int], None], owner: str) -> NoticeListener:
        from parlour.server.store.notify import ChangeListener

        return ChangeListener(self.engine, heard, owner)

    def alive(self, connection: sa.Connection, owners: Iterable[str]) -> Iterator[str]:
        marks = marks_held(connection)
        return (owner for owner in owners if mark_of(owner) in marks)


def connect(url: str) -> Database:
    """Return the database at this URL, for example ``sqlite:///parlour.db`` or
    ``postgresql://user:password@host/parlour``."""
    known = _read(url)
    if known.drivername == "postgresql":
        known = known.set(drivername="postgresql+psycopg")
    if known.drivername == "postgresql+psycopg":
        return PostgreSQL(_postgresql(known))
    if known.drivername == "sqlite":
        return Database(_sqlite(known))
    raise ParlourError("Logs are kept in SQLite or PostgreSQL; {drivername!r} is neither.", drivername=known.drivername)


def _read(url: str) -> sa.URL:
    try:
        return sa.make_url(url)
    except (ArgumentError, ValueError):
        if url and not set(url) & set("@:"):
            raise ParlourError(
                "{url!r} is not the URL of a database; for a file, write sqlite:///{url}.", url=url
            ) from None
        # the text of the error would repeat the URL, password and all
        raise ParlourError("The URL of the database cannot be read; it looks like sqlite:///parlour.db.") from None


def _postgresql(url: sa.URL) -> sa.Engine:
    reaching = {name: value for name, value in _REACHING.items() if name not in url.query}
    with needed("postgresql"):
        engine = sa.create_engine(url, pool_pre_ping=True, connect_args=reaching, hide_parameters=True)
    sa.event.listen(engine, "connect", _set_up_postgresql)
    return engine


def _sqlite(url: sa.URL) -> sa.Engine:
    sole: dict[str, Any] = {}
    if not is_in_memory(url) and not str(url.database).startswith("file:"):
        see_that_it_is_ours(url)
        _keep_to_oneself(Path(url.database or ""))
    if is_in_memory(url):  # it lives as long as its only connection, which all threads use in turn
        sole = {"poolclass": sa.QueuePool, "pool_size": 1, "max_overflow": 0, "pool_timeout": 600}
    waiting = {"timeout": BUSY, "check_same_thread": False}
    engine = sa.create_engine(url, connect_args=waiting, hide_parameters=True, **sole)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    return engine


def url_of(file: Path) -> str:
    """Return the URL of an SQLite file, whatever is in its path.

    >>> url_of(Path("/home/100%41/room.db")), sa.make_url(url_of(Path("/what?/room.db"))).database
    ('sqlite:////home/100%2541/room.db', '/what?/room.db')
    """
    return sa.URL.create("sqlite", database=str(file)).render_as_string()


def see_that_it_is_kept(url: str) -> None:
    """Raise ``ParlourError`` if a URL neither names a file nor says ``:memory:``, like ``sqlite:///$FILE`` where
    ``FILE`` is not set: tables would be lost without a word when the server stops."""
    known = _read(url)
    if is_in_memory(known) and known.database != MEMORY:
        raise ParlourError(
            "{url!r} doesn't name a file: write sqlite:///FILE, or sqlite:///{memory} if the tables may be lost when"
            " the server stops.",
            url=url,
            memory=MEMORY,
        )


def see_that_it_is_ours(url: sa.URL) -> None:
    """Raise ``ParlourError`` if there is anything in the place of an SQLite file but a database of Parlour or an empty
    file. Nothing is changed."""
    file = Path(url.database or "")
    with suppress(OSError):  # a file that cannot be opened is reported when it is used
        if not file.exists() or (file.is_file() and not file.stat().st_size):
            return
        if not (file.is_file() and _is_sqlite(file) and _has_our_tables(file)):
            raise ParlourError(
                "The database {url} cannot be used: it isn't a database of Parlour. Name another.", url=shown(url)
            )


def _is_sqlite(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def _has_our_tables(file: Path) -> bool:
    """Whether an SQLite file has Parlour's tables, or none. The file is read as it is on disk, without a lock."""
    address = f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as opened:
            names = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return True  # it is being written, or damaged: whoever uses it will be told
    return not names or {"alembic_version", "tables"} <= names


_SQLITE: Final = b"SQLite format 3\0"
"""How every SQLite file begins."""


def _keep_to_oneself(file: Path) -> None:
    """Let nobody else on this machine read a database: everybody's cards follow from what it holds."""
    with suppress(OSError):  # a file that cannot be opened is reported when it is used
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        file.chmod(0o600)


MEMORY: Final = ":memory:"
"""Stands in place of a file for a database that is lost with its process."""


def is_in_memory(url: sa.URL) -> bool:
    """Whether this is an SQLite database without a file."""
    return url.drivername == "sqlite" and url.database in {None, "", MEMORY}


def shown(url: sa.URL) -> str:
    """Return a URL as it may be shown: where the database is, without passwords."""
    return url.set(query={}).render_as_string(hide_password=True)


def unreachable(failure: DBAPIError) -> Unreachable:
    """Return the error for a database that has failed."""
    cause = failure.orig
    is_full = getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL" or getattr(cause, "sqlstate", "") in _FULL
    return Unreachable(
        "The log can be neither written nor read now: {trouble}.",
        "full" if is_full else "away",
        trouble=_trouble(failure),
    )


_FULL: Final = ("53100",)
"""PostgreSQL's codes for a full disk."""


def _trouble(failure: DBAPIError) -> str:
    """Return the database's message in one line, without the data that was to be written."""
    return (str(failure.orig).strip().splitlines() or [type(failure.orig).__name__])[0].rstrip(".")


def migrate(database: Database) -> None:
    """Bring a database up to date. If several servers try at once, one does it and the others wait."""
    engine = database.engine
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    try:
        with _alembic, engine.begin() as connection:
            database.begin(connection)
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except CommandError:
        raise ParlourError("The database {url} was made by a newer Parlour.", url=shown(engine.url)) from None
    except DBAPIError as failure:
        raise ParlourError(
            "The database {url} cannot be used: {trouble}.", url=shown(engine.url), trouble=_trouble(failure)
        ) from None


_alembic: Final = threading.Lock()
"""Held while a database is migrated, because Alembic can do this only once at a time in a process."""


def _set_up_sqlite(connection: Any, _: Any) -> None:
    """Use a write-ahead log, synchronised with the disk at each commit, and overwrite what is deleted."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _set_up_postgresql(connection: Any, _: Any) -> None:
    """Have each commit on disk when it returns, whatever the database's default. A server that stalls in a transaction
    loses its locks."""
    durable = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    connection.execute(durable)
    connection.execute(f"SET idle_in_transaction_session_timeout = '{int(STALL * 1000)}ms'")
    connection.commit()


# ------------------------------------------------------------------------------------------ one server a file


class FileLock:
    """The right to be the only server of an SQLite file, held until :meth:`release` or until the process ends in any
    way."""

    def __init__(self, database: Path) -> None:
        try:
            self._file = os.open(f"{database.resolve()}.lock", os.O_RDWR | os.O_CREAT, 0o600)
            is_ours = lock_descriptor(self._file, blocking=False)
        except OSError as failure:
            raise ParlourError(
                "The database {database} cannot be used: {why}.", database=database, why=reason(failure)
            ) from None
        if not is_ours:
            os.close(self._file)
            raise ParlourError(
                "Another Parlour server is running on {database}; --database names another file, and several servers on"
                " one database need PostgreSQL.",
                database=database,
            )

    def release(self) -> None:
        """Let another server have the file."""
        unlock_descriptor(self._file)
        os.close(self._file)
