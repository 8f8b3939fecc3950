"""Kinds of players, parsed from texts like ``name:setting``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from parlour.base.errors import ParlourError

SEARCH_KINDS: Final = ("search", "best")
"""The kinds of players that search: they take the time, or the number of simulations, that they are given."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of player: its name, and the setting after a colon; ``None`` if there is no colon.

    Any text is a kind; only a game can tell whether there is such a player (:func:`parlour.players.make`).

    >>> Kind.parsed("search:0.5s"), Kind.parsed("pip").setting, str(Kind("best", "200"))
    (Kind(name='search', setting='0.5s'), None, 'best:200')
    """

    name: str
    setting: str | None = None

    @classmethod
    def parsed(cls, text: str) -> Kind:
        """The kind that a text names."""
        name, colon, setting = text.partition(":")
        return cls(name, setting if colon else None)

    def __str__(self) -> str:
        return self.name if self.setting is None else f"{self.name}:{self.setting}"

    @property
    def budget(self) -> dict[str, float | int]:
        """The budget for each move that the setting gives: ``seconds`` or ``simulations``; empty if there is no
        setting.  Raises ``ParlourError`` if the setting is neither.

        >>> Kind("search", "0.5s").budget, Kind("best", "5000").budget, Kind("best").budget
        ({'seconds': 0.5}, {'simulations': 5000}, {})
        """
        if self.setting is None:
            return {}
        try:
            if self.setting.endswith("s"):
                return {"seconds": float(self.setting[:-1])}
            return {"simulations": int(self.setting)}
        except ValueError:
            raise ParlourError(
                "{name} takes seconds a move ({name}:0.5s) or simulations a move ({name}:5000), not {setting!r}.",
                name=self.name,
                setting=self.setting,
            ) from None


def parsed(player: Any) -> Any:
    """Return a kind given as text as a :class:`Kind`; any other player unchanged.

    >>> parsed("random"), parsed(Kind("best"))
    (Kind(name='random', setting=None), Kind(name='best', setting=None))
    """
    return Kind.parsed(player) if isinstance(player, str) else player
