"""What the maker of a table has decided: who may sit down, who may not come back, and whether there is chat.

The maker is the guest who opened the table, known by the fingerprint of their token; at a table that nobody opened, it
is the first guest who sits down. Nobody else ever gets this role, and the maker keeps it after giving up their seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from parlour.base.errors import ParlourError
from parlour.base.languages import marked
from parlour.base.naming import isolated
from parlour.server.common import wire
from parlour.server.table import log

_SAID: Final = {
    ("newcomers", True): "The host unlocks the table: anybody can sit down.",
    ("newcomers", False): "The host locks the table: nobody new can sit down.",
    ("takeovers", True): "The host allows takeovers: a bot's seat can be taken during a match.",
    ("takeovers", False): "The host closes the table to takeovers: a bot's seat can only be taken between matches.",
    ("chat", True): "The host switches the chat on.",
    ("chat", False): "The host switches the chat off.",
}


class Hosting:
    """The decisions of a table's maker, and the seat whose cards each guest has seen in the current match.

    >>> from parlour.server.table.log import Allowed
    >>> table = Hosting("ann", takeovers=False)
    >>> table.allowed
    ('newcomers', 'chat')
    >>> table.may_sit("ben", 1, is_running=False)
    >>> table.may_sit("ben", 1, is_running=True)
    Traceback (most recent call last):
    parlour.base.errors.ParlourError: This table is closed to takeovers: you can sit down when the match is over.
    """

    def __init__(self, maker: str, takeovers: bool) -> None:
        self.maker = maker
        self._removed: set[str] = set()
        self._forbidden = set[str]() if takeovers else {"takeovers"}
        self._sat: dict[str, int] = {}

    # ------------------------------------------------------------------ what the log says

    def new_match(self, seats: Mapping[str, int]) -> None:
        """Begin another match, with these guests in their seats."""
        self._sat = dict(seats)

    def sat(self, key: str, seat: int) -> None:
        """Note that a guest has sat down."""
        self.maker = self.maker or key
        self._sat[key] = seat

    def left(self, key: str, has_begun: bool) -> None:
        """Note that a guest has given up their seat. Before the match began, there was nothing to see there."""
        if not has_begun:
            self._sat.pop(key, None)

    def removed(self, key: str) -> None:
        """Note that a guest was removed, and cannot come back."""
        self._removed.add(key)

    def set(self, what: str, on: bool) -> None:
        """Allow or forbid something from now on."""
        (self._forbidden.discard if on else self._forbidden.add)(what)

    # ------------------------------------------------------------------ what follows

    @property
    def allowed(self) -> tuple[str, ...]:
        """What is allowed now, of :data:`~parlour.server.common.wire.ALL`."""
        return tuple(what for what in wire.ALL if what not in self._forbidden) if self._forbidden else wire.ALL

    def is_maker(self, key: str) -> bool:
        """Whether this is the key of the table's maker."""
        return bool(key) and key == self.maker

    def before(self, key: str) -> int | None:
        """Return the seat whose cards a guest has seen in this match, if any."""
        return self._sat.get(key)

    def may_sit(self, key: str, seat: int, is_running: bool) -> None:
        """Raise ``ParlourError`` if a guest may not take this seat. ``is_running``: whether a match is on, with its
        cards dealt."""
        before = self._sat.get(key)
        if key in self._removed:
            raise ParlourError("The host has removed you from this table; you can watch.")
        if is_running and before is not None and before != seat:
            raise ParlourError("You have seen the cards of seat {before} in this match: sit down there.", before=before)
        if before is not None:
            return
        if "newcomers" in self._forbidden:
            raise ParlourError("The host has locked this table: nobody new can sit down.")
        if is_running and "takeovers" in self._forbidden and (self._sat or not self.is_maker(key)):
            raise ParlourError("This table is closed to takeovers: you can sit down when the match is over.")

    def must_be_maker(self, key: str) -> None:
        """Raise ``ParlourError`` unless this guest is the table's maker."""
        if not self.is_maker(key):
            raise ParlourError("Only the table's host can do that.")


Noticed: TypeAlias = log.Sat | log.Left | log.Removed | log.Allowed
"""The entries that bring a notice for everybody."""


def notice_of(entry: Noticed, guest: str, bot: str) -> wire.Notice:
    """Return the notice that an entry brings. ``guest``, ``bot``: the names of the guest and the bot of the seat that
    it is about, if any."""
    who = isolated(guest)
    match entry:
        case log.Sat():
            return wire.Notice(
                what="sat",
                seat=entry.seat,
                text=marked("{who} sits down in {bot}'s place.", who=who, bot=bot),
            )
        case log.Left():
            said = marked("{who} leaves; the bot {bot} plays on.", who=who, bot=bot)
            return wire.Notice(what="left", seat=entry.seat, text=said)
        case log.Removed():
            said = marked("The host removes {who}; the bot {bot} plays on.", who=who, bot=bot)
            return wire.Notice(what="removed", seat=entry.seat, text=said)
        case log.Allowed():
            return wire.Notice(what=entry.name, seat=-1, text=_SAID[entry.name, entry.on])


__all__ = ["Hosting", "Noticed", "notice_of"]
