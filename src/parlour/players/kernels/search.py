"""Information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012) over flat arrays, for any game.

Each simulation deals a world that the searching player cannot tell from the real one, and walks down one tree whose
nodes are the *information sets* of the mover (perfect-recall keys, so nobody plans with cards they cannot see) until it
reaches a node with few visits.  From there it plays on at random among ``likely`` actions, and credits every player on
the path with that player's return.  If a game hides nothing, a node is the position itself: its words are the key, and
positions reached in different ways share a node.

The search player is in :mod:`parlour.players.search`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from parlour.engine.hashing import fold, slot, word
from parlour.engine.kernel import F64, I8, I16, I32, I64, U64, Kernel, Positions, Raw, U64x2, rules
from parlour.engine.kernels import bulk, chance, keys
from parlour.engine.kernels.bulk import play_deal
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.keys import start_memory, step_remembered
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, below

EXPANSION_THRESHOLD = 64
"""Visits to a node other than the root before actions are chosen there by their results.  If all were tried once first,
all other players would mostly play at random in the tree."""


class TreeArrays(NamedTuple):
    """The tree, in three vectors: ``keys`` is an open-addressed table of nodes (0 = free), and ``firsts`` has the place
    where a node's numbers begin in ``edges``.  These are the number of visits, then for each action how often it was
    chosen there and the sum of its returns to the mover.  ``used`` counts nodes and entries of ``edges`` in use.

    ``seen``: see :func:`note_returns`.  The others are scratch space; ``path`` and ``movers`` are as long as the tree
    may be deep.
    """

    acts: I16
    rng: U64
    out: F64
    memory: U64x2
    keys: U64
    firsts: I32
    edges: F64
    used: I64
    path: I32
    movers: I8
    seen: F64


def _find(keys: Any, key: Any) -> int:
    """Return the place of ``key`` in the open-addressed table, or a free place for it."""
    last = len(keys) - 1
    i = slot(key, last)
    while (keys[i] != 0) & (keys[i] != key):
        i = (i + 1) & last
    return i


def _key(words: Any, memory: Any, who: int) -> Any:
    """Return the key of the information set of ``who``; never 0."""
    if rules.HIDES_NOTHING:
        key = word(0)
        for i in range(len(words)):
            key += fold(word(i + 1), words[i])
        return key | word(1)
    return memory[0, who] | word(1)


def _start(s: Any, memory: Any) -> None:
    if not rules.HIDES_NOTHING:
        start_memory(s, memory)


def _step(s: Any, memory: Any, who: int, a: int) -> None:
    """Apply an action or outcome; if the game hides anything, record it in every player's memory."""
    if not rules.HIDES_NOTHING:
        step_remembered(s, memory, who, a, False)
    elif who == CHANCE:
        rules.happen(s, a, None)
    else:
        rules.apply(s, who, a, None)


def _choose(n: int, tried: Any, edges: Any, first: int, explore: float, rng: Any) -> int:
    """Choose an action after ``tried`` trials: a random untried one if there is any, otherwise the one with the highest
    upper confidence bound (UCB1)."""
    if tried < n:
        left = below(rng, n - int(tried))
        for k in range(n):
            if edges[first + 1 + 2 * k] == 0:
                if left == 0:
                    return k
                left -= 1
    spread = explore * math.sqrt(math.log(tried))
    best = -1e30
    choice = 0
    for k in range(n):
        visits = edges[first + 1 + 2 * k]
        bound = edges[first + 2 + 2 * k] / visits + spread / math.sqrt(visits)
        if bound > best:
            best = bound
            choice = k
    return choice


def note_returns(out: Any, me: int, players: int, seen: Any) -> None:
    """Note the returns of a simulation in ``seen``: the lowest and the highest return of any player, the first two
    different returns of ``me``, and the number of different ones (3: more than two)."""
    for p in range(players):
        seen[0] = min(seen[0], out[p])
        seen[1] = max(seen[1], out[p])
    if seen[4] == 0:
        seen[2] = out[me]
        seen[4] = 1
    elif (seen[4] == 1) & (out[me] != seen[2]):
        seen[3] = out[me]
        seen[4] = 2
    elif (out[me] != seen[2]) & (out[me] != seen[3]):
        seen[4] = 3


def search(S: Positions, words: Raw, me: int, tree: TreeArrays, simulations: int, explore: float) -> int:
    """Run simulations for player ``me`` from ``S[0]``, a position restored from their view, and add them to the tree.
    Return the place in the table of the root, the node of the view.

    ``words[1]``: the words of position ``S[1]`` (read only if the game hides nothing).  ``explore`` is in units of half
    the distance between lowest and highest return, so it needs no adjusting to a game's stakes.
    """
    s = S[1]
    root = word(0)
    full = len(tree.keys) * 3 // 4
    for _ in range(simulations):
        S[1] = S[0]
        rules.redeal(s, me, tree.rng)
        _start(s, tree.memory)
        if root == 0:
            root = _key(words[1], tree.memory, me)
        scale = explore * (tree.seen[1] - tree.seen[0]) / 2
        depth = 0
        steps = 0
        reached = False
        while True:
            steps = one_more(steps)
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                break
            if who == CHANCE:
                _step(s, tree.memory, who, draw_outcome(s, tree.rng))
                continue
            n = rules.candidates(s, who, tree.acts)
            key = _key(words[1], tree.memory, who)
            i = _find(tree.keys, key)
            if tree.keys[i] == 0:
                if (tree.used[0] >= full) | (tree.used[1] + 1 + 2 * n > len(tree.edges)):
                    break
                tree.keys[i] = key
                tree.firsts[i] = tree.used[1]
                for k in range(1 + 2 * n):
                    tree.edges[tree.used[1] + k] = 0
                tree.used[0] += 1
                tree.used[1] += 1 + 2 * n
            first = tree.firsts[i]
            tried = tree.edges[first]
            if key == root:
                reached = True
            else:
                tried -= EXPANSION_THRESHOLD
            tree.edges[first] += 1
            if tried < 0:
                if reached:
                    break
                # This player chooses at the same time as `me`, from an earlier seat.
                _step(s, tree.memory, who, tree.acts[below(tree.rng, rules.likely(s, who, tree.acts))])
                continue
            k = _choose(n, tried, tree.edges, first, scale, tree.rng)
            tree.path[depth] = first + 1 + 2 * k
            tree.movers[depth] = who
            depth += 1
            _step(s, tree.memory, who, tree.acts[k])
            if depth == len(tree.movers):
                break
        play_deal(s, tree.acts, tree.rng, rules.likely, 0)
        rules.deal_returns(s, tree.out)
        note_returns(tree.out, me, s.players, tree.seen)
        for d in range(depth):
            tree.edges[tree.path[d]] += 1
            tree.edges[tree.path[d] + 1] += tree.out[tree.movers[d]]
    return _find(tree.keys, root)


KERNEL = Kernel(__name__, uses=(bulk, chance, keys), entries=(search,))
