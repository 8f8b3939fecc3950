"""The tables of the database in which logs are kept.

A change here needs a migration beside it (``migrations/versions``); a test compares the two.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

SCHEMA: Final = sa.MetaData()
SERVERS: Final = sa.Table(  # a server owns tables only as long as its lease lasts
    "servers",
    SCHEMA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False),  # end of the lease, in seconds since 1970, like all times here
)
TABLES: Final = sa.Table(
    "tables",
    SCHEMA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("version", sa.Integer, nullable=False),  # the version of the last entry
    sa.Column("fence", sa.BigInteger, nullable=False),  # grows with each server that takes the table
    sa.Column("owner", sa.Text, nullable=False, index=True),  # a server; empty: nobody
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("closed", sa.Double, index=True),  # null while it is open
)
ENTRIES: Final = sa.Table(
    "entries",
    SCHEMA,
    sa.Column("table_id", sa.Text, sa.ForeignKey(TABLES.c.id), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),
    sa.Column("command", sa.Text),  # the sender and the command's id, if a client asked for it
    sa.Column("entry", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
sa.Index(
    "ix_entries_command",
    ENTRIES.c.table_id,
    ENTRIES.c.command,
    unique=True,
    sqlite_where=ENTRIES.c.command.is_not(None),
    postgresql_where=ENTRIES.c.command.is_not(None),
)
SECRETS: Final = sa.Table(
    "secrets",
    SCHEMA,
    sa.Column("table_id", sa.Text, sa.ForeignKey(TABLES.c.id), primary_key=True),
    sa.Column("match", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("secret", sa.LargeBinary, nullable=False),
)
INBOX: Final = sa.Table(  # what guests of other servers want of a table's owner
    "inbox",
    SCHEMA,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("table_id", sa.Text, sa.ForeignKey(TABLES.c.id), nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("seat_key", sa.Text, nullable=False),
    sa.Column("command", sa.LargeBinary, nullable=False),
    sa.Column("answer", sa.LargeBinary),
    sa.Column("at", sa.Double, nullable=False, index=True),
    sa.UniqueConstraint("table_id", "key", name="uq_inbox_key"),
)
PRESENCE: Final = sa.Table(  # who is connected to which server: spectators, and guests of tables that it does not own
    "presence",
    SCHEMA,
    sa.Column("table_id", sa.Text, sa.ForeignKey(TABLES.c.id), primary_key=True),
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("server", sa.Text, primary_key=True),
    sa.Column("until", sa.Double, nullable=False, index=True),
    sa.Column("holds", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("steps", sa.Boolean, nullable=False, server_default=sa.false()),
)
SEATINGS: Final = sa.Table(  # the tables at which a guest has sat down, so that they find their way back
    "seatings",
    SCHEMA,
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, primary_key=True, index=True),
    sa.Column("at", sa.Double, nullable=False),
)
RESULTS: Final = sa.Table(  # how matches ended, for each guest who played in them; kept longer than the tables
    "results",
    SCHEMA,
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("table_id", sa.Text, primary_key=True, index=True),
    sa.Column("match", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False, index=True),
    sa.Column("result", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False, server_default="", index=True),  # the competition of the match
)
COUNTED: Final = sa.Table(  # matches whose results were kept, which is done once, whatever was deleted since
    "counted",
    SCHEMA,
    sa.Column("table_id", sa.Text, sa.ForeignKey(TABLES.c.id), primary_key=True),
    sa.Column("match", sa.Integer, primary_key=True, autoincrement=False),
)
RATINGS: Final = sa.Table(  # how strong a guest is at a game, as far as that is known
    "ratings",
    SCHEMA,
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, primary_key=True, index=True),
    sa.Column("mu", sa.Double, nullable=False),
    sa.Column("sigma", sa.Double, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),
    sa.Column("at", sa.Double, nullable=False, index=True),  # when the last match ended
)
LADDER: Final = sa.Table(  # guests who want their ratings to be seen, and under which name
    "ladder",
    SCHEMA,
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
EVENTS: Final = sa.Table(  # competitions: deals of the day, duplicates, tournaments
    "events",
    SCHEMA,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("made", sa.Double, nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),  # grows with each change
    sa.Column("closed", sa.Boolean, nullable=False),
    sa.Column("secret", sa.LargeBinary),  # from which the cards of all its tables follow, if they are the same
    sa.Column("state", sa.Text, nullable=False),
)
ENTRANTS: Final = sa.Table(  # who takes part in a competition, and at which of its tables
    "entrants",
    SCHEMA,
    sa.Column("event", sa.Text, primary_key=True),
    sa.Column("guest", sa.Text, primary_key=True, index=True),
    sa.Column("number", sa.Integer, nullable=False),  # the guest's number in the competition's state
    sa.Column("code", sa.Text, nullable=False),  # the table's code; empty: none yet
    sa.Column("at", sa.Double, nullable=False),
)
SETTLED: Final = sa.Table(  # one row: what is known of the clock
    "settled",
    SCHEMA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Double, nullable=False),  # what the clock said when a server last looked
    sa.Column("sure", sa.Double, nullable=False),  # a time that had surely come by then
    sa.Column("waits", sa.Double, nullable=False),  # seconds that a server must still run until the clock is believed
)
SIGNET: Final = sa.Table(  # one row: the secret by which the servers know the tokens they have made
    "signet",
    SCHEMA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("secret", sa.LargeBinary, nullable=False),
)
ENDED: Final = sa.Table(  # tokens that are no longer valid: replaced by another, or their guest is deleted
    "ended",
    SCHEMA,
    sa.Column("guest", sa.Text, primary_key=True),
    sa.Column("at", sa.Double, nullable=False, index=True),
)
