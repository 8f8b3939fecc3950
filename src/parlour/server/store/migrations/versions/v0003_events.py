"""Ratings and the ladder; competitions, and who takes part in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables, and say of each result what it was part of."""
    op.add_column("results", sa.Column("event", sa.Text, nullable=False, server_default=""))
    op.create_index("ix_results_event", "results", ["event"])
    op.create_table(
        "ratings",
        sa.Column("guest", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, primary_key=True, index=True),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False, index=True),
    )
    op.create_table(
        "ladder",
        sa.Column("guest", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("made", sa.Double, nullable=False, index=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("secret", sa.LargeBinary),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_table(
        "entrants",
        sa.Column("event", sa.Text, primary_key=True),
        sa.Column("guest", sa.Text, primary_key=True, index=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
    )
