"""The thread that writes to the database: group commit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from msgspec import json
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, InternalError, OperationalError

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.server.common import clock
from parlour.server.common.outside import Worker, outside
from parlour.server.store.database import STALL, Database, unreachable
from parlour.server.store.schema import INBOX, SEATINGS, SECRETS, TABLES

LARGEST_GROUP: Final = 512
"""The most entries that may share a transaction."""


class LostTable(ParlourError):
    """Another server has taken the table, or its log has gone on without us."""


class Repeated(ParlourError):
    """The command was carried out before."""


class TooLate(ParlourError):
    """Nobody is waiting any longer for the command, which came from another server, so it is not carried out."""


@dataclass(slots=True)
class Append:
    """An entry to be appended, as the database keeps it. ``secret``: the match that begins with it, and the secret of
    that; ``timeout``: the seconds that a guest at another server waits for it (0: there is none); ``guest``: the guest
    who sits down with it."""

    table: str
    fence: int
    version: int
    command: str | None
    row: dict[str, Any]
    secret: tuple[int, bytes] | None
    closes: bool
    timeout: float = 0.0
    guest: str = ""
    done: Future[None] = field(default_factory=Future)


@dataclass(slots=True)
class Job:
    """Something else to be written. ``otherwise``: the sentence for whoever waits for it, if the database refuses
    it."""

    work: Callable[[sa.Connection], Any]
    otherwise: str
    done: Future[Any] = field(default_factory=Future)


Task: TypeAlias = Append | Job


class LogWriter:
    """The writer of a database, in a thread of its own. Whatever has been :meth:`put` when it comes round goes into one
    transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._worker: Worker[Task] = outside().worker("parlour log", self._commit, LARGEST_GROUP)
        self._closing, self._closed = threading.Lock(), False

    def put(self, task: Task) -> None:
        """Have a task written; its future is done when it is on disk."""
        task.done.set_running_or_notify_cancel()  # it is written even if nobody waits any longer
        with self._closing:
            if self._closed:
                raise ParlourError("The store is closed.")
            self._worker.put(task)

    def close(self) -> None:
        """Write what is waiting, and end."""
        with self._closing:
            was_closed, self._closed = self._closed, True
        if not was_closed:
            self._worker.close()

    def _commit(self, group: Sequence[Task]) -> None:
        """Write the whole group or, if part of it cannot be written, the rest of it."""
        try:
            results = self._transact(group)
        except Exception as failure:
            if len(group) > 1 and not isinstance(failure, _NOBODYS):  # one is at fault: look for it in either half
                self._commit(group[: len(group) // 2])
                self._commit(group[len(group) // 2 :])
            else:
                for one in group:
                    one.done.set_exception(_reason(one, failure))
        else:
            for one, result in zip(group, results, strict=True):
                one.done.set_result(result)

    def _transact(self, group: Sequence[Task]) -> list[Any]:
        """Write the whole group in one transaction, or none of it. If the connection breaks before the commit, write it
        once more, unless this server stood still: then what the group wanted may be out of date."""
        began = clock.steady()
        with self._database.engine.connect() as connection:
            try:
                results = self._execute(connection, group)
            except DBAPIError as failure:
                if not failure.connection_invalidated or clock.steady() - began >= STALL:
                    raise
            else:
                connection.commit()
                return results
        with self._database.engine.begin() as connection:
            return self._execute(connection, group)

    def _execute(self, connection: sa.Connection, group: Sequence[Task]) -> list[Any]:
        self._append_all(connection, [one for one in group if isinstance(one, Append)])
        return [one.work(connection) if isinstance(one, Job) else None for one in group]

    def _append_all(self, connection: sa.Connection, group: Sequence[Append]) -> None:
        """Write entries of any number of tables with two statements.  After each statement this thread waits for its
        turn among the threads of the server, so one statement for each entry would take a busy server many times as
        long."""
        if not group:
            return
        heads: dict[str, dict[str, Any]] = {}
        for one in group:
            before = one.version - 1
            new = {"id": one.table, "fence": one.fence, "before": before, "version": before}
            head = heads.setdefault(one.table, new)
            if (head["fence"], head["version"]) != (one.fence, before):
                raise LostTable(_LOST)
            head["version"] = one.version
        self._see_that_somebody_waits(connection, [one for one in group if one.timeout])
        changed = json.encode(list(heads.values())).decode()
        if connection.execute(self._database.statements.advance, {"rows": changed}).rowcount != len(heads):
            raise LostTable(_LOST)
        connection.execute(self._database.statements.append, {"rows": json.encode([one.row for one in group]).decode()})
        secrets = [(one.table, *one.secret) for one in group if one.secret is not None]
        if secrets:
            connection.execute(SECRETS.insert(), [dict(zip(SECRETS.c.keys(), kept, strict=True)) for kept in secrets])
        for one in group:
            if one.guest:
                sat = {"guest": one.guest, "table_id": one.table, "at": one.row["at"]}
                connection.execute(self._database.statements.put(SEATINGS), sat)
        closed = [one.table for one in group if one.closes]
        if closed:
            connection.execute(TABLES.update().where(TABLES.c.id.in_(closed)).values(closed=self._database.now()))
        self._database.tell(connection, [(head["id"], head["version"]) for head in heads.values()])

    def _see_that_somebody_waits(self, connection: sa.Connection, group: Sequence[Append]) -> None:
        """Carry out commands from another server only if they are still wanted when they are written. A server that
        withdraws one in the meantime waits until this is over, and then finds it done."""
        for one in group:
            wanted = (INBOX.c.table_id == one.table, INBOX.c.key == one.command, INBOX.c.answer.is_(None))
            recent = INBOX.c.at > self._database.now() - one.timeout
            asked = sa.select(INBOX.c.number).where(*wanted, recent).with_for_update(skip_locked=True)
            if connection.execute(asked).first() is None:
                raise TooLate("Nobody is waiting for this any more.")


_NOBODYS: Final = (OperationalError, InterfaceError, InternalError)
"""Failures of the database itself, not of what was to be written."""
_LOST: Final = marked("The table has been taken by another server, or its log has gone on.")


def _reason(task: Task, failure: Exception) -> Exception:
    """Return the error that whoever waits is told."""
    if isinstance(failure, IntegrityError) and isinstance(task, Job):
        return ParlourError(task.otherwise)
    if isinstance(failure, IntegrityError) and isinstance(task, Append) and task.command is not None:
        return Repeated("This has already been done.")
    return unreachable(failure) if isinstance(failure, DBAPIError) else failure
