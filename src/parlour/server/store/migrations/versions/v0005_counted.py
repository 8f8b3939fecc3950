"""The matches whose results were kept, so that what was deleted of them does not come back."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table. In a database that has been used, a match counts as kept if another has followed it, if its table
    is closed, or if there are results of it."""
    counted = op.create_table(
        "counted",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("match", sa.Integer, primary_key=True, autoincrement=False),
    )
    read = op.get_bind().execute
    begun = read(sa.text('SELECT table_id, entry FROM entries WHERE entry LIKE \'{"what":"committed"%\'')).all()
    matches = {(table, json.loads(entry)["match"]) for table, entry in begun}
    closed = {table for (table,) in read(sa.text("SELECT id FROM tables WHERE closed IS NOT NULL"))}
    kept = read(sa.text("SELECT DISTINCT r.table_id, r.match FROM results r JOIN tables t ON t.id = r.table_id"))
    over = {(table, match) for table, match in matches if table in closed or (table, match + 1) in matches}
    over |= {(table, match) for table, match in kept}
    op.bulk_insert(counted, [{"table_id": table, "match": match} for table, match in sorted(over)])
