"""Rollouts: what each of a few actions brings if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same numbers of chance, so what luck they have in common
cancels out when they are compared.  An action counts for what it brings in this deal; or, where the number of deals is
fixed, for how often the match is then won: the other deals are played beforehand, some hundred times over, and what
they bring is added to what this one does.  Bound like the drivers, interpreted or compiled with a game's rules.

Actions are referred to by their places among the ``choices``; at place 0 is what the player would do without
imagining anything.  ``left`` lists the places of those that are still in the contest, in order, and ``counts`` says
how many they are (:data:`LEFT`).  Of ``n`` choices, ``sums`` takes what each has brought, ``powers`` the squares of
that, ``squares`` at ``n * j + k`` those of the differences between what ``j`` and ``k`` brought in the same worlds,
for ``j`` before ``k``.  When an action is given up, ``tried`` keeps the number of worlds in which it was tried, and
``ahead`` at ``n * j + k`` how much more ``j`` had brought on average than ``k``, which was given up: later worlds are
not the same for both.
"""

from __future__ import annotations

import math
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
one_more: Callable[..., int]
draw_outcome: Callable[..., int]
decide: Callable[..., int]
below: Callable[..., int]
seeded: Callable[..., Any]

LEFT, WORLDS, GAMES, LATEST = range(4)
"""Counts: actions still in the contest, worlds and games imagined, worlds in the latest batch."""
FIRST = 4
"""Worlds in which all actions are tried before anything is decided."""
ENOUGH = 24
"""Worlds before an action may be given up because it has fallen behind."""
LEAST = 8
"""Worlds before the worse half of the actions may be given up."""
THE_SAME = 64
"""Worlds after which two actions that have always brought the same are the same."""
SURE = 2.5
"""By how many standard errors an action must fall behind to be given up."""
CAUTION = 1.0
"""By how many standard errors an action must be ahead of what the player would do without imagining anything."""
MOST = 1 << 16
"""Worlds, at most."""
IN_A_BATCH = 0.1
"""The part of the budget after which it is worth checking who has fallen behind."""
AT_ONCE = 32
"""With how many of the imagined rests of the match what a deal brings is put together."""
BESIDE = 1e-4
"""What one unit of what a deal brings counts for beside the share of the match that is won: it decides where that is
the same."""


def _deal(s: Any, acts: Any, rng: Any, steps: int) -> int:
    """Play to the end of the deal, at random among the actions worth trying; return the steps of the match, which were
    ``steps`` before."""
    while True:
        steps = one_more(steps)
        who = mover(s)
        if who >= 0:
            apply(s, who, acts[below(rng, candidates(s, who, acts))], None)
        elif who == CHANCE:
            happen(s, draw_outcome(s, rng), None)
        else:
            return steps


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
        steps = _deal(s, acts, rng, 0)
        deal_returns(s, out)
        for p in range(s.players):
            before[p] = -out[p]
            rests[i * s.players + p] = 0.0
        while mover(s) == DEAL_OVER:
            next_deal(s, None)
            steps = _deal(s, acts, rng, steps)
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


def by_itself(
    S: Any, me: int, n: int, how: int, acts: Any, worth: Any, notes: Any, nets: Any, row: Any, layer: Any,
    short: Any, firm: Any, rng: Any, dice: Any, belief: Any,
) -> int:  # fmt: skip
    """Return what ``me`` would do by a policy, of the ``n`` actions listed.  A world of the player's own is as good as
    the real one: it shows them the same."""
    imagine(S, me, belief, 1, row, layer, rng)
    S[GAME] = S[WORLD]
    return int(decide(S, me, how, acts, n, worth, notes, dice, nets, row, layer, short, firm))


def roll_out(
    S: Any, me: int, choices: Any, left: Any, counts: Any, how: int, acts: Any, worth: Any, notes: Any, nets: Any,
    row: Any, layer: Any, short: Any, firm: Any, rng: Any, dice: Any, out: Any, belief: Any, each: int, seen: Any,
    brought: Any, tried: Any, sums: Any, squares: Any, powers: Any, before: Any, rests: Any, first: Any, worlds: int,
) -> None:  # fmt: skip
    """Try the actions that are left for ``me`` in this number of further ``worlds``, and take down what they bring.

    ``how``: the policy by which everybody plays on, as :func:`parlour.engine.drivers.decide` has it.  ``first`` is the
    word of which the worlds, their chance and the dice of the players are functions; players have dice of their own, so
    that the same cards come whatever they throw.  ``belief`` and ``each``: the network by which one of so
    many redeals becomes a world (:func:`parlour.engine.beliefs.imagine`).  ``seen``: what
    :func:`parlour.engine.tree.note_returns` takes down.  ``before``, ``rests``: as :func:`look_ahead` has found them;
    without any, an action counts for what it brings in this deal.
    """
    s = S[GAME]
    n = len(choices)
    for w in range(counts[WORLDS], counts[WORLDS] + worlds):
        rng[0] = seeded(first, w)
        imagine(S, me, belief, each, row, layer, rng)
        luck = rng[0]
        for i in range(counts[LEFT]):
            k = left[i]
            S[GAME] = S[WORLD]
            rng[0] = luck
            chosen = False
            asked = 0
            steps = 0
            while True:
                steps = one_more(steps)
                who = mover(s)
                if (who == me) & (not chosen):
                    apply(s, who, int(choices[k]), None)
                    chosen = True
                elif who >= 0:
                    several = legal(s, who, acts)
                    asked += 1
                    dice[0] = seeded(luck, asked)
                    a = decide(S, who, how, acts, several, worth, notes, dice, nets, row, layer, short, firm)
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
            powers[k] += brought[k] * brought[k]
            for h in range(i):
                j = left[h]
                apart = brought[j] - brought[k]
                squares[n * j + k] += apart * apart
    counts[WORLDS] += worlds
    counts[GAMES] += worlds * counts[LEFT]
    for i in range(counts[LEFT]):
        tried[left[i]] = counts[WORLDS]


def contemplate(
    S: Any, me: int, choices: Any, left: Any, counts: Any, how: int, acts: Any, worth: Any, notes: Any, nets: Any,
    row: Any, layer: Any, short: Any, firm: Any, rng: Any, dice: Any, out: Any, belief: Any, each: int, seen: Any,
    brought: Any, tried: Any, sums: Any, squares: Any, powers: Any, before: Any, rests: Any, first: Any,
    ahead: Any, rounds: int, total: int, batches: int,
) -> int:  # fmt: skip
    """Try actions in imagined worlds, batch by batch, and give those up that are not worth trying any more; return how
    many of the ``batches`` asked for were imagined.

    ``total`` is how many games may be imagined in all.  They are divided among ``rounds``, and after each of them the
    worse half of the actions is given up (sequential halving: Karnin, Koren & Somekh 2013), but never the first.  With
    0 rounds nothing is given up."""
    for batch in range(batches):
        worlds = _due(len(choices), left, counts, brought, sums, ahead, rounds, total)
        if worlds == 0:
            return batch
        counts[LATEST] = worlds
        roll_out(
            S, me, choices, left, counts, how, acts, worth, notes, nets, row, layer, short, firm, rng, dice, out,
            belief, each, seen, brought, tried, sums, squares, powers, before, rests, first, worlds,
        )  # fmt: skip
        if rounds > 0 and counts[WORLDS] >= ENOUGH:
            _leave_behind(len(choices), left, counts, brought, tried, sums, squares, ahead)
    return batches


def _due(n: int, left: Any, counts: Any, kept: Any, sums: Any, ahead: Any, rounds: int, total: int) -> int:
    """Give up the worse half, if a round is over, and return in how many worlds what is left is to be tried next."""
    had = int(counts[LEFT])
    if counts[WORLDS] == 0:
        return max(1, min(FIRST, total // had))
    if had == 1 or counts[WORLDS] >= MOST:
        return 0
    if rounds == 0:
        rest = max(0, total - int(counts[GAMES]))  # one world may have taken more than all games that are allowed
        return min(rest // had, 2 * max(int(counts[LATEST]), int(IN_A_BATCH * total) // had))
    spent, for_each, until = counts[GAMES] / total, had / total, 1.0
    done = min(int((spent + for_each) * rounds), rounds - 1)
    few = max(2, (n + (1 << done) - 1) >> done)
    if had > few and counts[WORLDS] >= LEAST:
        _halve(n, few, left, counts, kept, sums, ahead)
    if done < rounds - 1:
        until = (done + 1) / rounds
    for_each *= counts[LEFT] / had
    least = 1 if until < 1.0 else 0
    return min(max(int((until - spent) / for_each), least), 2 * max(int(counts[LATEST]), int(IN_A_BATCH / for_each)))


def _halve(n: int, few: int, left: Any, counts: Any, kept: Any, sums: Any, ahead: Any) -> None:
    """Give up all but the ``few`` actions that have brought most; the first always stays."""
    for i in range(counts[LEFT]):
        k = left[i]
        better = 0
        for h in range(counts[LEFT]):
            j = left[h]
            if sums[j] > sums[k] or (sums[j] == sums[k] and j < k):
                better += 1
        kept[k] = 1.0 if better < few or k == 0 else 0.0
    _keep(n, left, counts, kept, sums, ahead)


def _leave_behind(
    n: int, left: Any, counts: Any, kept: Any, tried: Any, sums: Any, squares: Any, ahead: Any
) -> None:  # fmt: skip
    """Give up the actions that have fallen far behind the one that has brought most, and those that are the same as an
    earlier one."""
    best = left[0]
    for i in range(1, counts[LEFT]):
        if sums[left[i]] > sums[best]:
            best = left[i]
    for i in range(counts[LEFT]):
        k = left[i]
        kept[k] = 1.0
        if k != best:
            error = standard_error(n, best, k, tried, sums, squares, ahead)
            if error == 0.0 and sums[best] == sums[k]:
                if best < k and counts[WORLDS] >= THE_SAME:
                    kept[k] = 0.0
            elif margin(n, best, k, tried, sums, ahead) > SURE * error:
                kept[k] = 0.0
    _keep(n, left, counts, kept, sums, ahead)


def _keep(n: int, left: Any, counts: Any, kept: Any, sums: Any, ahead: Any) -> None:
    """Give up all actions that are left but those that are ``kept``, and take down how far behind they are."""
    for i in range(counts[LEFT]):
        k = left[i]
        if kept[k] == 0.0:
            for h in range(counts[LEFT]):
                j = left[h]
                ahead[n * j + k] = (sums[j] - sums[k]) / counts[WORLDS]
    stay = 0
    for i in range(counts[LEFT]):
        if kept[left[i]] != 0.0:
            left[stay] = left[i]
            stay += 1
    counts[LEFT] = stay


def margin(n: int, j: int, k: int, tried: Any, sums: Any, ahead: Any) -> float:
    """How much more ``j`` has brought than ``k``, on average, in the worlds in which both were tried."""
    if tried[k] < tried[j]:
        return float(ahead[n * j + k])
    if tried[j] < tried[k]:
        return float(-ahead[n * k + j])
    return float((sums[j] - sums[k]) / tried[j])


def standard_error(n: int, j: int, k: int, tried: Any, sums: Any, squares: Any, ahead: Any) -> float:
    """The standard error of :func:`margin`."""
    worlds = min(tried[j], tried[k])
    mean = margin(n, j, k, tried, sums, ahead)
    return math.sqrt(max(squares[n * min(j, k) + max(j, k)] / worlds - mean * mean, 0.0) / worlds)


def leader(
    n: int, left: Any, counts: Any, tried: Any, sums: Any, squares: Any, powers: Any, ahead: Any,
    expected: Any, trust: int, risk: float,
) -> int:  # fmt: skip
    """Return the place of the best action: the one that should bring most, if it is far enough ahead of what the player
    would do without imagining anything.  ``expected``: what was learned of each, which counts for ``trust`` worlds.
    ``risk``: how many standard deviations of what an action brings are added to what it should bring."""
    worlds = counts[WORLDS]
    best, most, by_policy = left[0], -math.inf, 0.0
    for i in range(counts[LEFT]):
        k = left[i]
        mean = (sums[k] + trust * expected[k]) / (worlds + trust)
        if risk != 0.0:
            plain = sums[k] / worlds
            mean += risk * math.sqrt(max(powers[k] / worlds - plain * plain, 0.0))
        if mean > most:
            best, most = k, mean
        if k == 0:
            by_policy = mean
    if left[0] != 0:
        return int(best)
    error = standard_error(n, 0, best, tried, sums, squares, ahead) * worlds / (worlds + trust)
    return int(best) if most - by_policy > CAUTION * error else 0
