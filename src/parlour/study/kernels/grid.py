"""The work of each thread of a device.

A thread is number ``mine`` of ``threads``.  Each thread has its own copy of the arrays named in :data:`OWN`.  The
others are shared, or have a row for each thread.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from parlour.engine.hashing import seeded
from parlour.engine.kernel import (
    F64,
    I16,
    I64,
    U64,
    F32x2,
    F32x3,
    F64x2,
    F64x3,
    I16x2,
    I64x2,
    I64x3,
    Kernel,
    Positions,
    Positionsx2,
    U64x2,
    Word,
    rules,
)
from parlour.engine.kernels import bulk
from parlour.engine.kernels.bulk import play_out
from parlour.players.kernels import arena
from parlour.players.kernels.arena import Weighing
from parlour.study.kernels import learning
from parlour.study.kernels.learning import LearnerState, practise

OWN: Final = ("position", "choices", "rng")
"""Arrays in the private memory of each thread of a device.  There, the same entry of 32 threads lies side by side, and
is fetched in one go."""


def play_some(
    position: Positions,
    choices: I16,
    rng: U64,
    start: Positions,
    outs: F64x2,
    moves: I64,
    first: Word,
    mine: int,
    threads: int,
) -> None:
    """Play the random games number ``mine``, ``mine + threads`` and so on: those that fall to this thread.  Game ``i``
    has the seed ``first + i``; ``outs[i]`` takes its returns, ``moves[i]`` the number of its decisions."""
    s = position[0]
    i = mine
    while i < len(moves):
        position[0] = start[0]
        rng[0] = seeded(first, i)
        moves[i] = play_out(s, choices, rng, None)
        rules.returns(s, outs[i])
        i += threads


class Learners(NamedTuple):
    """The memory of threads that learn, a row for each: positions, a generator, scratch space for others' choices
    (:class:`parlour.players.kernels.arena.Weighing`) and the memory of a deal
    (:class:`parlour.study.kernels.learning.LearnerState`).  ``changes[i]`` takes the gradients of one part."""

    S: Positionsx2
    rngs: U64x2
    chosen: I64x2
    acts: I16x2
    worth: F64x2
    notes: F64x2
    row: F32x2
    layer: F64x2
    short: F64x2
    firm: F64x2
    changes: F64x2
    seats: I64x3
    found: F64x3
    rows: F32x3
    layers: F64x3
    used: I64x2
    brought: F64x2


class Taught(NamedTuple):
    """The data that all learning threads share: the start position, the networks of other players and of the learner,
    the seed ``first``, and the policy of others (``how``)."""

    start: Positions
    nets: F64x2
    net: F64
    first: Word
    how: int


def learn_some(
    own: Learners, shared: Taught, begin: int, parts: int, games: int, curious: float, lasting: float, full: I64,
    mine: int,
) -> None:  # fmt: skip
    """Play one of ``parts`` of a batch, if there is one for this thread: ``games`` games, the first of the whole batch
    being number ``begin`` (:func:`parlour.study.kernels.learning.practise`).  ``full[0]`` becomes 1 if a deal had more
    decisions than fit; the last row then takes the surplus ones."""
    if mine < parts:
        changes, seats = own.changes[mine], own.seats[mine]
        for k in range(len(changes)):
            changes[k] = 0.0
        last = len(seats) - 1
        seats[last, 0] = -1
        practise(
            own.S[mine], shared.start, own.rngs[mine], shared.first, begin + mine * games, games, shared.how,
            own.chosen[mine],
            Weighing(
                own.acts[mine], own.worth[mine], own.notes[mine], shared.nets, own.row[mine], own.layer[mine],
                own.short[mine], own.firm[mine],
            ),
            LearnerState(
                shared.net, changes, curious, lasting, seats, own.found[mine], own.rows[mine], own.layers[mine],
                own.used[mine], own.brought[mine],
            ),
        )  # fmt: skip
        if seats[last, 0] >= 0:
            full[0] = 1


def add_up(changes: F64x2, parts: int, total: F64, mine: int, threads: int) -> None:
    """Add the gradients of all parts, in order, to this thread's share of the numbers in ``total``."""
    k = mine
    while k < len(total):
        for part in range(parts):
            total[k] += changes[part, k]
        k += threads


KERNEL = Kernel(__name__, uses=(arena, bulk, learning), entries=(play_some,))
