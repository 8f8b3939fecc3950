"""What may come next, which the guide explains. It is found out in a world that the reader cannot tell from the real
one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from parlour.base.languages import ENGLISH, current
from parlour.core.game import Game
from parlour.engine.telling import Item, View

AIM: Final = "aim"
"""Stands for the aim of the game, which the guide explains first."""
COMING: Final = 3
"""The most clauses of an action that the guide explains: the action's own, and those of what may follow from it."""
STEPS: Final = 12
"""The most further steps of one action that the guide tries until something is told of it."""


class Idea(NamedTuple):
    """What the guide explains at one time: when it matters, the clause (or :data:`AIM`), and the explanation."""

    occasion: str
    clause: str
    text: str


class ShownView(View):
    """A view that keeps what is worked out from it: its words, which the captions of many buttons need and nobody
    changes, and the hidden worlds that were imagined for it, in which many actions are tried."""

    __slots__ = ("_words", "_worlds")

    def __init__(self, game: Game, player: int, items: tuple[Item, ...], words: dict[str, Any] | None = None) -> None:
        super().__init__(game, player, items)
        self._words = words

    def observation(self) -> dict[str, Any]:
        if self._words is None:
            self._words = super().observation()
        return self._words

    def redeal(self, seed: int) -> Any:
        return self._world(seed).clone()

    def imagined(self, seed: int) -> Any:
        return self._world(seed).position.copy()

    def _world(self, seed: int) -> Any:
        if not hasattr(self, "_worlds"):
            self._worlds: dict[int, Any] = {}
        if seed not in self._worlds:
            self._worlds[seed] = super().redeal(seed)
        return self._worlds[seed]


def coming(view: View, action: int, player: int) -> list[str]:
    """Return the first clauses of what may happen if a player does this now, tried in a world that the reader cannot
    tell from the real one. An action of several steps (a stake on each pool) is carried through, because its first step
    alone may tell nothing."""
    world = view.redeal(0)
    world.apply(action, player)
    for _step in range(STEPS):
        if world.events(player) or player not in world.acting:
            break
        world.apply(world.legal_actions(player)[0], player)
    return list(dict.fromkeys(told.clause for told in world.events(player)))[:COMING]


def others_turn(view: View, seat: int) -> Iterator[str]:
    """Yield the first clauses of what may happen after each kind of action that another player may choose now."""
    world = view.redeal(0)
    if seat in world.acting:
        legal = {view.game.action_names[a]: a for a in world.legal_actions(seat)}
        for action in kinds(legal).values():
            yield from coming(view, action, seat)


def kinds(legal: Mapping[str, int]) -> dict[str, int]:
    """Return the first legal action of each kind.

    >>> kinds({"dig 0": 5, "dig 1": 6, "steal 1": 9})
    {'dig': 5, 'steal': 9}
    """
    found = dict[str, int]()
    for name, action in legal.items():
        found.setdefault(name.split()[0], action)
    return found


def of_kind(verb: str, text: str) -> str:
    """Return what there is to say about a kind of action; in any language but English, the text alone.

    >>> of_kind("fold", "Give up this hand."), of_kind("lead", "Lead this card.")
    ('Fold: Give up this hand.', 'Lead this card.')
    """
    alone = current() != ENGLISH or text.casefold().startswith(f"{verb} ")
    return text if alone else f"{verb.capitalize()}: {text}"
