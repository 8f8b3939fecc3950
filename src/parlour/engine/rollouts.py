"""Rollouts: what each of a few actions brings if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same numbers of chance, so what luck they have in common
cancels out when they are compared.  Bound like the drivers, interpreted or compiled with a game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.engine.drivers import GAME
from parlour.vocabulary import CHANCE

note_returns: Callable[..., None]
legal: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
redeal: Callable[..., None]
deal_returns: Callable[..., None]
mover: Callable[..., int]
draw_outcome: Callable[..., int]
decide: Callable[..., int]
seeded: Callable[..., Any]

SEEN_BY_ME, WORLD = 3, 4
"""Beside the positions that :mod:`parlour.engine.drivers` has for rules of thumb: what the player sees, restored from
their view, and a world that they imagine."""


def roll_out(
    S: Any, me: int, choices: Any, how: int, acts: Any, worth: Any, notes: Any, nets: Any, row: Any, layer: Any,
    short: Any, firm: Any, rng: Any, out: Any, seen: Any, brought: Any, sums: Any, squares: Any, first: Any, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Try each of ``choices`` for ``me`` in worlds number ``begin`` to ``end``, and add what it brings to
    ``sums``, and the squares of the differences between what every two of them bring in the same world to ``squares``.

    ``how``: the policy by which everybody plays on, as :func:`parlour.engine.drivers.decide` has it.  ``first`` is the
    word of which the worlds and their chance are functions.  ``seen``: what
    :func:`parlour.engine.tree.note_returns` takes down.
    """
    s = S[GAME]
    for w in range(begin, end):
        rng[0] = seeded(first, w)
        S[WORLD] = S[SEEN_BY_ME]
        redeal(S[WORLD], me, rng)
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
