"""One state in machine code: the functions that :mod:`parlour.engine.stepping` calls by address (``state.h``)."""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import seeded, word
from parlour.engine.kernel import F64, I16, I64, U64, F64x2, Kernel, Position, U64x3, rules
from parlour.engine.kernels import batch, chance
from parlour.engine.kernels.batch import carry_out, open_game, proceed
from parlour.engine.kernels.chance import endless
from parlour.rules.vocabulary import CHANCE, SEVERAL, count, lowest, nth


class Block(NamedTuple):
    """The parts of a block of words (:mod:`parlour.engine.c.layout`)."""

    rng: U64
    about: I64
    memory: U64x3
    scores: F64x2
    s: Position
    acts: I16


ASKED, COUNT, DRAWN, LEFT_TO_PLAY = range(4)
"""Places in ``about``: the player to act, the number of their actions, whether chance is drawn here, the number of
steps left."""
NOBODY, FRESH, PLACED = -8, -9, -10
"""In place of a player: the caller does not say who acts; the game begins; the caller wrote the position."""
REFUSED, FAILED = -1, -2
"""In place of a result: the action is not allowed, and nothing has happened; the rules went wrong."""


def look(s: Any, acts: Any, about: Any) -> int:
    """The player to act, how many legal actions there are, and the set of players who choose at once, in one word."""
    who = rules.actor(s)
    waiting = 0
    asked = who
    if who == SEVERAL:
        waiting = rules.acting(s)
        asked = lowest(waiting)
    n = 0
    if asked >= 0:
        n = rules.legal(s, asked, acts)
    about[ASKED] = asked
    about[COUNT] = n
    return waiting << 32 | n << 8 | (who - NOBODY)


def who_does(s: Any, a: int, player: int, acts: Any, about: Any) -> int:
    """Return the player who does ``a``, or ``CHANCE``.  ``player`` may be ``NOBODY`` if only one player is to act.
    Returns ``NOBODY`` if the player is not clear or the action is not allowed."""
    who = rules.actor(s)
    if who == CHANCE:
        return CHANCE if (a >= 0) & (a < 63) & ((rules.chance(s) >> (a & 63)) & 1 == 1) else NOBODY
    if who == SEVERAL:
        waiting = rules.acting(s)
        who = player
        if (player == NOBODY) & (count(waiting) == 1):
            who = lowest(waiting)
        if (who < 0) | (who >= s.players) | ((waiting >> max(who, 0)) & 1 == 0):
            return NOBODY
    if (who < 0) | ((player != NOBODY) & (player != who)):
        return NOBODY
    if about[ASKED] != who:
        about[COUNT] = rules.legal(s, who, acts)
        about[ASKED] = who
    found = 0
    for k in range(about[COUNT]):
        found |= acts[k] == a
    return who if found != 0 else NOBODY


def step_on(block: Block, a: int, player: int) -> int:
    """Carry out action ``a`` of ``player`` (or an outcome of chance), resolve chance if it is drawn here, and return
    what :func:`look` finds.  Returns ``REFUSED`` if the action is not allowed or its player is not clear.  At the
    beginning of a game, ``a`` is the seed if chance is drawn here."""
    s, memory, about, rng = block.s, block.memory, block.about, block.rng
    scores, acts = block.scores, block.acts
    if player == FRESH:
        if about[DRAWN] != 0:
            rng[0] = seeded(word(a), 0)
        open_game(s, memory, 0, None)
    elif player != PLACED:
        who = who_does(s, a, player, acts, about)
        if who == NOBODY:
            return REFUSED
        if about[LEFT_TO_PLAY] <= 0:
            endless()
        about[LEFT_TO_PLAY] -= 1
        carry_out(s, memory, 0, who, a, scores[0], scores[1], None)
    if about[DRAWN] != 0:
        proceed(s, rng, memory, 0, scores[0], scores[1], None)
    return look(s, acts, about)


def list_actions(block: Block, player: int) -> int:
    """List the legal actions of ``player``, who is to act, and return their number."""
    n = rules.legal(block.s, player, block.acts)
    block.about[COUNT] = n
    block.about[ASKED] = player
    return n


def weigh_outcomes(s: Position, weights: I64) -> int:
    """Return the set of outcomes that chance may bring, and write the weight of each."""
    outcomes = rules.chance(s)
    for i in range(count(outcomes)):
        k = nth(outcomes, i)
        weights[k] = rules.weight(s, k)
    return outcomes


def returns(s: Position, out: F64) -> None:
    """Write the returns of a game that is over."""
    rules.returns(s, out)


KERNEL = Kernel(__name__, uses=(batch, chance), entries=(step_on, list_actions, weigh_outcomes, returns))
