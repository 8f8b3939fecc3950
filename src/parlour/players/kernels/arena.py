"""Players in machine code: by rule of thumb, at random, by networks; and games between them.

``S`` holds the position of the game, room for what a player sees of it, and a blank position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from parlour.engine.hashing import fold, seeded, word
from parlour.engine.kernel import (
    F32,
    F64,
    I16,
    I64,
    U64,
    F64x2,
    I32x2,
    I64x2,
    Kernel,
    Positions,
    U64x2,
    U64x3,
    Word,
    rules,
)  # fmt: skip
from parlour.engine.kernels import bulk, chance, views
from parlour.engine.kernels.bulk import GameSums, account, tally
from parlour.engine.kernels.chance import draw_outcome, go_over, one_more
from parlour.engine.kernels.views import GAME, SEEN, glance_open, glance_own, see, write_row
from parlour.players.kernels import networks
from parlour.players.kernels.networks import favourite, reconsider
from parlour.rules.vocabulary import CHANCE, DEAL_OVER, SEVERAL, TERMINAL, below, count, nth

# ------------------------------------------------------------------------------------------ ways of choosing

NOTES = 1024
"""How many numbers a rule of thumb may note while it calculates."""
AT_RANDOM, BY_RULE_OF_THUMB, BY_NETWORK = range(3)
"""Ways of choosing; ``BY_NETWORK + i``: by network number ``i``."""
BY_ANSWER = -1
"""The way of choosing of a player that searches: the loop stops and returns for the choice."""
EQUAL = 1e-9
"""Actions whose worth differs by less are worth the same."""


class Weighing(NamedTuple):
    """Memory for weighing actions: their ids, the value of each, notes of a rule of thumb, networks, a player's view as
    the row of a tensor, a network's layers, and the rule of thumb's two numbers for each action (``short`` and
    ``firm``, see :func:`parlour.players.kernels.networks.reconsider`)."""

    acts: I16
    worth: F64
    notes: F64
    nets: F64x2
    row: F32
    layer: F64
    short: F64
    firm: F64


def sensible(s: Any, me: int, acts: Any, n: int, worth: Any, notes: Any, rng: Any) -> int:
    """Return the action that is worth most to ``me``, who sees ``s``; a random one among equals."""
    rules.appraise(s, me, acts, n, worth, notes, rng)
    most = worth[0]
    for k in range(1, n):
        most = max(most, worth[k])
    best = 0
    for k in range(n):
        best += worth[k] > most - EQUAL
    left = 0
    if best > 1:
        left = below(rng, best)
    for k in range(n):
        if worth[k] > most - EQUAL:
            if left == 0:
                return int(acts[k])
            left -= 1
    return int(acts[0])


def by_thumb(S: Any, me: int, n: int, room: Any, rng: Any) -> int:
    """Return the choice, by rule of thumb, of a player whose ``n`` legal actions are listed."""
    if n == 1:
        return int(room.acts[0])
    see(S, me)
    return sensible(S[SEEN], me, room.acts, n, room.worth, room.notes, rng)


def judge(s: Any, me: int, n: int, room: Any, net: Any, row: Any, layer: Any, rng: Any) -> int:
    """Return the action that a network prefers for ``me``, who sees ``s``; ``row``: the same view as numbers."""
    rules.appraise(s, me, room.acts, n, room.worth, room.notes, rng)
    reconsider(net, row, layer, me, room.acts, n, room.worth, room.short, room.firm)
    return favourite(n, room.worth)


def decide(S: Any, me: int, how: int, n: int, room: Any, rng: Any) -> int:
    """Return a player's choice among the ``n`` legal actions listed."""
    if how == BY_RULE_OF_THUMB:
        return by_thumb(S, me, n, room, rng)
    if how == AT_RANDOM:
        return int(room.acts[below(rng, n)])
    if n == 1:
        return int(room.acts[0])
    see(S, me)
    write_row(S[GAME], me, room.row)
    return int(room.acts[judge(S[SEEN], me, n, room, room.nets[how - BY_NETWORK], room.row, room.layer, rng)])


def answer(
    S: Positions, me: int, how: int, acts: I16, worth: F64, notes: F64, nets: F64x2, row: F32, layer: F64, short: F64,
    firm: F64, rng: U64,
) -> int:  # fmt: skip
    """Return a player's choice in the game in ``S``; the other arguments are a :class:`Weighing`."""
    n = rules.legal(S[GAME], me, acts)
    return decide(S, me, how, n, Weighing(acts, worth, notes, nets, row, layer, short, firm), rng)


# ------------------------------------------------------------------------------------------ a game between players


def play(
    s: Any, chosen: Any, rng: Any, to: Any, at: Any,
    choose: Callable[[Any, int], int], do: Callable[[Any, int, int], None], over: Callable[[Any], None],
) -> int:  # fmt: skip
    """Play a game between players who see only what they are told; return the number of their decisions.

    ``choose(at, p)`` returns the choice of player ``p``; ``do(at, who, a)`` carries out an action or an outcome of
    chance; ``over(at)`` is called at the end of a deal and of the game.  ``chosen`` is scratch space: at a sealed node
    all players choose before any choice is carried out.
    """
    decisions = 0
    steps = 0
    while True:
        steps = one_more(steps)
        who = rules.actor(s)
        if who >= 0:
            decisions += 1
            do(at, who, choose(at, who))
        elif who == CHANCE:
            do(at, CHANCE, draw_outcome(s, rng))
        elif who == SEVERAL:
            waiting = rules.acting(s)
            for k in range(count(waiting)):
                decisions += 1
                chosen[nth(waiting, k)] = choose(at, nth(waiting, k))
            for k in range(count(waiting)):
                do(at, nth(waiting, k), chosen[nth(waiting, k)])
        else:
            over(at)
            if who != DEAL_OVER:
                return decisions
            rules.next_deal(s, to)


def carry_on(s: Any, who: int, a: int, to: Any) -> None:
    """Carry out an action, or an outcome of chance."""
    if who == CHANCE:
        rules.happen(s, a, to)
    else:
        rules.apply(s, who, a, to)


# ------------------------------------------------------------------------------------------ matches

BY_WHOM = 64
"""A step of a game is written as one number: an action or outcome times this, plus its player: 0 for chance, 1 for seat
0."""
AT_GAME, STARTED, ANSWERED, LISTED, TRIED = range(5)
"""The progress of games when a loop returns for a choice: the game, whether it has begun, how many of the players who
choose at once have chosen; the number of legal actions, and of those worth trying."""


class ContestGames(NamedTuple):
    """Games between players who see only what they are told.  Game ``i`` has the generators ``words[i]`` (one for each
    seat, then that of chance), and in seat ``p`` a player who chooses in the way ``how[i, p]``.  ``out[i]`` takes the
    returns, ``moves[i]`` the number of decisions of each seat, ``steps[i]`` the steps in order (:data:`BY_WHOM`), as
    many as fit, and ``taken[i]`` their number.  ``start``: the start position; ``chosen`` is scratch space."""

    start: Positions
    words: U64x3
    how: I64x2
    chosen: I64
    out: F64x2
    moves: I64x2
    steps: I32x2
    taken: I64


class _Seated(NamedTuple):
    """A game of a match that is being played."""

    S: Any
    i: int
    room: Any
    match: Any


def put_down(steps: Any, taken: Any, i: int, who: int, a: int) -> None:
    """Write down a step of game ``i``, if there is room for it."""
    if taken[i] < len(steps):
        steps[taken[i]] = a * BY_WHOM + (who + 1 if who >= 0 else 0)
    taken[i] += 1


def _begin(S: Any, match: Any, i: int) -> None:
    S[GAME] = match.start[0]
    match.taken[i] = 0
    for p in range(S[GAME].players):
        match.moves[i, p] = 0


def _choose(at: Any, p: int) -> int:
    match, i = at.match, at.i
    n = rules.legal(at.S[GAME], p, at.room.acts)
    match.moves[i, p] += 1
    return decide(at.S, p, match.how[i, p], n, at.room, match.words[i, p])


def _do(at: Any, who: int, a: int) -> None:
    put_down(at.match.steps[at.i], at.match.taken, at.i, who, a)
    carry_on(at.S[GAME], who, a, None)


def _ignore(at: Any) -> None:
    pass


def contest(S: Positions, room: Weighing, match: ContestGames) -> None:
    """Play the games of a match between players who all choose in machine code."""
    for i in range(len(match.words)):
        _begin(S, match, i)
        s = S[GAME]
        play(s, match.chosen, match.words[i, s.players], None, _Seated(S, i, room, match), _choose, _do, _ignore)
        rules.returns(s, match.out[i])


def contest_asking(S: Positions, room: Weighing, match: ContestGames, at: I64, tried: I16, memory: U64x2) -> int:
    """The same as :func:`contest`, but with players who search (:data:`BY_ANSWER`).  When one of them has a choice,
    return their seat ``p``; to go on, put the choice into ``chosen[p]`` and call it again with the same arguments.
    Return -1 when all games are over.

    The view of that player is ``S[SEEN]``, and its glance is ``memory[0, 0]``; ``acts`` lists the legal actions, and
    ``tried`` those that are worth trying.  ``at``: the progress of the games (:data:`AT_GAME`), zeros at first;
    ``memory``: scratch space as in :func:`parlour.engine.kernels.keys.start_memory`.  It cannot share the loop of
    :func:`play`, because it returns in the middle of a game.
    """
    s = S[GAME]
    while at[AT_GAME] < len(match.words):
        i = at[AT_GAME]
        if at[STARTED] == 0:
            at[STARTED] = 1
            _begin(S, match, i)
        who = rules.actor(s)
        while who != TERMINAL:
            one_more(match.taken[i])
            if who == CHANCE:
                _do(_Seated(S, i, room, match), CHANCE, draw_outcome(s, match.words[i, s.players]))
            elif who == DEAL_OVER:
                go_over(s, None)
            else:
                waiting = 1 << max(who, 0)
                if who == SEVERAL:
                    waiting = rules.acting(s)
                while at[ANSWERED] < count(waiting):  # all choices are made before any is carried out
                    p = nth(waiting, at[ANSWERED])
                    at[ANSWERED] += 1
                    n = rules.legal(s, p, room.acts)
                    match.moves[i, p] += 1
                    if (match.how[i, p] == BY_ANSWER) & (n > 1):
                        see(S, p)
                        at[LISTED] = n
                        at[TRIED] = rules.candidates(S[SEEN], p, tried)
                        common = glance_open(s, memory[3])
                        memory[0, 0] = word(common + glance_own(s, p, memory[3]))
                        return p
                    match.chosen[p] = decide(S, p, match.how[i, p], n, room, match.words[i, p])
                at[ANSWERED] = 0
                for k in range(count(waiting)):
                    _do(_Seated(S, i, room, match), nth(waiting, k), match.chosen[nth(waiting, k)])
            who = rules.actor(s)
        rules.returns(s, match.out[i])
        at[STARTED] = 0
        at[AT_GAME] += 1
    return -1


# ------------------------------------------------------------------------------------------ statistics


class _Counted(NamedTuple):
    """A game of a survey that is being played."""

    S: Any
    words: Any
    how: int
    room: Any
    out: Any
    sums: Any


def _choose_counted(at: Any, p: int) -> int:
    n = rules.legal(at.S[GAME], p, at.room.acts)
    at.sums.deals[0, at.S[GAME].players] += n > 1
    return decide(at.S, p, at.how, n, at.room, at.words[p])


def _do_counted(at: Any, who: int, a: int) -> None:
    carry_on(at.S[GAME], who, a, at.sums.clauses[0])


def _tally(at: Any) -> None:
    tally(at.S[GAME], at.out, at.sums.deals[0])


def survey_players(
    S: Positions, start: Positions, words: U64x2, how: int, first: Word, games: int, chosen: I64, room: Weighing,
    out: F64, sums: GameSums,
) -> int:  # fmt: skip
    """Play games between players who all choose by ``how``, for statistics (:func:`account`); return the number of
    decisions.  Chance in game ``i`` has the seed ``first + i``, and each player's own generator follows from that;
    ``words`` is scratch space for the generators of the players and of chance."""
    decisions = 0
    s = S[GAME]
    for i in range(games):
        S[GAME] = start[0]
        seed = seeded(first, i)
        for p in range(s.players):
            words[p, 0] = seeded(fold(seed, word(p + 1)), 0)
        words[s.players, 0] = seed
        made = play(
            s, chosen, words[s.players], sums.clauses[0], _Counted(S, words, how, room, out, sums),
            _choose_counted, _do_counted, _tally,
        )  # fmt: skip
        decisions += made
        account(s, made, out, sums)
    return decisions


KERNEL = Kernel(
    __name__, uses=(bulk, chance, networks, views), entries=(answer, contest, contest_asking, survey_players)
)
