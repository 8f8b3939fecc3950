"""The loops of the solver over flat arrays, the same for every game.

Plans, regrets and values are vectors with a number for each sequence of a player; see :mod:`parlour.solve.sequences`.
"""

from __future__ import annotations

from typing import NamedTuple

from parlour.engine.kernel import F64, I32, I64, U64, I64x2, Kernel

PLUS, DISCOUNTED, PREDICTIVE = range(3)
"""Ways to keep regrets: CFR+ (Tammelin 2014), discounted CFR (Brown & Sandholm 2019), predictive CFR+ (Farina, Kroer &
Sandholm 2021)."""


class Matrix(NamedTuple):
    """Payoffs in compressed sparse rows: the entries of row ``i`` are at ``start[i]`` to ``start[i + 1]`` - 1."""

    start: I64
    column: I32
    value: F64


class SequenceTree(NamedTuple):
    """A player's information sets: for each the first of its sequences, their number, and the sequence that leads to
    it."""

    first: I32
    count: I32
    parent: I32


class Side(NamedTuple):
    """A player's vectors, with a number for each sequence: its probability in its set, its regret, the present plan,
    the sum of plans."""

    chances: F64
    regrets: F64
    plan: F64
    sums: F64


class Discounts(NamedTuple):
    """The exponents of discounted CFR: for positive regrets, for negative ones, and for the average."""

    alpha: float
    beta: float
    gamma: float


# ------------------------------------------------------------------------------------------ tables


def put_sets(keys: U64, numbers: I64, given: U64) -> None:
    """Put information sets into an empty table, under ``given[i] | 1`` the number ``i``."""
    last = len(keys) - 1
    for n in range(len(given)):
        key = given[n] | 1
        i = int(key) & last
        while numbers[i] >= 0:
            i = (i + 1) & last
        keys[i] = key
        numbers[i] = n


def put_pairs(pairs: I64, payoffs: F64, old: I64, values: F64) -> None:
    """Put pairs of sequences from a smaller table into an empty one."""
    last = len(pairs) - 1
    for n in range(len(old)):
        if old[n] != 0:
            i = ((old[n] * 0x1E3779B97F4A7C15) >> 20) & last
            while pairs[i] != 0:
                i = (i + 1) & last
            pairs[i] = old[n]
            payoffs[i] = values[n]


def transposed(given: Matrix, to: Matrix) -> None:
    """Write the transpose of a matrix with all signs changed; ``to.start`` must be zeros."""
    start, to_start = given.start, to.start
    for k in range(len(given.column)):
        to_start[given.column[k] + 1] += 1
    for j in range(len(to_start) - 1):
        to_start[j + 1] += to_start[j]
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            j = given.column[k]
            to.column[to_start[j]] = i
            to.value[to_start[j]] = -given.value[k]
            to_start[j] += 1
    for j in range(len(to_start) - 1, 0, -1):
        to_start[j] = to_start[j - 1]
    to_start[0] = 0


# ------------------------------------------------------------------------------------------ payoffs


def spread(table: I64x2, index: I32, values: F64, row: I32, column: I32, value: F64) -> None:
    """Write all cells of all blocks, one after another."""
    n = 0
    for b in range(len(table)):
        at, rows, columns, k = table[b, 0], table[b, 1], table[b, 2], table[b, 3]
        for i in range(rows):
            for j in range(columns):
                row[n] = index[at + i]
                column[n] = index[at + rows + j]
                value[n] = values[k]
                n += 1
                k += 1


def multiply_blocks(
    table: I64x2, index: I32, values: F64, player: int, plan: F64, low: int, high: int, near: F64, out: F64
) -> None:
    """Add up what blocks ``low`` to ``high`` - 1 bring to each of a player's sequences against the other's plan.
    ``near``: scratch, as long as a block is wide."""
    out[:] = 0.0
    for b in range(low, high):
        at, rows, columns, k = table[b, 0], table[b, 1], table[b, 2], table[b, 3]
        across = at + rows
        met = False
        if player == 0:
            for j in range(columns):
                near[j] = plan[index[across + j]]
                met |= near[j] != 0
            if met:
                for i in range(rows):
                    total = 0.0
                    for j in range(columns):
                        total += values[k + j] * near[j]
                    out[index[at + i]] += total
                    k += columns
        else:
            for j in range(columns):
                near[j] = 0.0
            for i in range(rows):
                share = plan[index[at + i]]
                if share != 0:
                    met = True
                    for j in range(columns):
                        near[j] += values[k + j] * share
                k += columns
            if met:
                for j in range(columns):
                    out[index[across + j]] -= near[j]


def multiply(payoffs: Matrix, plan: F64, low: int, high: int, out: F64) -> None:
    """Work out what each of one player's sequences from ``low`` to ``high`` - 1 brings against the other's plan."""
    for i in range(low, high):
        total = 0.0
        for k in range(payoffs.start[i], payoffs.start[i + 1]):
            total += payoffs.value[k] * plan[payoffs.column[k]]
        out[i] = total


def best_response(tree: SequenceTree, gains: F64, choice: I64) -> float:
    """Return the most that a player can get; ``gains`` is what each sequence brings, and is overwritten.
    ``choice[i]``: the action to take in set ``i``, the first of equally good ones."""
    for i in range(len(tree.first) - 1, -1, -1):
        q = tree.first[i]
        best = gains[q]
        choice[i] = 0
        for k in range(1, tree.count[i]):
            if gains[q + k] > best:
                best = gains[q + k]
                choice[i] = k
        gains[tree.parent[i]] += best
    return float(gains[0])


# ------------------------------------------------------------------------------------------ regret matching


def improve(
    tree: SequenceTree, gains: F64, side: Side, mode: int, weight: float, up: float, down: float, fade: float
) -> None:
    """One player's half of an iteration.

    The present plan is added to the average with ``weight`` (the old average is multiplied by ``fade``).  What each
    sequence brought (``gains``, overwritten) is added to the regrets; then regret matching makes the next ``chances``
    and ``plan``.  ``up``, ``down``: discounts of positive and negative regrets.  Predictive matching expects the next
    iteration to be like this one.
    """
    first, count, parent = tree.first, tree.count, tree.parent
    chances, regrets, plan, sums = side.chances, side.regrets, side.plan, side.sums
    for q in range(len(plan)):
        sums[q] = sums[q] * fade + weight * plan[q]
    for i in range(len(first) - 1, -1, -1):
        q = first[i]
        n = count[i]
        value = 0.0
        for k in range(q, q + n):
            value += chances[k] * gains[k]
        gains[parent[i]] += value
        total = 0.0
        for k in range(q, q + n):
            r = gains[k] - value
            if mode == DISCOUNTED:
                old = regrets[k]
                regrets[k] = old * (up if old > 0 else down) + r
                good = max(regrets[k], 0.0)
            else:
                regrets[k] = max(regrets[k] + r, 0.0)
                good = regrets[k]
                if mode == PREDICTIVE:
                    good = max(good + r, 0.0)
            chances[k] = good
            total += good
        if total > 0:
            for k in range(q, q + n):
                chances[k] /= total
        else:
            for k in range(q, q + n):
                chances[k] = 1.0 / n
    for i in range(len(first)):
        q = first[i]
        share = plan[parent[i]]
        for k in range(q, q + count[i]):
            plan[k] = share * chances[k]


def factors(mode: int, t: int, discounts: Discounts) -> tuple[float, float, float, float]:
    """Return for iteration ``t``, counted from 1: the weight of its plan in the average, the discounts of positive and
    negative regrets, and the factor of the old average."""
    if mode == DISCOUNTED:
        up = (t - 1.0) ** discounts.alpha / ((t - 1.0) ** discounts.alpha + 1.0)
        down = (t - 1.0) ** discounts.beta / ((t - 1.0) ** discounts.beta + 1.0)
        return 1.0, up, down, ((t - 1.0) / t) ** discounts.gamma
    return float(t) if mode == PLUS else float(t) * float(t), 1.0, 1.0, 1.0


def iterate(
    rows: Matrix, columns: Matrix, tree0: SequenceTree, tree1: SequenceTree, side0: Side, side1: Side, gains0: F64,
    gains1: F64, mode: int, done: int, times: int, discounts: Discounts,
) -> None:  # fmt: skip
    """Do ``times`` iterations after the first ``done``, both players in turn, on one thread."""
    for t in range(done + 1, done + times + 1):
        weight, up, down, fade = factors(mode, t, discounts)
        multiply(rows, side1.plan, 0, len(gains0), gains0)
        improve(tree0, gains0, side0, mode, weight, up, down, fade)
        multiply(columns, side0.plan, 0, len(gains1), gains1)
        improve(tree1, gains1, side1, mode, weight, up, down, fade)


KERNEL = Kernel(
    __name__,
    entries=(put_sets, put_pairs, transposed, spread, multiply_blocks, multiply, best_response, improve, iterate),
    of_a_game=False,
)
