"""Information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012) over flat arrays, for any game.

Each simulation deals a world that the searching player cannot tell from the real one, walks down one tree whose nodes
are what the mover *knows* (perfect-recall keys, so nobody plans with cards he does not see), adds one node, plays on at
random and credits every player on the way with his own return.  Bound like the drivers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from parlour.vocabulary import CHANCE, TERMINAL

apply: Callable[..., None]
candidates: Callable[..., int]
redeal: Callable[..., None]
returns: Callable[..., None]
mover: Callable[..., int]
play_out: Callable[..., int]
draw_outcome: Callable[..., int]
start_memory: Callable[..., None]
step_remembered: Callable[..., None]
below: Callable[..., int]
word: Callable[..., Any]
slot: Callable[..., int]


def _find(keys: Any, key: Any) -> int:
    """Where ``key`` stands in the open-addressed table, or where it would go."""
    last = len(keys) - 1
    i = slot(key, last)
    while (keys[i] != 0) & (keys[i] != key):
        i = (i + 1) & last
    return i


def _choose(n: int, visits: Any, values: Any, explore: float, rng: Any) -> int:
    """An untried action at random if there is one, otherwise the one with the highest upper confidence bound (UCB1)."""
    untried = 0
    total = 0
    for k in range(n):
        untried += visits[k] == 0
        total += visits[k]
    if untried > 0:
        left = below(rng, untried)
        for k in range(n):
            if visits[k] == 0:
                if left == 0:
                    return k
                left -= 1
    spread = explore * explore * math.log(total)
    best = -1e30
    choice = 0
    for k in range(n):
        bound = values[k] / visits[k] + math.sqrt(spread / visits[k])
        if bound > best:
            best = bound
            choice = k
    return choice


def search(
    S: Any, me: int, acts: Any, rng: Any, out: Any, memory: Any,
    keys: Any, visits: Any, values: Any, path: Any, movers: Any, used: int, simulations: int, explore: float,
) -> int:  # fmt: skip
    """Run so many simulations for player ``me`` from ``S[0]``, a position restored from his view; the tree stays in
    ``keys`` (0 = free), ``visits``, ``values``; returns the number of nodes used.  The root is the node of the view."""
    s = S[1]
    full = len(keys) * 3 // 4
    for _ in range(simulations):
        S[1] = S[0]
        redeal(s, me, rng)
        start_memory(s, memory)
        depth = 0
        while True:
            who = mover(s)
            if who == TERMINAL:
                break
            if who == CHANCE:
                step_remembered(s, memory, who, draw_outcome(s, rng))
                continue
            n = candidates(s, who, acts)
            key = memory[0, who] | word(1)
            i = _find(keys, key)
            new = keys[i] == 0
            if new:
                if used >= full:
                    break
                used += 1
                keys[i] = key
            k = _choose(n, visits[i], values[i], explore, rng)
            path[depth, 0] = i
            path[depth, 1] = k
            movers[depth] = who
            depth += 1
            step_remembered(s, memory, who, acts[k])
            if new or depth == len(movers):
                break
        play_out(s, acts, rng, None)
        returns(s, out)
        for d in range(depth):
            visits[path[d, 0], path[d, 1]] += 1
            values[path[d, 0], path[d, 1]] += out[movers[d]]
    return used


def root(S: Any, me: int, rng: Any, memory: Any, keys: Any) -> int:
    """Where the root stands in the tree of :func:`search`."""
    S[1] = S[0]
    redeal(S[1], me, rng)
    start_memory(S[1], memory)
    return _find(keys, memory[0, me] | word(1))
