"""Rollouts: the returns of each of a few actions if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same random numbers, so their common luck cancels out in
comparisons.  An action is valued by its return in this deal or, if the number of deals is fixed, by the share of
matches won after it: the other deals are played beforehand, some hundred times, and their results are added to that of
this deal.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from parlour.engine.hashing import seeded
from parlour.engine.kernel import F64, I64, U64, Kernel, Positions, Word, rules
from parlour.engine.kernels import bulk, chance, views
from parlour.engine.kernels.bulk import play_deal
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.views import GAME
from parlour.players.kernels import arena, beliefs, search
from parlour.players.kernels.arena import Weighing, decide
from parlour.players.kernels.beliefs import WORLD, imagine
from parlour.players.kernels.search import note_returns
from parlour.rules.vocabulary import CHANCE, DEAL_OVER

LEFT, WORLDS, GAMES, LATEST = range(4)
"""Counts: actions still in the contest, worlds and games imagined, worlds in the latest batch."""
FIRST = 4
"""Worlds in which all actions are tried before anything is decided."""
ENOUGH = 24
"""Worlds before an action may be given up because it has fallen behind."""
LEAST = 8
"""Worlds before the worse half of the actions may be given up."""
THE_SAME = 64
"""After this many worlds, two actions that always had the same return count as equivalent."""
SURE = 2.5
"""By how many standard errors an action must fall behind to be given up."""
CAUTION = 1.0
"""By how many standard errors an action must be ahead of the one that the player would choose without imagining
anything."""
MOST = 1 << 16
"""Worlds, at most."""
IN_A_BATCH = 0.1
"""The share of the budget after which actions that have fallen behind are looked for."""
AT_ONCE = 32
"""The number of imagined rests of the match with which the result of a deal is combined."""
BESIDE = 1e-4
"""The weight of one unit of a deal's return, added to the share of matches won to break ties."""


class Worlds(NamedTuple):
    """Data to imagine and play on worlds: the generators of chance and of the players (separate, so that the cards do
    not depend on players' random choices); scratch space for returns; the network that chooses one of ``each`` redeals
    as a world (:func:`parlour.players.kernels.beliefs.imagine`); the results of the deals before this one, and of those
    after it (:func:`look_ahead`).  Without the latter, an action is valued by its return in this deal."""

    rng: U64
    dice: U64
    out: F64
    belief: F64
    each: int
    before: F64
    rests: F64


class Contest(NamedTuple):
    """Actions that are tried, referred to by their places among the ``choices``; at place 0 is the action that the
    player would choose without imagining anything.

    ``left`` lists the places of those that are still in the contest, in order, and ``counts`` has their number
    (:data:`LEFT`).  Of ``n`` choices, ``sums`` has the sum of the returns of each, ``powers`` the sum of their squares,
    and ``squares`` at ``n * j + k`` the sum of the squared differences between ``j`` and ``k`` in the same worlds, for
    ``j`` before ``k``.  When action ``k`` is given up, ``tried`` keeps the number of worlds in which it was tried, and
    ``ahead`` at ``n * j + k`` by how much the mean return of ``j`` was higher, because later worlds are tried only by
    ``j``.  ``seen``: see :func:`parlour.players.kernels.search.note_returns`; ``brought`` is scratch space.
    """

    choices: I64
    left: I64
    counts: I64
    seen: F64
    brought: F64
    tried: I64
    sums: F64
    squares: F64
    powers: F64
    ahead: F64


def look_ahead(S: Positions, me: int, room: Weighing, worlds: Worlds, first: Word, begin: int, end: int) -> None:
    """Play from what ``me`` sees to the end of the match, with everybody choosing at random among the actions worth
    trying.  Write the sum of each player's returns from the deals after this one into row ``i`` of ``rests``, for ``i``
    from ``begin`` to ``end``, and those from the deals before this one into ``before``."""
    s = S[GAME]
    for i in range(begin, end):
        worlds.rng[0] = seeded(first, i)
        imagine(S, me, worlds.belief, worlds.each, room.row, room.layer, worlds.rng)
        S[GAME] = S[WORLD]
        steps = play_deal(s, room.acts, worlds.rng, rules.candidates, 0)
        rules.deal_returns(s, worlds.out)
        for p in range(s.players):
            worlds.before[p] = -worlds.out[p]
            worlds.rests[i * s.players + p] = 0.0
        while mover(s) == DEAL_OVER:
            rules.next_deal(s, None)
            steps = play_deal(s, room.acts, worlds.rng, rules.candidates, steps)
            rules.deal_returns(s, worlds.out)
            for p in range(s.players):
                worlds.rests[i * s.players + p] += worlds.out[p]
        rules.returns(s, worlds.out)
        for p in range(s.players):
            worlds.before[p] += worlds.out[p] - worlds.rests[i * s.players + p]


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


def by_itself(S: Positions, me: int, n: int, how: int, room: Weighing, worlds: Worlds) -> int:
    """Return the choice of ``me`` by a policy among the ``n`` actions listed.  It is made in an imagined world, in
    which the player sees the same as in the real one."""
    imagine(S, me, worlds.belief, 1, room.row, room.layer, worlds.rng)
    S[GAME] = S[WORLD]
    return int(decide(S, me, how, n, room, worlds.dice))


def roll_out(
    S: Positions, me: int, how: int, room: Weighing, worlds: Worlds, contest: Contest, first: Word, times: int
) -> None:  # fmt: skip
    """Try the actions still in the contest in this many further worlds, and note their returns.

    ``how``: the policy by which everybody plays on, as :func:`parlour.players.kernels.arena.decide` has it.  The
    worlds, their outcomes of chance and the random choices of players all follow from the word ``first``.
    """
    s = S[GAME]
    n = len(contest.choices)
    for w in range(contest.counts[WORLDS], contest.counts[WORLDS] + times):
        worlds.rng[0] = seeded(first, w)
        imagine(S, me, worlds.belief, worlds.each, room.row, room.layer, worlds.rng)
        luck = worlds.rng[0]
        for i in range(contest.counts[LEFT]):
            k = contest.left[i]
            S[GAME] = S[WORLD]
            worlds.rng[0] = luck
            chosen = False
            asked = 0
            steps = 0
            while True:
                steps = one_more(steps)
                who = mover(s)
                if (who == me) & (not chosen):
                    rules.apply(s, who, int(contest.choices[k]), None)
                    chosen = True
                elif who >= 0:
                    several = rules.legal(s, who, room.acts)
                    asked += 1
                    worlds.dice[0] = seeded(luck, asked)
                    a = decide(S, who, how, several, room, worlds.dice)
                    rules.apply(s, who, a, None)
                elif who == CHANCE:
                    rules.happen(s, draw_outcome(s, worlds.rng), None)
                else:
                    break
            rules.deal_returns(s, worlds.out)
            note_returns(worlds.out, me, s.players, contest.seen)
            contest.brought[k] = worlds.out[me]
            if len(worlds.rests) > 0:
                contest.brought[k] = BESIDE * worlds.out[me] + _share(
                    worlds.out, me, s.players, worlds.before, worlds.rests, w * AT_ONCE
                )
            contest.sums[k] += contest.brought[k]
            contest.powers[k] += contest.brought[k] * contest.brought[k]
            for h in range(i):
                j = contest.left[h]
                apart = contest.brought[j] - contest.brought[k]
                contest.squares[n * j + k] += apart * apart
    contest.counts[WORLDS] += times
    contest.counts[GAMES] += times * contest.counts[LEFT]
    for i in range(contest.counts[LEFT]):
        contest.tried[contest.left[i]] = contest.counts[WORLDS]


def contemplate(
    S: Positions, me: int, how: int, room: Weighing, worlds: Worlds, contest: Contest, first: Word,
    rounds: int, total: int, batches: int,
) -> int:  # fmt: skip
    """Try actions in imagined worlds, batch by batch, and give up those that are no longer worth trying; return how
    many of the ``batches`` were imagined.

    ``total`` is the number of games that may be imagined.  They are divided among ``rounds``, and after each of them
    the worse half of the actions is given up (sequential halving: Karnin, Koren & Somekh 2013), but never the first.
    With 0 rounds nothing is given up."""
    for batch in range(batches):
        due = _due(contest, rounds, total)
        if due == 0:
            return batch
        contest.counts[LATEST] = due
        roll_out(S, me, how, room, worlds, contest, first, due)
        if rounds > 0 and contest.counts[WORLDS] >= ENOUGH:
            _leave_behind(contest)
    return batches


def _due(contest: Any, rounds: int, total: int) -> int:
    """Give up the worse half if a round is over; return the number of worlds in which the rest are to be tried next."""
    n = len(contest.choices)
    had = int(contest.counts[LEFT])
    if contest.counts[WORLDS] == 0:
        return max(1, min(FIRST, total // had))
    if had == 1 or contest.counts[WORLDS] >= MOST:
        return 0
    if rounds == 0:
        rest = max(
            0, total - int(contest.counts[GAMES])
        )  # never negative: one world may have used more games than the limit
        return min(rest // had, 2 * max(int(contest.counts[LATEST]), int(IN_A_BATCH * total) // had))
    spent, for_each, until = contest.counts[GAMES] / total, had / total, 1.0
    done = min(int((spent + for_each) * rounds), rounds - 1)
    few = max(2, (n + (1 << done) - 1) >> done)
    if had > few and contest.counts[WORLDS] >= LEAST:
        _halve(contest, few)
    if done < rounds - 1:
        until = (done + 1) / rounds
    for_each *= contest.counts[LEFT] / had
    least = 1 if until < 1.0 else 0
    return min(
        max(int((until - spent) / for_each), least), 2 * max(int(contest.counts[LATEST]), int(IN_A_BATCH / for_each))
    )


def _halve(contest: Any, few: int) -> None:
    """Give up all but the ``few`` actions with the highest returns; the first always stays."""
    for i in range(contest.counts[LEFT]):
        k = contest.left[i]
        better = 0
        for h in range(contest.counts[LEFT]):
            j = contest.left[h]
            if contest.sums[j] > contest.sums[k] or (contest.sums[j] == contest.sums[k] and j < k):
                better += 1
        contest.brought[k] = 1.0 if better < few or k == 0 else 0.0
    _keep(contest)


def _leave_behind(contest: Any) -> None:
    """Give up the actions that are far behind the best, and those that are equivalent to an earlier one."""
    best = contest.left[0]
    for i in range(1, contest.counts[LEFT]):
        if contest.sums[contest.left[i]] > contest.sums[best]:
            best = contest.left[i]
    for i in range(contest.counts[LEFT]):
        k = contest.left[i]
        contest.brought[k] = 1.0
        if k != best:
            error = standard_error(best, k, contest)
            if error == 0.0 and contest.sums[best] == contest.sums[k]:
                if best < k and contest.counts[WORLDS] >= THE_SAME:
                    contest.brought[k] = 0.0
            elif margin(contest, best, k) > SURE * error:
                contest.brought[k] = 0.0
    _keep(contest)


def _keep(contest: Any) -> None:
    """Give up the actions that have 0 in ``brought``, and note how far they are behind those in the contest."""
    n = len(contest.choices)
    for i in range(contest.counts[LEFT]):
        k = contest.left[i]
        if contest.brought[k] == 0.0:
            for h in range(contest.counts[LEFT]):
                j = contest.left[h]
                contest.ahead[n * j + k] = (contest.sums[j] - contest.sums[k]) / contest.counts[WORLDS]
    stay = 0
    for i in range(contest.counts[LEFT]):
        if contest.brought[contest.left[i]] != 0.0:
            contest.left[stay] = contest.left[i]
            stay += 1
    contest.counts[LEFT] = stay


def margin(contest: Any, j: int, k: int) -> float:
    """Return the mean return of ``j`` less that of ``k``, in the worlds in which both were tried."""
    n = len(contest.choices)
    if contest.tried[k] < contest.tried[j]:
        return float(contest.ahead[n * j + k])
    if contest.tried[j] < contest.tried[k]:
        return float(-contest.ahead[n * k + j])
    return float((contest.sums[j] - contest.sums[k]) / contest.tried[j])


def standard_error(j: int, k: int, contest: Contest) -> float:
    """The standard error of :func:`margin`."""
    n = len(contest.choices)
    worlds = min(contest.tried[j], contest.tried[k])
    mean = margin(contest, j, k)
    return math.sqrt(max(contest.squares[n * min(j, k) + max(j, k)] / worlds - mean * mean, 0.0) / worlds)


def leader(contest: Contest, expected: F64, trust: int, risk: float) -> int:
    """Return the place of the best action: the one with the highest expected return, if it is far enough ahead of the
    first.  ``expected``: the value of each by a learned network, which counts as much as ``trust`` worlds.  ``risk``:
    how many standard deviations of an action's returns are added to its expected return."""
    worlds = contest.counts[WORLDS]
    best, most, by_policy = contest.left[0], -math.inf, 0.0
    for i in range(contest.counts[LEFT]):
        k = contest.left[i]
        mean = (contest.sums[k] + trust * expected[k]) / (worlds + trust)
        if risk != 0.0:
            plain = contest.sums[k] / worlds
            mean += risk * math.sqrt(max(contest.powers[k] / worlds - plain * plain, 0.0))
        if mean > most:
            best, most = k, mean
        if k == 0:
            by_policy = mean
    if contest.left[0] != 0:
        return int(best)
    error = standard_error(0, best, contest) * worlds / (worlds + trust)
    return int(best) if most - by_policy > CAUTION * error else 0


KERNEL = Kernel(
    __name__,
    uses=(arena, beliefs, bulk, chance, search, views),
    entries=(look_ahead, by_itself, roll_out, contemplate, standard_error, leader),
)
