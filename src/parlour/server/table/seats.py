"""The holders of a table's seats, and how a guest is known."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from parlour.rules.vocabulary import EVERYBODY
from parlour.server.common.outside import token_hex

_NAMES = """
    Ada Ben Cora Dan Eve Finn Gwen Hugo Iris Jon Kit Lou May Ned Ola Pia Quin Ruth Sam Tess Una Vic Wim Xia Yan Zoe Abe
"""
NAMES: Final = tuple(_NAMES.split())
"""The names of bots: one more than any game has seats."""
_NOBODY: Final = "nobody "
WATCHER: Final = EVERYBODY
"""The seat number of spectators."""


@dataclass(slots=True)
class Seat:
    """The holder of a seat: a bot of a kind, or the guest whose token has the fingerprint ``key``."""

    bot: str
    called: str  # the bot's name
    guest: str = ""  # the guest's name
    key: str = ""
    away: bool = False

    @property
    def name(self) -> str:
        """The name that sentences use for the holder of this seat."""
        return self.guest if self.key else self.called

    @property
    def is_absent(self) -> bool:
        """Whether the guest of this seat is away."""
        return bool(self.key) and self.away

    @property
    def is_bots(self) -> bool:
        """Whether a bot answers for this seat now."""
        return not self.key or self.away


def nobody() -> str:
    """Return a key for somebody without a token. Nobody else has it, and it is of no use later."""
    return f"{_NOBODY}{token_hex(8)}"


def is_nobody(key: str) -> bool:
    """Whether a key belongs to somebody without a token."""
    return not key or key.startswith(_NOBODY)


def fingerprint(token: str) -> str:
    """Return what is kept of a guest's token: enough to recognise it, but not to recreate it. It is empty for no
    token."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""


__all__ = ["NAMES", "WATCHER", "Seat", "fingerprint", "is_nobody", "nobody"]
