"""What a player is, and what advice is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from parlour.engine.telling import View


@runtime_checkable
class Player(Protocol):
    """Anybody who can hold a seat: given all that he is told, and the ids of his legal actions, he chooses one."""

    @property
    def name(self) -> str:
        """What it is called in tables: a kind as :func:`parlour.players.make` takes it."""

    def choose(self, view: View, legal: Sequence[int]) -> int:
        """One of ``legal``."""


@runtime_checkable
class Adviser(Player, Protocol):
    """A player who can say why."""

    def advise(self, view: View, legal: Sequence[int]) -> Advice:
        """What it would choose, and the reason."""


@dataclass(frozen=True, slots=True)
class Advice:
    """An action with the reason for it in one readable line; for each action that was tried, the mean return it brought
    (``values``) and how often it was tried (``visits``)."""

    action: int
    reason: str
    values: Mapping[int, float]
    visits: Mapping[int, int]
