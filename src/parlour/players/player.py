"""What a player is, and what advice is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from parlour.engine.telling import View


@runtime_checkable
class Player(Protocol):
    """Anything that can hold a seat: given everything that it may see, and the ids of its legal actions, it chooses
    one."""

    @property
    def name(self) -> str:
        """Its name in tables: a kind as :func:`parlour.players.make` takes it."""

    def choose(self, view: View, legal: Sequence[int]) -> int:
        """Return one of ``legal``."""


@runtime_checkable
class Adviser(Player, Protocol):
    """A player that can say why."""

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """Return what it would choose, and the reason."""


@dataclass(frozen=True, slots=True)
class Advice:
    """An action with the reason for it in one readable line; for each action that was tried, the mean return it brought
    (``values``) and how often it was tried (``visits``)."""

    action: int
    reason: str
    values: Mapping[int, float]
    visits: Mapping[int, int]
