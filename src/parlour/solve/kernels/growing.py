"""The whole tree of a two-player game, grown from its rules: all that each player may know, and the payoff of every
end.

The walk is depth first, with every chance outcome and every action once.  Nodes are not stored, only *information sets*
(by a player's perfect-recall key), *sequences* (one for each action of an information set, number 0 for having done
nothing yet), and *pairs*: for both players' last sequences the sum of chance times payoff over all ends to which they
lead.  That is the sequence form (Koller, Megiddo & von Stengel 1996).  A deal is the whole game: growing stops at its
end.

``used`` holds the state of progress; the places of its numbers are the constants below.  Whenever a table is full or
the budget is spent, :func:`grow` returns, and can be called again with larger tables: a node is never left half done.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import slot, word
from parlour.engine.kernel import (
    F64,
    I8,
    I16,
    I32,
    I64,
    U64,
    I16x2,
    I64x2,
    Kernel,
    Positions,
    U64x3,
    rules,
)  # fmt: skip
from parlour.engine.kernels import chance, keys, views
from parlour.engine.kernels.chance import mover
from parlour.engine.kernels.keys import start_memory, step_remembered
from parlour.engine.kernels.views import glance_open, glance_own
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, below, count, nth

DEPTH, ARRIVED, SETS, SEQUENCES, PAIRS, NODES, ENDS, DEEPEST, GUILTY = 0, 1, 2, 3, 5, 6, 7, 8, 9
"""Places in ``used``; ``SEQUENCES`` has one for each player."""
DONE, SPENT, FULL_SETS, FULL_SEQUENCES, FULL_PAIRS, TOO_DEEP, NOT_ZERO_SUM, FORGETS, NOT_ALIKE = range(9)
"""The results of :func:`grow`.  ``FORGETS``: a player forgets their own action; ``NOT_ALIKE``: positions that a player
cannot tell apart allow different actions."""


class Path(NamedTuple):
    """The path to the present node, a row a step: position, memory, actions, the player to act, the next child, the
    number of children, the set and the total weight of chance's outcomes, the first sequence of the information set,
    both last sequences, the probability of chance."""

    S: Positions
    memory: U64x3
    acts: I16x2
    who_at: I64
    at: I64
    width: I64
    outcomes: I64
    total: I64
    first: I64
    sequence: I64x2
    reach: F64


class Sets(NamedTuple):
    """The information sets: ``keys`` and ``numbers`` are an open-addressed table of their numbers; then for each its
    key, the glance of the view, its player, the first of its sequences and their number, the sequence that leads to it,
    and an example position (if these are kept).  ``deed[p, q]``: the last action of sequence ``q`` of ``p``."""

    keys: U64
    numbers: I64
    key: U64
    glance: U64
    player: I8
    first: I32
    count: I32
    parent: I32
    positions: Positions
    deed: I16x2


class Ends(NamedTuple):
    """Payoffs of ends: ``pairs`` is an open-addressed table of pairs of last sequences, ``payoffs`` their values;
    ``sums``: the lowest and the highest sum of both players' returns."""

    pairs: I64
    payoffs: F64
    sums: F64


def set_slot(keys: Any, numbers: Any, key: Any) -> int:
    """Return the place of an information set in the open-addressed table, or a free place for it."""
    last = len(keys) - 1
    i = slot(key, last)
    while (numbers[i] >= 0) & (keys[i] != key):
        i = (i + 1) & last
    return i


def _pair_slot(pairs: Any, pair: int) -> int:
    """The same for two sequences; 0 marks a free place."""
    last = len(pairs) - 1
    i = ((pair * 0x1E3779B97F4A7C15) >> 20) & last
    while (pairs[i] != 0) & (pairs[i] != pair):
        i = (i + 1) & last
    return i


def met(s: Any, memory: Any, who: int, n: int, acts: Any, last: int, sets: Any, used: Any) -> int:
    """Return the first sequence of the information set of the player to act, which is added if it is new, with ``n``
    actions, after the sequence ``last``.  If it cannot be added, return minus the number that :func:`grow` must
    return."""
    i = set_slot(sets.keys, sets.numbers, memory[0, who] | word(1))
    if sets.numbers[i] < 0:
        new = int(used[SETS])
        q = int(used[SEQUENCES + who])
        if (4 * (new + 1) > 3 * len(sets.keys)) | (new >= len(sets.key)):
            return -FULL_SETS
        if q + n > sets.deed.shape[1]:
            return -FULL_SEQUENCES
        sets.keys[i] = memory[0, who] | word(1)
        sets.numbers[i] = new
        sets.key[new] = memory[0, who]
        sets.glance[new] = word(glance_open(s, memory[3]) + glance_own(s, who, memory[3]))
        sets.player[new] = who
        sets.first[new] = q
        sets.count[new] = n
        sets.parent[new] = last
        if len(sets.positions) > 0:
            sets.positions[new] = s
        for k in range(n):
            sets.deed[who, q + k] = acts[k]
        used[SETS] += 1
        used[SEQUENCES + who] += n
        return q
    known = int(sets.numbers[i])
    used[GUILTY] = known
    if sets.parent[known] != last:
        return -FORGETS
    alike = sets.count[known] == n
    for k in range(min(n, int(sets.count[known]))):
        alike = alike & (sets.deed[who, int(sets.first[known]) + k] == acts[k])
    return int(sets.first[known]) if alike else -NOT_ALIKE


def add_up(out: Any, sums: Any, used: Any) -> bool:
    """Note the sum of both players' returns at an end; return whether the game may still be zero-sum."""
    both = out[0] + out[1]
    if used[ENDS] == 0:
        sums[0] = both
        sums[1] = both
    sums[0] = min(sums[0], both)
    sums[1] = max(sums[1], both)
    return bool(sums[1] - sums[0] <= 1e-9)


def copy_memory(memory: Any, i: int, to: int) -> None:
    """Copy the memory of two players."""
    for r in range(3):
        for p in range(2):
            memory[to][r, p] = memory[i][r, p]
    memory[to][3, 1] = memory[i][3, 1]


def begin_growing(path: Path, used: I64) -> None:
    """Stand at the root, ``S[0]``."""
    start_memory(path.S[0], path.memory[0])
    path.sequence[0, 0] = 0
    path.sequence[0, 1] = 0
    path.reach[0] = 1.0
    used[DEPTH] = 0
    used[ARRIVED] = 1
    used[SEQUENCES] = 1
    used[SEQUENCES + 1] = 1


def grow(path: Path, out: F64, sets: Sets, ends: Ends, used: I64, reduced: bool, budget: int) -> int:
    """Grow on, by at most ``budget`` nodes.  ``reduced``: only with the actions that are ``enough``."""
    d = int(used[DEPTH])
    left = budget
    while d >= 0:
        s = path.S[d]
        if used[ARRIVED]:
            used[DEPTH] = d
            if left <= 0:
                return SPENT
            who = mover(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                if 4 * (used[PAIRS] + 1) > 3 * len(ends.pairs):
                    return FULL_PAIRS
                rules.deal_returns(s, out)
                if not add_up(out, ends.sums, used):
                    return NOT_ZERO_SUM
                used[ENDS] += 1
                pair = ((int(path.sequence[d, 0]) + 1) << 31) + int(path.sequence[d, 1])
                i = _pair_slot(ends.pairs, pair)
                if ends.pairs[i] == 0:
                    ends.pairs[i] = pair
                    ends.payoffs[i] = 0.0
                    used[PAIRS] += 1
                ends.payoffs[i] += path.reach[d] * out[0]
                path.width[d] = 0
            elif who == CHANCE:
                possible = rules.chance(s)
                path.outcomes[d] = possible
                path.width[d] = count(possible)
                weights = 0
                for k in range(int(path.width[d])):
                    weights += rules.weight(s, nth(possible, k))
                path.total[d] = weights
            else:
                n = rules.enough(s, who, path.acts[d]) if reduced else rules.legal(s, who, path.acts[d])
                q = met(s, path.memory[d], who, n, path.acts[d], path.sequence[d, who], sets, used)
                if q < 0:
                    return -q
                path.first[d] = q
                path.width[d] = n
            path.who_at[d] = who
            path.at[d] = 0
            used[NODES] += 1
            used[ARRIVED] = 0
            left -= 1
        k = int(path.at[d])
        if k >= path.width[d]:
            d -= 1
            continue
        if d + 1 >= len(path.reach):
            used[DEPTH] = d
            return TOO_DEEP
        path.at[d] += 1
        path.S[d + 1] = path.S[d]
        copy_memory(path.memory, d, d + 1)
        who = int(path.who_at[d])
        path.sequence[d + 1, 0] = path.sequence[d, 0]
        path.sequence[d + 1, 1] = path.sequence[d, 1]
        path.reach[d + 1] = path.reach[d]
        if who == CHANCE:
            a = nth(int(path.outcomes[d]), k)
            path.reach[d + 1] = path.reach[d] * rules.weight(s, a) / path.total[d]
        else:
            a = int(path.acts[d][k])
            path.sequence[d + 1, who] = path.first[d] + k
        step_remembered(path.S[d + 1], path.memory[d + 1], who, a, False)
        d += 1
        used[DEEPEST] = max(used[DEEPEST], d)
        used[ARRIVED] = 1
    used[DEPTH] = -1
    return DONE


def probe(S: Positions, acts: I16, rng: U64, dives: int, found: F64, reduced: bool) -> int:
    """Estimate the size of the tree by random dives (Knuth 1975): each adds the number of nodes, and of ends, that the
    tree would have if it were as wide everywhere as along the dive.  Returns the steps of the longest dive; a dive that
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
                outcomes = rules.chance(s)
                n = count(outcomes)
                rules.happen(s, nth(outcomes, below(rng, n)), None)
            else:
                n = rules.enough(s, who, acts) if reduced else rules.legal(s, who, acts)
                rules.apply(s, who, acts[below(rng, n)], None)
            times *= n
            steps += 1
        deepest = max(deepest, steps)
    return deepest


KERNEL = Kernel(__name__, uses=(chance, keys, views), entries=(begin_growing, grow, probe))
