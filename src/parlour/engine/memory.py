"""Perfect recall: what a player has known so far, folded into one 64-bit key (and, for reading, into lines).

A player's key takes in something when *he acted*, when *he was told an event*, or when *his view changed*; never
because somebody else's hidden step passed.  While a sealed node is pending, only the one who answers takes in
anything, and that is his own answer: so the order of arrival leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.engine.mixing import GOLD, MASK, deed_fact, event_fact, fold
from parlour.engine.telling import glance, view
from parlour.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.game import Game

Event = tuple[str, str, int, int, int, int]
"""As noted by the rules: clause, event, audience (``EVERYBODY`` or a player), player concerned, two numbers."""


class Memory:
    """The keys of all players along one game, starting from position ``s``.

    ``keys[p]`` is the key of player ``p``; ``lines[p]`` says the same in words, one line a folding: the readable
    information state.
    """

    def __init__(self, game: Game, s: Any) -> None:
        self.game = game
        everybody = range(game.players)
        self._views = [view(game, s, p).items for p in everybody]
        self._told = [0] * game.players
        self._heard: list[list[str]] = [[] for _ in everybody]
        self.keys = [fold(p + 1, glance(game.definition, self._views[p])) for p in everybody]
        self.lines = [["sees " + _facts(self._views[p])] for p in everybody]

    def copy(self) -> Memory:
        """An equal memory that shares nothing that changes."""
        new = object.__new__(Memory)
        new.game = self.game
        new._views, new._told = self._views[:], self._told[:]
        new._heard = [h[:] for h in self._heard]
        new.keys = self.keys[:]
        new.lines = [text[:] for text in self.lines]
        return new

    def step(self, s: Any, who: int, action: int, events: Sequence[Event], waiting: int = 0) -> None:
        """Take in one step: ``who`` (a player or ``CHANCE``) did ``action``, these events were noted, and the position
        is now ``s``.  ``waiting``: the set of players who had still to answer when it was an answer at a sealed node.
        """
        game, numbers = self.game, self.game.definition.event_index
        for clause, event, audience, about, a, b in events:
            fact = event_fact(numbers[event], about, a, b)
            for p in range(game.players) if audience == EVERYBODY else (audience,):
                self._told[p] = (self._told[p] + fact) & MASK
                self._heard[p].append(f"{clause} {event}({about}, {a}, {b})")
        if who >= 0:
            self.keys[who] = fold(self.keys[who], deed_fact(action))
            self.lines[who].append(f"does {game.action_names[action]}")
        if waiting and is_pending(game.definition.rules, s, who, waiting):
            return
        for p in range(game.players):
            items = view(game, s, p).items
            if items == self._views[p] and not self._heard[p]:
                continue
            now = glance(game.definition, items)
            self.keys[p] = fold(self.keys[p], (now + self._told[p] * GOLD) & MASK)
            gone, new = set(self._views[p]) - set(items), set(items) - set(self._views[p])
            change = sorted(self._heard[p])
            if new or gone:
                change.append("sees " + _facts(sorted(new)) + (" no more " + _facts(sorted(gone)) if gone else ""))
            self.lines[p].append("; ".join(change))
            self._views[p], self._told[p], self._heard[p] = items, 0, []


def _facts(items: Sequence[tuple[str, int, int]]) -> str:
    return " ".join(f"{thing}[{index}]={value}" for thing, index, value in items)


def is_pending(rules: Any, s: Any, who: int, waiting: int) -> bool:
    """Whether ``s``, reached by the answer of ``who`` at a node where ``waiting`` (a set) still had to answer, waits
    for the others of that same node."""
    rest = waiting & ~(1 << who)
    return rest != 0 and rules.actor(s) == SEVERAL and rules.acting(s) == rest
