"""A second opinion on a strategy file, from the interpreted rules alone.

The tree is walked level by level, with Python objects, the interpreted rules and the memory that tables use.  The file
is all that comes from the solver.

*Histories that nobody could ever tell apart are walked as one.*  If they lead to the same position, and each player has
the same key in them, they have the same continuations, and no strategy can treat them differently, so their chances are
added. (An example is the same hand dealt in another order.) So one level is kept at a time, and of earlier levels only
what the players knew and did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parlour.base.errors import ParlourError
from parlour.engine.memory import Memory
from parlour.engine.steps import Event
from parlour.engine.telling import members
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL
from parlour.solve.beginning import begun, telling_apart

if TYPE_CHECKING:
    from parlour.core.game import Game

__all__ = ["Certificate", "certify"]

STRIDE = 1 << 12
Mixed = Callable[[int, int], dict[int, float]]
"""Player and key to actions and probabilities."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The result: ``value``, in the game's own unit, is what player 0 gets if both follow the strategy; the value of
    the game lies between ``lower`` and ``upper``, in the same unit.  ``nodes``: the number of histories in the tree,
    and ``walked``: how many were walked once equal ones were merged; ``missing``: the number of information sets that
    the strategy does not contain (all actions are then taken to be equally likely)."""

    value: float
    lower: float
    upper: float
    information_sets: int
    nodes: int
    walked: int
    missing: int

    @property
    def exploitability(self) -> float:
        """Half the width of the bracket, in the game's own unit."""
        return (self.upper - self.lower) / 2


class _Plan:
    """The information sets and sequences of one player.  A *line* is an information set with an action there; line 0 is
    the empty sequence.  ``plan`` has the probability of each line by the player's own strategy."""

    def __init__(self) -> None:
        self.sets: dict[int, int] = {}  # number of each information set, by key
        self.came: list[int] = []  # for each set: the sequence that leads to it
        self.lines: list[list[int]] = []  # for each set: the sequence that each action completes
        self.legal: list[list[int]] = []
        self.plan = [1.0]
        self.missing = 0

    def meet(self, player: int, key: int, came: int, legal: list[int], mixed: Mixed, name: str) -> list[int]:
        """Return the lines that continue from an information set."""
        i = self.sets.get(key)
        if i is None:
            said = mixed(player, key)
            self.missing += not said
            said = said or dict.fromkeys(legal, 1 / len(legal))
            if any(p and a not in legal for a, p in said.items()) or abs(math.fsum(said.values()) - 1) > 1e-6:
                raise ParlourError(
                    "The strategy of player {player} chooses illegal actions, or its probabilities do not add up to 1.",
                    player=player,
                )
            i = self.sets[key] = len(self.came)
            self.came.append(came)
            self.legal.append(legal)
            self.lines.append(list(range(len(self.plan), len(self.plan) + len(legal))))
            self.plan += [self.plan[came] * said.get(a, 0.0) for a in legal]
        if self.came[i] != came or self.legal[i] != legal:
            raise ParlourError(
                "One deal of {name} lets player {player} forget something, or tell apart too much.",
                name=name,
                player=player,
            )
        return self.lines[i]

    def best(self, brought: dict[int, float]) -> float:
        """Return the most that the player can get; ``brought``: what each line brings by itself."""
        worth = [brought.get(line, 0.0) for line in range(len(self.plan))]
        for i in range(len(self.came) - 1, -1, -1):
            worth[self.came[i]] += max(worth[line] for line in self.lines[i])
        return worth[0]


@dataclass(slots=True)
class _TreeNode:
    position: Any
    memory: Memory
    chance: float  # total probability of the histories that this one stands for
    histories: int
    came: tuple[int, int]  # each player's last sequence


def certify(
    game: Game,
    mixed: Mixed,
    *,
    after: Sequence[str] = (),
    reduced: bool = False,
    most: int = 3_000_000,
    progress: Callable[[int], None] = lambda nodes: None,
) -> Certificate:
    """Walk the tree of one deal and take both best responses to a strategy.

    ``mixed(player, key)``: probabilities of actions, empty if the strategy does not contain the information set.
    ``after``: steps that everybody sees, with which the deal begins.  ``reduced``: only with the actions that the game
    says are ``enough``.  ``progress`` is called with the number of histories so far.  Raises ``ParlourError`` if more
    than ``most`` nodes would have to be walked, if the game is not zero-sum, or if the strategy chooses an illegal
    action.

    >>> import parlour
    >>> uniform = lambda player, key: {0: 0.5, 1: 0.5}
    >>> found = certify(parlour.load("kuhn"), uniform)
    >>> round(found.value, 4), round(found.exploitability, 4), found.nodes
    (0.125, 0.4583, 58)
    """
    name, rules = game.definition.name, game.definition.rules
    choices = rules.enough if reduced else rules.legal
    weighted, told_apart = game.definition.has("weight"), telling_apart(game)
    sides, brought, sums = (_Plan(), _Plan()), (dict[int, float](), dict[int, float]()), set[float]()
    value, histories, walked = 0.0, 0, 0
    state = begun(game, after)
    level = [_TreeNode(state.position, Memory(game, state.position, words=False), 1.0, 1, (0, 0))]
    while level:
        follow: dict[Any, _TreeNode] = {}
        for node in level:
            if walked >= most:
                raise ParlourError(
                    "This tree has more than {most:,} nodes to walk, many for interpreted rules; allow more with"
                    " --most.",
                    most=most,
                )
            if walked % STRIDE == 0:
                progress(histories)
            walked += 1
            histories += node.histories
            s, who = node.position, rules.actor(node.position)
            if who in (TERMINAL, DEAL_OVER):
                paid = [0.0, 0.0]
                rules.deal_returns(s, paid)
                sums.add(round(math.fsum(paid), 9))
                if len(sums) > 1:
                    raise ParlourError(
                        "{name} is not zero-sum: returns add up to {sums:g} or {other_sums:g}.",
                        name=name,
                        sums=min(sums),
                        other_sums=max(sums),
                    )
                likely = [side.plan[line] for side, line in zip(sides, node.came, strict=True)]
                value += node.chance * likely[0] * likely[1] * paid[0]
                for p in range(2):
                    here = node.chance * likely[1 - p] * paid[p]
                    brought[p][node.came[p]] = brought[p].get(node.came[p], 0.0) + here
                continue
            waiting = rules.acting(s) if who == SEVERAL else 0
            if who == CHANCE:
                weights = {k: rules.weight(s, k) if weighted else 1 for k in members(rules.chance(s))}
                total = sum(weights.values())
                steps = [(k, w / total, node.came) for k, w in weights.items()]
            else:
                who = members(waiting)[0] if who == SEVERAL else who
                acts = [0] * game.action_count
                legal, came = acts[: choices(s, who, acts)], node.came
                on = sides[who].meet(who, node.memory.keys[who], came[who], legal, mixed, name)
                ways = [(line, came[1]) if who == 0 else (came[0], line) for line in on]
                steps = [(a, 1.0, way) for a, way in zip(legal, ways, strict=True)]
            for a, part, came in steps:
                new, heard = s.copy(), list[Event]()
                if who == CHANCE:
                    rules.happen(new, a, heard)
                else:
                    rules.apply(new, who, a, heard)
                known = node.memory.copy()
                known.step(new, who, a, heard, waiting)
                same = (*told_apart(new), *known.mark())
                if (there := follow.get(same)) is None:
                    follow[same] = _TreeNode(new, known, node.chance * part, node.histories, came)
                else:
                    there.chance += node.chance * part
                    there.histories += node.histories
        level = list(follow.values())
    progress(histories)
    best = [side.best(lines) for side, lines in zip(sides, brought, strict=True)]
    sets, missing = (sum(f(side) for side in sides) for f in (lambda side: len(side.came), lambda side: side.missing))
    return Certificate(value, sums.pop() - best[1], best[0], sets, histories, walked, missing)
