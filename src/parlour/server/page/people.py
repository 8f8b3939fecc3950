"""The people at a table, as its page shows them."""

from __future__ import annotations

from typing import NamedTuple


class Person(NamedTuple):
    """A player at the table."""

    seat: int
    name: str
    bot: str
    guest: bool
    away: bool
    asked: bool
    me: bool
    lit: bool = False
    """Whether they have won what everybody is looking at now."""

    @property
    def initial(self) -> str:
        """The letter that stands for a player without a face."""
        return next((sign for sign in self.name if sign.isalnum()), "?").upper()
