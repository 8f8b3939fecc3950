"""What those who are connected to a server want of the one that runs their table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the wishes to presence; nobody has any until their server says so again, some seconds later."""
    for wish in ("holds", "steps"):
        op.add_column("presence", sa.Column(wish, sa.Boolean, nullable=False, server_default=sa.false()))
