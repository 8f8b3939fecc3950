"""Luck: what outcomes of chance, and choices of players who choose at random, brought to each seat beyond their
average.

A *value network* estimates for a position what each seat can expect: its share of the win, and its return.  The luck of
a step is the estimate for the new position less the mean of the estimates for all positions that could have come, each
with its exact probability.  Even with poor estimates this is 0 on average, so luck may be subtracted from results
without changing their mean.  With good estimates, that removes most of the spread caused by chance (AIVAT: Burch,
Schmid, Moravčík, Morrill & Bowling 2018).

A value network is one vector of numbers, which :mod:`parlour.study.values` lays out: a head, a row for each entry of
the tensors, two hidden layers of the same size, two results.  Its input is the tensor of the seat concerned and, in
games with hidden information, those of the others too, clockwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.kernel import (
    F32,
    F64,
    I16,
    I64,
    U64,
    F32x2,
    F32x3,
    F64x2,
    F64x4,
    I32x2,
    I64x2,
    Kernel,
    Positions,
    rules,
)  # fmt: skip
from parlour.engine.kernels import chance, views
from parlour.engine.kernels.chance import go_over
from parlour.engine.kernels.views import GAME, SEEN, write_row
from parlour.engine.vectors import add_scaled, next_difference, next_entry, product
from parlour.players.kernels import arena, networks
from parlour.players.kernels.arena import AT_RANDOM, BY_WHOM
from parlour.players.kernels.networks import HEAD, HIDDEN, INPUTS, UNIT
from parlour.rules.vocabulary import DEAL_OVER, TERMINAL, below, count, nth

TENSORS = 2
"""A place in the head of a value network, besides ``INPUTS``, ``HIDDEN`` and ``UNIT``: the number of tensors it
takes."""
WON, BROUGHT, FIGURES = 0, 1, 2
"""The figures that are estimated: the share of the win; returns, in their unit."""
BY_DEAL, BY_DRAW, BY_LOT, KINDS = 0, 1, 2, 3
"""Kinds of luck: of chance before the first decision of a deal; of chance after it; of choices at random."""


class Stock(NamedTuple):
    """A value network, the tensors of a position, and the sums of its first layer, one seat after the other;
    ``values``: the estimates for each seat.  The rest is scratch space."""

    net: F64
    rows: F32x2
    row: F32
    sums: F64
    layer: F64
    out: F64
    values: F64x2


def take_stock(s: Any, stock: Any) -> None:
    """Put the tensors of a position into ``rows``, and for each seat their sums, one seat after the other."""
    inputs, hidden, tensors = int(stock.net[INPUTS]), int(stock.net[HIDDEN]), int(stock.net[TENSORS])
    bias = HEAD + tensors * inputs * hidden
    for p in range(s.players):
        write_row(s, p, stock.rows[p])
        for j in range(hidden):
            stock.sums[p * hidden + j] = stock.net[bias + j]
    for q in range(s.players):
        i = next_entry(stock.rows[q], 0, inputs)
        while i < inputs:
            add_entry(stock.net, q, i, stock.rows[q, i], s.players, stock.sums)
            i = next_entry(stock.rows[q], i + 1, inputs)


def add_entry(net: Any, q: int, i: int, x: float, players: int, sums: Any) -> None:
    """Add entry ``i`` of the tensor of seat ``q`` to the sums of all seats that it counts for."""
    inputs, hidden = int(net[INPUTS]), int(net[HIDDEN])
    for b in range(int(net[TENSORS])):
        p = q - b + players if q < b else q - b
        add_scaled(sums, p * hidden, net, HEAD + (b * inputs + i) * hidden, x, hidden)


def foresee(s: Any, stock: Any) -> None:
    """Write the estimates for each seat into ``values``; if the game is over, the real results.  ``rows`` and ``sums``
    are those of a similar position, and only the differences are added."""
    players = s.players
    if rules.actor(s) == TERMINAL:
        rules.returns(s, stock.out)
        best = stock.out[0]
        winners = 0.0
        for p in range(players):
            best = max(best, stock.out[p])
        for p in range(players):
            winners += stock.out[p] == best
        for p in range(players):
            stock.values[p, WON] = (stock.out[p] == best) / winners
            stock.values[p, BROUGHT] = stock.out[p] / stock.net[UNIT]
        return
    inputs, hidden = int(stock.net[INPUTS]), int(stock.net[HIDDEN])
    mixing = HEAD + (int(stock.net[TENSORS]) * inputs + 1) * hidden
    last = mixing + (hidden + 1) * hidden
    here = players * hidden
    for j in range(here):
        stock.layer[j] = stock.sums[j]
    for q in range(players):
        write_row(s, q, stock.row)
        i = next_difference(stock.row, stock.rows[q], 0, inputs)
        while i < inputs:
            add_entry(
                stock.net, q, i, stock.row[i] - 1.0 * stock.rows[q, i], players, stock.layer
            )  # times 1.0, so that the difference is computed in double precision
            i = next_difference(stock.row, stock.rows[q], i + 1, inputs)
    for p in range(players):
        for j in range(hidden):
            stock.layer[here + j] = stock.net[mixing + hidden * hidden + j]
        for i in range(hidden):
            x = stock.layer[p * hidden + i]
            if x > 0.0:
                add_scaled(stock.layer, here, stock.net, mixing + i * hidden, x, hidden)
        for j in range(here, here + hidden):
            stock.layer[j] = max(stock.layer[j], 0.0)
        for r in range(FIGURES):
            stock.values[p, r] = stock.net[last + FIGURES * hidden + r] + product(
                stock.net, last + r * hidden, stock.layer, here, hidden
            )


def credit(luck: Any, kind: int, values: Any, share: float) -> None:
    """Add ``share`` times the estimates to the luck of each seat."""
    for p in range(len(luck)):
        for r in range(FIGURES):
            luck[p, r, kind] += share * values[p, r]


def follow(
    S: Positions, start: Positions, steps: I32x2, taken: I64, how: I64x2, acts: I16, stock: Stock, luck: F64x4
) -> None:  # fmt: skip
    """Replay games from their steps (:data:`parlour.players.kernels.arena.BY_WHOM`; ``taken`` of them) and add up in
    ``luck``, for each game, seat, figure and kind, their luck; it must be 0 at first.  The choices of players whose
    ``how`` is ``AT_RANDOM`` count as luck; those of the others do not."""
    s = S[GAME]
    for i in range(len(taken)):
        S[GAME] = start[0]
        kind = BY_DEAL
        for t in range(int(taken[i])):
            if rules.actor(s) == DEAL_OVER:
                go_over(s, None)
                kind = BY_DEAL
            who = int(steps[i, t]) % BY_WHOM - 1
            a = int(steps[i, t]) // BY_WHOM
            if who < 0:
                outcomes = rules.chance(s)
                n = count(outcomes)
                if n > 1:
                    total = 0.0
                    for k in range(n):
                        total += rules.weight(s, nth(outcomes, k))
                    take_stock(s, stock)
                    for k in range(n):
                        c = nth(outcomes, k)
                        S[SEEN] = S[GAME]
                        rules.happen(S[SEEN], c, None)
                        foresee(S[SEEN], stock)
                        share = -rules.weight(s, c) / total
                        if c == a:
                            share += 1.0
                        credit(luck[i], kind, stock.values, share)
                rules.happen(s, a, None)
            else:
                kind = BY_DRAW
                if how[i, who] == AT_RANDOM:
                    n = rules.legal(s, who, acts)
                    if n > 1:
                        take_stock(s, stock)
                        for k in range(n):
                            S[SEEN] = S[GAME]
                            rules.apply(S[SEEN], who, acts[k], None)
                            foresee(S[SEEN], stock)
                            share = -1.0 / n
                            if acts[k] == a:
                                share += 1.0
                            credit(luck[i], BY_LOT, stock.values, share)
                rules.apply(s, who, a, None)


def portray(
    S: Positions, start: Positions, steps: I32x2, taken: I64, rng: U64, often: int, X: F32x3, games: I64
) -> int:  # fmt: skip
    """Replay games and put the tensors of all players into ``X``, and the number of the game into ``games``, after one
    step in ``often``, chosen at random; return how many positions these are.  It ends when ``X`` is full."""
    s = S[GAME]
    found = 0
    for i in range(len(taken)):
        S[GAME] = start[0]
        for t in range(int(taken[i])):
            go_over(s, None)
            who = int(steps[i, t]) % BY_WHOM - 1
            a = int(steps[i, t]) // BY_WHOM
            if who < 0:
                rules.happen(s, a, None)
            else:
                rules.apply(s, who, a, None)
            if below(rng, often) == 0:
                if (rules.actor(s) != TERMINAL) & (found < len(X)):
                    for p in range(s.players):
                        write_row(s, p, X[found, p])
                    games[found] = i
                    found += 1
    return found


KERNEL = Kernel(__name__, uses=(arena, chance, networks, views), entries=(follow, portray))
