"""What servers on one database leave for each other: commands for the owner of a table, and who is connected where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import sqlalchemy as sa

from parlour.server.store.retention import FORGOTTEN
from parlour.server.store.schema import INBOX, PRESENCE
from parlour.server.store.store import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """What a guest of another server wants of the owner of a table."""

    key: str
    seat_key: str
    command: bytes


class Wishes(NamedTuple):
    """What somebody wants of the server that runs the table. ``holds``: to look at a finished deal before the next;
    ``steps``: to see each event at its own moment."""

    holds: bool = False
    steps: bool = False

    def __or__(self, other: tuple[bool, ...]) -> Wishes:
        return Wishes(*(mine or theirs for mine, theirs in zip(self, other, strict=True)))


NO_WISHES: Final = Wishes()
_WISHES: Final = PRESENCE.c.holds, PRESENCE.c.steps


class Inbox:
    """The commands that wait for the owners of tables, their answers, and who is connected to which server."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ask(self, table: str, key: str, seat_key: str, command: bytes) -> None:
        """Leave a guest's command for the owner of the table: once, however often it is sent."""
        what = {"table_id": table, "key": key, "seat_key": seat_key, "command": command}

        def work(connection: sa.Connection) -> None:
            new = self._store.statements.insert(INBOX).values(**what, at=self._store.database.now())
            connection.execute(new.on_conflict_do_nothing(index_elements=["table_id", "key"]))
            self._store.wake(connection, table)

        self._store.transact(work, "There is no such table.")

    def withdraw(self, table: str, key: str) -> None:
        """Withdraw a command for which nobody waits any longer, so that it is not carried out, unless it is already
        answered."""
        self._store.transact(lambda connection: connection.execute(INBOX.delete().where(*_one(table, key))))

    def asked(self, table: str, seconds: float = FORGOTTEN) -> list[Asked]:
        """Return the commands that wait for the owner of the table, the oldest first, except those that have waited
        longer than this many ``seconds``."""
        waiting = sa.select(INBOX.c.key, INBOX.c.seat_key, INBOX.c.command).order_by(INBOX.c.number)
        recent = INBOX.c.at > self._store.database.now() - seconds
        mine = waiting.where(INBOX.c.table_id == table, INBOX.c.answer.is_(None), recent)
        return [Asked(*row) for row in self._store.select(mine)]

    def answer(self, table: str, key: str, frame: bytes) -> None:
        """Answer a command, unless it is already answered, and tell its sender that there is an answer."""

        def work(connection: sa.Connection) -> None:
            unanswered = INBOX.c.answer.is_(None)
            connection.execute(INBOX.update().where(*_one(table, key), unanswered).values(answer=frame))
            self._store.wake(connection, table)

        self._store.transact(work)

    def answered(self, table: str, key: str) -> bytes | None:
        """Return the answer, once there is one, and remove it."""
        found = self._store.select(sa.select(INBOX.c.answer).where(*_one(table, key)))
        frame: bytes | None = found[0][0] if found else None
        if frame is not None:
            self._store.transact(lambda connection: connection.execute(INBOX.delete().where(*_one(table, key))))
        return frame

    def here(self, table: str, guest: str, server: str, seconds: float, wishes: Wishes = NO_WISHES) -> None:
        """Note that a guest of a table is connected to a server, and what they wish. It lasts for this many seconds, by
        the database's clock, unless it is renewed; 0: they have gone. Other servers are told when a guest comes, even
        if it was only renewed too late, when they wish something else, and when they go."""
        until = self._store.database.now() + seconds
        place = (PRESENCE.c.table_id == table, PRESENCE.c.guest == guest, PRESENCE.c.server == server)

        def work(connection: sa.Connection) -> None:
            if not seconds:
                news = connection.execute(PRESENCE.delete().where(*place)).rowcount > 0
            else:
                lasts = PRESENCE.c.until > self._store.database.now()
                same = lasts, *(column == wish for column, wish in zip(_WISHES, wishes, strict=True))
                news = connection.execute(PRESENCE.update().where(*place, *same).values(until=until)).rowcount == 0
                if news:
                    new = {"table_id": table, "guest": guest, "server": server, "until": until, **wishes._asdict()}
                    connection.execute(self._store.statements.put(PRESENCE).values(new))
            if news:
                self._store.wake(connection, table)

        self._store.transact(work, "There is no such table.")

    def is_here(self, table: str, guest: str) -> bool:
        """Whether a guest of a table is connected to any server that has said so."""
        place = (PRESENCE.c.table_id == table, PRESENCE.c.guest == guest, PRESENCE.c.until > self._store.database.now())
        return bool(self._store.select(sa.select(PRESENCE.c.guest).where(*place)))

    def elsewhere(self, table: str, server: str) -> dict[str, Wishes]:
        """Return the guests of a table who are connected to other servers, and what they wish."""
        there = PRESENCE.c.until > self._store.database.now()
        place = (PRESENCE.c.table_id == table, PRESENCE.c.server != server, there)
        found = dict[str, Wishes]()
        for guest, *wishes in self._store.select(sa.select(PRESENCE.c.guest, *_WISHES).where(*place)):
            found[guest] = found.get(guest, NO_WISHES) | Wishes(*wishes)
        return found


def _one(table: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return INBOX.c.table_id == table, INBOX.c.key == key


__all__ = ["Asked", "Inbox"]
