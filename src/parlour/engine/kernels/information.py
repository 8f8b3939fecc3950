"""Replaying games to find the information states of players (:mod:`parlour.engine.information`)."""

from __future__ import annotations

from typing import NamedTuple

from parlour.engine.hashing import seeded, word
from parlour.engine.kernel import (
    F64,
    I16,
    U64,
    F32x2,
    F32x3,
    F64x2,
    I16x2,
    I64x2,
    I64x3,
    Kernel,
    Positions,
    Positionsx2,
    U64x3,
    Word,
    rules,
)
from parlour.engine.kernels import batch, chance, logs
from parlour.engine.kernels.batch import carry_out, open_game, proceed
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.logs import FORGOTTEN, ROWS, begin_log, forget_what_others_heard, write_information
from parlour.rules.vocabulary import CHANCE, TERMINAL, below


class Journey(NamedTuple):
    """One game that is replayed: the position, the generator of chance and whether it is used, the players' memory,
    scratch for scores, the steps to replay (player, action); the logs (:class:`parlour.engine.kernels.logs.Logs`), and
    room for an information state."""

    S: Positions
    rng: U64
    memories: U64x3
    scores: F64x2
    steps: I64x2
    rows: F32x3
    used: I64x3
    before: Positionsx2
    pair: F32x3
    slots: I16x2
    scales: F64
    told: F32x2


NEXT, SEED, REDEAL = -8, -9, -10
"""In place of a player.  NEXT: the next to act, one at a time, or chance.  SEED: no step; chance is drawn from now on,
from the generator of this seed.  REDEAL: no step; the position was dealt again for this player, so the others know only
what they see in it."""


def begin_journey(journey: Journey, start: Positions) -> None:
    """Put the game back to its start."""
    journey.S[0] = start[0]
    open_game(journey.S[0], journey.memories, 0, journey)


def follow_steps(journey: Journey, steps: int, player: int) -> None:
    """Replay this number of the steps, then write the information state of ``player``, unless that is not a seat."""
    s = journey.S[0]
    for n in range(steps):
        who, a = int(journey.steps[n, 0]), int(journey.steps[n, 1])
        if who == SEED:
            journey.rng[0] = seeded(word(a), 0)
            journey.rng[1] = word(1)
        elif who == REDEAL:
            forget_what_others_heard(journey.memories[0], a)
            for p in range(s.players):
                if p != a:
                    begin_log(s, journey, 0, p)
                    journey.before[0, p] = s
        else:
            if who == NEXT:
                who = mover(s)
            carry_out(s, journey.memories, 0, who, a, journey.scores[0], journey.scores[1], journey)
        if journey.rng[1] != 0:
            proceed(s, journey.rng, journey.memories, 0, journey.scores[0], journey.scores[1], journey)
    if player >= 0:
        write_information(s, journey, 0, player, journey.told, 0)


def longest_log(journey: Journey, start: Positions, acts: I16, first: Word, games: int, most: int) -> int:
    """Play random games like :func:`parlour.engine.kernels.keys.play_keys`, and return the number of rows of the
    longest log, but at most ``most``."""
    longest = 0
    for g in range(games):
        journey.S[0] = start[0]
        s = journey.S[0]
        journey.rng[0] = seeded(first, g)
        open_game(s, journey.memories, 0, journey)
        steps = 0
        while longest < most:
            steps = one_more(steps)
            who = mover(s)
            if who == TERMINAL:
                break
            if who == CHANCE:
                a = draw_outcome(s, journey.rng)
            else:
                longest = max(longest, journey.used[0, who, ROWS] + journey.used[0, who, FORGOTTEN])
                a = acts[below(journey.rng, rules.legal(s, who, acts))]
            carry_out(s, journey.memories, 0, who, a, journey.scores[0], journey.scores[1], journey)
    return min(longest, most)


KERNEL = Kernel(__name__, uses=(batch, chance, logs), entries=(begin_journey, follow_steps, longest_log))
