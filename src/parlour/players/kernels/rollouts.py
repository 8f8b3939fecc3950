"""Rollouts: what each of a few actions brings if everybody then plays on by a policy.

All actions are tried in the same imagined worlds and with the same numbers of chance, so what luck they have in common
cancels out when they are compared.  An action counts for what it brings in this deal; or, where the number of deals is
fixed, for how often the match is then won: the other deals are played beforehand, some hundred times over, and what
they bring is added to what this one does.
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


class Worlds(NamedTuple):
    """How worlds are imagined and played on: the generators of chance and of the players, who have dice of their own,
    so that the same cards come whatever they throw; scratch for returns; the network by which one of ``each`` redeals
    becomes a world (:func:`parlour.players.kernels.beliefs.imagine`); what the deals before this one have brought, and
    what those after it bring (:func:`look_ahead`): without any, an action counts for what it brings in this deal."""

    rng: U64
    dice: U64
    out: F64
    belief: F64
    each: int
    before: F64
    rests: F64


class Contest(NamedTuple):
    """Actions that are tried, referred to by their places among the ``choices``; at place 0 is what the player would do
    without imagining anything.

    ``left`` lists the places of those that are still in the contest, in order, and ``counts`` says how many they are
    (:data:`LEFT`).  Of ``n`` choices, ``sums`` takes what each has brought, ``powers`` the squares of that, ``squares``
    at ``n * j + k`` those of the differences between what ``j`` and ``k`` brought in the same worlds, for ``j`` before
    ``k``.  When an action is given up, ``tried`` keeps the number of worlds in which it was tried, and ``ahead`` at
    ``n * j + k`` how much more ``j`` had brought on average than ``k``, which was given up: later worlds are not the
    same for both.  ``seen``: what :func:`parlour.players.kernels.search.note_returns` takes down; ``brought`` is
    scratch.
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
    """Play from what ``me`` sees to the end of the match, everybody at random among the actions worth trying, and put
    what the deals after this one bring to each player into row ``i`` of ``rests``, for ``i`` from ``begin`` to ``end``;
    ``before`` takes what the deals before this one have brought."""
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
    """Return what ``me`` would do by a policy, of the ``n`` actions listed.  A world of the player's own is as good as
    the real one: it shows them the same."""
    imagine(S, me, worlds.belief, 1, room.row, room.layer, worlds.rng)
    S[GAME] = S[WORLD]
    return int(decide(S, me, how, n, room, worlds.dice))


def roll_out(
    S: Positions, me: int, how: int, room: Weighing, worlds: Worlds, contest: Contest, first: Word, times: int
) -> None:  # fmt: skip
    """Try the actions that are left for ``me`` in this many further worlds, and take down what they bring.

    ``how``: the policy by which everybody plays on, as :func:`parlour.players.kernels.arena.decide` has it.  ``first``
    is the word of which the worlds, their chance and the dice of the players are functions.
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
    """Try actions in imagined worlds, batch by batch, and give those up that are not worth trying any more; return how
    many of the ``batches`` asked for were imagined.

    ``total`` is how many games may be imagined in all.  They are divided among ``rounds``, and after each of them the
    worse half of the actions is given up (sequential halving: Karnin, Koren & Somekh 2013), but never the first.  With
    0 rounds nothing is given up."""
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
    """Give up the worse half, if a round is over, and return in how many worlds what is left is to be tried next."""
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
    """Give up all but the ``few`` actions that have brought most; the first always stays."""
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
    """Give up the actions that have fallen far behind the one that has brought most, and those that are the same as an
    earlier one."""
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
    """Give up all actions that are left but those that are ``kept``, and take down how far behind they are."""
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
    """How much more ``j`` has brought than ``k``, on average, in the worlds in which both were tried."""
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
    """Return the place of the best action: the one that should bring most, if it is far enough ahead of what the player
    would do without imagining anything.  ``expected``: what was learned of each, which counts for ``trust`` worlds.
    ``risk``: how many standard deviations of what an action brings are added to what it should bring."""
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
