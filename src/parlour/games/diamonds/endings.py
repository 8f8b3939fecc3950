"""Exact endings of Diamonds for two: the chance to win once few cards are unseen, if both play perfectly.

Every choice and every card that may come is tried, down to the end (expectimax), and each position is computed once.
Equivalent positions count as one:

* piles have no order; neither have diamonds, jokers, or cards in the debris;
* a rock is described by the spades in the game that break it, and a spade by its place among these;
* a seat is that of the player to move, or of the other player.

With n cards unseen, the value of a position (1 for a player who is certain to win, −1 for the other) is a whole number
divided by n!, because only the unseen cards are left to chance.  So all calculations are in whole numbers, and exact.

Search uses :class:`Endings`; :func:`winning` returns the chances for a position; :func:`work_out` is the loop, which
runs interpreted over plain positions or compiled over arrays.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import c_int64
from fractions import Fraction
from math import factorial
from typing import Any, Literal

from parlour.base.errors import CompilationError
from parlour.engine.c.loading import positions
from parlour.engine.definition import definition
from parlour.engine.kernel import I64, I64x2, Kernel, Positions
from parlour.engine.ruleset import Ruleset
from parlour.games.diamonds.position import (
    ACTIONS,
    BLADE,
    DESTROY,
    DIAMONDS,
    DIG_ANY,
    EMPTY,
    JOKERS,
    PILES,
    RANDOM_FACE_DOWN,
    SPADES,
    START,
    rank,
)
from parlour.games.diamonds.rules import actor, apply, happen, legal
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, TERMINAL, count, lowest

MOST_UNSEEN = 13
"""An ending is solved if at most this many cards are unseen, unless the caller asks for more."""
LARGEST = 20
"""The most unseen cards that a caller may ask for: up to here, factorials fit into 64 bits."""
MOST_POSITIONS = 1 << 21
"""By default, an ending is given up after this many positions: a few seconds of machine code."""
FEW, AT_ONCE, ALONE = 6, 1 << 11, 1 << 14
"""Unseen cards and places in the table with which an ending is first tried without machine code; places if there is no
machine code."""
WIDE = 64
"""The most possible steps from a position."""
DEEP = 320
"""The most steps of an ending: each turns a card, or is one of a few choices before the next card."""
AT_A_TIME = {"compiled": 1 << 13, "interpreted": 1 << 7}
"""Steps between looks at the clock: a few milliseconds."""

# Each feature of a position has a random number at one of these places in WORDS; their sum is the position's hash.
PILE, HELD, DIAMONDS_HELD, JOKERS_HELD, FRESH, STAGE, UNSEEN_ROCK, UNSEEN, FLAGS = (
    0,
    420,
    450,
    480,
    490,
    494,
    502,
    520,
    640,
)
_drawn = random.Random(19)
WORDS = tuple(_drawn.getrandbits(62) for _ in range(660))
FACTORIALS = tuple(map(factorial, range(LARGEST + 1)))
BELOW = (1 << 62) - 1


def weaker(live: int, strength: int) -> int:
    """Return how many of these spades are weaker."""
    return count(live & ((1 << strength) - 1))


def spades_in_play(s: Any) -> int:
    """Return the set of the strengths of all spades that are held, face up or unseen."""
    live = 0
    for c in range(SPADES, DIAMONDS):
        live |= (s.unseen >> c & 1) << rank(c)
    for i in range(PILES):
        if s.face[i] > BLADE:
            live |= 1 << (s.face[i] - BLADE)
    for p in range(2):
        if s.spade[p] > 0:
            live |= 1 << s.spade[p]
    return live


def face_code(live: int, face: int) -> int:
    """Return a code for a face: 0 face down, 1 to 14 a rock, by the number of spades too weak for it, from 15 on a
    spade."""
    if face > BLADE:
        return 15 + weaker(live, face - BLADE)
    return 1 + weaker(live, face) if face > 1 else 0


def holding(live: int, strength: int) -> int:
    """Return 0 without a spade, otherwise the place of the spade among those in play."""
    return 1 + weaker(live, strength) if strength > 0 else 0


def name_of_position(s: Any, live: int, words: Any) -> Any:
    """Return a hash that is the same for equivalent positions, from the point of view of the player to move."""
    me = s.player
    other = 1 - me
    name = words[STAGE + s.stage]
    dug = s.at if (s.stage != START) else PILES
    for i in range(PILES):
        if s.face[i] != EMPTY:
            code = face_code(live, s.face[i])
            name = (name + words[PILE + (code * 7 + s.height[i]) * 2 + (i == dug)]) & BELOW
    rocks = s.unseen & ((1 << SPADES) - 1)
    while rocks:
        name = (name + words[UNSEEN_ROCK + weaker(live, rank(lowest(rocks)))]) & BELOW
        rocks &= rocks - 1
    spades = (s.unseen >> SPADES) & ((1 << (DIAMONDS - SPADES)) - 1)
    while spades:
        name = (name + words[UNSEEN + weaker(live, rank(lowest(spades)))]) & BELOW
        spades &= spades - 1
    name = (name + words[UNSEEN + 20 + count(s.unseen >> DIAMONDS & ((1 << (JOKERS - DIAMONDS)) - 1))]) & BELOW
    name = (name + words[UNSEEN + 40 + count(s.unseen >> JOKERS)]) & BELOW
    name = (name + words[HELD + holding(live, s.spade[me])] + words[HELD + 15 + holding(live, s.spade[other])]) & BELOW
    name = (name + words[DIAMONDS_HELD + count(s.diamonds[me])]) & BELOW
    name = (name + words[DIAMONDS_HELD + 15 + count(s.diamonds[other])]) & BELOW
    name = (name + words[JOKERS_HELD + count(s.jokers[me])] + words[JOKERS_HELD + 3 + count(s.jokers[other])]) & BELOW
    flags = s.smashed + 2 * s.played + 4 * s.may_stop
    return (name + words[FRESH + count(s.fresh[me])] + words[FLAGS + flags]) & BELOW


def slot(names: Any, name: Any) -> Any:
    """Return the place of a position in the table, or a free place for it; 0 marks a free place."""
    last = len(names) - 1
    i = (name >> 20) & last
    while (names[i] != 0) & (names[i] != name):
        i = (i + 1) & last
    return i


def ways_on(s: Any, who: int, live: int, ways: Any, weights: Any) -> int:
    """Write the possible actions or outcomes, and how many cards each outcome stands for; of equivalent ones only one.
    Return their number."""
    n = 0
    if who == CHANCE:
        cards = s.unseen
        kinds = 0
        while cards:
            c = lowest(cards)
            cards &= cards - 1
            kind = 32 + c - SPADES  # every spade is a kind of its own
            if c < SPADES:
                kind = weaker(live, rank(c))
            elif c >= DIAMONDS:
                kind = 30 + (c >= JOKERS)
            if kinds >> kind & 1:
                for k in range(n):
                    here = ways[k]
                    same = (here >= DIAMONDS) & ((here >= JOKERS) == (c >= JOKERS)) & (c >= DIAMONDS)
                    if (here < SPADES) & (c < SPADES):
                        same = weaker(live, rank(here)) == kind
                    weights[k] += same
            else:
                kinds |= 1 << kind
                ways[n] = c
                weights[n] = 1
                n += 1
        return n
    offered: int = legal(s, who, ways)
    for k in range(offered):
        a = ways[k]
        alike = False
        if (s.stage == START) & (a < DESTROY + PILES) & (a != DIG_ANY):
            i = a if a < DIG_ANY else a - DESTROY
            code = face_code(live, s.face[i])
            for m in range(n):
                b = ways[m]
                if (b < DESTROY + PILES) & ((b < DIG_ANY) == (a < DIG_ANY)):
                    j = b if b < DIG_ANY else b - DESTROY
                    alike |= (face_code(live, s.face[j]) == code) & (s.height[j] == s.height[i])
        if not alike:
            ways[n] = a
            n += 1
    return n


def work_out(
    S: Positions,
    ways: I64x2,
    weights: I64x2,
    path: I64x2,
    names: I64,
    worths: I64,
    words: I64,
    factorials: I64,
    answer: I64,
    steps: int,
) -> int:
    """Compute the position ``S[0]``: ``answer[0]`` takes its value to player 0, times the factorial of the number of
    cards unseen; ``answer[1]`` counts the positions in the table (``names`` and ``worths``), which later calls may
    reuse.  Return 1, or -1 if the table is full, or 0 after that many steps; then call it again with the same arguments
    to go on.

    The path to the present position has a row for each step: ``S`` positions, ``ways`` the possible steps, ``weights``
    of outcomes, ``path`` (the next step, the number of steps, the sum or the best so far, the hash, the player to
    act).  ``answer[2]`` is the depth reached, ``answer[3]`` whether that position has been entered (both must
    begin with 0).
    """
    known = answer[1]
    d = answer[2]
    entered = answer[3] != 0
    for _ in range(steps):
        s = S[d]
        done = False
        worth: int = 0
        if not entered:
            who = actor(s)
            if (who == TERMINAL) | (who == DEAL_OVER):
                whole = factorials[count(s.unseen)]
                worth = whole if s.player == 0 else -whole
                done = True
            else:
                live = spades_in_play(s)
                name = name_of_position(s, live, words)
                i = slot(names, name)
                if names[i] != 0:
                    worth = worths[i] if s.player == 0 else -worths[i]
                    done = True
                else:
                    path[d][0] = 0
                    path[d][1] = ways_on(s, who, live, ways[d], weights[d])
                    path[d][2] = 0
                    path[d][3] = name
                    path[d][4] = who
                    entered = True
        if not done:
            k = path[d][0]
            if k < path[d][1]:
                path[d][0] = k + 1
                S[d + 1] = S[d]
                if path[d][4] == CHANCE:
                    happen(S[d + 1], ways[d][k], None)
                else:
                    apply(S[d + 1], path[d][4], ways[d][k], None)
                d += 1
                if d + 1 >= len(path):
                    return -1
                entered = False
                continue
            worth = path[d][2]
            if 4 * (known + 1) > 3 * len(names):
                return -1
            i = slot(names, path[d][3])
            names[i] = path[d][3]
            worths[i] = worth if s.player == 0 else -worth
            known += 1
        if d == 0:
            answer[0] = worth
            answer[1] = known
            answer[2] = answer[3] = 0
            return 1
        d -= 1
        entered = True
        k = path[d][0]
        who = path[d][4]
        if who == CHANCE:
            path[d][2] += weights[d][k - 1] * worth
        else:
            if (k == 1) | ((worth > path[d][2]) == (who == 0)):
                path[d][2] = worth
            whole = factorials[count(S[d].unseen)]
            if path[d][2] == (whole if who == 0 else -whole):
                path[d][1] = k  # a certain win: no other move can be better
    answer[1] = known
    answer[2] = d
    answer[3] = entered
    return 0


# ------------------------------------------------------------------------------------------ the interface


def refuse(game: Ruleset[Any]) -> str:
    """Return the reason why endings cannot be solved in such games; empty if they can."""
    if game.players != 2 or game.definition is not definition("diamonds"):
        return "endings are worked out for two players and the usual cards"
    return "chance picks the piles" if game.blank().pile_choice == RANDOM_FACE_DOWN else ""


class Endings:
    """Solves endings, interpreted or compiled; in the latter case the machine code is loaded at once.

    >>> import parlour
    >>> game = parlour.load("diamonds", 2, first_dealer=0)
    >>> s = game.start()
    >>> Endings(game, "interpreted").worths(s, 1 << 10) is None
    True
    >>> s.unseen, s.diamonds[0], s.diamonds[1] = 1 << DIAMONDS | 1 << SPADES, 0b1111110, 0b1111110000000
    >>> for i in range(PILES): s.height[i], s.face[i] = (2, 1) if i == 0 else (0, EMPTY)
    >>> Endings(game, "interpreted").worths(s, 1 << 10)
    {0: Fraction(1, 1)}
    """

    returns = -1.0, 1.0
    """The returns of a player who loses, and of one who wins."""

    def __init__(self, game: Ruleset[Any], binding: Literal["compiled", "interpreted"]) -> None:
        self.game, self._binding = game, binding
        self.known = 0  # number of positions searched for the last answer
        self._work: Callable[..., int] = work_out
        if binding == "compiled":
            self._work = KERNEL.compiled(definition("diamonds")).work_out

    def worths(
        self, s: Any, places: int, go_on: Callable[[], bool] | None = None, most: int = MOST_UNSEEN
    ) -> dict[int, Fraction] | None:
        """Return the exact value of each legal action to the player to move (at a chance node: the value of the
        position, under -1), from -1 to 1, if both play perfectly from then on.

        ``s``: an interpreted position, which is not changed.  Returns ``None`` if the game is over, if more than
        ``most`` cards are unseen (``LARGEST`` at most), if there are more positions than fit into a table of ``places``
        (a power of two), or as soon as ``go_on``, which is called repeatedly, returns false.
        """
        who = actor(s)
        if who in (TERMINAL, DEAL_OVER) or count(s.unseen) > min(most, LARGEST):
            return None
        steps = [-1]
        if who != CHANCE:
            acts = [0] * ACTIONS
            steps = acts[: legal(s, who, acts)]
        memory, found = self._memory(places), dict[int, Fraction]()
        for a in steps:
            here = s.copy()
            if a >= 0:
                apply(here, who, a, None)
            memory[0][0] = here if self._binding == "interpreted" else positions(self.game.definition, [here])[0]
            while (end := self._work(*memory, AT_A_TIME[self._binding])) == 0:
                if go_on is not None and not go_on():
                    return None
            if end < 0:
                return None
            worth = Fraction(int(memory[-1][0]), FACTORIALS[count(here.unseen)])
            found[a] = worth if s.player == 0 else -worth
        self.known = int(memory[-1][1])
        return found

    def _memory(self, places: int) -> tuple[Any, ...]:
        """Empty arguments for :func:`work_out`."""
        if self._binding == "interpreted":
            from parlour.engine.interpreted import Positions

            S: Any = Positions(self.game.definition, DEEP)
            ways, weights, path = ([[0] * wide for _ in range(DEEP)] for wide in (WIDE, WIDE, 5))
            return S, ways, weights, path, [0] * places, [0] * places, WORDS, FACTORIALS, [0] * 4
        rows = (((c_int64 * wide) * DEEP)() for wide in (WIDE, WIDE, 5))
        names, worths, answer = ((c_int64 * n)() for n in (places, places, 4))
        constants = ((c_int64 * len(these))(*these) for these in (WORDS, FACTORIALS))
        return positions(self.game.definition, [self.game.blank()] * DEEP), *rows, names, worths, *constants, answer


def winning(game: Ruleset[Any], s: Any, most: int | None = None) -> dict[int, Fraction] | None:
    """Return the exact chance that the player to move wins this game by each legal action (at a chance node: under -1),
    if both play perfectly from then on.

    ``s``: an interpreted position, which is not changed.  Returns ``None`` if the game is over, if there is a reason to
    :func:`refuse` it, if more than ``MOST_UNSEEN`` cards are unseen, or if there are more than ``most`` positions.
    """
    if refuse(game) or count(s.unseen) > MOST_UNSEEN:
        return None
    worths, places = None, 2 * (MOST_POSITIONS if most is None else most)
    if count(s.unseen) <= FEW:
        worths = Endings(game, "interpreted").worths(s, _power(min(places, AT_ONCE)))
    try:
        for size in (places >> 6, places):
            worths = worths or Endings(game, "compiled").worths(s, _power(size))
    except CompilationError:
        worths = Endings(game, "interpreted").worths(s, _power(min(places, ALONE)))
    return None if worths is None else {a: (1 + worth) / 2 for a, worth in worths.items()}


def _power(places: int) -> int:
    """The largest power of two up to this number; 2 at the least."""
    return 1 << max(1, places.bit_length() - 1)


KERNEL = Kernel(__name__, entries=(work_out,), flags=("-O3",))
