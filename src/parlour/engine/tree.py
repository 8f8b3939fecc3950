"""Information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012) over flat arrays, for any game.

Each simulation deals a world that the searching player cannot tell from the real one, walks down one tree whose nodes
are what the mover *knows* (perfect-recall keys, so nobody plans with cards they cannot see), until it comes to a node
that it hardly knows.  There it plays on at random among ``likely`` actions, and credits every player on the way with
that player's return.  Where a game hides nothing (``OPEN``), what the mover knows is the position itself: its words are
the key, and positions reached in different ways share a node.

Bound like the drivers, by :mod:`parlour.engine.c` and by :mod:`parlour.engine.interpreted`.

The tree is three vectors.  ``keys`` is an open-addressed table of nodes (0 = free), ``firsts`` says where a node's
numbers begin in ``edges``.  These are how often the node was visited, then for each of its actions how often it was
chosen there and the sum of the returns it brought to the mover.  ``used`` counts nodes and entries of ``edges`` in use.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from parlour.vocabulary import CHANCE, DEAL_OVER, TERMINAL

apply: Callable[..., None]
happen: Callable[..., None]
candidates: Callable[..., int]
redeal: Callable[..., None]
deal_returns: Callable[..., None]
mover: Callable[..., int]
one_more: Callable[..., int]
likely: Callable[..., int]
draw_outcome: Callable[..., int]
start_memory: Callable[..., None]
step_remembered: Callable[..., None]
below: Callable[..., int]
fold: Callable[..., Any]
word: Callable[..., Any]
slot: Callable[..., int]
OPEN: bool

PATIENCE = 64
"""Visits to a node other than the root before actions are chosen there by their results.  If all were tried once first,
everybody but the searching player would mostly play at random in the tree."""


def _find(keys: Any, key: Any) -> int:
    """Return where ``key`` stands in the open-addressed table, or where it would go."""
    last = len(keys) - 1
    i = slot(key, last)
    while (keys[i] != 0) & (keys[i] != key):
        i = (i + 1) & last
    return i


def _key(words: Any, memory: Any, who: int) -> Any:
    """Return the key of what ``who`` knows; never 0."""
    if OPEN:
        key = word(0)
        for i in range(len(words)):
            key += fold(word(i + 1), words[i])
        return key | word(1)
    return memory[0, who] | word(1)


def _start(s: Any, memory: Any) -> None:
    if not OPEN:
        start_memory(s, memory)


def _step(s: Any, memory: Any, who: int, a: int) -> None:
    """Apply an action or outcome; where something is hidden, let every player remember it."""
    if not OPEN:
        step_remembered(s, memory, who, a, False)
    elif who == CHANCE:
        happen(s, a, None)
    else:
        apply(s, who, a, None)


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


def _play_on(s: Any, acts: Any, rng: Any) -> None:
    """Play to the end of the deal, at random among the likely actions."""
    steps = 0
    while True:
        steps = one_more(steps)
        who = mover(s)
        if who >= 0:
            apply(s, who, acts[below(rng, likely(s, who, acts))], None)
        elif who == CHANCE:
            happen(s, draw_outcome(s, rng), None)
        else:
            return


def note_returns(out: Any, me: int, players: int, seen: Any) -> None:
    """Take down what returns there are: ``seen`` has the lowest and the highest return of any player, the first two
    different returns of ``me``, and how many different ones there were (3: more than two)."""
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


def search(
    S: Any, words: Any, me: int, acts: Any, rng: Any, out: Any, memory: Any,
    keys: Any, firsts: Any, edges: Any, used: Any, path: Any, movers: Any, seen: Any,
    simulations: int, explore: float,
) -> int:  # fmt: skip
    """Run simulations for player ``me`` from ``S[0]``, a position restored from their view, and add them to the tree.
    Return where the root, the node of the view, stands in the table.

    ``words[1]``: the words of position ``S[1]`` (read only where the game hides nothing).  ``path``, ``movers``:
    scratch, as long as the tree may grow deep.  ``seen``: what :func:`note_returns` takes down.  ``explore`` is in
    units of half the distance between lowest and highest return, so it needs no adjusting to a game's stakes.
    """
    s = S[1]
    root = word(0)
    full = len(keys) * 3 // 4
    for _ in range(simulations):
        S[1] = S[0]
        redeal(s, me, rng)
        _start(s, memory)
        if root == 0:
            root = _key(words[1], memory, me)
        scale = explore * (seen[1] - seen[0]) / 2
        depth = 0
        steps = 0
        reached = False
        while True:
            steps = one_more(steps)
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                break
            if who == CHANCE:
                _step(s, memory, who, draw_outcome(s, rng))
                continue
            n = candidates(s, who, acts)
            key = _key(words[1], memory, who)
            i = _find(keys, key)
            if keys[i] == 0:
                if (used[0] >= full) | (used[1] + 1 + 2 * n > len(edges)):
                    break
                keys[i] = key
                firsts[i] = used[1]
                for k in range(1 + 2 * n):
                    edges[used[1] + k] = 0
                used[0] += 1
                used[1] += 1 + 2 * n
            first = firsts[i]
            tried = edges[first]
            if key == root:
                reached = True
            else:
                tried -= PATIENCE
            edges[first] += 1
            if tried < 0:
                if reached:
                    break
                # A player who is asked together with `me`, in an earlier seat.
                _step(s, memory, who, acts[below(rng, likely(s, who, acts))])
                continue
            k = _choose(n, tried, edges, first, scale, rng)
            path[depth] = first + 1 + 2 * k
            movers[depth] = who
            depth += 1
            _step(s, memory, who, acts[k])
            if depth == len(movers):
                break
        _play_on(s, acts, rng)
        deal_returns(s, out)
        note_returns(out, me, s.players, seen)
        for d in range(depth):
            edges[path[d]] += 1
            edges[path[d] + 1] += out[movers[d]]
    return _find(keys, root)
