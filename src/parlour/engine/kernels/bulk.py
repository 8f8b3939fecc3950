"""Random games in bulk: as fast as possible, or with sums for statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from parlour.engine.hashing import seeded
from parlour.engine.kernel import F64, I16, I64, U64, F64x2, I64x2, Kernel, Position, Positions, Word, rules
from parlour.engine.kernels import chance
from parlour.engine.kernels.chance import draw_outcome, mover, one_more
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, below


def play_out(s: Any, acts: Any, rng: Any, to: Any, out: Any = None, row: Any = None) -> int:
    """Play on at random to the end; return the number of decisions.  ``to`` takes the events.  Unless ``row`` is
    ``None``, it takes the results of deals for :func:`account`; ``out`` is scratch space for that."""
    decisions = 0
    steps = 0
    while True:
        steps = one_more(steps)
        who = mover(s)
        if who >= 0:
            n = rules.legal(s, who, acts)
            if row is not None:
                row[s.players] += n > 1
            rules.apply(s, who, acts[below(rng, n)], to)
            decisions += 1
        elif who == CHANCE:
            rules.happen(s, draw_outcome(s, rng), to)
        else:
            if row is not None:
                tally(s, out, row)
            if who != DEAL_OVER:
                return decisions
            rules.next_deal(s, to)


def play_deal(s: Any, acts: Any, rng: Any, listed: Callable[[Any, int, Any], int], steps: int) -> int:
    """Play to the end of the deal, at random among the actions that ``listed`` lists.  ``steps`` is the number of steps
    of the match so far; return the number afterwards."""
    while True:
        steps = one_more(steps)
        who = mover(s)
        if who >= 0:
            rules.apply(s, who, acts[below(rng, listed(s, who, acts))], None)
        elif who == CHANCE:
            rules.happen(s, draw_outcome(s, rng), None)
        else:
            return steps


def play_many(S: Positions, acts: I16, rng: U64, out: F64, first: Word, games: int, totals: F64) -> int:
    """Play random games from the start position ``S[0]`` in ``S[1]``.  Game ``i`` has its own seed ``first + i``, so
    results do not depend on how games are shared among threads.  Add up the returns; return the number of decisions."""
    decisions = 0
    s = S[1]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        decisions += play_out(s, acts, rng, None)
        rules.returns(s, out)
        for p in range(s.players):
            totals[p] += out[p]
    return decisions


class GameSums(NamedTuple):
    """The sums to which :func:`account` adds games.

    The rows of ``scores`` (a column for each player) add up returns, their squares, shares of the win (1, or a part of
    it if several players have the highest return), and their squares.  ``winners`` is a histogram of how many players
    had the highest return, ``lengths`` one of decisions in a game (the last bin takes the rest).

    ``deals`` has a column for each place, counted clockwise from the dealer, one for the decisions at which there was
    a choice, and one for the number of deals; its rows hold what the deals of the current game brought, the sum over
    all games, the sum of the squares, and the sum of the products with the number of deals.  The rows of ``clauses`` (a
    column for each clause) count how often it fired in the current game and in all games, the sum of the squares, in
    how many games it fired, and the products with the number of deals.
    """

    scores: F64x2
    deals: F64x2
    lengths: I64
    clauses: I64x2
    winners: I64


def survey(S: Positions, acts: I16, rng: U64, out: F64, first: Word, games: int, sums: GameSums) -> int:
    """The same as :func:`play_many`, for statistics."""
    decisions = 0
    s = S[1]
    for i in range(games):
        S[1] = S[0]
        rng[0] = seeded(first, i)
        made = play_out(s, acts, rng, sums.clauses[0], out, sums.deals[0])
        decisions += made
        account(s, made, out, sums)
    return decisions


def account(s: Any, n: int, out: Any, sums: Any) -> None:
    """Add a game that is over, after ``n`` decisions, to the sums.  The rows of the current game are set to zero."""
    sums.lengths[min(n, len(sums.lengths) - 1)] += 1
    rules.returns(s, out)
    best = out[0]
    several = 0
    for p in range(s.players):
        best = max(best, out[p])
    for p in range(s.players):
        several += out[p] == best
    sums.winners[several] += 1
    for p in range(s.players):
        share = (out[p] == best) / several
        sums.scores[0, p] += out[p]
        sums.scores[1, p] += out[p] * out[p]
        sums.scores[2, p] += share
        sums.scores[3, p] += share * share
    finished = sums.deals[0, s.players + 1]
    for c in range(sums.clauses.shape[1]):
        fired = sums.clauses[0, c]
        sums.clauses[1, c] += fired
        sums.clauses[2, c] += fired * fired
        sums.clauses[3, c] += fired > 0
        sums.clauses[4, c] += fired * int(finished)
        sums.clauses[0, c] = 0
    for q in range(s.players + 2):
        brought = sums.deals[0, q]
        sums.deals[1, q] += brought
        sums.deals[2, q] += brought * brought
        sums.deals[3, q] += brought * finished
        sums.deals[0, q] = 0


def tally(s: Any, out: Any, row: Any) -> None:
    """Add what a finished deal has brought to the players, in order from the dealer, and count it; a game without deals
    counts as one."""
    if rules.HAS_DEALS:
        if s.deal > row[s.players + 1]:
            row[s.players + 1] += 1
            rules.deal_returns(s, out)
            for p in range(s.players):
                row[(p + s.players - s.dealer) % s.players] += out[p]
    else:
        row[s.players + 1] = 1


def copy_many(S: Positions, times: int) -> int:
    """Copy position 0 over position 1 (for the bench)."""
    for i in range(times):
        S[1] = S[0]
        S[0] = S[1]
    return 2 * times


def redeal(s: Position, me: int, rng: U64) -> None:
    """Deal at random what ``me`` cannot see."""
    rules.redeal(s, me, rng)


KERNEL = Kernel(__name__, uses=(chance,), entries=(play_many, survey, copy_many, redeal))
