"""Beliefs: what others' choices say of the cards they hold.

A redeal is a world that the rules allow.  How likely it is that everybody would have done there what they did is
another matter.  A player chooses by what that player sees, so this likelihood is a product over the players: its
logarithm is a sum of what one network (:mod:`parlour.engine.networks`) says of each of them, given the tensor of what
they would see.  A network that can pick out the true world among redeals says just that, give or take a constant
(InfoNCE: van den Oord, Li & Vinyals 2018).  So it is trained to pick it out, and afterwards a
player who imagines worlds deals several and keeps one, each as likely as its weight (sampling-importance resampling:
Rubin 1987).

The network sees the imagined world and nothing else: what is hidden in the true one never gets here.  It has a single
action that points at nothing.  Bound like the drivers, interpreted or compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from parlour.engine.drivers import DECISIONS, ERROR, FINE, GAME, SEEN
from parlour.engine.networks import HIDDEN
from parlour.vocabulary import CHANCE, DEAL_OVER, SEVERAL

actor: Callable[..., int]
one_more: Callable[..., int]
acting: Callable[..., int]
legal: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
next_deal: Callable[..., None]
redeal: Callable[..., None]
draw_outcome: Callable[..., int]
decide: Callable[..., int]
see: Callable[..., None]
write_row: Callable[..., None]
take_in: Callable[..., None]
weigh: Callable[..., float]
learn_from: Callable[..., None]
below: Callable[..., int]
count: Callable[..., int]
nth: Callable[..., int]
seeded: Callable[..., Any]

SEEN_BY_ME, WORLD, CANDIDATE = 3, 4, 5
"""Beside the positions that :mod:`parlour.engine.drivers` has for rules of thumb: what the player sees, restored from
their view, a world that they imagine, and one that may take its place."""
POSITIONS = 6


def plausible(s: Any, me: int, net: Any, row: Any, layer: Any) -> float:
    """Return the logarithm of how likely others are to have done what they did, if the world is ``s``, plus a number
    that is the same in all worlds that ``me`` can imagine."""
    total = 0.0
    for q in range(s.players):
        if q != me:
            write_row(s, q, row)
            take_in(net, row, layer)
            total += weigh(net, row, layer, 0, 0, 1.0, 0.0)
    return total


def imagine(S: Any, me: int, net: Any, worlds: int, row: Any, layer: Any, rng: Any) -> None:
    """Put into ``S[WORLD]`` a world that ``me`` cannot tell from the real one: one of ``worlds`` redeals, each as
    likely to be kept as the network finds it plausible.  An empty network has no opinion."""
    S[WORLD] = S[SEEN_BY_ME]
    redeal(S[WORLD], me, rng)
    if (worlds > 1) & (net[HIDDEN] > 0.0):
        most = plausible(S[WORLD], me, net, row, layer) + gumbel(rng)
        for _ in range(worlds - 1):
            S[CANDIDATE] = S[SEEN_BY_ME]
            redeal(S[CANDIDATE], me, rng)
            found = plausible(S[CANDIDATE], me, net, row, layer) + gumbel(rng)
            if found > most:
                most = found
                S[WORLD] = S[CANDIDATE]


def gumbel(rng: Any) -> float:
    """Draw a number from the Gumbel distribution: whoever has the highest sum of a logarithm and such a number has been
    chosen with a probability proportional to what it is the logarithm of."""
    return -math.log(-math.log((below(rng, FINE) + 0.5) / FINE))


# ------------------------------------------------------------------------------------------ learning


def tell_apart(
    S: Any, me: int, rng: Any, net: Any, change: Any, worlds: int, rows: Any, layers: Any, odds: Any
) -> float:
    """Have the network find the true world, which ``me`` is in, among redeals, ``worlds`` in all, and add the gradient
    of its loss to ``change``.  Return the loss: minus the logarithm of the probability that it gives the true world."""
    others = S[GAME].players - 1
    see(S, me)
    for k in range(worlds):
        if k > 0:
            S[CANDIDATE] = S[SEEN]
            redeal(S[CANDIDATE], me, rng)
        odds[k] = 0.0
        at = k * others
        for q in range(others + 1):
            if q != me:
                if k == 0:
                    write_row(S[GAME], q, rows[at])
                else:
                    write_row(S[CANDIDATE], q, rows[at])
                take_in(net, rows[at], layers[at])
                odds[k] += weigh(net, rows[at], layers[at], 0, 0, 1.0, 0.0)
                at += 1
    most = odds[0]
    for k in range(1, worlds):
        most = max(most, odds[k])
    total = 0.0
    for k in range(worlds):
        total += math.exp(odds[k] - most)
    loss = math.log(total) - (odds[0] - most)
    for k in range(worlds):
        error = math.exp(odds[k] - most) / total
        if k == 0:
            error -= 1.0
        for at in range(k * others, (k + 1) * others):
            learn_from(net, change, rows[at], layers[at], 0, 0, 1.0, 0.0, error)
    return float(loss)


def witness(
    S: Any, me: int, how: int, acts: Any, worth: Any, notes: Any, rng: Any, nets: Any, row: Any, layer: Any,
    short: Any, firm: Any, often: int, lapses: float, net: Any, change: Any, worlds: int, rows: Any, layers: Any,
    odds: Any, told: Any, i: int,
) -> int:  # fmt: skip
    """Return what a player chooses, who one time in ``often`` first tries to tell the true world from others, and whose
    choice is any with probability ``lapses``.  ``told`` takes the number ``i`` of the game and the loss."""
    n = legal(S[GAME], me, acts)
    if n == 1:
        return int(acts[0])
    if below(rng, often) == 0:
        loss = tell_apart(S, me, rng, net, change, worlds, rows, layers, odds)
        change[ERROR] += loss
        t = int(change[DECISIONS])
        change[DECISIONS] += 1.0
        if t < len(told):
            told[t, 0] = i
            told[t, 1] = loss
        n = legal(S[GAME], me, acts)
    if below(rng, FINE) < lapses * FINE:
        return int(acts[below(rng, n)])
    return decide(S, me, how, acts, n, worth, notes, rng, nets, row, layer, short, firm)


def study_others(
    S: Any, start: Any, rng: Any, first: Any, begin: int, games: int, how: int, acts: Any, chosen: Any, worth: Any,
    notes: Any, nets: Any, row: Any, layer: Any, short: Any, firm: Any, often: int, lapses: float,
    net: Any, change: Any, worlds: int, rows: Any, layers: Any, odds: Any, told: Any,
) -> None:  # fmt: skip
    """Play games number ``begin`` and following among players who choose by ``how``, and add what is to be learned from
    their choices to ``change``: the gradient, and in place of the head the sum of the losses and their number."""
    s = S[GAME]
    for i in range(begin, begin + games):
        S[GAME] = start[0]
        rng[0] = seeded(first, i)
        steps = 0
        while True:
            steps = one_more(steps)
            who = actor(s)
            if who >= 0:
                a = witness(
                    S, who, how, acts, worth, notes, rng, nets, row, layer, short, firm, often, lapses,
                    net, change, worlds, rows, layers, odds, told, i,
                )  # fmt: skip
                apply(s, who, a, None)
            elif who == CHANCE:
                happen(s, draw_outcome(s, rng), None)
            elif who == SEVERAL:
                waiting = acting(s)
                for k in range(count(waiting)):
                    p = nth(waiting, k)
                    chosen[p] = witness(
                        S, p, how, acts, worth, notes, rng, nets, row, layer, short, firm, often, lapses,
                        net, change, worlds, rows, layers, odds, told, i,
                    )  # fmt: skip
                for k in range(count(waiting)):
                    apply(s, nth(waiting, k), chosen[nth(waiting, k)], None)
            elif who == DEAL_OVER:
                next_deal(s, None)
            else:
                break
