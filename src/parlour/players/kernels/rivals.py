"""Batches in which the caller plays one seat of each game; rivals hold the others, and play on until that seat has a
choice again.

If a rival is not compiled, the loop also stops for it, and goes on with its answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parlour.engine.hashing import fold, seeded, word
from parlour.engine.kernel import F64, I8, I16, I64, U8, U64, F32x2, I64x2, Kernel, Positions, U64x2, Word, rules
from parlour.engine.kernels import batch, chance, views
from parlour.engine.kernels.batch import Games, carry_out, open_game, ready, share_out, write_last
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.engine.kernels.views import GAME, glance_open, glance_own
from parlour.players.kernels import arena, beliefs
from parlour.players.kernels.arena import AT_RANDOM, Weighing, decide
from parlour.players.kernels.beliefs import FINE
from parlour.rules.vocabulary import CHANCE, TERMINAL, below

BY_SOLUTION = 1 << 32
"""The way of choosing (:mod:`parlour.players.kernels.arena`) of a rival that follows a strategy; below 0: the loop
returns for the choice."""
OF_SEAT, OF_RIVAL = 1, 2
"""Whose action a position waits for."""
NONE = -1
"""In place of an action."""
UNASKED = 10_000
"""Games in a row that may end without a choice for the seat."""
MOST_SETTLED = 255
"""Deals that ``settled`` counts up to in a step."""


class Company(NamedTuple):
    """The players in a batch, a row for each position: the caller's seat; the generator of each seat's player; the
    results of deals in this game since the seat's last choice, followed by their number; whose action it waits for; and
    whether the seat has had a choice in this game: 1, or otherwise minus the number of games in a row in which it had
    none.

    ``ways[p, q]``: how the player in seat ``q`` chooses if the caller has seat ``p``; ``turns``: whether the caller
    moves on by a seat after each game; ``skips``: whether the seat is skipped if it has only one action.  A strategy:
    the glances of each seat in rising order, from ``places[q]`` to ``places[q + 1]``, and the actions and their odds at
    glance ``k`` from ``firsts[k]`` to ``firsts[k + 1]``."""

    seats: I8
    words: U64x2
    pending: F32x2
    waits: U8
    met: I64
    ways: I64x2
    turns: int
    skips: int
    places: I64
    glances: U64
    firsts: I64
    deeds: I16
    odds: F64


class _Parlour(NamedTuple):
    """A batch that is stepped, with the memory that a thread needs for it."""

    games: Any
    company: Any
    S: Any
    room: Any
    scratch: Any
    score: Any
    actions: Any
    wanted: Any


def by_solution(s: Any, me: int, n: int, acts: Any, company: Any, scratch: Any, rng: Any) -> int:
    """Return an action drawn from a strategy; a random legal one if the strategy does not know the view."""
    open_word = glance_open(s, scratch)
    glance = word(open_word + glance_own(s, me, scratch))
    lo = company.places[me]
    hi = company.places[me + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if company.glances[middle] < glance:
            lo = middle + 1
        else:
            hi = middle
    total = 0.0
    first = 0
    end = 0
    if lo < company.places[me + 1]:
        if company.glances[lo] == glance:
            first = company.firsts[lo]
            end = company.firsts[lo + 1]
    for j in range(first, end):
        for k in range(n):
            if acts[k] == company.deeds[j]:
                total += company.odds[j]
    if total <= 0.0:
        return int(acts[below(rng, n)])
    left = below(rng, FINE) * total / FINE
    found = 0
    for j in range(first, end):
        for k in range(n):
            if (acts[k] == company.deeds[j]) & (left >= 0.0) & (company.odds[j] > 0.0):
                found = k
                left -= company.odds[j]
    return int(acts[found])


def chosen_by_rival(at: Any, i: int, who: int, way: int, n: int) -> int:
    """Return what a rival who is compiled chooses from the ``n`` legal actions listed."""
    if way == AT_RANDOM:
        return int(at.room.acts[below(at.company.words[i, who:], n)])
    if way >= BY_SOLUTION:
        return by_solution(at.games.S[i], who, n, at.room.acts, at.company, at.scratch, at.company.words[i, who:])
    at.S[GAME] = at.games.S[i]
    return decide(at.S, who, way, n, at.room, at.company.words[i, who:])


def begin_another(games: Any, company: Any, i: int) -> None:
    """Put a game back to its start, with no results of deals yet."""
    s = games.S[i]
    games.S[i] = games.start[0]
    open_game(s, games.memories, i, games)
    for p in range(s.players + 1):
        company.pending[i, p] = 0.0


def hand_over(games: Any, company: Any, i: int) -> None:
    """Add the results of the deals so far to this step."""
    n = games.S[i].players
    for p in range(n):
        games.brought[i, p] += company.pending[i, p]
        company.pending[i, p] = 0.0
    games.settled[i] = min(MOST_SETTLED, games.settled[i] + int(company.pending[i, n]))
    company.pending[i, n] = 0.0


def finish(games: Any, company: Any, i: int, score: Any) -> None:
    """Score a game that is over, if the seat had a choice in it; the caller may move on to the next seat."""
    s = games.S[i]
    if company.met[i] > 0:
        games.done[i] = 1
        rules.returns(s, score)
        for p in range(s.players):
            games.rewards[i, p] += score[p]
        write_last(s, games.last, i)
        hand_over(games, company, i)
        company.met[i] = 0
    else:
        company.met[i] -= 1
    if company.turns:
        company.seats[i] = (company.seats[i] + 1) % s.players


def play_on(at: Any, i: int, by: int, first: int) -> None:
    """Carry out the action ``first`` of the player ``by`` (``NONE``: nothing).  Then let rivals play, one game after
    another, until the seat, or a rival that is not compiled, has a choice; describe that position.  After too many
    games without a choice for the seat, the last one stays."""
    games, company, acts, score = at.games, at.company, at.room.acts, at.score
    s = games.S[i]
    count_at = s.players
    pending = company.pending[i]
    steps = 0
    who = by
    a = first
    waits = 0
    me = company.seats[i]
    while waits == 0:
        steps = one_more(steps)
        settled = 0
        if a != NONE:
            settled = carry_out(s, games.memories, i, who, a, score, pending, games)
        who = mover(s)
        while who == CHANCE:
            steps = one_more(steps)
            settled += carry_out(s, games.memories, i, CHANCE, draw_outcome(s, games.rngs[i]), score, pending, games)
            who = mover(s)
        if settled > 0:
            pending[count_at] += settled
        a = NONE
        if who == TERMINAL:
            if company.met[i] <= -UNASKED:
                break
            finish(games, company, i, score)
            begin_another(games, company, i)
            me = company.seats[i]
            steps = 0
        elif who != me:
            n = rules.legal(s, who, acts)
            way = company.ways[me, who]
            if way >= 0:
                a = chosen_by_rival(at, i, who, way, n)
            elif n == 1:
                a = int(acts[0])
            else:
                waits = OF_RIVAL
        else:
            n = 0
            if company.skips:
                n = rules.legal(s, who, acts)
            if n == 1:
                a = int(acts[0])
            else:
                waits = OF_SEAT
    company.waits[i] = waits
    if waits == OF_SEAT:
        company.met[i] = 1
        if (games.done[i] == 0) & (pending[count_at] > 0.0):
            hand_over(games, company, i)
    ready(games, i)


def begin_seats(
    games: Games, company: Company, S: Positions, room: Weighing, scratch: U64, score: F64, actions: I16,
    lo: int, hi: int, first: Word, afresh: bool,
) -> None:  # fmt: skip
    """As :func:`parlour.engine.kernels.batch.begin_batch`, up to the seat's first decision."""
    for i in range(lo, hi):
        if afresh:
            begin_another(games, company, i)
            games.rngs[i, 0] = seeded(first, i)
            games.rngs[i, 1] = fold(games.rngs[i, 0], word(1))
            for p in range(games.S[i].players):
                company.words[i, p] = seeded(fold(games.rngs[i, 0], word(p + 1)), 0)
        company.met[i] = 0
        for p in range(games.S[i].players + 1):
            company.pending[i, p] = 0.0
        clear(games, i)
        play_on(_Parlour(games, company, S, room, scratch, score, actions, company.met), i, 0, NONE)


def clear(games: Any, i: int) -> None:
    """Set the results of a step to zero."""
    games.done[i] = 0
    games.settled[i] = 0
    for p in range(games.S[i].players):
        games.rewards[i, p] = 0.0
        games.brought[i, p] = 0.0


def _step_those(at: Any, lo: int, hi: int) -> None:
    games, company = at.games, at.company
    wanted = at.wanted[0]  # read again for each piece: a helper may have been running since the previous part
    for i in range(lo, hi):
        if company.waits[i] == wanted:
            if (wanted == OF_SEAT) & ((games.settled[i] | games.done[i]) != 0):
                clear(games, i)
            play_on(at, i, games.movers[i], at.actions[i])


def work_on_seats(
    board: I64, helper: int, games: Games, company: Company, S: Positions, room: Weighing, scratch: U64, score: F64,
    actions: I16, wanted: I64,
) -> int:  # fmt: skip
    """Carry out an action in each position that waits for one of the seat's, or of a rival's (``wanted[0]``), sharing
    work (:func:`parlour.engine.kernels.batch.share_out`)."""
    return share_out(
        board, helper, len(games.S), _step_those, _Parlour(games, company, S, room, scratch, score, actions, wanted)
    )


KERNEL = Kernel(__name__, uses=(arena, batch, beliefs, chance, views), entries=(begin_seats, work_on_seats))
