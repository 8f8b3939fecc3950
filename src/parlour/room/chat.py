"""What people say at a table, and whom each of them does not want to hear."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import Final

from parlour.errors import ParlourError
from parlour.room import wire
from parlour.room.table import is_nobody

REMARKS: Final = 30
"""Remarks that a table remembers."""
MUTED: Final = 200
"""The number of people whom one may mute, and of those who may mute at all."""


class Chat:
    """The last remarks at a table, and who has muted whom.  It is gone with the server: the log keeps remarks and
    notices only, and of these only notices are shown again.

    >>> chat = Chat()
    >>> chat.mute("key of Ann", "Ben")
    >>> chat.hears("key of Ann", "BEN")
    False
    """

    def __init__(self, notices: Iterable[wire.Notice] = ()) -> None:
        self.remarks: deque[wire.Remark | wire.Notice] = deque(notices, maxlen=REMARKS)
        """The last ones, with what was told about the table itself; nobody is sent them again, but a page that is
        loaded shows them."""
        self._muted: dict[str, set[str]] = {}

    def mute(self, key: str, name: str, off: bool = False, seated: Collection[str] = ()) -> None:
        """The guest with this key no longer wants to hear somebody, or (``off``) wants to hear them again.  If too
        many mute, those go who are not among the ``seated``: tokens are free."""
        if is_nobody(key):
            raise ParlourError("Only guests can mute: nobody would know you again.")
        if len(self._muted.get(key, ())) >= MUTED:
            del self._muted[key]  # nobody in earnest mutes that many
        if len(self._muted) >= MUTED and key not in self._muted:
            self._muted = {one: names for one, names in self._muted.items() if one in seated}
        muted = self._muted.setdefault(key, set())
        (muted.discard if off else muted.add)(name.casefold())

    def muted(self, key: str) -> frozenset[str]:
        """The names, case folded, of those whom a guest does not want to hear."""
        return frozenset(self._muted.get(key, ()))

    def hears(self, key: str, name: str) -> bool:
        """Whether whoever has this key wants to hear somebody."""
        return name.casefold() not in self._muted.get(key, ())


__all__ = ["MUTED", "REMARKS", "Chat"]
