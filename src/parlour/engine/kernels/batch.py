"""Batches: many games in one array, each of which goes on to its next decision (:mod:`parlour.core.batch`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from parlour.engine.hashing import fold, seeded, word
from parlour.engine.kernel import (
    F64,
    I8,
    I16,
    I64,
    U8,
    F32x2,
    F32x3,
    I16x2,
    I64x3,
    Kernel,
    Positions,
    Positionsx2,
    U8x2,
    U64x2,
    U64x3,
    Word,
    rules,
)  # fmt: skip
from parlour.engine.kernels import chance, keys, logs, views
from parlour.engine.kernels.chance import draw_outcome, finished, mover, one_more
from parlour.engine.kernels.keys import remember, start_memory
from parlour.engine.kernels.logs import begin_logs, write_information
from parlour.engine.kernels.views import write_row
from parlour.engine.vectors import add_shared, read_shared, swap_shared
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL, below


class Games(NamedTuple):
    """The arrays of a batch, with a row for each position.  They are the position; two generators (of chance, and of
    :func:`random_actions`); the players' memory (``None``: not kept), their last observations (no rows: not kept) and
    their keys; the player to act with their legal actions, the number of these, and their tensor; the results of the
    last step (:class:`parlour.core.batch.Batch`).  ``start``: the position in which games begin.  The last ones are the
    logs (:class:`parlour.engine.kernels.logs.Logs`; no rows: not kept) and the information state of the player to
    act."""

    S: Positions
    start: Positions
    rngs: U64x2
    memories: U64x3 | None
    last: F32x3
    keys: U64x2
    movers: I8
    acts: I16x2
    counts: I16
    X: F32x2
    rewards: F32x2
    brought: F32x2
    settled: U8
    done: U8
    rows: F32x3
    used: I64x3
    before: Positionsx2
    pair: F32x3
    slots: I16x2
    scales: F64
    told: F32x2


def do(s: Any, who: int, a: int, to: Any) -> None:
    """Carry out an action, or an outcome of chance."""
    if who == CHANCE:
        rules.happen(s, a, to)
    else:
        rules.apply(s, who, a, to)


def carry_out(s: Any, memories: Any, i: int, who: int, a: int, score: Any, brought: Any, kept: Any) -> int:
    """Carry out an action or outcome, and pass to the next deal if it settled one.  Record it in the players' memory
    ``memories[i]`` (unless that is ``None``), and in their logs if they are ``kept``.  Add the results of the settled
    deals to ``brought`` and return the number of those deals; ``score`` is scratch space."""
    before = finished(s)
    waiting = 0
    if memories is not None:
        if (who >= 0) & (rules.actor(s) == SEVERAL):
            waiting = rules.acting(s)
    if memories is None:
        do(s, who, a, None)
    else:
        do(s, who, a, memories[i])
    settled = 0
    steps = 0
    over = rules.actor(s)
    while (over == DEAL_OVER) | (over == TERMINAL):
        if finished(s) > before:
            before = finished(s)
            settled += 1
            rules.deal_returns(s, score)
            for p in range(s.players):
                brought[p] += score[p]
        if over == TERMINAL:
            break
        steps = one_more(steps)
        if memories is None:
            rules.next_deal(s, None)
        else:
            rules.next_deal(s, memories[i])
        over = rules.actor(s)
    if memories is not None:
        remember(s, memories[i], who, a, waiting, kept, i)
    return settled


def open_game(s: Any, memories: Any, i: int, kept: Any) -> None:
    """Record the start of a game in the players' memory."""
    if memories is not None:
        start_memory(s, memories[i])
        begin_logs(s, memories[i], kept, i)


def write_last(s: Any, last: Any, i: int) -> None:
    """Write each player's observation of the end of the game, if it is kept."""
    if len(last) > 0:
        for p in range(s.players):
            write_row(s, p, last[i, p])


def copy_keys(s: Any, memories: Any, i: int, keys: Any) -> None:
    """Copy the keys of all players, if they are kept."""
    if memories is not None:
        for p in range(s.players):
            keys[i, p] = memories[i, 0, p]


def begin_batch(games: Games, lo: int, hi: int, score: F64, first: Word, afresh: bool) -> None:
    """Resolve chance in positions ``lo`` to ``hi`` up to the first decision, and describe them; ``afresh``: first put
    them at the start, each with its own seed.  A game that ends without a decision is followed by another.
    """
    for i in range(lo, hi):
        s = games.S[i]
        if afresh:
            games.S[i] = games.start[0]
            games.rngs[i, 0] = seeded(first, i)
            games.rngs[i, 1] = fold(games.rngs[i, 0], word(1))
            open_game(s, games.memories, i, games)
        games.done[i] = 0
        for p in range(s.players):
            games.rewards[i, p] = 0.0
            games.brought[i, p] = 0.0
        games.settled[i] = proceed(s, games.rngs[i], games.memories, i, score, games.brought[i], games)
        games.settled[i] += begin_anew(games, i, score)
        ready(games, i)


MOST_UNASKED = 255
"""Games in a row that may end without a decision: as many as ``done`` can count."""


def proceed(s: Any, rng: Any, memories: Any, i: int, score: Any, brought: Any, kept: Any) -> int:
    """Resolve chance until a player is to act or the game is over; return the number of deals settled on the way."""
    settled = 0
    steps = 0
    while rules.actor(s) == CHANCE:
        steps = one_more(steps)
        settled += carry_out(s, memories, i, CHANCE, draw_outcome(s, rng), score, brought, kept)
    return settled


def begin_anew(games: Any, i: int, score: Any) -> int:
    """Score a game that is over, and begin another in its place, until a player is to act.  Count the finished games in
    ``done``, add up their returns, and return the number of deals that chance has settled.  Once ``done`` has reached
    its highest value, the last game stays."""
    s = games.S[i]
    settled = 0
    while (rules.actor(s) == TERMINAL) & (games.done[i] < MOST_UNASKED):
        games.done[i] += 1
        rules.returns(s, score)
        for p in range(s.players):
            games.rewards[i, p] += score[p]
        write_last(s, games.last, i)
        games.S[i] = games.start[0]
        open_game(s, games.memories, i, games)
        settled += proceed(s, games.rngs[i], games.memories, i, score, games.brought[i], games)
    return settled


def ready(games: Any, i: int) -> None:
    """Describe one position: the player to act, their legal actions and their tensor, and the keys."""
    s = games.S[i]
    who = mover(s)
    games.movers[i] = who
    games.counts[i] = 0
    copy_keys(s, games.memories, i, games.keys)
    if who >= 0:
        games.counts[i] = rules.legal(s, who, games.acts[i])
        if len(games.X) > 0:
            write_row(s, who, games.X[i])
        if len(games.told) > 0:
            write_information(s, games, i, who, games.told, i)


def first_refused(actions: I16, acts: I16x2, counts: I16) -> int:
    """Return the first position whose action is not among its legal ones, or -1."""
    for i in range(len(actions)):
        found = 0
        for k in range(counts[i]):
            found |= acts[i, k] == actions[i]
        if found == 0:
            return i
    return -1


def step_some(games: Any, lo: int, hi: int, score: Any, actions: Any) -> None:
    """Carry out one legal action in each of positions ``lo`` to ``hi``; a game that ends is scored and restarted."""
    for i in range(lo, hi):
        s = games.S[i]
        games.done[i] = 0
        for p in range(s.players):
            games.rewards[i, p] = 0.0
            games.brought[i, p] = 0.0
        games.settled[i] = carry_out(s, games.memories, i, games.movers[i], actions[i], score, games.brought[i], games)
        games.settled[i] += proceed(s, games.rngs[i], games.memories, i, score, games.brought[i], games)
        games.settled[i] += begin_anew(games, i, score)
        ready(games, i)


# Places in the array of words through which threads share the work on a batch:
STEPPED = 0  # number of positions already stepped
ENDED = 8  # 1: helpers must stop
SHARES = 16  # number of threads: each has a share of the positions, and helps with the others once its own is done
TAKEN = 24  # and every eighth word after it: how many positions of that share are claimed (or more than it has)
ASLEEP = 33  # and every eighth word after it: 1 if that helper is asleep
LINE = 8  # words in a cache line
PIECE = 64  # positions that a thread claims at a time
MOMENT = 100_000  # vain searches for work before a helper falls asleep: about a tenth of a millisecond


def share_begins(size: int, shares: int, k: int) -> int:
    """The first position of a thread's share: whole pieces, and the rest for the last."""
    return size if k == shares else size * k // shares // PIECE * PIECE


class _Stepped(NamedTuple):
    """A batch whose positions are stepped."""

    games: Any
    score: Any
    actions: Any


def _step_those(at: Any, lo: int, hi: int) -> None:
    step_some(at.games, lo, hi, at.score, at.actions)


def work_on(board: I64, helper: int, games: Games, score: F64, actions: I16) -> int:
    """Carry out one legal action in each position, sharing the work with other threads (:func:`share_out`)."""
    return share_out(board, helper, len(games.S), _step_those, _Stepped(games, score, actions))


def share_out(board: Any, helper: int, size: int, do_some: Callable[[Any, int, int], None], at: Any) -> int:
    """Call ``do_some(at, lo, hi)`` for all positions, sharing the work with other threads by a ``board`` of words.  The
    thread that calls for the step is helper -1: it announces the work, does its share, and returns 0 when all is done.
    If others have not finished after a moment, it returns the number of positions left; the caller then goes on waiting
    as helper -2.  A helper takes pieces until it has found none for a moment.  Every thread begins with its own share
    in every step, because its core's cache still holds it."""
    shares = board[SHARES]
    mine = max(helper, -1) + 1
    if helper == -1:
        swap_shared(board, STEPPED, 0)
        for k in range(shares):
            swap_shared(board, TAKEN + LINE * k, 0)
    looked = 0
    while looked < MOMENT:
        looked += 1
        for turn in range(shares):
            k = (mine + turn) % shares
            first = share_begins(size, shares, k)
            end = share_begins(size, shares, k + 1)
            if read_shared(board, TAKEN + LINE * k) < end - first:
                lo = first + add_shared(board, TAKEN + LINE * k, PIECE)
                if lo < end:
                    hi = min(lo + PIECE, end)
                    do_some(at, lo, hi)
                    add_shared(board, STEPPED, hi - lo)
                    looked = 0
                break
        if (helper < 0) & (looked > 0):
            if read_shared(board, STEPPED) == size:
                return 0
    if helper >= 0:
        swap_shared(board, ASLEEP + LINE * helper, 1)
    return size - read_shared(board, STEPPED)


def write_mask(lo: int, hi: int, acts: I16x2, counts: I16, mask: U8x2) -> None:
    """Write the legal actions as a mask."""
    mask[lo:hi] = False  # one assignment for all rows, which may be as short as two entries
    for i in range(lo, hi):
        for k in range(counts[i]):
            mask[i, word(acts[i, k])] = True


def random_actions(rngs: U64x2, lo: int, hi: int, acts: I16x2, counts: I16, actions: I16) -> None:
    """Write a random legal action for each position, by the second generator of each."""
    for i in range(lo, hi):
        actions[i] = acts[i, below(rngs[i, 1:], counts[i])]


def advance(s: Any, rng: Any) -> int:
    """Resolve chance, deal after deal, until a player is to act or the game is over; return who acts."""
    who = mover(s)
    steps = 0
    while (who == CHANCE) | (who == DEAL_OVER):
        steps = one_more(steps)
        if who == CHANCE:
            rules.happen(s, draw_outcome(s, rng), None)
        else:
            rules.next_deal(s, None)
        who = mover(s)
    return who


def play_rows(S: Positions, start: Positions, rngs: U64x2, acts: I16, X: F32x2, rounds: int) -> int:
    """Play all positions in turn at random, with the mover's tensor written at each decision; return the number of
    decisions."""
    decisions = 0
    for r in range(rounds):
        for i in range(len(S)):
            s = S[i]
            rng = rngs[i]
            who = advance(s, rng)
            unasked = 0
            while who == TERMINAL:
                unasked = one_more(unasked)
                S[i] = start[0]
                who = advance(s, rng)
            write_row(s, who, X[i])
            rules.apply(s, who, acts[below(rng, rules.legal(s, who, acts))], None)
            decisions += 1
    return decisions


KERNEL = Kernel(
    __name__,
    uses=(chance, keys, logs, views),
    entries=(begin_batch, work_on, first_refused, random_actions, write_mask, play_rows),
)
