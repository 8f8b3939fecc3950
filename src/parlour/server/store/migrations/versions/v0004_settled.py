"""What is known of the clock, so that nothing is deleted on the word of one that has leapt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table. In a database that has been used, the time that was last certain is that of its latest entry."""
    settled = op.create_table(
        "settled",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("sure", sa.Double, nullable=False),
        sa.Column("waits", sa.Double, nullable=False),
    )
    latest = op.get_bind().execute(sa.text("SELECT max(at) FROM entries")).scalar()
    if latest is not None:
        op.bulk_insert(settled, [{"id": 1, "at": latest, "sure": latest, "waits": 0.0}])
