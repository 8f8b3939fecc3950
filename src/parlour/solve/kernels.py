"""The loops of the solver over flat arrays.  Any game shares them; :func:`compiled` has them as machine code.

Plans, regrets and values are vectors with a number for each sequence of a player; see :mod:`parlour.solve.form`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from parlour.engine.c.building import Part
from parlour.engine.c.entries import asked_for

PLUS, DISCOUNTED, PREDICTIVE = range(3)
"""How regrets are kept: CFR+ (Tammelin 2014), discounted CFR (Brown & Sandholm 2019), predictive CFR+ (Farina, Kroer &
Sandholm 2021)."""


# ------------------------------------------------------------------------------------------ tables


def put_sets(keys: Any, numbers: Any, given: Any) -> None:
    """Put information sets into an empty table, under ``given[i] | 1`` the number ``i``."""
    last = len(keys) - 1
    for n in range(len(given)):
        key = given[n] | 1
        i = int(key) & last
        while numbers[i] >= 0:
            i = (i + 1) & last
        keys[i] = key
        numbers[i] = n


def put_pairs(pairs: Any, payoffs: Any, old: Any, values: Any) -> None:
    """Put pairs of sequences from a smaller table into an empty one."""
    last = len(pairs) - 1
    for n in range(len(old)):
        if old[n] != 0:
            i = ((old[n] * 0x1E3779B97F4A7C15) >> 20) & last
            while pairs[i] != 0:
                i = (i + 1) & last
            pairs[i] = old[n]
            payoffs[i] = values[n]


def transposed(start: Any, column: Any, value: Any, to_start: Any, to_column: Any, to_value: Any) -> None:
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


def spread(table: Any, index: Any, values: Any, row: Any, column: Any, value: Any) -> None:
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
    table: Any, index: Any, values: Any, player: int, plan: Any, low: int, high: int, near: Any, out: Any
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


def multiply(start: Any, column: Any, value: Any, plan: Any, low: int, high: int, out: Any) -> None:
    """What each of one player's sequences from ``low`` to ``high`` - 1 brings against the other's plan."""
    for i in range(low, high):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            total += value[k] * plan[column[k]]
        out[i] = total


def best_response(first: Any, count: Any, parent: Any, gains: Any, choice: Any) -> float:
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
    first: Any, count: Any, parent: Any, gains: Any, chances: Any, regrets: Any, plan: Any, sums: Any,
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
    start0: Any, column0: Any, value0: Any, start1: Any, column1: Any, value1: Any,
    first0: Any, count0: Any, parent0: Any, first1: Any, count1: Any, parent1: Any,
    chances0: Any, regrets0: Any, plan0: Any, sums0: Any, chances1: Any, regrets1: Any, plan1: Any, sums1: Any,
    gains0: Any, gains1: Any, mode: int, done: int, times: int, alpha: float, beta: float, gamma: float,
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


# ------------------------------------------------------------------------------------------ as machine code

_FLAT = {
    "u64[]": "keys given",
    "i64[]": "numbers pairs old start to_start choice",
    "i64[,]": "table",
    "i32[]": "index row column to_column first count parent",
    "f64[]": "payoffs values value to_value plan near out gains chances regrets sums",
    "i64": "player low high mode done times",
    "real": "weight up down fade alpha beta gamma",
}
"""What a parameter is, by its name without the player's number."""

PART = Part(
    "solve",
    more=asked_for(
        (put_sets, put_pairs, transposed, spread, multiply_blocks, multiply, best_response, improve, iterate), _FLAT
    ),
)
"""The functions above that Python calls, for the translator to C."""


@cache
def compiled() -> Any:
    """The functions above as machine code, by name; where there is no compiler, as they stand."""
    from parlour.engine.c.loading import functions

    return functions(PART)
