"""Chat at a table, and who has muted whom."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import Final

from parlour.base.errors import ParlourError
from parlour.server.common import wire
from parlour.server.table.seats import is_nobody
from parlour.server.table.table import REMARKS

MUTED: Final = 200
"""The most names that a guest may have muted, and the most guests who may mute at all."""


class Chat:
    """The last messages at a table, which the log keeps, and who has muted whom, which lasts as long as the server.

    >>> chat = Chat()
    >>> chat.mute("key of Ann", "Ben")
    >>> chat.hears("key of Ann", "BEN")
    False
    """

    def __init__(self, remarks: Iterable[wire.Remark | wire.Notice] = ()) -> None:
        self.remarks: deque[wire.Remark | wire.Notice] = deque(remarks, maxlen=REMARKS)
        """The last messages, and notices about the table itself. Nobody is sent them again, but a page shows them when
        it is loaded."""
        self._muted: dict[str, dict[str, None]] = {}  # the names muted, oldest first

    def mute(self, key: str, name: str, off: bool = False, seated: Collection[str] = ()) -> None:
        """Mute somebody for the guest with this key, or (``off``) unmute them. If a guest mutes too many names, the
        first is forgotten. If too many guests mute, those who are not ``seated`` are forgotten, because anybody can get
        a token."""
        if is_nobody(key):
            raise ParlourError("Only guests can mute others: sit down first.")
        if len(self._muted) >= MUTED and key not in self._muted:
            self._muted = {one: names for one, names in self._muted.items() if one in seated}
        muted = self._muted.setdefault(key, {})
        muted.pop(name.casefold(), None)
        if not off:
            muted[name.casefold()] = None
        if len(muted) > MUTED:
            del muted[next(iter(muted))]

    def muted(self, key: str) -> frozenset[str]:
        """Return the names, case folded, that a guest has muted."""
        return frozenset(self._muted.get(key, ()))

    def hears(self, key: str, name: str) -> bool:
        """Whether the holder of this key has not muted somebody."""
        return name.casefold() not in self._muted.get(key, ())


__all__ = ["MUTED", "REMARKS", "Chat"]
