"""The secret by which servers know the tokens that they have made, and the tokens that are no longer valid."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make both tables; let a guest be found in the results of the others at a table."""
    op.create_table(
        "signet",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "ended",
        sa.Column("guest", sa.Text, primary_key=True),
        sa.Column("at", sa.Double, nullable=False, index=True),
    )
    op.create_index("ix_results_table_id", "results", ["table_id"])
