"""How servers on one PostgreSQL wake each other: NOTIFY with a table's name and version, and nothing else."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from parlour.server.common import clock
from parlour.server.store.schema import INBOX, PRESENCE, TABLES
from parlour.server.store.statements import CHANNEL, GUESTS, mark

PAUSE: Final = 0.5
"""Seconds between two attempts to reach the database, and the longest time for which :meth:`ChangeListener.close` may
have to wait."""

_journal = logging.getLogger("parlour.server")


class ChangeListener:
    """A thread that calls ``heard(table, version)`` whenever something has changed at a table, on any server. If its
    connection breaks, it opens another, and calls for every table that may have changed since.

    ``owner``: the server whose mark the connection bears, so that others see at once when that server is gone; empty if
    there is none.
    """

    def __init__(self, engine: sa.Engine, heard: Callable[[str, int], None], owner: str = "") -> None:
        self._engine, self._heard, self._owner = engine, heard, owner
        self._end, self._listening = threading.Event(), threading.Event()
        self._good = clock.steady()  # when the connection was last known to work
        self._is_relied_on = False
        self._thread = threading.Thread(target=self._run, name="parlour listen", daemon=True)
        self._thread.start()
        self._listening.wait(10)
        self._is_relied_on = True

    def close(self) -> None:
        """Stop listening."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.is_set():
            try:
                self._listen()
            except (DBAPIError, psycopg.Error) as failure:
                _journal.warning("cannot listen to the database (%s); trying again", type(failure).__name__)
                self._end.wait(PAUSE)

    def _listen(self) -> None:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, psycopg.Connection)
            connection.detach()  # nobody else may use this connection afterwards
            connection.exec_driver_sql(f"LISTEN {CHANNEL}")
            is_marked = not self._owner or mark(connection, self._owner)
            if self._is_relied_on:
                self._catch_up(connection)
            self._listening.set()
            while not self._end.is_set():
                for notice in driver.notifies(timeout=PAUSE):
                    table, version = notice.payload.rsplit(" ", 1)
                    self._tell(table, int(version))
                    if self._end.is_set():
                        return
                self._good = clock.steady()
                is_marked = is_marked or mark(connection, self._owner)

    def _catch_up(self, connection: sa.Connection) -> None:
        deaf = clock.steady() - self._good + 60
        since = sa.extract("epoch", sa.func.clock_timestamp()) - deaf
        changed = sa.select(TABLES.c.id, TABLES.c.version).where(TABLES.c.closed.is_(None) | (TABLES.c.closed > since))
        asked = sa.union(sa.select(INBOX.c.table_id, sa.literal(0)), sa.select(PRESENCE.c.table_id, sa.literal(0)))
        known: list[tuple[str, int]] = [(GUESTS, 0)]
        for table, version in [*known, *connection.execute(changed), *connection.execute(asked)]:
            self._tell(table, version)

    def _tell(self, table: str, version: int) -> None:
        try:
            self._heard(table, version)
        except Exception:  # one faulty listener must not make the server deaf
            _journal.exception("table %s: could not use what was heard about it", table)
