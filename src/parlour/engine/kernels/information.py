"""Games that are gone through for what their players have known (:mod:`parlour.engine.information`)."""

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
    U64x3,
    Word,
    rules,
)
from parlour.engine.kernels import batch, chance, logs
from parlour.engine.kernels.batch import carry_out, open_game, proceed
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.logs import FORGOTTEN, ROWS, write_information
from parlour.rules.vocabulary import CHANCE, TERMINAL, below


class Course(NamedTuple):
    """One game that is gone through: the position, the generator of chance and whether it is drawn from, what players
    remember, scratch for scores,
    steps that are to be gone (who, what); the logs (:class:`parlour.engine.kernels.logs.Logs`), and room for what a
    player has known."""

    S: Positions
    rng: U64
    memories: U64x3
    scores: F64x2
    steps: I64x2
    rows: F32x3
    used: I64x3
    before: Positions
    pair: F32x3
    slots: I16x2
    scales: F64
    told: F32x2


NEXT, SEED = -8, -9
"""In place of a player: whoever acts next when choices are taken one at a time, or chance; nobody, but from now on
chance is drawn, from the generator of this seed."""


def begin_course(course: Course, start: Positions) -> None:
    """Put the game at its start."""
    course.S[0] = start[0]
    open_game(course.S[0], course.memories, 0, course)


def follow_steps(course: Course, steps: int, player: int) -> None:
    """Go as many of the steps, and write down what a player (if it is one) has known by then."""
    s = course.S[0]
    for n in range(steps):
        who, a = int(course.steps[n, 0]), int(course.steps[n, 1])
        if who == SEED:
            course.rng[0] = seeded(word(a), 0)
            course.rng[1] = word(1)
        else:
            if who == NEXT:
                who = mover(s)
            carry_out(s, course.memories, 0, who, a, course.scores[0], course.scores[1], course)
        if course.rng[1] != 0:
            proceed(s, course.rng, course.memories, 0, course.scores[0], course.scores[1], course)
    if player >= 0:
        write_information(s, course, 0, player, course.told, 0)


def longest_log(course: Course, start: Positions, acts: I16, first: Word, games: int, most: int) -> int:
    """Play random games, as :func:`parlour.engine.kernels.keys.play_keys` does, and return the rows of the longest log
    of them; not more than ``most``."""
    longest = 0
    for g in range(games):
        course.S[0] = start[0]
        s = course.S[0]
        course.rng[0] = seeded(first, g)
        open_game(s, course.memories, 0, course)
        steps = 0
        while longest < most:
            steps = one_more(steps)
            who = mover(s)
            if who == TERMINAL:
                break
            if who == CHANCE:
                a = draw_outcome(s, course.rng)
            else:
                longest = max(longest, course.used[0, who, ROWS] + course.used[0, who, FORGOTTEN])
                a = acts[below(course.rng, rules.legal(s, who, acts))]
            carry_out(s, course.memories, 0, who, a, course.scores[0], course.scores[1], course)
    return min(longest, most)


KERNEL = Kernel(__name__, uses=(batch, chance, logs), entries=(begin_course, follow_steps, longest_log))
