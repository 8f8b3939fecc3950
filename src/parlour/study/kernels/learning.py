"""Learning by playing: how to choose, and what others' choices say of their cards."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from parlour.engine.hashing import seeded
from parlour.engine.kernel import F64, I64, U64, F32x2, F64x2, I64x2, Kernel, Positions, Word, rules
from parlour.engine.kernels import chance, views
from parlour.engine.kernels.chance import finished
from parlour.engine.kernels.views import GAME, SEEN, see, write_row
from parlour.players.kernels import arena, beliefs, networks
from parlour.players.kernels.arena import BY_RULE_OF_THUMB, Weighing, carry_on, decide, judge, play
from parlour.players.kernels.beliefs import CANDIDATE, FINE
from parlour.players.kernels.networks import UNIT, learn_from, take_in, weigh
from parlour.rules.vocabulary import below

ERROR, DECISIONS, SHORTNESS, FIRMNESS, SPREAD, RESULTS = range(6)
"""Sums in place of the head in a learner's gradients: the squares of its errors, the number of decisions, how far they
fell short by the rule of thumb, the size of their values by it; the squares of each seat's returns of deals, and the
number of these returns."""


class LearnerState(NamedTuple):
    """The state of a learner: the network, the gradients, the probability of trying another action than the best, and
    the weight of what came of a decision in the targets of earlier ones (:func:`settle`).

    It remembers the decisions of a deal: ``seats`` (player and action), ``found`` (the rule of thumb's two numbers, see
    :func:`parlour.players.kernels.networks.reconsider`; the expected value of the action, and that of the best), the
    ``rows`` and the ``layers``; ``used``: the number of decisions, and of finished deals.  ``brought``: the returns of
    a deal.
    """

    net: F64
    change: F64
    curious: float
    lasting: float
    seats: I64x2
    found: F64x2
    rows: F32x2
    layers: F64x2
    used: I64
    brought: F64


REMEMBERED, FINISHED = range(2)
"""Places in ``used``."""


def explore(n: int, worth: Any, best: int, rng: Any) -> int:
    """Return an action to try: any with probability 1/8, otherwise the best of those for which a tossed coin shows
    heads."""
    if below(rng, 8) == 0:
        return int(below(rng, n))
    found = -1
    for k in range(n):
        if below(rng, 2) == 1:
            if found < 0 or worth[k] > worth[found]:
                found = k
    return best if found < 0 else found


def attempt(S: Any, me: int, room: Any, lesson: Any, rng: Any) -> int:
    """Return the choice of a learner, which is sometimes another action than the best."""
    n = rules.legal(S[GAME], me, room.acts)
    if n == 1:
        return int(room.acts[0])
    see(S, me)
    t = lesson.used[REMEMBERED]
    write_row(S[GAME], me, lesson.rows[t])
    best = judge(S[SEEN], me, n, room, lesson.net, lesson.rows[t], lesson.layers[t], rng)
    k = best
    if below(rng, FINE) < lesson.curious * FINE:
        k = explore(n, room.worth, best, rng)
    lesson.seats[t, 0] = me
    lesson.seats[t, 1] = room.acts[k]
    lesson.found[t, 0] = room.short[k]
    lesson.found[t, 1] = room.firm[k]
    lesson.found[t, 2] = room.worth[k]
    lesson.found[t, 3] = room.worth[best]
    if t + 1 < len(lesson.seats):
        lesson.used[REMEMBERED] = t + 1
    return int(room.acts[k])


def settle(lesson: Any) -> None:
    """Learn from the decisions of a deal, last first; ``brought``: the returns of all seats, in the network's unit.
    The target of a decision comes from that player's next one: with weight ``lasting`` the target of that one, and for
    the rest (or entirely, if it was only a trial) the expected value of the best action there."""
    for back in range(lesson.used[REMEMBERED]):
        t = lesson.used[REMEMBERED] - 1 - back
        p = lesson.seats[t, 0]
        error = lesson.found[t, 2] - lesson.brought[p]
        if lesson.found[t, 2] < lesson.found[t, 3]:
            lesson.brought[p] = lesson.found[t, 3]
        else:
            lesson.brought[p] = lesson.found[t, 3] + lesson.lasting * (lesson.brought[p] - lesson.found[t, 3])
        learn_from(
            lesson.net,
            lesson.change,
            lesson.rows[t],
            lesson.layers[t],
            p,
            lesson.seats[t, 1],
            lesson.found[t, 0],
            lesson.found[t, 1],
            error,
        )
        lesson.change[ERROR] += error * error
        lesson.change[SHORTNESS] += lesson.found[t, 0]
        lesson.change[FIRMNESS] += abs(lesson.found[t, 1])
        lesson.change[DECISIONS] += 1.0
    lesson.used[REMEMBERED] = 0


class _Learning(NamedTuple):
    """A game used for training; ``learner``: the seat that learns (-1: all)."""

    S: Any
    learner: int
    how: int
    rng: Any
    room: Any
    lesson: Any


def _choose(at: Any, p: int) -> int:
    if (at.learner < 0) | (at.learner == p):
        return attempt(at.S, p, at.room, at.lesson, at.rng)
    n = rules.legal(at.S[GAME], p, at.room.acts)
    return decide(at.S, p, at.how, n, at.room, at.rng)


def _do(at: Any, who: int, a: int) -> None:
    carry_on(at.S[GAME], who, a, None)


def _deal_over(at: Any) -> None:
    s, lesson = at.S[GAME], at.lesson
    for p in range(s.players):
        lesson.brought[p] = 0.0
    if finished(s) > lesson.used[FINISHED]:
        lesson.used[FINISHED] = finished(s)
        rules.deal_returns(s, lesson.brought)
        for p in range(s.players):
            lesson.brought[p] /= lesson.net[UNIT]
            lesson.change[SPREAD] += lesson.brought[p] * lesson.brought[p]
            lesson.change[RESULTS] += 1.0
    settle(lesson)


def practise(
    S: Positions, start: Positions, rng: U64, first: Word, begin: int, games: int, how: int, chosen: I64,
    room: Weighing, lesson: LearnerState,
) -> None:  # fmt: skip
    """Play games from number ``begin`` on, and add their gradients to ``change``.  Against rules of thumb, all seats
    learn in every other game; in all other games one seat learns, and the others choose by ``how``."""
    s = S[GAME]
    for i in range(begin, begin + games):
        S[GAME] = start[0]
        rng[0] = seeded(first, i)
        learner = -1
        if how != BY_RULE_OF_THUMB:
            learner = i % s.players
        elif i % 2 == 1:
            learner = (i // 2) % s.players
        lesson.used[REMEMBERED] = 0
        lesson.used[FINISHED] = 0
        play(s, chosen, rng, None, _Learning(S, learner, how, rng, room, lesson), _choose, _do, _deal_over)


# ------------------------------------------------------------------------------------------ what choices say of cards


class Study(NamedTuple):
    """Learning from others' choices: in one of how many decisions a player tries to find the true world, the
    probability of a random choice, the network and its gradients, the number of ``worlds`` and their tensors, layers
    and odds; ``told`` takes the numbers of games and the losses."""

    often: int
    lapses: float
    net: F64
    change: F64
    worlds: int
    rows: F32x2
    layers: F64x2
    odds: F64
    told: F64x2


def tell_apart(S: Any, me: int, study: Any, rng: Any) -> float:
    """Have the network find the true world, which ``me`` is in, among redeals, ``worlds`` of them in all, and add the
    gradient of its loss to ``change``.  Return the loss: minus the logarithm of the probability that it gives the true
    world."""
    others = S[GAME].players - 1
    see(S, me)
    for k in range(study.worlds):
        if k > 0:
            S[CANDIDATE] = S[SEEN]
            rules.redeal(S[CANDIDATE], me, rng)
        study.odds[k] = 0.0
        at = k * others
        for q in range(others + 1):
            if q != me:
                if k == 0:
                    write_row(S[GAME], q, study.rows[at])
                else:
                    write_row(S[CANDIDATE], q, study.rows[at])
                take_in(study.net, study.rows[at], study.layers[at])
                study.odds[k] += weigh(study.net, study.rows[at], study.layers[at], 0, 0, 1.0, 0.0)
                at += 1
    most = study.odds[0]
    for k in range(1, study.worlds):
        most = max(most, study.odds[k])
    total = 0.0
    for k in range(study.worlds):
        total += math.exp(study.odds[k] - most)
    loss = math.log(total) - (study.odds[0] - most)
    for k in range(study.worlds):
        error = math.exp(study.odds[k] - most) / total
        if k == 0:
            error -= 1.0
        for at in range(k * others, (k + 1) * others):
            learn_from(study.net, study.change, study.rows[at], study.layers[at], 0, 0, 1.0, 0.0, error)
    return float(loss)


class _Watching(NamedTuple):
    """A game, number ``i``, whose players are watched."""

    S: Any
    i: int
    how: int
    rng: Any
    room: Any
    study: Any


def _witness(at: Any, p: int) -> int:
    """The choice of a player; now and then the network first has to find the true world."""
    S, room, study, rng = at.S, at.room, at.study, at.rng
    n = rules.legal(S[GAME], p, room.acts)
    if n == 1:
        return int(room.acts[0])
    if below(rng, study.often) == 0:
        loss = tell_apart(S, p, study, rng)
        study.change[ERROR] += loss
        t = int(study.change[DECISIONS])
        study.change[DECISIONS] += 1.0
        if t < len(study.told):
            study.told[t, 0] = at.i
            study.told[t, 1] = loss
        n = rules.legal(S[GAME], p, room.acts)
    if below(rng, FINE) < study.lapses * FINE:
        return int(room.acts[below(rng, n)])
    return decide(S, p, at.how, n, room, rng)


def _ignore(at: Any) -> None:
    pass


def study_others(
    S: Positions, start: Positions, rng: U64, first: Word, begin: int, games: int, how: int, chosen: I64,
    room: Weighing, study: Study,
) -> None:  # fmt: skip
    """Play games number ``begin`` and following among players who choose by ``how``, and add the gradient to
    ``change``, with the sum of the losses and their number in place of the head."""
    s = S[GAME]
    for i in range(begin, begin + games):
        S[GAME] = start[0]
        rng[0] = seeded(first, i)
        play(s, chosen, rng, None, _Watching(S, i, how, rng, room, study), _witness, _do, _ignore)


KERNEL = Kernel(__name__, uses=(arena, beliefs, chance, networks, views), entries=(practise, study_others))
