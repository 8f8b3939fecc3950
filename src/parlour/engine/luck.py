"""Luck: what chance, and players who draw lots, brought to each seat beyond what was to be expected of them.

A *value network* says what each seat can expect of a position: which share of the win, and which returns.  Whatever it
says, the luck of a step (what it says of the position that came, less the mean of what it says of all positions that
could have come, each with its exact probability) is 0 on average.  So luck may be subtracted from results without
changing their mean, and where the network judges well that takes away most of what chance adds to their spread (AIVAT:
Burch, Schmid, Moravčík, Morrill & Bowling 2018).

Bound like the drivers, but only compiled.  A value network is one vector of numbers, which
:mod:`parlour.study.values` lays out: a head, a row for each entry of the tensors, two hidden layers of the same size,
two results.  It is given the tensor of the seat concerned and, where players hide something from each other, those of
the others too, clockwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.engine.drivers import AT_RANDOM, BY_WHOM, GAME, SEEN
from parlour.engine.networks import HEAD, HIDDEN, INPUTS, UNIT
from parlour.vocabulary import DEAL_OVER, TERMINAL

actor: Callable[..., int]
legal: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
chance: Callable[..., int]
weight: Callable[..., int]
go_over: Callable[..., None]
returns: Callable[..., None]
write_row: Callable[..., None]
count: Callable[..., int]
nth: Callable[..., int]
below: Callable[..., int]
add_scaled: Callable[..., None]
next_difference: Callable[..., int]
next_entry: Callable[..., int]
product: Callable[..., float]

TENSORS = 2
"""In the head of a value network, beside ``INPUTS``, ``HIDDEN`` and ``UNIT``: how many tensors it is given."""
WON, BROUGHT, FIGURES = 0, 1, 2
"""What is expected: the share of the win; returns, in their unit."""
BY_DEAL, BY_DRAW, BY_LOT, KINDS = 0, 1, 2, 3
"""Kinds of luck: of chance before the first decision of a deal; of chance after it; of choices at random."""


def take_stock(s: Any, net: Any, rows: Any, sums: Any) -> None:
    """Put the tensors of a position into ``rows``, and for each seat their sums, one seat after the other."""
    inputs, hidden, tensors = int(net[INPUTS]), int(net[HIDDEN]), int(net[TENSORS])
    bias = HEAD + tensors * inputs * hidden
    for p in range(s.players):
        write_row(s, p, rows[p])
        for j in range(hidden):
            sums[p * hidden + j] = net[bias + j]
    for q in range(s.players):
        i = next_entry(rows[q], 0, inputs)
        while i < inputs:
            add_entry(net, q, i, rows[q, i], s.players, sums)
            i = next_entry(rows[q], i + 1, inputs)


def add_entry(net: Any, q: int, i: int, x: float, players: int, sums: Any) -> None:
    """Add entry ``i`` of the tensor of seat ``q`` to the sums of all seats that it counts for."""
    inputs, hidden = int(net[INPUTS]), int(net[HIDDEN])
    for b in range(int(net[TENSORS])):
        p = q - b + players if q < b else q - b
        add_scaled(sums, p * hidden, net, HEAD + (b * inputs + i) * hidden, x, hidden)


def foresee(s: Any, net: Any, rows: Any, row: Any, sums: Any, layer: Any, out: Any, values: Any) -> None:
    """Put what each seat can expect of a position into ``values``: what it got, if the game is over.  ``rows`` and
    ``sums`` are those of a position nearby; only what differs is added up."""
    players = s.players
    if actor(s) == TERMINAL:
        returns(s, out)
        best = out[0]
        winners = 0.0
        for p in range(players):
            best = max(best, out[p])
        for p in range(players):
            winners += out[p] == best
        for p in range(players):
            values[p, WON] = (out[p] == best) / winners
            values[p, BROUGHT] = out[p] / net[UNIT]
        return
    inputs, hidden = int(net[INPUTS]), int(net[HIDDEN])
    mixing = HEAD + (int(net[TENSORS]) * inputs + 1) * hidden
    last = mixing + (hidden + 1) * hidden
    here = players * hidden
    for j in range(here):
        layer[j] = sums[j]
    for q in range(players):
        write_row(s, q, row)
        i = next_difference(row, rows[q], 0, inputs)
        while i < inputs:
            add_entry(net, q, i, row[i] - 1.0 * rows[q, i], players, layer)  # 1.0: in doubles, not as narrow as rows
            i = next_difference(row, rows[q], i + 1, inputs)
    for p in range(players):
        for j in range(hidden):
            layer[here + j] = net[mixing + hidden * hidden + j]
        for i in range(hidden):
            x = layer[p * hidden + i]
            if x > 0.0:
                add_scaled(layer, here, net, mixing + i * hidden, x, hidden)
        for j in range(here, here + hidden):
            layer[j] = max(layer[j], 0.0)
        for r in range(FIGURES):
            values[p, r] = net[last + FIGURES * hidden + r] + product(net, last + r * hidden, layer, here, hidden)


def credit(luck: Any, kind: int, values: Any, share: float) -> None:
    """Add ``share`` of what is expected to the luck of each seat."""
    for p in range(len(luck)):
        for r in range(FIGURES):
            luck[p, r, kind] += share * values[p, r]


def follow(
    S: Any, start: Any, steps: Any, taken: Any, how: Any, acts: Any, net: Any, rows: Any, row: Any,
    sums: Any, layer: Any, out: Any, values: Any, luck: Any,
) -> None:  # fmt: skip
    """Replay games from their steps (:data:`parlour.engine.drivers.BY_WHOM`; ``taken`` of them) and add up in ``luck``,
    for each game, seat, figure and kind, how lucky they were; it is 0 at first.  Players whose ``how`` is ``AT_RANDOM``
    draw lots; of the others nothing is assumed."""
    s = S[GAME]
    for i in range(len(taken)):
        S[GAME] = start[0]
        kind = BY_DEAL
        for t in range(int(taken[i])):
            if actor(s) == DEAL_OVER:
                go_over(s, None)
                kind = BY_DEAL
            who = int(steps[i, t]) % BY_WHOM - 1
            a = int(steps[i, t]) // BY_WHOM
            if who < 0:
                outcomes = chance(s)
                n = count(outcomes)
                if n > 1:
                    total = 0.0
                    for k in range(n):
                        total += weight(s, nth(outcomes, k))
                    take_stock(s, net, rows, sums)
                    for k in range(n):
                        c = nth(outcomes, k)
                        S[SEEN] = S[GAME]
                        happen(S[SEEN], c, None)
                        foresee(S[SEEN], net, rows, row, sums, layer, out, values)
                        share = -weight(s, c) / total
                        if c == a:
                            share += 1.0
                        credit(luck[i], kind, values, share)
                happen(s, a, None)
            else:
                kind = BY_DRAW
                if how[i, who] == AT_RANDOM:
                    n = legal(s, who, acts)
                    if n > 1:
                        take_stock(s, net, rows, sums)
                        for k in range(n):
                            S[SEEN] = S[GAME]
                            apply(S[SEEN], who, acts[k], None)
                            foresee(S[SEEN], net, rows, row, sums, layer, out, values)
                            share = -1.0 / n
                            if acts[k] == a:
                                share += 1.0
                            credit(luck[i], BY_LOT, values, share)
                apply(s, who, a, None)


def portray(S: Any, start: Any, steps: Any, taken: Any, rng: Any, often: int, X: Any, games: Any) -> int:
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
                happen(s, a, None)
            else:
                apply(s, who, a, None)
            if below(rng, often) == 0:
                if (actor(s) != TERMINAL) & (found < len(X)):
                    for p in range(s.players):
                        write_row(s, p, X[found, p])
                    games[found] = i
                    found += 1
    return found
