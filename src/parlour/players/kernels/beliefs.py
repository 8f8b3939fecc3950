"""Beliefs: what others' choices say of the cards they hold.

A redeal is a world that the rules allow.  But the choices that players have made may be likely in one world and
unlikely in another.  A player chooses by what that player sees, so this likelihood is a product over the players, and
its logarithm is a sum.  Each term is the output of one network (:mod:`parlour.players.kernels.networks`) for the tensor
that the player would see.  A network that can pick out the true world among redeals computes just this sum, up to a
constant (InfoNCE: van den Oord, Li & Vinyals 2018).  So it is trained to do that.  A player who imagines worlds then
deals several and keeps one, with a probability proportional to its weight (sampling-importance resampling: Rubin 1987).

The network sees only the imagined world: hidden cards of the true one are never passed in.  It has a single action,
which refers to nothing.
"""

from __future__ import annotations

import math
from typing import Any

from parlour.engine.kernel import F32, F64, U64, Kernel, Positions, rules
from parlour.engine.kernels import views
from parlour.engine.kernels.views import write_row
from parlour.players.kernels import networks
from parlour.players.kernels.networks import HIDDEN, take_in, weigh
from parlour.rules.vocabulary import below

FINE = 1 << 30
"""The number of equal parts into which a probability is divided."""
SEEN_BY_ME, WORLD, CANDIDATE = 3, 4, 5
"""Places of positions, besides those of :mod:`parlour.engine.kernels.views`: the player's view restored, a world that
they imagine, and another that may take its place."""
POSITIONS = 6


def plausible(s: Any, me: int, net: Any, row: Any, layer: Any) -> float:
    """Return the logarithm of the likelihood of the others' choices so far in the world ``s``, plus a number that is
    the same in all worlds that ``me`` can imagine."""
    total = 0.0
    for q in range(s.players):
        if q != me:
            write_row(s, q, row)
            take_in(net, row, layer)
            total += weigh(net, row, layer, 0, 0, 1.0, 0.0)
    return total


def imagine(S: Positions, me: int, net: F64, worlds: int, row: F32, layer: F64, rng: U64) -> None:
    """Put into ``S[WORLD]`` a world that ``me`` cannot tell from the real one: one of ``worlds`` redeals, kept with a
    probability proportional to its likelihood by the network.  For an empty network all are equally likely."""
    S[WORLD] = S[SEEN_BY_ME]
    rules.redeal(S[WORLD], me, rng)
    if (worlds > 1) & (net[HIDDEN] > 0.0):
        most = plausible(S[WORLD], me, net, row, layer) + gumbel(rng)
        for _ in range(worlds - 1):
            S[CANDIDATE] = S[SEEN_BY_ME]
            rules.redeal(S[CANDIDATE], me, rng)
            found = plausible(S[CANDIDATE], me, net, row, layer) + gumbel(rng)
            if found > most:
                most = found
                S[WORLD] = S[CANDIDATE]


def gumbel(rng: Any) -> float:
    """Draw a number from the Gumbel distribution.  To choose an item with a probability proportional to its weight, add
    such a number to the logarithm of each weight and take the highest sum."""
    return -math.log(-math.log((below(rng, FINE) + 0.5) / FINE))


KERNEL = Kernel(__name__, uses=(networks, views), entries=(imagine,))
