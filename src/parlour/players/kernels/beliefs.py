"""Beliefs: what others' choices say of the cards they hold.

A redeal is a world that the rules allow.  How likely it is that everybody would have done there what they did is
another matter.  A player chooses by what that player sees, so this likelihood is a product over the players: its
logarithm is a sum of what one network (:mod:`parlour.players.kernels.networks`) says of each of them, given the tensor
of what they would see.  A network that can pick out the true world among redeals says just that, give or take a
constant (InfoNCE: van den Oord, Li & Vinyals 2018).  So it is trained to pick it out, and afterwards a player who
imagines worlds deals several and keeps one, each as likely as its weight (sampling-importance resampling: Rubin 1987).

The network sees the imagined world and nothing else: what is hidden in the true one never gets here.  It has a single
action that points at nothing.  Bound like the drivers, interpreted or compiled.
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
"""The parts that a chance is divided into."""
SEEN_BY_ME, WORLD, CANDIDATE = 3, 4, 5
"""Beside the positions that :mod:`parlour.engine.kernels.views` names: what the player sees, restored from
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


def imagine(S: Positions, me: int, net: F64, worlds: int, row: F32, layer: F64, rng: U64) -> None:
    """Put into ``S[WORLD]`` a world that ``me`` cannot tell from the real one: one of ``worlds`` redeals, each as
    likely to be kept as the network finds it plausible.  An empty network has no opinion."""
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
    """Draw a number from the Gumbel distribution: whoever has the highest sum of a logarithm and such a number has been
    chosen with a probability proportional to what it is the logarithm of."""
    return -math.log(-math.log((below(rng, FINE) + 0.5) / FINE))


KERNEL = Kernel(__name__, uses=(networks, views), entries=(imagine,))
