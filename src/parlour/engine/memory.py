"""Perfect recall: what a player has known so far, folded into one 64-bit key (and, for reading, into lines).

A player's key changes when *they act*, when *they are told an event*, or when *their view changes*; never because of
another player's hidden step.  While a sealed node is pending, an answer changes only the key of the player who gives
it, so the order of arrival leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parlour.engine.hashing import GOLD, MASK, deed_fact, event_fact, fold
from parlour.engine.steps import Event, Step
from parlour.engine.telling import Item, glance, told_each
from parlour.rules.vocabulary import EVERYBODY, SEVERAL

if TYPE_CHECKING:
    from parlour.engine.ruleset import Ruleset


class Memory:
    """The keys of all players along one game, starting from position ``s``.

    ``keys[p]`` is the key of player ``p``; ``lines[p]`` is the same in words, one line for each folding: the readable
    information state, or nothing if it is made without ``words``.
    """

    def __init__(self, game: Ruleset[Any], s: Any, words: bool = True) -> None:
        self.game = game
        self._words = words
        everybody = range(game.players)
        self._views = told_each(game, s)
        self._told = [0] * game.players
        self._heard: list[list[str]] = [[] for _ in everybody]
        self.keys = [fold(p + 1, glance(game.definition, self._views[p])) for p in everybody]
        self.lines = [["sees " + _facts(self._views[p])] if words else [] for p in everybody]

    def copy(self) -> Memory:
        """Return an equal memory that shares nothing mutable."""
        new = object.__new__(Memory)
        new.game, new._words = self.game, self._words
        new._views, new._told = self._views[:], self._told[:]
        new._heard = [h[:] for h in self._heard]
        new.keys = self.keys[:]
        new.lines = [text[:] for text in self.lines]
        return new

    def as_known_to(self, player: int, s: Any) -> Memory:
        """Return the memory of a game that goes on from ``s``, which ``player`` cannot tell from the real position.
        That player remembers everything; the others know only what they see in ``s``."""
        new = Memory(self.game, s, self._words)
        new._views[player], new._told[player] = self._views[player], self._told[player]
        new._heard[player], new.lines[player] = self._heard[player][:], self.lines[player][:]
        new.keys[player] = self.keys[player]
        return new

    def mark(self) -> tuple[int, ...]:
        """A value that is equal for equal memories: the keys, and what was told but is not yet folded into them."""
        return (*self.keys, *self._told)

    def words(self) -> list[list[int]]:
        """The same as a matrix of words, from which kernels go on
        (:func:`parlour.engine.kernels.keys.start_memory`)."""
        none = [0] * max(0, 2 - self.game.players)
        glances = [glance(self.game.definition, items) for items in self._views]
        return [[*row, *none] for row in (self.keys, glances, self._told, [0] * self.game.players)]

    def step(self, s: Any, who: int, action: int, events: Sequence[Event], waiting: int = 0) -> None:
        """Take in one step: ``who`` (a player or ``CHANCE``) did ``action``, these events were noted, and the position
        is now ``s``.  ``waiting``: if it was an answer at a sealed node, the set of players who had yet to answer.
        """
        game, numbers = self.game, self.game.definition.event_index
        for clause, event, audience, about, a, b in events:
            fact = event_fact(numbers[event], about, a, b)
            for p in range(game.players) if audience == EVERYBODY else (audience,):
                self._told[p] = (self._told[p] + fact) & MASK
                self._heard[p].append(f"{clause} {event}({about}, {a}, {b})")
        if who >= 0:
            self.keys[who] = fold(self.keys[who], deed_fact(action))
            if self._words:
                self.lines[who].append(f"does {game.action_names[action]}")
        if waiting and is_pending(game.definition.rules, s, who, waiting, events):
            return
        looked: dict[tuple[int, int], tuple[int, list[str]]] = {}  # one result for all players who see the same
        for p, items in enumerate(told_each(game, s)):
            before = self._views[p]
            if items == before and not self._heard[p]:
                continue
            pair = id(before), id(items)
            if pair not in looked:
                looked[pair] = glance(game.definition, items), _change(before, items) if self._words else []
            now, change = looked[pair]
            self.keys[p] = fold(self.keys[p], (now + self._told[p] * GOLD) & MASK)
            if self._words:
                self.lines[p].append("; ".join(sorted(self._heard[p]) + change))
            self._views[p], self._told[p], self._heard[p] = items, 0, []


def _change(before: Sequence[Item], items: Sequence[Item]) -> list[str]:
    """Return a line that says what the player newly sees and no longer sees; empty if nothing has changed."""
    gone, new = set(before) - set(items), set(items) - set(before)
    if not new and not gone:
        return []
    return ["sees " + _facts(sorted(new)) + (" no more " + _facts(sorted(gone)) if gone else "")]


def _facts(items: Sequence[tuple[str, int, int]]) -> str:
    return " ".join(f"{thing}[{index}]={value}" for thing, index, value in items)


def is_pending(rules: Any, s: Any, who: int, waiting: int, events: Sequence[Event]) -> bool:
    """Whether ``s``, reached by an answer of ``who`` at a node where ``waiting`` (a set) had yet to answer, is still
    that node: either others have to answer, or nothing was announced to everybody and ``who`` has more to answer."""
    if rules.actor(s) != SEVERAL:
        return False
    now, rest = rules.acting(s), waiting & ~(1 << who)
    more = now == waiting and all(event[2] != EVERYBODY for event in events)
    return bool(more or (rest != 0 and now == rest))


def recall(game: Ruleset[Any], history: Sequence[Step]) -> Memory:
    """Return the memory of a game with this history, by replaying it once from its start."""
    rules, s = game.definition.rules, game.start()
    memory = Memory(game, s)
    for step in history:
        heard: list[Event] = []
        waiting = rules.acting(s) if rules.actor(s) == SEVERAL else 0
        game.definition.step(s, step.player, step.action, heard)
        memory.step(s, step.player, step.action, heard, waiting)
    return memory
