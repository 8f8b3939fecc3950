"""A second opinion on a strategy file, from the interpreted rules alone.

The tree is walked in the plainest way, with Python objects, the interpreted rules and the memory that people's tables
use; best responses are taken node by node.  Nothing here comes from the solver but the file.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parlour.engine.memory import Memory
from parlour.engine.steps import Event
from parlour.engine.telling import members
from parlour.errors import ParlourError
from parlour.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL

if TYPE_CHECKING:
    from parlour.game import Game

CHANCE_MOVES, OVER = -1, -2
STRIDE = 1 << 12
Mixed = Callable[[int, int], dict[int, float]]
"""Player and key to actions and probabilities."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found: ``value`` is what player 0 gets when both follow the strategy; the value of the game lies between
    ``lower`` and ``upper``.  ``missing``: information sets in which the strategy does not say what to do (it was taken
    to do anything, all equally likely)."""

    value: float
    lower: float
    upper: float
    information_sets: int
    nodes: int
    missing: int

    @property
    def exploitability(self) -> float:
        """Half the width of the bracket."""
        return (self.upper - self.lower) / 2


@dataclass(slots=True)
class _Tree:
    """Nodes in the order of a walk: who acts, the key they act by, children with chance's probability, and what player
    0 gets at an end."""

    who: list[int]
    key: list[int]
    children: list[list[tuple[float, int, int]]]  # probability, action, node
    pays: list[tuple[float, float] | None]


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

    ``mixed(player, key)``: probabilities of actions, empty where the strategy knows nothing.  ``after``: steps that
    everybody sees, with which the deal begins.  ``reduced``: only with the actions that the game says are ``enough``.
    ``ParlourError`` if the tree
    has more than ``most`` nodes, if the game is not zero-sum, or if the strategy chooses what is not legal.

    >>> import parlour
    >>> uniform = lambda player, key: {0: 0.5, 1: 0.5}
    >>> found = certify(parlour.load("kuhn"), uniform)
    >>> found.value, round(found.exploitability, 4), found.nodes
    (0.125, 0.4583, 58)
    """
    tree = _walk(game, after, reduced, most, progress)
    ends = [sum(paid) for paid in tree.pays if paid is not None]
    if max(ends) - min(ends) > 1e-9:
        raise ParlourError(f"{game.definition.name} is not zero-sum: returns add up to {min(ends):g} or {max(ends):g}.")
    chances, missing = _strategy(tree, mixed)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 200_000))
    try:
        lower = min(ends) - _best(tree, chances, 1)
        upper = _best(tree, chances, 0)
    finally:
        sys.setrecursionlimit(before)
    sets = len({(who, key) for who, key in zip(tree.who, tree.key, strict=True) if who >= 0})
    return Certificate(_value(tree, chances), lower, upper, sets, len(tree.who), missing)


def _walk(game: Game, after: Sequence[str], reduced: bool, most: int, progress: Callable[[int], None]) -> _Tree:
    rules = game.definition.rules
    choices = rules.enough if reduced else rules.legal
    weighted = game.definition.has("weight")
    tree = _Tree([], [], [], [])
    state = game.new()
    for step in after:
        state.apply(step)
    start = state.position
    todo: list[tuple[Any, Memory, int, float, int]] = [(start, Memory(game, start), -1, 1.0, 0)]
    while todo:
        s, memory, parent, chance, action = todo.pop()
        node = len(tree.who)
        if node >= most:
            raise ParlourError(
                f"This tree has more than {most:,} nodes, many for a walk through interpreted rules; allow more with"
                " --most."
            )
        if node % STRIDE == 0:
            progress(node)
        if parent >= 0:
            tree.children[parent].append((chance, action, node))
        tree.children.append([])
        tree.pays.append(None)
        who = rules.actor(s)
        if who in (TERMINAL, DEAL_OVER):
            out = [0.0, 0.0]
            rules.deal_returns(s, out)
            tree.pays[node] = out[0], out[1]
            tree.who.append(OVER)
            tree.key.append(0)
            continue
        waiting = rules.acting(s) if who == SEVERAL else 0
        if who == CHANCE:
            weights = {k: rules.weight(s, k) if weighted else 1 for k in members(rules.chance(s))}
            total = sum(weights.values())
            steps = [(k, w / total) for k, w in weights.items()]
            tree.who.append(CHANCE_MOVES)
            tree.key.append(0)
        else:
            who = members(waiting)[0] if who == SEVERAL else who
            acts = [0] * game.action_count
            steps = [(a, 1.0) for a in acts[: choices(s, who, acts)]]
            tree.who.append(who)
            tree.key.append(memory.keys[who])
        for a, p in reversed(steps):
            after, heard = s.copy(), list[Event]()
            if who == CHANCE:
                rules.happen(after, a, heard)
            else:
                rules.apply(after, who, a, heard)
            known = memory.copy()
            known.step(after, who, a, heard, waiting)
            todo.append((after, known, node, p, a))
    return tree


def _strategy(tree: _Tree, mixed: Mixed) -> tuple[list[dict[int, float]], int]:
    """What is done in each node, and in how many information sets the strategy does not say."""
    asked: dict[tuple[int, int], dict[int, float]] = {}
    missing = 0
    chances: list[dict[int, float]] = []
    for who, key, children in zip(tree.who, tree.key, tree.children, strict=True):
        if who < 0:
            chances.append({})
            continue
        legal = [a for _, a, _ in children]
        if (who, key) not in asked:
            said = mixed(who, key)
            missing += not said
            asked[who, key] = said or dict.fromkeys(legal, 1 / len(legal))
            wrong = [a for a, p in said.items() if p and a not in legal]
            if wrong or abs(math.fsum(asked[who, key].values()) - 1) > 1e-6:
                raise ParlourError(f"The strategy of player {who} chooses what is not legal, or not with certainty 1.")
        chances.append(asked[who, key])
    return chances, missing


def _value(tree: _Tree, chances: list[dict[int, float]]) -> float:
    reach = [0.0] * len(tree.who)
    reach[0] = 1.0
    for node, children in enumerate(tree.children):
        for p, action, child in children:
            reach[child] = reach[node] * (chances[node].get(action, 0.0) if tree.who[node] >= 0 else p)
    return math.fsum(r * paid[0] for r, paid in zip(reach, tree.pays, strict=True) if paid is not None)


def _best(tree: _Tree, chances: list[dict[int, float]], me: int) -> float:
    """The most that ``me`` can get against the strategy of the other."""
    reach = [0.0] * len(tree.who)
    reach[0] = 1.0
    together: dict[int, list[int]] = {}
    for node, children in enumerate(tree.children):
        mine = tree.who[node] == me
        if mine:
            together.setdefault(tree.key[node], []).append(node)
        for p, action, child in children:
            reach[child] = reach[node] * (1.0 if mine else chances[node].get(action, 0.0) if tree.who[node] >= 0 else p)
    chosen: dict[int, int] = {}
    known: dict[int, float] = {}

    def value(node: int) -> float:
        """What ``me`` gets from here on, times the probability that the others and chance come here."""
        if node not in known:
            paid, children = tree.pays[node], tree.children[node]
            if paid is not None:
                known[node] = reach[node] * paid[me]
            elif tree.who[node] == me:
                known[node] = value(children[choice(tree.key[node])][2])
            else:
                known[node] = math.fsum(value(child) for _, _, child in children)
        return known[node]

    def choice(key: int) -> int:
        if key not in chosen:
            nodes = together[key]
            worth = [
                math.fsum(value(tree.children[node][k][2]) for node in nodes)
                for k in range(len(tree.children[nodes[0]]))
            ]
            chosen[key] = worth.index(max(worth))
        return chosen[key]

    return value(0)
