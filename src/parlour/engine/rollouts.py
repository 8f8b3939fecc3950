"""Rollouts: what each of a few actions brings if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same numbers of chance, so what luck they have in common
cancels out when they are compared.  An action counts for what it brings in this deal; or, where the number of deals is
fixed, for how often the match is then won: the other deals are played beforehand, some hundred times over, and what
they bring is added to what this one does.  Bound like the drivers, interpreted or compiled with a game's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from parlour.engine.beliefs import WORLD
from parlour.engine.drivers import GAME
from parlour.vocabulary import CHANCE, DEAL_OVER

note_returns: Callable[..., None]
legal: Callable[..., int]
candidates: Callable[..., int]
apply: Callable[..., None]
happen: Callable[..., None]
next_deal: Callable[..., None]
imagine: Callable[..., None]
returns: Callable[..., None]
deal_returns: Callable[..., None]
mover: Callable[..., int]
draw_outcome: Callable[..., int]
decide: Callable[..., int]
below: Callable[..., int]
seeded: Callable[..., Any]

AT_ONCE = 32
"""With how many of the imagined rests of the match what a deal brings is put together."""
BESIDE = 1e-4
"""What one unit of what a deal brings counts for beside the share of the match that is won: it decides where that is
the same."""


def _deal(s: Any, acts: Any, rng: Any) -> int:
    """Play to the end of the deal, at random among the actions worth trying; return who is next then."""
    while True:
        who = mover(s)
        if who >= 0:
            apply(s, who, acts[below(rng, candidates(s, who, acts))], None)
        elif who == CHANCE:
            happen(s, draw_outcome(s, rng), None)
        else:
            return who


def look_ahead(
    S: Any, me: int, acts: Any, rng: Any, out: Any, belief: Any, each: int, row: Any, layer: Any,
    before: Any, rests: Any, first: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Play from what ``me`` sees to the end of the match, everybody at random among the actions worth trying, and put
    what the deals after this one bring to each player into row ``i`` of ``rests``, for ``i`` from ``begin`` to ``end``;
    ``before`` takes what the deals before this one have brought."""
    s = S[GAME]
    for i in range(begin, end):
        rng[0] = seeded(first, i)
        imagine(S, me, belief, each, row, layer, rng)
        S[GAME] = S[WORLD]
        who = _deal(s, acts, rng)
        deal_returns(s, out)
        for p in range(s.players):
            before[p] = -out[p]
            rests[i * s.players + p] = 0.0
        while who == DEAL_OVER:
            next_deal(s, None)
            who = _deal(s, acts, rng)
            deal_returns(s, out)
            for p in range(s.players):
                rests[i * s.players + p] += out[p]
        returns(s, out)
        for p in range(s.players):
            before[p] += out[p] - rests[i * s.players + p]


def _share(out: Any, me: int, players: int, before: Any, rests: Any, at: int) -> float:
    """The share of the match that ``me`` wins if this deal brings ``out``: the mean over some of the rests."""
    won = 0.0
    for i in range(at, at + AT_ONCE):
        k = i * players % len(rests)
        mine = before[me] + out[me] + rests[k + me]
        best = 1
        for p in range(players):
            if p != me:
                theirs = before[p] + out[p] + rests[k + p]
                if theirs > mine:
                    best = 0
                    break
                best += theirs == mine
        if best > 0:
            won += 1.0 / best
    return won / AT_ONCE


def roll_out(
    S: Any, me: int, choices: Any, how: int, acts: Any, worth: Any, notes: Any, nets: Any, row: Any, layer: Any,
    short: Any, firm: Any, rng: Any, dice: Any, out: Any, belief: Any, each: int, seen: Any, brought: Any,
    sums: Any, squares: Any, before: Any, rests: Any, first: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Try each of ``choices`` for ``me`` in worlds number ``begin`` to ``end``, and add what it brings to
    ``sums``, and the squares of the differences between what every two of them bring in the same world to ``squares``.

    ``how``: the policy by which everybody plays on, as :func:`parlour.engine.drivers.decide` has it.  ``first`` is the
    word of which the worlds, their chance and the dice of the players are functions; players have dice of their own, so
    that the same cards come whatever they throw.  ``belief`` and ``each``: the network by which one of so
    many redeals becomes a world (:func:`parlour.engine.beliefs.imagine`).  ``seen``: what
    :func:`parlour.engine.tree.note_returns` takes down.  ``before``, ``rests``: as :func:`look_ahead` has found them;
    without any, an action counts for what it brings in this deal.
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
            asked = 0
            while True:
                who = mover(s)
                if (who == me) & (not chosen):
                    apply(s, who, int(choices[k]), None)
                    chosen = True
                elif who >= 0:
                    n = legal(s, who, acts)
                    asked += 1
                    dice[0] = seeded(luck, asked)
                    a = decide(S, who, how, acts, n, worth, notes, dice, nets, row, layer, short, firm)
                    apply(s, who, a, None)
                elif who == CHANCE:
                    happen(s, draw_outcome(s, rng), None)
                else:
                    break
            deal_returns(s, out)
            note_returns(out, me, s.players, seen)
            brought[k] = out[me]
            if len(rests) > 0:
                brought[k] = BESIDE * out[me] + _share(out, me, s.players, before, rests, w * AT_ONCE)
            sums[k] += brought[k]
            for j in range(k):
                ahead = brought[j] - brought[k]
                squares[len(choices) * j + k] += ahead * ahead
