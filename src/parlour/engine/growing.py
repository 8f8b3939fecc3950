"""The whole tree of a two-player game, grown from its rules: what each player may know, and what every end pays.

Depth first, every chance outcome and every action once.  A node keeps nothing: what is kept are *information sets* (a
player's perfect-recall key), *sequences* (one for each action of an information set, number 0 for having done nothing
yet), and *pairs*: for two players' last sequences the sum of chance times payoff over all ends that they lead to.  That
is the sequence form (Koller, Megiddo & von Stengel 1996).  A deal is the whole game: growing stops at its end.

Bound like the drivers, by :mod:`parlour.engine.c` and by :mod:`parlour.engine.interpreted`.

``used`` says how far it is: the places of its numbers are the constants below.  Whenever a table is full or the budget
is spent, :func:`grow` returns and can be called again with larger tables: nothing of a node is done by halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.vocabulary import CHANCE, DEAL_OVER, TERMINAL

actor: Callable[..., int]
legal: Callable[..., int]
enough: Callable[..., int]
happen: Callable[..., None]
apply: Callable[..., None]
chance: Callable[..., int]
weight: Callable[..., int]
deal_returns: Callable[..., None]
count: Callable[..., int]
nth: Callable[..., int]
mover: Callable[..., int]
start_memory: Callable[..., None]
step_remembered: Callable[..., None]
glance_open: Callable[..., Any]
glance_own: Callable[..., Any]
draw_outcome: Callable[..., int]
below: Callable[..., int]
word: Callable[..., Any]
slot: Callable[..., int]

DEPTH, ARRIVED, SETS, SEQUENCES, PAIRS, NODES, ENDS, DEEPEST, GUILTY = 0, 1, 2, 3, 5, 6, 7, 8, 9
"""Places in ``used``; ``SEQUENCES`` has one for each player."""
DONE, SPENT, FULL_SETS, FULL_SEQUENCES, FULL_PAIRS, TOO_DEEP, NOT_ZERO_SUM, FORGETS, NOT_ALIKE = range(9)
"""What :func:`grow` returns.  ``FORGETS``: a player does not remember what they did; ``NOT_ALIKE``: positions that a
player cannot tell apart allow different actions."""


def _set_slot(keys: Any, numbers: Any, key: Any) -> int:
    """Where the number of an information set stands in the open-addressed table, or where it would go."""
    last = len(keys) - 1
    i = slot(key, last)
    while (numbers[i] >= 0) & (keys[i] != key):
        i = (i + 1) & last
    return i


def _pair_slot(pairs: Any, pair: int) -> int:
    """The same of two sequences; 0 is a free place."""
    last = len(pairs) - 1
    i = ((pair * 0x1E3779B97F4A7C15) >> 20) & last
    while (pairs[i] != 0) & (pairs[i] != pair):
        i = (i + 1) & last
    return i


def begin_growing(S: Any, memory: Any, sequence: Any, reach: Any, used: Any) -> None:
    """Stand at the root, ``S[0]``."""
    start_memory(S[0], memory[0])
    sequence[0, 0] = 0
    sequence[0, 1] = 0
    reach[0] = 1.0
    used[DEPTH] = 0
    used[ARRIVED] = 1
    used[SEQUENCES] = 1
    used[SEQUENCES + 1] = 1


def grow(
    S: Any, memory: Any, acts: Any, out: Any,
    who_at: Any, at: Any, width: Any, outcomes: Any, total: Any, first: Any, sequence: Any, reach: Any,
    keys: Any, numbers: Any, set_key: Any, set_glance: Any, set_player: Any, set_first: Any, set_count: Any,
    set_parent: Any, positions: Any, deed: Any, pairs: Any, payoffs: Any, sums: Any, used: Any,
    reduced: bool, budget: int,
) -> int:  # fmt: skip
    """Grow on, by at most ``budget`` nodes.

    The path to the node under way, a row a step: position, memory, actions, who acts, which child is next, how many,
    the set and the weight of chance's outcomes, the first sequence of the information set, both last sequences, the
    probability of chance.  Tables: see the module.  ``deed[p, q]``: the action that sequence ``q`` of ``p`` ends with.
    ``sums``: lowest and highest sum of both players' returns.  ``reduced``: only with the actions that are ``enough``.
    """
    d = int(used[DEPTH])
    left = budget
    while d >= 0:
        s = S[d]
        if used[ARRIVED]:
            if left <= 0:
                used[DEPTH] = d
                return SPENT
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                if 4 * (used[PAIRS] + 1) > 3 * len(pairs):
                    used[DEPTH] = d
                    return FULL_PAIRS
                deal_returns(s, out)
                both = out[0] + out[1]
                if used[ENDS] == 0:
                    sums[0] = both
                    sums[1] = both
                sums[0] = min(sums[0], both)
                sums[1] = max(sums[1], both)
                if sums[1] - sums[0] > 1e-9:
                    used[DEPTH] = d
                    return NOT_ZERO_SUM
                used[ENDS] += 1
                pair = ((int(sequence[d, 0]) + 1) << 31) + int(sequence[d, 1])
                i = _pair_slot(pairs, pair)
                if pairs[i] == 0:
                    pairs[i] = pair
                    payoffs[i] = 0.0
                    used[PAIRS] += 1
                payoffs[i] += reach[d] * out[0]
                width[d] = 0
            elif who == CHANCE:
                possible = chance(s)
                outcomes[d] = possible
                width[d] = count(possible)
                weights = 0
                for k in range(int(width[d])):
                    weights += weight(s, nth(possible, k))
                total[d] = weights
            else:
                n = enough(s, who, acts[d]) if reduced else legal(s, who, acts[d])
                key = memory[d][0, who] | word(1)
                i = _set_slot(keys, numbers, key)
                q = int(used[SEQUENCES + who])
                if numbers[i] < 0:
                    if (4 * (used[SETS] + 1) > 3 * len(keys)) | (used[SETS] >= len(set_key)):
                        used[DEPTH] = d
                        return FULL_SETS
                    if q + n > deed.shape[1]:
                        used[DEPTH] = d
                        return FULL_SEQUENCES
                    new = int(used[SETS])
                    keys[i] = key
                    numbers[i] = new
                    set_key[new] = memory[d][0, who]
                    set_glance[new] = word(glance_open(s, memory[d][3]) + glance_own(s, who, memory[d][3]))
                    set_player[new] = who
                    set_first[new] = q
                    set_count[new] = n
                    set_parent[new] = sequence[d, who]
                    if len(positions) > 0:
                        positions[new] = S[d]
                    for k in range(n):
                        deed[who, q + k] = acts[d][k]
                    used[SETS] += 1
                    used[SEQUENCES + who] += n
                else:
                    known = int(numbers[i])
                    used[GUILTY] = known
                    if set_parent[known] != sequence[d, who]:
                        used[DEPTH] = d
                        return FORGETS
                    alike = set_count[known] == n
                    for k in range(min(n, int(set_count[known]))):
                        alike = alike & (deed[who, int(set_first[known]) + k] == acts[d][k])
                    if not alike:
                        used[DEPTH] = d
                        return NOT_ALIKE
                    q = int(set_first[known])
                first[d] = q
                width[d] = n
            who_at[d] = who
            at[d] = 0
            used[NODES] += 1
            used[ARRIVED] = 0
            left -= 1
        k = int(at[d])
        if k >= width[d]:
            d -= 1
            continue
        if d + 1 >= len(reach):
            used[DEPTH] = d
            return TOO_DEEP
        at[d] += 1
        S[d + 1] = S[d]
        for r in range(3):
            for p in range(2):
                memory[d + 1][r, p] = memory[d][r, p]
        memory[d + 1][3, 1] = memory[d][3, 1]
        who = int(who_at[d])
        sequence[d + 1, 0] = sequence[d, 0]
        sequence[d + 1, 1] = sequence[d, 1]
        reach[d + 1] = reach[d]
        if who == CHANCE:
            a = nth(int(outcomes[d]), k)
            reach[d + 1] = reach[d] * weight(s, a) / total[d]
        else:
            a = int(acts[d][k])
            sequence[d + 1, who] = first[d] + k
        step_remembered(S[d + 1], memory[d + 1], who, a, False)
        d += 1
        used[DEEPEST] = max(used[DEEPEST], d)
        used[ARRIVED] = 1
    used[DEPTH] = -1
    return DONE


def probe(S: Any, acts: Any, rng: Any, dives: int, found: Any, reduced: bool) -> int:
    """How large the tree is, by dives at random (Knuth 1975): each adds the number of nodes, and of ends, that the tree
    would have if it were everywhere as wide as on the way down.  Returns the steps of the longest dive; a dive that
    would not end within 4,096 steps is cut off."""
    deepest = 0
    s = S[1]
    for _ in range(dives):
        S[1] = S[0]
        times = 1.0
        steps = 0
        while steps < 4096:
            found[0] += times
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                found[1] += times
                break
            if who == CHANCE:
                outcomes = chance(s)
                n = count(outcomes)
                happen(s, nth(outcomes, below(rng, n)), None)
            else:
                n = enough(s, who, acts) if reduced else legal(s, who, acts)
                apply(s, who, acts[below(rng, n)], None)
            times *= n
            steps += 1
        deepest = max(deepest, steps)
    return deepest
