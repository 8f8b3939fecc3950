"""Where guests have sat, and how their matches ended."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "seatings",
        sa.Column("guest", sa.Text, primary_key=True),
        sa.Column("table_id", sa.Text, primary_key=True, index=True),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "results",
        sa.Column("guest", sa.Text, primary_key=True),
        sa.Column("table_id", sa.Text, primary_key=True),
        sa.Column("match", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False, index=True),
        sa.Column("result", sa.Text, nullable=False),
    )
