"""Rollouts: what each of a few actions brings if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same numbers of chance, so what luck they have in common
cancels out when they are compared.  Bound like the drivers, interpreted or compiled with a game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.engine.beliefs import WORLD
from parlour.engine.drivers import GAME
from parlour.vocabulary import CHANCE

note_returns: Callable[..., None]
legal: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
imagine: Callable[..., None]
deal_returns: Callable[..., None]
mover: Callable[..., int]
draw_outcome: Callable[..., int]
decide: Callable[..., int]
seeded: Callable[..., Any]


def roll_out(
    S: Any, me: int, choices: Any, how: int, acts: Any, worth: Any, notes: Any, nets: Any, row: Any, layer: Any,
    short: Any, firm: Any, rng: Any, out: Any, belief: Any, each: int, seen: Any, brought: Any, sums: Any, squares: Any,
    first: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Try each of ``choices`` for ``me`` in worlds number ``begin`` to ``end``, and add what it brings to
    ``sums``, and the squares of the differences between what every two of them bring in the same world to ``squares``.

    ``how``: the policy by which everybody plays on, as :func:`parlour.engine.drivers.decide` has it.  ``first`` is the
    word of which the worlds and their chance are functions.  ``belief`` and ``each``: the network by which one of so
    many redeals becomes a world (:func:`parlour.engine.beliefs.imagine`).  ``seen``: what
    :func:`parlour.engine.tree.note_returns` takes down.
    """
    s = S[GAME]
    for w in range(begin, end):
        rng[0] = seeded(first, w)
        imagine(S, me, belief, each, row, layer, rng)
        luck = rng[0]
        for k in range(len(choices)):
            S[GAME] = S[WORLD]
            rng[0] = luck
            chosen = False
            while True:
                who = mover(s)
                if (who == me) & (not chosen):
                    apply(s, who, int(choices[k]), None)
                    chosen = True
                elif who >= 0:
                    n = legal(s, who, acts)
                    a = decide(S, who, how, acts, n, worth, notes, rng, nets, row, layer, short, firm)
                    apply(s, who, a, None)
                elif who == CHANCE:
                    happen(s, draw_outcome(s, rng), None)
                else:
                    break
            deal_returns(s, out)
            note_returns(out, me, s.players, seen)
            brought[k] = out[me]
            sums[k] += out[me]
            for j in range(k):
                ahead = brought[j] - out[me]
                squares[len(choices) * j + k] += ahead * ahead
