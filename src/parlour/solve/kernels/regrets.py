"""The loops of the solver over flat arrays.  Any game shares them.

Plans, regrets and values are vectors with a number for each sequence of a player; see :mod:`parlour.solve.form`.
"""

from __future__ import annotations

from parlour.engine.kernel import F64, I32, I64, U64, I64x2, Kernel

PLUS, DISCOUNTED, PREDICTIVE = range(3)
"""How regrets are kept: CFR+ (Tammelin 2014), discounted CFR (Brown & Sandholm 2019), predictive CFR+ (Farina, Kroer &
Sandholm 2021)."""


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


def transposed(start: I64, column: I32, value: F64, to_start: I64, to_column: I32, to_value: F64) -> None:
    """The transposed of the negative of a matrix in compressed sparse rows; ``to_start`` comes in as zeros."""
    for k in range(len(column)):
        to_start[column[k] + 1] += 1
    for j in range(len(to_start) - 1):
        to_start[j + 1] += to_start[j]
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            j = column[k]
            to_column[to_start[j]] = i
            to_value[to_start[j]] = -value[k]
            to_start[j] += 1
    for j in range(len(to_start) - 1, 0, -1):
        to_start[j] = to_start[j - 1]
    to_start[0] = 0


# ------------------------------------------------------------------------------------------ payoffs


def spread(table: I64x2, index: I32, values: F64, row: I32, column: I32, value: F64) -> None:
    """All cells of all blocks, one after another."""
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
    """What blocks ``low`` to ``high`` - 1 bring to each of a player's sequences against the other's plan.  ``near``:
    scratch, as long as a block is wide."""
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


def multiply(start: I64, column: I32, value: F64, plan: F64, low: int, high: int, out: F64) -> None:
    """What each of one player's sequences from ``low`` to ``high`` - 1 brings against the other's plan."""
    for i in range(low, high):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * plan[column[k]]
        out[i] = total


def best_response(first: I32, count: I32, parent: I32, gains: F64, choice: I64) -> float:
    """The most that a player can get; ``gains`` is what each sequence brings, and is spoilt.  ``choice[i]``: the action
    to take in set ``i``, the first of equally good ones."""
    for i in range(len(first) - 1, -1, -1):
        q = first[i]
        best = gains[q]
        choice[i] = 0
        for k in range(1, count[i]):
            if gains[q + k] > best:
                best = gains[q + k]
                choice[i] = k
        gains[parent[i]] += best
    return float(gains[0])


# ------------------------------------------------------------------------------------------ regret matching


def improve(
    first: I32, count: I32, parent: I32, gains: F64, chances: F64, regrets: F64, plan: F64, sums: F64,
    mode: int, weight: float, up: float, down: float, fade: float,
) -> None:  # fmt: skip
    """One player's half of an iteration.

    The plan in use joins the average with ``weight`` (what was there fades by ``fade``); regrets take in what each
    sequence brought (``gains``, spoilt); then regret matching makes the next ``chances`` and ``plan``.  ``up``,
    ``down``: discounts of positive and negative regrets.  What predictive matching expects is this iteration again.
    """
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


def factors(mode: int, t: int, alpha: float, beta: float, gamma: float) -> tuple[float, float, float, float]:
    """In iteration ``t``, counted from 1: the weight of its plan in the average, the discounts of positive and negative
    regrets, and how far the average fades."""
    if mode == DISCOUNTED:
        up = (t - 1.0) ** alpha / ((t - 1.0) ** alpha + 1.0)
        down = (t - 1.0) ** beta / ((t - 1.0) ** beta + 1.0)
        return 1.0, up, down, ((t - 1.0) / t) ** gamma
    return float(t) if mode == PLUS else float(t) * float(t), 1.0, 1.0, 1.0


def iterate(
    start0: I64, column0: I32, value0: F64, start1: I64, column1: I32, value1: F64,
    first0: I32, count0: I32, parent0: I32, first1: I32, count1: I32, parent1: I32,
    chances0: F64, regrets0: F64, plan0: F64, sums0: F64, chances1: F64, regrets1: F64, plan1: F64, sums1: F64,
    gains0: F64, gains1: F64, mode: int, done: int, times: int, alpha: float, beta: float, gamma: float,
) -> None:  # fmt: skip
    """So many iterations after ``done`` ones, both players in turn, by one thread."""
    for t in range(done + 1, done + times + 1):
        weight, up, down, fade = factors(mode, t, alpha, beta, gamma)
        multiply(start0, column0, value0, plan1, 0, len(gains0), gains0)
        improve(
            first0, count0, parent0, gains0, chances0, regrets0, plan0, sums0, mode, weight, up, down, fade
        )  # fmt: skip
        multiply(start1, column1, value1, plan0, 0, len(gains1), gains1)
        improve(
            first1, count1, parent1, gains1, chances1, regrets1, plan1, sums1, mode, weight, up, down, fade
        )  # fmt: skip


KERNEL = Kernel(
    __name__,
    entries=(put_sets, put_pairs, transposed, spread, multiply_blocks, multiply, best_response, improve, iterate),
    of_a_game=False,
)
