"""The store's statements that SQLite and PostgreSQL phrase differently.

Rows go in as one text, a list in JSON that the database takes apart. So a statement is the same text however many rows
there are, and is prepared once.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from parlour.server.store.schema import ENTRIES, TABLES

CHANNEL: Final = "parlour"
"""The channel on which the servers of one PostgreSQL wake each other."""
GUESTS: Final = "guests"
"""Stands in place of a table's name when servers tell each other that a token is no longer valid."""
MIGRATING: Final = 0x7061726C
"""PostgreSQL's advisory lock under which the database is brought up to date; it is also the first half of servers'
marks."""


class Statements:
    """Statements in the words of one kind of database. ``advance``: move the heads of logs from the version ``before``
    to ``version``, where the fence matches. ``append``: add entries. ``wake`` (PostgreSQL): tell the servers of
    heads."""

    def __init__(self, shared: bool) -> None:
        self._shared = shared
        head, source = self._rows(TABLES.c.id, TABLES.c.fence, TABLES.c.version, sa.Column("before", sa.Integer))
        mine = (TABLES.c.id == head["id"], TABLES.c.fence == head["fence"], TABLES.c.version == head["before"])
        self.advance = TABLES.update().where(*mine).values(version=head["version"])
        self.wake = sa.select(_notice(head["id"], head["version"])).select_from(source)
        row, source = self._rows(*ENTRIES.c)
        self.append = ENTRIES.insert().from_select(list(row), sa.select(*row.values()).select_from(source))

    def insert(self, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
        """Return an INSERT that may say what happens if the row already exists."""
        return postgresql.insert(table) if self._shared else sqlite.insert(table)

    def insert_once(self, table: sa.Table) -> sa.Insert:
        """Return an INSERT that leaves a row alone if it is there already; ``rowcount`` says whether it was new."""
        new = self.insert(table).on_conflict_do_nothing(index_elements=[*table.primary_key])
        return new.execution_options(preserve_rowcount=True)  # otherwise it is -1 with PostgreSQL

    def put(self, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
        """Return an INSERT that replaces the row with the same key, if there is one."""
        new = self.insert(table)
        keys = [c.name for c in table.primary_key]
        others = {c.name: new.excluded[c.name] for c in table.c if c.name not in keys}
        return new.on_conflict_do_update(index_elements=keys, set_=others)

    def _rows(self, *columns: sa.Column[Any]) -> tuple[Mapping[str, sa.ColumnElement[Any]], sa.FromClause]:
        """Return the columns of the parameter ``rows``, and what a statement selects them from."""
        text = sa.bindparam("rows", type_=sa.Text)
        if self._shared:
            plain = [sa.column(c.name, c.type) for c in columns]
            named = sa.func.json_to_recordset(sa.cast(text, postgresql.JSON)).table_valued(*plain)
            source: sa.FromClause = named.render_derived(name="given", with_types=True)
            return {c.name: source.c[c.name] for c in columns}, source
        source = sa.func.json_each(text).table_valued("value", name="given")
        return {c.name: source.c.value.op("->>", return_type=c.type)(c.name) for c in columns}, source


def _notice(table: sa.ColumnElement[str], version: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
    return sa.func.pg_notify(CHANNEL, table + " " + sa.cast(version, sa.Text))


def mark_of(owner: str) -> int:
    """Return the second half of a server's mark: an advisory lock that it holds, and loses with its connection."""
    return zlib.crc32(owner.encode()) - (1 << 31)


def mark(connection: sa.Connection, owner: str) -> bool:
    """Put the mark of a server on a connection; return whether that worked (an older connection may still hold it)."""
    held = sa.func.pg_try_advisory_lock(sa.literal(MIGRATING, sa.Integer), sa.literal(mark_of(owner), sa.Integer))
    return bool(connection.execute(sa.select(held)).scalar())


def marks_held(connection: sa.Connection) -> set[int]:
    """Return the second halves of the marks that servers hold now."""
    held = connection.execute(_MARKS, {"half": MIGRATING}).scalars()
    return {number - (1 << 32) if number >= 1 << 31 else number for number in held}


_MARKS: Final = sa.text(
    "SELECT CAST(objid AS bigint) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted"
    " AND CAST(classid AS bigint) = :half"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
